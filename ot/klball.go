package ot

import (
	"context"
	"fmt"
	"math"
)

// entropyBall is robust transport whose marginals may move within balls of KL:
// Σ w log(w/a) ≤ radius, 0 for a marginal that stays (docs/math.md §5.2).
//
// For multipliers λ of the balls it is unbalanced transport with KL penalties λ,
// which is solved by its forest; a marginal that stays has an infinite penalty. On
// a forest the weights follow in closed form, and so does the λ that makes a ball
// tight.
func entropyBall(ctx context.Context, p *Problem, radii [2]float64, tol float64, w *watch) (*Result, error) {
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	k := &klSolve{p: p, base: [2]weights{a, b}, given: radii, radii: radii, tol: tol, w: w, rows: newCostRows(p.Cost)}
	for side, base := range k.base {
		some := positive(base.hi)
		if len(some) == 1 {
			k.radii[side] = 0 // which has nowhere to move
		}
		least := math.Inf(1)
		for _, i := range some {
			least = math.Min(least, base.hi[i])
		}
		// All mass on one point is as far as weights can get.
		k.radii[side] = math.Min(k.radii[side], 1-math.Log(least))
	}
	if k.radii == [2]float64{} || k.radii[0] < stiffRadius && k.radii[1] < stiffRadius {
		r, err := exact(ctx, p, tol, newWatch(w.solver, w.max, w.progress))
		if r == nil {
			return nil, err
		}
		k.best = r
		if short := k.prove(r); short == nil || k.radii == [2]float64{} || err != nil && !fellShort(err) {
			if err != nil && !fellShort(err) {
				return r, err
			}
			return r, short
		}
	}
	return k.solve(ctx)
}

// stiffRadius is up to where plain transport is worth a look: weights that move
// by 1e-10 hardly change what it costs.
const stiffRadius = 1e-20

// klSolve is entropyBall at work.
type klSolve struct {
	p     *Problem
	base  [2]weights
	given [2]float64 // radii as asked for
	radii [2]float64 // as they matter
	tol   float64
	w     *watch
	rows  *costRows
	low   float64 // no plan costs less
	best  *Result // so far
}

// solve finds the weights and certifies them. Where rounding leaves the gap open,
// plain transport between such weights may close it.
func (k *klSolve) solve(ctx context.Context) (*Result, error) {
	if done, err := k.relaxed(ctx); done || err != nil {
		return k.best, err
	}
	s, limit := newKLSearch(ctx, k)
	if s == nil {
		return k.best, limit
	}
	if limit == nil {
		limit = s.run(ctx)
	}
	if limit != nil && !stopped(limit) {
		return nil, limit
	}
	late := ctx
	if ctx.Err() != nil {
		rest, cancel := afterwards(ctx)
		defer cancel()
		late = rest
	}
	short, err := k.fromForest(late, s)
	switch {
	case err != nil:
		return k.best, fmt.Errorf("ot: %s stopped: %w", k.w.solver, err)
	case ctx.Err() != nil:
		return k.best, fmt.Errorf("ot: %s stopped: %w", k.w.solver, ctx.Err())
	case short == nil || limit != nil:
		return k.best, short
	}
	m, n := k.p.Cost.Dims()
	if float64(m)*float64(n) <= refineLimit {
		return k.best, k.refine(ctx)
	}
	return k.best, short
}

// relaxed looks at the problem without one of its balls, or with one marginal
// free: mass goes to the nearest. If that is allowed, it is the answer; if not,
// its cost is a bound.
func (k *klSolve) relaxed(ctx context.Context) (done bool, err error) {
	k.low = math.Inf(-1)
	for free := range 2 {
		kept := 1 - free
		if k.radii[free] == 0 {
			continue
		}
		in, err := newInstance(k.p, free == 1) // the targets of which keep to their ball
		if err != nil {
			return false, err
		}
		near, err := in.nearest(ctx, make([]float64, in.m))
		if err != nil {
			return false, err
		}
		d := near.best(make([]float64, in.m))
		t := leastTilt(d, in.b, math.Max(k.radii[kept], 1e-300))
		plan := &Plan{}
		var value sum
		for j, base := range in.b {
			mass := base
			switch {
			case k.radii[kept] == 0:
			case t.lambda > 0:
				mass *= math.Exp(t.exponent(d[j]))
			case d[j] > t.centre:
				mass = 0
			}
			if mass > 0 {
				plan.add(in.rows[near.src[j]], in.cols[j], mass)
			}
			value.add(mass * d[j])
		}
		k.low = math.Max(k.low, value.total())
		m, n := k.p.Cost.Dims()
		f, g := make([]float64, m), make([]float64, n)
		phi := g
		if in.swapped() {
			plan.I, plan.J = plan.J, plan.I
			phi = f
		}
		for j, v := range d {
			phi[in.cols[j]] = v
		}
		if t.lambda == 0 && k.radii[kept] > 0 { // the mass of those that are least
			scale := 1 / total(plan.Mass)
			plan.scale(scale)
		}
		r := &Result{Plan: plan, F: f, G: g}
		r.priceOf(k.p.Cost)
		if k.outside(r) > 0 {
			continue
		}
		if short := k.accept(r); short == nil {
			return true, nil
		}
	}
	return false, nil
}

// fromForest certifies what a search ended with, and says how far short of the
// tolerance it is.
func (k *klSolve) fromForest(ctx context.Context, s *klSearch) (short, err error) {
	f, g, err := s.q.potentials(ctx, k.rows, k.base[1].hi)
	if err != nil {
		return nil, err
	}
	plan := s.polished()
	r := &Result{Plan: plan, F: f, G: g, Iters: s.q.pivots}
	r.priceOf(k.p.Cost)
	if off := k.misplaced(r); off > hardSlack && k.p.Cost.m*k.p.Cost.n <= refineLimit {
		return k.between(ctx, r.A, r.B)
	}
	k.into(r)
	return k.accept(r), nil
}

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

// between certifies plain transport between weights near to w and v: marginals
// that stay are as they should be, the others in their balls.
func (k *klSolve) between(ctx context.Context, w, v []float64) (short, err error) {
	q := &Problem{Cost: k.p.Cost, device: k.p.device}
	sides := [2]weights{}
	for side, x := range [2][]float64{w, v} {
		if k.radii[side] == 0 {
			sides[side] = k.base[side]
			continue
		}
		x = append([]float64(nil), x...)
		for i, base := range k.base[side].hi {
			if base == 0 {
				x[i] = 0
			}
		}
		// A little towards the base: rounding must not lead out of the ball.
		if t := mixing(KL, scaled(x, 1/total(x)), k.base[side].hi, k.radii[side]); t > 0 {
			for i, base := range k.base[side].hi {
				x[i] += t * (base*total(x) - x[i])
			}
		}
		if sides[side], err = normalize(x, len(x), "moved"); err != nil {
			return nil, err
		}
	}
	q.exact = &sides
	r, err := exact(ctx, q, k.tol, newWatch(k.w.solver, 0, nil))
	if r == nil {
		return nil, err
	}
	if err != nil && !fellShort(err) {
		return nil, err
	}
	return k.accept(r), nil
}

// refine improves a result whose gap rounding keeps open: the best potentials
// ask for weights, between which plain transport has a plan and new potentials.
func (k *klSolve) refine(ctx context.Context) error {
	short := k.prove(k.best)
	for range 8 {
		before := k.best.Gap()
		var asked [2][]float64
		for side, phi := range [2][]float64{k.best.F, k.best.G} {
			asked[side] = k.base[side].hi
			if k.radii[side] == 0 {
				continue
			}
			if t := leastTilt(phi, k.base[side].hi, k.radii[side]); t.lambda > 0 {
				asked[side] = make([]float64, len(phi))
				for i, base := range k.base[side].hi {
					if base > 0 {
						asked[side][i] = base * math.Exp(t.exponent(phi[i]))
					}
				}
			}
		}
		var err error
		if short, err = k.between(ctx, asked[0], asked[1]); err != nil {
			return fmt.Errorf("ot: %s stopped: %w", k.w.solver, err)
		}
		if short == nil || !(k.best.Gap() < 0.9*before) {
			break
		}
	}
	return short
}

// accept certifies a result, keeps what is better in it than in the best so far,
// and says how far short of the tolerance that is.
func (k *klSolve) accept(r *Result) (short error) {
	err := k.prove(r)
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
			if phi[i] = v; k.base[side].hi[i] == 0 {
				phi[i] = 0 // until priceIdle: no bound asks for it
			} else if side == 0 && v != 0 {
				phi[i] = down(v) // rounded once, too
			}
		}
	}
	x, y := bound{}, bound{}
	x, r.SourceLambda = a.leastTilted(r.F, k.given[0])
	y, r.TargetLambda = b.leastTilted(r.G, k.given[1])
	lower := x.plus(y)
	r.Lower = math.Min(lower.floor(), r.Value)
	r.neverNegative(k.p.Cost)
	r.priceIdle(k.p.Cost)
	r.noise = 2*lower.err + k.p.Cost.blur(r.Value) + 8*eps*(a.size(r.F)+b.size(r.G))
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
