package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"rot.example/rot/chisq"
	"rot.example/rot/figure"
	"rot.example/rot/ot"
)

// A Figure1 is the paper's figure 1: a blob, the blob with a far cluster of
// outliers, and two moons to move them to; and the elbow curve of the same
// data.
type Figure1 struct {
	Clean, Dirty, Target *ot.Points
	Outlier              []bool // of the rows of Dirty
	Ball                 chisq.Ball

	Plain, Spoiled, Robust *ot.Result // clean, with outliers, and robust with outliers
	Curve                  *ot.CurveResult
	Theorem                *ot.TheoremBound
}

// The sizes of figure 1. The fraction of outliers is the paper's.
const (
	blobPoints    = 285
	blobOutliers  = 15
	moonPoints    = 300
	figure1Seed   = 2020 // the year of the paper; any other looks the same
	figure1Digits = 1e4  // as many as the files hold
)

// figure1Rhos are those of ot.DefaultRhos up to where a sixth of the source may
// go: nobody expects more outliers than that here.
var figure1Rhos = []float64{0, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1}

// NewFigure1 makes the data.
func NewFigure1() *Figure1 {
	rng := rand.New(rand.NewPCG(figure1Seed, 0))
	point := func(x, y float64) []float64 {
		return []float64{math.Round(x*figure1Digits) / figure1Digits, math.Round(y*figure1Digits) / figure1Digits}
	}
	f := &Figure1{Clean: &ot.Points{Dim: 2}, Dirty: &ot.Points{Dim: 2}, Target: &ot.Points{Dim: 2}}
	for range blobPoints {
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		r := math.Sqrt(rng.Float64()) // even over a disk
		f.Clean.Coords = append(f.Clean.Coords, point(0.5+1.7*r*cos, 0.25+0.95*r*sin)...)
	}
	f.Dirty.Coords = append(f.Dirty.Coords, f.Clean.Coords...)
	for range blobOutliers {
		f.Dirty.Coords = append(f.Dirty.Coords, point(4.2+0.25*rng.NormFloat64(), 3+0.25*rng.NormFloat64())...)
	}
	for i := range moonPoints {
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		if i%2 == 1 {
			sin, cos = 0.5-sin, 1-cos
		}
		f.Target.Coords = append(f.Target.Coords, point(cos+0.06*rng.NormFloat64(), sin+0.06*rng.NormFloat64())...)
	}
	f.Outlier = make([]bool, f.Dirty.Len())
	for i := blobPoints; i < len(f.Outlier); i++ {
		f.Outlier[i] = true
	}
	return f
}

// Outliers is the number of outliers.
func (f *Figure1) Outliers() int { return blobOutliers }

// Gamma is their fraction.
func (f *Figure1) Gamma() float64 { return float64(blobOutliers) / float64(len(f.Outlier)) }

// Solve solves the three problems of the figure. Progress may be nil.
func (f *Figure1) Solve(ctx context.Context, progress func(ot.Progress)) error {
	var err error
	if f.Ball, err = chisq.FromGamma(f.Gamma()); err != nil {
		return err
	}
	clean, err := ot.NewProblem(f.Clean, f.Target, ot.Euclidean)
	if err != nil {
		return err
	}
	dirty, err := ot.NewProblem(f.Dirty, f.Target, ot.Euclidean)
	if err != nil {
		return err
	}
	if f.Plain, err = ot.Exact(ctx, clean, &ot.ExactOptions{Progress: progress}); err != nil {
		return err
	}
	if f.Spoiled, err = ot.Exact(ctx, dirty, &ot.ExactOptions{Progress: progress}); err != nil {
		return err
	}
	f.Robust, err = ot.Robust(ctx, dirty, &ot.RobustOptions{Source: f.Ball, Progress: progress})
	return err
}

// SolveCurve works out the elbow curve and the bound of Theorem 2.
func (f *Figure1) SolveCurve(ctx context.Context, progress func(ot.Progress)) error {
	dirty, err := ot.NewProblem(f.Dirty, f.Target, ot.Euclidean)
	if err != nil {
		return err
	}
	if f.Theorem, err = ot.Theorem2(ctx, dirty, f.Outlier); err != nil {
		return err
	}
	f.Curve, err = ot.Curve(ctx, dirty, figure1Rhos, &ot.CurveOptions{Progress: progress})
	return err
}

// Found is the number of outliers that robust transport took most of the weight
// from, and that of other rows.
func (f *Figure1) Found() (outliers, others int) {
	for i, w := range f.Robust.SourceWeights() {
		switch {
		case w >= figure.DefaultLow:
		case f.Outlier[i]:
			outliers++
		default:
			others++
		}
	}
	return outliers, others
}

// Couplings draws the three plans.
func (f *Figure1) Couplings() *figure.Couplings {
	spoiled := fmt.Sprintf("%g %% outliers, ", 100*f.Gamma())
	return &figure.Couplings{Panels: []*figure.Coupling{
		figure.NewCoupling("(a) clean, plain OT", f.Clean, f.Target, f.Plain),
		figure.NewCoupling("(b) "+spoiled+"plain OT", f.Dirty, f.Target, f.Spoiled),
		figure.NewCoupling("(c) "+spoiled+"robust OT", f.Dirty, f.Target, f.Robust),
	}}
}

var fig1 = Experiment{
	Name:  "fig1",
	Title: "couplings of a blob with two moons: clean, with outliers, robust",
	Paper: "The paper's figure 1",
	Parts: []string{"plane"},
	once:  true,
	run: func(ctx context.Context, g *grid, _ string) (*section, error) {
		f := NewFigure1()
		if err := f.Solve(ctx, nil); err != nil {
			return nil, err
		}
		found, others := f.Found()
		s := &section{Title: fmt.Sprintf("%d points, %d of them outliers, to %d", f.Dirty.Len(), f.Outliers(), f.Target.Len())}
		s.Numbers = map[string]any{
			"clean": f.Plain.Value, "plain": f.Spoiled.Value, "robust": f.Robust.Value, "gamma": f.Gamma(), "rho": f.Ball.Rho,
			"outliers": f.Outliers(), "found": found, "others": others,
		}
		off := func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*(v/f.Plain.Value-1)) }
		s.Markdown = fmt.Sprintf(`| | distance | against (a) |
|---|---|---|
| (a) clean, plain OT | %.4f | |
| (b) outliers, plain OT | %.4f | %s |
| (c) outliers, robust OT, ρ = %.4f | %.4f | %s |

Robust transport took most of the weight from %d of the %d outliers and from %d other points.

![couplings](couplings.png)

`, f.Plain.Value, f.Spoiled.Value, off(f.Spoiled.Value), f.Ball.Rho, f.Robust.Value, off(f.Robust.Value), found, f.Outliers(), others)
		s.figures = []picture{{"couplings.png", f.Couplings()}}
		return s, nil
	},
}

var elbow = Experiment{
	Name:  "elbow",
	Title: "the robust distance against ρ, with Theorem 2's bound and the estimated ρ",
	Paper: "The paper's appendix on the choice of ρ",
	Parts: []string{"plane"},
	once:  true,
	run: func(ctx context.Context, g *grid, _ string) (*section, error) {
		f := NewFigure1()
		if err := f.SolveCurve(ctx, nil); err != nil {
			return nil, err
		}
		s := &section{Title: "The data of figure 1"}
		s.Markdown = "| ρ | V(ρ) | lower bound | Theorem 2's upper bound on V |\n|---|---|---|---|\n"
		broken := 0
		for _, p := range f.Curve.Points {
			bound := f.Theorem.At(p.Rho)
			s.Markdown += fmt.Sprintf("| %g | %.5f | %.5f | %.5f |\n", p.Rho, p.Value, p.Lower, bound)
			if p.Lower > bound {
				broken++
			}
		}
		s.Numbers = map[string]any{"points": f.Curve.Points, "elbow": f.Curve.Elbow, "sharpness": f.Curve.Sharpness, "plain": f.Curve.Plain}
		truth, err := chisq.FromGamma(f.Gamma())
		if err != nil {
			return nil, err
		}
		s.Markdown += fmt.Sprintf("\nThe elbow is at ρ = %g, room for %.1f %% of the source; the outliers are %.1f %%, for which ρ = %.4f would do. The bound is broken at %d of %d radii.\n\n![curve](curve.png)\n\n",
			f.Curve.Elbow, 100*chisq.Ball{Rho: f.Curve.Elbow}.Gamma(), 100*f.Gamma(), truth.Rho, broken, len(f.Curve.Points))
		s.figures = []picture{{"curve.png", figure.NewCurve("Choosing ρ: the elbow", f.Curve, f.Theorem)}}
		return s, nil
	},
}
