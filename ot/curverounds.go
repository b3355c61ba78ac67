package ot

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"rot.example/rot/chisq"
	"rot.example/rot/internal/parallel"
)

// Below the elbow of far outliers λ is large. In the plane the plans of two such
// radii have little in common: solving one of them anew takes no longer than
// getting there from the other. In more dimensions the way is shorter, but it is
// one pivot after another. So these radii are solved beside the descent through
// all the others, in groups that begin anew. The groups do not depend on the
// number of cores, and so neither does the curve.

// begin solves plain transport and looks for the first of the radii, from
// number first on, that the descent takes.
func (c *curve) begin(ctx context.Context, first int) (rest int, err error) {
	c.s = newOneSided(c.in, c.w)
	var plainErr error
	plain := func(ctx context.Context) error {
		c.plain, plainErr = exact(ctx, c.p, 1e-9, newWatch("curve", 0, nil))
		if fellShort(plainErr) {
			return nil
		}
		return plainErr
	}
	start := func(ctx context.Context) (err error) {
		if err := c.s.startNearest(ctx); err != nil {
			return err
		}
		rest, err = c.countStiff(ctx, first)
		return err
	}
	if err := c.together(ctx, []func(context.Context) error{plain, start}); err != nil {
		return 0, err
	}
	if err := c.keep(c.plain, plainErr); err != nil {
		return 0, err
	}
	c.RhoMax, c.Plain = c.s.near.rho, c.plain.Value
	if c.tol > 1e-9 {
		c.s.loose = c.tol / 2 * math.Abs(c.Plain)
	}
	c.add(0, c.plain)
	return rest, nil
}

// together does jobs at the same time, unless a device helps with them, which
// has no room for all. An error ends the others.
func (c *curve) together(ctx context.Context, jobs []func(context.Context) error) error {
	if c.in.device != nil {
		for _, do := range jobs {
			if err := do(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := parallel.Try(len(jobs), func(k int) error {
		err := jobs[k](ctx)
		if err != nil {
			cancel(err)
		}
		return err
	})
	if errors.Is(err, context.Canceled) { // perhaps since another one failed
		return context.Cause(ctx)
	}
	return err
}

// countStiff returns the number of the first radius that the descent takes. A
// small version of the problem tells which are stiff: the larger a radius, the
// smaller is λ. In many dimensions the descent takes the largest of them, too.
func (c *curve) countStiff(ctx context.Context, first int) (int, error) {
	if min(c.in.m, c.in.n) < 4*probe || c.in.device != nil && !c.in.planar() {
		return first, nil // too few points to tell, or nothing would run at the same time
	}
	var err error
	n := sort.Search(len(c.rhos)-first, func(k int) bool {
		if err != nil {
			return true
		}
		var small *oneSided
		small, err = c.s.smallest(ctx, c.rhos[first+k])
		return err != nil || !small.stiff()
	})
	if !c.in.planar() {
		n -= (n + 2) / 3
	}
	return first + n, err
}

// solveAll solves the radii from number first on: those before rest in rounds,
// the others by a descent beside the first round.
func (c *curve) solveAll(ctx context.Context, first, rest int) error {
	jobs := []func(context.Context) error{func(ctx context.Context) error { return c.descend(ctx, rest) }}
	for {
		round := c.nextRound(first, rest)
		results, errs := make([]*Result, len(round)), make([]error, len(round))
		for lo := 0; lo < len(round); {
			hi := len(round)
			if c.in.planar() {
				hi = lo + 1
			}
			group := upTo(hi)[lo:]
			jobs = append(jobs, func(ctx context.Context) error {
				return c.solveGroup(ctx, group, round, results, errs)
			})
			lo = hi
		}
		if len(jobs) == 0 {
			break
		}
		if err := c.together(ctx, jobs); err != nil {
			return err
		}
		for s, k := range round {
			if err := c.take(k, results[s], errs[s]); err != nil {
				return err
			}
		}
		jobs = nil
	}
	for k := rest - 1; k >= first; k-- {
		if !c.Points[k].Solved {
			c.fill(k, c.above(k))
		}
	}
	return nil
}

// solveGroup solves some radii of a round, the largest first.
func (c *curve) solveGroup(ctx context.Context, group []int32, round []int, results []*Result, errs []error) error {
	in, err := newInstance(c.p, false)
	if err != nil {
		return err
	}
	s := newOneSided(in, newWatch("curve", 0, nil))
	s.loose = c.s.loose
	for _, k := range slices.Backward(group) {
		results[k], errs[k] = c.solveStiff(ctx, s, c.rhos[round[k]])
		if errs[k] != nil && !fellShort(errs[k]) {
			return errs[k]
		}
	}
	return nil
}

// nextRound returns which of the radii before rest to solve next: of every
// stretch without a solved one those that are not bounded closely enough yet,
// or some of them where they are many.
func (c *curve) nextRound(first, rest int) []int {
	most := 7
	if c.in.m+c.in.n > 200_000 { // each solve has its own memory
		most = 3
	}
	var round, open []int
	pick := func() {
		for s := range min(most, len(open)) {
			if len(open) > most {
				round = append(round, open[(s+1)*len(open)/(most+1)])
			} else {
				round = append(round, open[s])
			}
		}
		open = open[:0]
	}
	for k := first; k < rest; k++ {
		if c.Points[k].Solved {
			pick()
		} else if !c.close(k) {
			open = append(open, k)
		}
	}
	pick()
	return round
}

// above returns the number of the next larger radius that is solved, or of the
// largest.
func (c *curve) above(k int) int {
	for k++; k < len(c.rhos)-1 && !c.Points[k].Solved; k++ {
	}
	return min(k, len(c.rhos)-1)
}

// solveStiff solves a stiff radius, in the plane first of all to what the curve
// has to be good to, and no better.
func (c *curve) solveStiff(ctx context.Context, s *oneSided, rho float64) (*Result, error) {
	if s.loose > 0 && s.in.planar() {
		answer, err := s.loosely(ctx, rho, 2*s.loose)
		if err != nil {
			return nil, err
		}
		if answer.plan != nil {
			r, err := conclude(ctx, c.p, s.in, answer, chisq.Ball{Rho: rho}, chisq.Ball{}, 1e-9, newWatch("curve", 0, nil))
			if !fellShort(err) || r.Gap() <= 2*s.loose {
				return r, err
			}
		}
	}
	return c.solve(ctx, s, rho)
}
