// Dirt measures which robust transport finds which kind of dirt: it spoils one
// side of two samples of the same distribution in five ways, solves with every
// method, and prints Markdown for docs/guide.
//
//	go run ./bench/dirt -n 1000 -seeds 5
//
// Every method is told the true share of dirt. A cell has the AUROC with which
// the weights tell the dirty rows from the others (of plain and truncated
// transport, whose weights stay, what a row pays), and by how much the distance is
// off from that of the same samples without the dirt.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"rot.example/rot/chisq"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

type options struct {
	n, dim, seeds int
	gamma         float64
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 1000, "rows a side")
	flag.IntVar(&o.dim, "dim", 8, "columns")
	flag.IntVar(&o.seeds, "seeds", 5, "samples of each kind")
	flag.Float64Var(&o.gamma, "gamma", 0.1, "share of dirt")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A score is what a method made of one sample, or the mean of several.
type score struct {
	auroc, off, seconds float64
	light, right        float64 // dirty rows' share of those below half their weight, and how many of the dirty ones these are
	count               int
}

func (s *score) add(t score) {
	s.auroc, s.off, s.seconds, s.right = s.auroc+t.auroc, s.off+math.Abs(t.off), s.seconds+t.seconds, s.right+t.right
	if !math.IsNaN(t.light) {
		s.light += t.light
		s.count++
	}
}

func run(ctx context.Context, o options) error {
	found := make([][]score, len(methods))
	for m := range methods {
		found[m] = make([]score, len(kinds))
	}
	for k, kind := range kinds {
		for seed := range o.seeds {
			s := kind.draw(o, uint64(seed))
			clean, err := s.cleanDistance(ctx)
			if err != nil {
				return err
			}
			for m, method := range methods {
				got, err := s.judge(ctx, method, o.gamma, clean)
				if err != nil {
					return fmt.Errorf("%s, %s, seed %d: %w", method.name, kind.name, seed, err)
				}
				found[m][k].add(got)
			}
		}
	}
	fmt.Printf("%d rows a side, %d columns, %g %% dirt, mean of %d samples\n\n", o.n, o.dim, 100*o.gamma, o.seeds)
	header("seconds")
	n := float64(o.seeds)
	for m, method := range methods {
		fmt.Printf("| %s |", method.name)
		var seconds float64
		for k := range kinds {
			s := &found[m][k]
			seconds += s.seconds / n / float64(len(kinds))
			fmt.Printf(" %.2f, %s |", s.auroc/n, percent(s.off/n))
		}
		fmt.Printf(" %.2g |\n", seconds)
	}
	fmt.Print("\nRows below half of their weight: how many of them are dirt, and how much of the dirt they are.\n\n")
	header()
	for m, method := range methods {
		if method.paid {
			continue
		}
		fmt.Printf("| %s |", method.name)
		for k := range kinds {
			s := &found[m][k]
			if s.count == 0 {
				fmt.Print(" none |")
				continue
			}
			fmt.Printf(" %.0f %%, %.0f %% |", 100*s.light/float64(s.count), 100*s.right/n)
		}
		fmt.Println()
	}
	return nil
}

// header prints the kinds, and columns after them.
func header(more ...string) {
	line, rule := "| |", "|---|"
	for _, kind := range kinds {
		line, rule = line+" "+kind.name+" |", rule+"---|"
	}
	for _, name := range more {
		line, rule = line+" "+name+" |", rule+"---|"
	}
	fmt.Printf("%s\n%s\n", line, rule)
}

func percent(v float64) string {
	if 100*v < 10 {
		return fmt.Sprintf("%.1f %%", 100*v)
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

// A method is a kind of robust transport.
type method struct {
	name  string
	paid  bool // weights stay: rows are told apart by what they pay
	solve func(ctx context.Context, p *ot.Problem, gamma float64) (*ot.Result, error)
}

// ball is robust transport in the ball of a divergence around the sources.
func ball(d ot.Divergence) func(context.Context, *ot.Problem, float64) (*ot.Result, error) {
	return func(ctx context.Context, p *ot.Problem, gamma float64) (*ot.Result, error) {
		rho, err := d.Radius(gamma)
		if err != nil {
			return nil, err
		}
		return ot.Robust(ctx, p, &ot.RobustOptions{Source: chisq.Ball{Rho: rho}, Divergence: d})
	}
}

func part(oneSided bool) func(context.Context, *ot.Problem, float64) (*ot.Result, error) {
	return func(ctx context.Context, p *ot.Problem, gamma float64) (*ot.Result, error) {
		r, err := ot.Partial(ctx, p, &ot.PartialOptions{Mass: 1 - gamma, OneSided: oneSided})
		if r != nil {
			r.Value /= 1 - gamma // a distance of all of the mass that moves
		}
		return r, err
	}
}

func unbalanced(d ot.Divergence) func(context.Context, *ot.Problem, float64) (*ot.Result, error) {
	return func(ctx context.Context, p *ot.Problem, _ float64) (*ot.Result, error) {
		r, err := ot.Unbalanced(ctx, p, &ot.UnbalancedOptions{Divergence: d, Penalty: 2 * typical(p)})
		if r != nil {
			var mass float64
			for _, v := range r.A {
				mass += v
			}
			r.Value = r.Transport / mass
		}
		return r, err
	}
}

var methods = []method{
	{"plain", true, func(ctx context.Context, p *ot.Problem, _ float64) (*ot.Result, error) { return ot.Exact(ctx, p, nil) }},
	{"χ² ball, `--gamma`", false, ball(ot.Chi2)},
	{"KL ball, `--divergence kl`", false, ball(ot.KL)},
	{"total variation, `--divergence tv`", false, ball(ot.TV)},
	{"trimmed source, `--trim-side source`", false, part(true)},
	{"trimmed on both sides, `--trim`", false, part(false)},
	{"truncated at twice a near move, `--truncate`", true, func(ctx context.Context, p *ot.Problem, _ float64) (*ot.Result, error) {
		c, err := p.Cost.Truncated(2 * typical(p))
		if err != nil {
			return nil, err
		}
		return ot.Exact(ctx, &ot.Problem{Cost: c, A: p.A, B: p.B}, nil)
	}},
	{"unbalanced χ², penalty of two near moves", false, unbalanced(ot.Chi2)},
	{"unbalanced KL, penalty of two near moves", false, unbalanced(ot.KL)},
}

// judge solves a sample and compares the weights with the dirt.
func (s *sample) judge(ctx context.Context, m method, gamma, clean float64) (score, error) {
	p, err := ot.NewProblem(s.dirty, s.other, ot.Euclidean)
	if err != nil {
		return score{}, err
	}
	start := time.Now()
	r, err := m.solve(ctx, p, gamma)
	if err != nil {
		return score{}, err
	}
	out := score{seconds: time.Since(start).Seconds(), off: r.Value/clean - 1}
	suspicion := make([]float64, len(s.dirt))
	if m.paid {
		for k, mass := range r.Plan.Mass {
			i := r.Plan.I[k]
			suspicion[i] += mass * p.Cost.At(int(i), int(r.Plan.J[k]))
		}
	} else {
		var light, dirty, all float64
		for i, w := range r.SourceWeights() {
			suspicion[i] = -w
			if s.dirt[i] {
				all++
			}
			if w < 0.5 {
				light++
				if s.dirt[i] {
					dirty++
				}
			}
		}
		out.light, out.right = dirty/light, dirty/all // NaN for none
	}
	out.auroc, err = metrics.AUROC(suspicion, s.dirt)
	return out, err
}
