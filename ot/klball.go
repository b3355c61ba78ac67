package ot

import (
	"context"
	"fmt"
	"math"
	"slices"

	"rot.example/rot/chisq"
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
		if len(some) == 1 || k.radii[side] < leastKL {
			k.radii[side] = 0 // nowhere to move, or next to it
		}
		least := math.Inf(1)
		for _, i := range some {
			least = math.Min(least, base.hi[i])
		}
		// All mass on one point is as far as weights can get.
		k.radii[side] = math.Min(k.radii[side], 1-math.Log(least))
	}
	if k.stiff() {
		if done, err := k.quadratic(ctx); done || err != nil {
			return k.best, err
		}
	}
	return k.solve(ctx)
}

// leastKL is a radius that moves weights by no more than their own rounding.
const leastKL = 1e-28

// stiffRadius is up to where plain transport is worth a look: weights that move
// by 1e-10 hardly change what it costs. Up to bothStiff on either side the ball of
// chi-square is: the two differ by the cube of how far weights move.
const (
	stiffRadius = 1e-20
	bothStiff   = 1e-8
)

// stiff says that another ball is next to those of KL.
func (k *klSolve) stiff() bool {
	most := math.Max(k.radii[0], k.radii[1])
	return most < stiffRadius || most < bothStiff && k.radii[0] > 0 && k.radii[1] > 0 && k.p.Cost.m*k.p.Cost.n <= refineLimit
}

// quadratic takes balls of chi-square instead, and refines the answer.
func (k *klSolve) quadratic(ctx context.Context) (done bool, err error) {
	o := RobustOptions{Source: chisq.Ball{Rho: k.radii[0]}, Target: chisq.Ball{Rho: k.radii[1]}, MaxIters: k.w.max, Progress: k.w.progress}
	r, err := robust(ctx, k.p, o, k.tol)
	if r == nil {
		return false, err
	}
	k.into(r)
	short := k.accept(r)
	if err != nil && !fellShort(err) {
		return true, err
	}
	if short != nil && k.radii[0]+k.radii[1] > 0 && k.w.max == 0 {
		short = k.refine(ctx)
	}
	if short == nil || k.radii == [2]float64{} || !fellShort(short) || k.w.max > 0 {
		return true, short
	}
	return false, nil
}

// duals are potentials of both sides.
type duals struct{ f, g []float64 }

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
	duals []duals // potentials for the problem without a ball
	best  *Result // so far
}

// solve finds the weights and certifies them. Where rounding leaves the gap open,
// plain transport between such weights may close it.
func (k *klSolve) solve(ctx context.Context) (*Result, error) {
	if done, err := k.relaxed(ctx); done || err != nil {
		return k.best, err
	}
	if done, err := k.nextToFixed(ctx); done || err != nil {
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
	r, err := s.result(late)
	if err != nil {
		return k.best, fmt.Errorf("ot: %s stopped: %w", k.w.solver, err)
	}
	short := k.accept(r)
	switch {
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

// nextToFixed looks at two balls of which one is so small that its marginal hardly
// moves: the answer for one that stays is refined by what that is worth.
func (k *klSolve) nextToFixed(ctx context.Context) (done bool, err error) {
	small := 0
	if k.radii[1] < k.radii[0] {
		small = 1
	}
	if k.radii[0] == 0 || k.radii[1] == 0 || k.radii[small] > 1e-3*k.radii[1-small] || k.radii[small] > 1e-6 || k.p.Cost.m*k.p.Cost.n > refineLimit || k.w.max > 0 {
		return false, nil
	}
	base := k.base
	for range 4 {
		r, err := k.fixing(ctx, base, small)
		if err != nil {
			return false, fmt.Errorf("ot: %s stopped: %w", k.w.solver, err)
		}
		before := math.Inf(1)
		if k.best != nil {
			before = k.best.Gap()
		}
		if short := k.accept(r); short == nil {
			return true, nil
		}
		if !(k.best.Gap() < 0.5*before) {
			break
		}
		if base[small], err = k.asked(small); err != nil {
			return false, err
		}
	}
	return false, nil
}

// fixing solves with the weights of one side fixed, and the other in its ball.
func (k *klSolve) fixing(ctx context.Context, base [2]weights, side int) (*Result, error) {
	fixed := &klSolve{p: &Problem{Cost: k.p.Cost, exact: &base, device: k.p.device}, base: base, given: k.given, radii: k.radii, tol: k.tol, w: k.w, rows: k.rows, low: k.low}
	fixed.radii[side] = 0
	s, err := newKLSearch(ctx, fixed)
	if err == nil {
		err = s.run(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s.result(ctx)
}

// asked is the weights of a side that the best potentials ask for.
func (k *klSolve) asked(side int) (weights, error) {
	phi, now := k.best.F, k.best.A
	if side == 1 {
		phi, now = k.best.G, k.best.B
	}
	if k.radii[side] == 0 {
		return k.base[side], nil
	}
	w := slices.Clone(now)
	if t := leastTilt(phi, k.base[side].hi, k.radii[side]); t.lambda > 0 {
		for i, base := range k.base[side].hi {
			if w[i] = 0; base > 0 {
				w[i] = base * math.Exp(t.exponent(phi[i]))
			}
		}
	}
	for i, base := range k.base[side].hi {
		if base == 0 {
			w[i] = 0
		}
	}
	// Rounding must not lead out of the ball.
	all := total(w)
	if t := mixing(KL, scaled(w, 1/all), k.base[side].hi, k.radii[side]); t > 0 {
		for i, base := range k.base[side].hi {
			w[i] += t * (base*all - w[i])
		}
	}
	return normalize(w, len(w), "moved")
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
			case d[j] > t.low:
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
		in.byRows(plan)
		for j, v := range d {
			phi[in.cols[j]] = v
		}
		if k.radii[kept] > 0 { // that of those that are least, or rounded
			plan.scale(1 / total(plan.Mass))
		}
		r := &Result{Plan: plan, F: slices.Clone(f), G: slices.Clone(g)}
		r.priceOf(k.p.Cost)
		if k.outside(r) > 0 {
			k.duals = append(k.duals, duals{f, g})
			continue
		}
		if short := k.accept(r); short == nil {
			return true, nil
		}
	}
	return false, nil
}

// result is what a search ended with: a plan in its balls and potentials, not yet
// certified.
func (s *klSearch) result(ctx context.Context) (*Result, error) {
	f, g, err := s.q.potentials(ctx, s.rows, s.base[1].hi)
	if err != nil {
		return nil, err
	}
	r := &Result{Plan: s.polished(), F: f, G: g, Iters: s.q.pivots}
	if !finite(r.Plan.Mass) || !(math.Abs(total(r.Plan.Mass)-1) < 1e-9) { // overflowed: any plan will do
		r.Plan = &Plan{}
		northWest(r.Plan, s.base[0].hi, s.base[1].hi, 1)
	}
	if math.IsNaN(s.base[0].size(f)+s.base[1].size(g)) || math.IsInf(s.base[0].size(f)+s.base[1].size(g), 0) {
		clear(r.F)
		if r.G, err = s.rows.targetTransform(ctx, r.F, s.base[0].hi); err != nil {
			return nil, err
		}
	}
	r.priceOf(s.p.Cost)
	if s.misplaced(r) > hardSlack && s.p.Cost.m*s.p.Cost.n <= refineLimit {
		between := [2]weights{s.base[0], s.base[1]}
		for side, w := range [2][]float64{r.A, r.B} {
			if s.radii[side] == 0 {
				continue
			}
			if between[side], err = normalize(w, len(w), "moved"); err != nil {
				return nil, err
			}
		}
		plan, err := s.between(ctx, between)
		if err != nil {
			return nil, err
		}
		r.Plan = plan.Plan
		r.priceOf(s.p.Cost)
	}
	s.into(r)
	return r, nil
}
