package ot

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// hardSlack is how far a marginal that stays may be off, relative to each weight.
const hardSlack = 2e-13

// misplaced is how far marginals that stay are from where they should be.
func (k *klSolve) misplaced(r *Result) float64 {
	var worst float64
	for side, w := range [2][]float64{r.A, r.B} {
		if k.radii[side] > 0 {
			continue
		}
		for i, v := range k.base[side].hi {
			if v > 0 {
				worst = math.Max(worst, math.Abs(w[i]-v)/v)
			}
		}
	}
	return worst
}

// between is plain transport between weights.
func (k *klSolve) between(ctx context.Context, sides [2]weights) (*Result, error) {
	r, err := exact(ctx, &Problem{Cost: k.p.Cost, exact: &sides, device: k.p.device}, k.tol, newWatch(k.w.solver, 0, nil))
	if err != nil && !fellShort(err) {
		return nil, err
	}
	return r, nil
}

// refine improves a result whose gap rounding keeps open: the best potentials
// ask for weights, between which plain transport has a plan and new potentials.
func (k *klSolve) refine(ctx context.Context) error {
	short := k.shortfall(k.best)
	for range 8 {
		before := k.best.Gap()
		var sides [2]weights
		for side := range sides {
			var err error
			if sides[side], err = k.asked(side); err != nil {
				return err
			}
		}
		r, err := k.between(ctx, sides)
		if err != nil {
			return fmt.Errorf("ot: %s stopped: %w", k.w.solver, err)
		}
		if short = k.accept(r); short == nil || !(k.best.Gap() < 0.9*before) {
			break
		}
	}
	return short
}

// accept certifies a result, keeps what is better in it than in the best so far,
// and says how far short of the tolerance that is.
func (k *klSolve) accept(r *Result) (short error) {
	err := k.prove(r)
	for _, d := range k.duals {
		if err != nil || r.Lower < 0 {
			other := &Result{Plan: r.Plan, F: slices.Clone(d.f), G: slices.Clone(d.g), Iters: r.Iters}
			_ = k.prove(other)
			r.take(other)
			err = k.shortfall(r)
		}
	}
	if k.best != nil {
		r.take(k.best)
		err = k.shortfall(r)
	}
	k.best = r
	return err
}

// prove fills in the bounds of a plan in its balls and potentials with F_i + G_j
// ≤ C_ij but for one rounding.
func (k *klSolve) prove(r *Result) error {
	a, b := k.base[0], k.base[1]
	r.BaseA, r.BaseB = a.hi, b.hi
	r.priceOf(k.p.Cost)
	k.p.Cost.lowerPair(r.F, r.G, r.Value)
	for side, phi := range [2][]float64{r.F, r.G} {
		for i, v := range phi {
			switch {
			case k.base[side].hi[i] == 0:
				phi[i] = 0 // until priceIdle: no bound asks for it
			case side == 0 && v != 0:
				phi[i] = down(v) // rounded once, too
			}
		}
	}
	x, slope := a.leastTilted(r.F, k.given[0])
	y, targetSlope := b.leastTilted(r.G, k.given[1])
	r.SourceLambda, r.TargetLambda = slope, targetSlope
	lower := x.plus(y)
	r.noise = 2*lower.err + k.p.Cost.blur(r.Value) + 8*eps*(a.size(r.F)+b.size(r.G))
	r.Lower = math.Min(lower.floor(), r.Value)
	r.neverNegative(k.p.Cost)
	r.priceIdle(k.p.Cost)
	return k.shortfall(r)
}

// shortfall says how far short of the tolerance the bounds are.
func (k *klSolve) shortfall(r *Result) error {
	if !r.within(k.tol, r.noise) {
		return &ConvergenceError{Solver: "robust", Iters: r.Iters, Gap: r.RelGap(), Tol: k.tol}
	}
	return nil
}

// outside is how far towards the base weights the marginals of a plan have to go
// to be in their balls.
func (k *klSolve) outside(r *Result) float64 {
	t := 0.0
	for side, w := range [2][]float64{r.A, r.B} {
		if k.radii[side] > 0 {
			t = math.Max(t, mixing(KL, w, k.base[side].hi, k.radii[side]))
		}
	}
	return t
}

// into moves a plan towards one with the base weights as far as its marginals
// leave the balls.
func (k *klSolve) into(r *Result) {
	if t := k.outside(r); t > 0 {
		r.Plan.scale(1 - t)
		northWest(r.Plan, k.base[0].hi, k.base[1].hi, t)
		r.priceOf(k.p.Cost)
	}
}

// mixing is how much of the base weights makes weights w of mass one fit into
// the ball of radius rho: 0 for those inside.
func mixing(d Divergence, w, base []float64, rho float64) float64 {
	slack := 1e-12*rho + 4e-16*math.Sqrt(2*rho) // rounding of the weights themselves
	far := d.of(w, base)
	if far <= rho+slack {
		return 0
	}
	switch d {
	case Chi2:
		return 1 - math.Sqrt(rho/far)
	case TV:
		return 1 - rho/far
	}
	// The divergence is convex along the way and 0 at its end.
	lo, hi := 0.0, math.Min(1, 1-rho/far*(1-1e-15))
	mixed := make([]float64, len(w))
	for range 60 {
		t := (lo + hi) / 2
		for i, v := range w {
			mixed[i] = v + t*(base[i]-v)
		}
		if d.of(mixed, base) <= rho {
			hi = t
		} else {
			lo = t
		}
	}
	return hi
}
