package ot

import (
	"context"
	"errors"
	"math"
)

// twoSided solves with both marginals in balls (docs/math.md §6): an outer
// ascent on the multipliers around the forest.
type twoSided struct {
	in         *instance
	f          *forest
	x          multipliers
	rho1, rho2 float64
	bound      float64 // what the problem without one ball costs: a plan as good is optimal
	w          *watch
}

// multipliers of the source ball, the target ball and the total mass.
type multipliers struct{ l1, l2, nu float64 }

func (x multipliers) plus(t float64, d multipliers) multipliers {
	return multipliers{x.l1 + t*d.l1, x.l2 + t*d.l2, x.nu + t*d.nu}
}

func (x multipliers) dot(y multipliers) float64 { return x.l1*y.l1 + x.l2*y.l2 + x.nu*y.nu }

// robustTwo first drops one ball and lets the weight program solve for the
// other; if the result fits the ball that was dropped, that is it. Otherwise
// both bind, and several ways lead to the answer (see attempts). Each proves
// bounds, and the best of them count.
func robustTwo(ctx context.Context, p *Problem, in *instance, o RobustOptions, tol float64, w *watch) (*Result, error) {
	var best *Result
	try := func(c candidate) error {
		r, err := conclude(ctx, p, in, c, o.Source, o.Target, tol, w)
		if r == nil {
			return err
		}
		if best == nil {
			best = r
		} else {
			best.take(r)
		}
		if best.within(tol, 0) {
			err = nil
		}
		return err
	}
	err := attempts(ctx, in, o, w, try)
	switch {
	case err == nil:
		return best, nil
	case ctx.Err() != nil || best == nil:
		if !stopped(err) && ctx.Err() == nil {
			return best, err
		}
		r, err := concludeStopped(ctx, p, in, in.nothing(), o.Source, o.Target, tol, w)
		if r != nil && best != nil {
			best.take(r)
			r = best
		}
		return r, err
	}
	return best, &ConvergenceError{Solver: w.solver, Iters: best.Iters, Gap: best.RelGap(), Tol: tol}
}

// take takes over the better plan and the better bound of another result.
func (r *Result) take(s *Result) {
	r.Iters = max(r.Iters, s.Iters)
	if s.Value < r.Value {
		r.Value, r.Transport, r.Plan, r.A, r.B = s.Value, s.Transport, s.Plan, s.A, s.B
	}
	if s.Lower > r.Lower {
		r.Lower, r.F, r.G, r.SourceLambda, r.TargetLambda = s.Lower, s.F, s.G, s.SourceLambda, s.TargetLambda
	}
	r.Lower = math.Min(r.Lower, r.Value)
}

// attempts hands one candidate after another to try, until that returns nil:
// relaxations, plans on the cheapest arcs, the ascent on both multipliers from
// several starts and for slightly smaller radii (a plan that rounding leaves a
// hair outside a ball loses less that way than by mixing), and the fixed point
// of one side's weights.
func attempts(ctx context.Context, in *instance, o RobustOptions, w *watch, try func(candidate) error) error {
	var relaxed [2]*relaxation
	var err error
	for side := range relaxed {
		if relaxed[side], err = relax(ctx, in, o.Source, o.Target, side); err != nil {
			return err
		}
		if relaxed[side].fits {
			if err := try(relaxed[side].candidate); !fellShort(err) {
				return err
			}
		}
	}
	if relaxed[0].lambda == 0 && relaxed[1].lambda == 0 {
		c, err := onCheapest(ctx, in, o.Source.Rho, o.Target.Rho)
		if err != nil {
			return err
		}
		if c != nil {
			if err := try(*c); !fellShort(err) {
				return err
			}
		}
	}
	for start, shrink := range []float64{0, 0, 3e-12, 1e-10, 3e-9} {
		s, err := newTwoSided(ctx, in, o.Source.Rho*(1-shrink), o.Target.Rho*(1-shrink), relaxed, w)
		if err != nil {
			return err
		}
		if l1, l2 := relaxed[0].lambda, relaxed[1].lambda; start == 1 && l1 > 0 && l2 > 0 {
			s.x.l1, s.x.l2 = l1, l2 // a start of another scale
			least := s.f.least
			s.f = newForest(in, s.f.l)
			s.f.least = least
		}
		limit := s.solve(ctx)
		if limit != nil && !stopped(limit) {
			return limit
		}
		c := s.candidate()
		if err = try(c); !fellShort(err) {
			return err
		}
		for _, x := range relaxed { // ties: a ball that choice among equals keeps slack
			c.plan, c.u, c.s, c.lambda, c.values = s.candidate().plan, x.candidate.u, x.candidate.s, x.candidate.lambda, nil
			if err = try(c); !fellShort(err) {
				return err
			}
		}
		if limit != nil {
			return limit
		}
		if start == 0 {
			if err := fixedPoint(ctx, in, o, w, try); !fellShort(err) {
				return err
			}
		}
	}
	return err
}

// fellShort says that an attempt stayed short of the tolerance, and another may
// not.
func fellShort(err error) bool { return errors.As(err, new(*ConvergenceError)) }

// fixedPoint solves for the weights of the side with the larger radius, those
// of the other side held at what the last potentials ask for, until they agree.
// A small radius has a multiplier so large that this takes a step or two.
func fixedPoint(ctx context.Context, in *instance, o RobustOptions, w *watch, try func(candidate) error) error {
	small, large := o.Source, o.Target
	side := in.flipped() // whose sources may move
	if o.Source.Rho > o.Target.Rho {
		small, large, side = large, small, in
	}
	var err error
	base := side.b
	held := *side
	for range 12 {
		s := newOneSided(&held, newWatch("", 0, nil))
		if e := s.solve(ctx, large.Rho); e != nil {
			return e
		}
		c := s.candidate()
		if c.values == nil {
			near, e := held.nearest(ctx, c.u)
			if e != nil {
				return e
			}
			c.values = near.best(c.u)
		}
		v, sol, e := small.Solve(nil, c.values, base)
		if e != nil {
			return e
		}
		c.s = scaled(c.values, -1)
		c.lambda[1] = sol.Lambda
		if side != in { // back to sources and targets as they were
			c.plan.I, c.plan.J = c.plan.J, c.plan.I
			c.u, c.s, c.values = c.s, c.u, nil
			c.lambda[0], c.lambda[1] = c.lambda[1], c.lambda[0]
		}
		if err = try(c); !fellShort(err) {
			return err
		}
		for _, x := range v {
			if x == 0 {
				return err // rows that drop out are for the ascent
			}
		}
		held.b = v
	}
	return err
}

// newTwoSided starts without arcs, the multipliers at the scale of nearest
// costs and in the ratio that the two relaxations give.
func newTwoSided(ctx context.Context, in *instance, rho1, rho2 float64, relaxed [2]*relaxation, w *watch) (*twoSided, error) {
	l := newLists(in, listLength)
	if err := in.sweep(ctx, l, make([]float64, in.m), 0, in.n); err != nil {
		return nil, err
	}
	s := &twoSided{in: in, f: newForest(in, l), rho1: rho1, rho2: rho2, w: w}
	s.bound = math.Max(relaxed[0].value, relaxed[1].value)
	_, top := in.costScale()
	s.f.least = 1e-15 * math.Abs(s.bound)
	low := math.Inf(1)
	var mu sum
	for j := range in.n {
		low = math.Min(low, l.cost[j*l.k])
		mu.add(in.b[j] * l.cost[j*l.k])
	}
	scale := math.Max(s.bound, mu.total()) - low
	if scale <= 1e-12*top {
		scale = 1e-3 * top
	}
	if scale == 0 {
		scale = 1 // nothing costs anything: any multipliers will do
	}
	ratio := 1.0
	if l1, l2 := relaxed[0].lambda, relaxed[1].lambda; l1 > 0 && l2 > 0 {
		ratio = math.Min(math.Max(l2/l1, 1e-3), 1e3)
	}
	s.x = multipliers{scale / (1 + ratio), scale * ratio / (1 + ratio), low}
	return s, s.guess(ctx)
}

// at solves for the given multipliers, from the forest at hand.
func (s *twoSided) at(ctx context.Context, x multipliers, exact bool) error {
	s.x = x
	s.f.set(1/x.l1, 1/x.l2, x.nu)
	s.f.settleAll()
	return s.f.optimize(ctx, s.w, exact)
}

// solve ascends on the dual: jump to the maximum of the forest's own dual,
// which has the same value and slope here; pivot there; search along the way
// if that overshot; rescale to mass one; until nothing is left to gain.
func (s *twoSided) solve(ctx context.Context) error {
	if err := s.w.enter(ctx, "pivots"); err != nil {
		return err
	}
	if err := s.at(ctx, s.x, false); err != nil {
		return err
	}
	s.rescale(false)
	exact, idle := false, 0
	bestGap, bestOff, bestDual := math.Inf(1), math.Inf(1), math.Inf(-1)
	for range 300 {
		t := s.trees()
		g := t.slope(s.x, s.rho1, s.rho2)
		cost := s.f.cost()
		off := math.Max(math.Max(math.Abs(g.l1)/s.rho1, math.Abs(g.l2)/s.rho2), math.Abs(g.nu))
		gap := math.Abs(g.l1)*s.x.l1 + math.Abs(g.l2)*s.x.l2 + math.Abs(g.nu*s.x.nu)
		if inside := g.l1 < 1e-12*s.rho1 && g.l2 < 1e-12*s.rho2 && math.Abs(g.nu) < 1e-12; inside && cost <= s.bound+1e-13*math.Abs(s.bound) {
			return nil
		}
		if off < 1e-12 || g.l1 < 1e-12*s.rho1 && g.l2 < 1e-12*s.rho2 && math.Abs(g.nu) < 1e-12 && gap < 1e-12*math.Abs(cost) {
			before := s.f.pivots
			if err := s.f.optimize(ctx, s.w, true); err != nil {
				return err
			}
			if s.f.pivots == before {
				return nil
			}
			exact = true
			s.rescale(false)
			continue
		}
		dual := s.x.l1 + s.x.l2 + s.x.nu - s.x.l1*(1+2*s.rho1) - s.x.l2*(1+2*s.rho2)
		idle++
		if gap < 0.7*bestGap {
			bestGap, idle = gap, 0
		}
		if off < 0.7*bestOff {
			bestOff, idle = off, 0
		}
		if dual > bestDual+1e-12*math.Abs(dual)+1e-15*math.Abs(s.x.nu) {
			bestDual, idle = dual, 0
		}
		if idle > 10 {
			if exact {
				return nil
			}
			exact, idle = true, 0
			bestGap, bestOff, bestDual = math.Inf(1), math.Inf(1), math.Inf(-1)
		}
		from := s.x
		to := t.peak(from, s.rho1, s.rho2, 8)
		low := 1e-13 * (to.l1 + to.l2)
		if math.Min(to.l1, to.l2) < low && math.Min(from.l1, from.l2) <= low && exact {
			return nil // one multiplier is gone for good: rounding decides
		}
		to.l1, to.l2 = math.Max(to.l1, low), math.Max(to.l2, low)
		step := to.plus(-1, from)
		if math.Max(math.Abs(step.l1)/from.l1, math.Max(math.Abs(step.l2)/from.l2, math.Abs(step.nu)/(from.l1+from.l2))) < 1e-15 {
			if exact {
				return nil
			}
			exact = true
			if err := s.f.optimize(ctx, s.w, true); err != nil {
				return err
			}
			continue
		}
		if err := s.search(ctx, from, step, g.dot(step), exact); err != nil {
			return err
		}
		s.rescale(idle > 3)
	}
	return nil
}

// search goes along step until the dual's slope there is at most half of what
// it was, slope0, or still climbs at the full step.
func (s *twoSided) search(ctx context.Context, from, step multipliers, slope0 float64, exact bool) error {
	t := 1.0
	lo, slopeLo, hi, slopeHi := 0.0, slope0, -1.0, 0.0
	for range 25 {
		if err := s.at(ctx, from.plus(t, step), exact); err != nil {
			return err
		}
		slope := s.trees().slope(s.x, s.rho1, s.rho2).dot(step)
		if math.Abs(slope) <= 0.5*math.Abs(slope0) || t == 1 && slope > 0 {
			return nil
		}
		if slope < 0 {
			hi, slopeHi = t, slope
		} else {
			lo, slopeLo = t, slope
		}
		if !(hi-lo > 1e-14*hi) {
			return nil
		}
		t = lo + (hi-lo)*slopeLo/(slopeLo-slopeHi)
		t = math.Min(math.Max(t, lo+0.05*(hi-lo)), hi-0.05*(hi-lo))
	}
	return nil
}

// rescale uses that (s·λ1, s·λ2) with the same λ1+λ2+ν has the solution π/s on
// the same forest: to mass one, or (steady) to the dual's maximum on that ray,
// which never descends.
func (s *twoSided) rescale(steady bool) {
	w, v := s.marginals()
	var mass, q1, q2 float64
	for i, x := range w {
		mass += x
		q1 += x * x / s.in.a[i]
	}
	for j, x := range v {
		q2 += x * x / s.in.b[j]
	}
	by := mass
	if steady {
		by = math.Sqrt((s.x.l1*q1 + s.x.l2*q2) / (s.x.l1*(1+2*s.rho1) + s.x.l2*(1+2*s.rho2)))
	}
	if !(by > 0) || math.Abs(by-1) < 1e-13 || math.IsInf(by, 1) {
		return
	}
	f := s.f
	for k := range f.nodes {
		f.nodes[k].flow /= by
	}
	shift := (by - 1) * s.x.l1
	for k := range f.u {
		f.u[k] -= shift
	}
	s.x = multipliers{s.x.l1 * by, s.x.l2 * by, s.x.nu - (by-1)*(s.x.l1+s.x.l2)}
	f.set(1/s.x.l1, 1/s.x.l2, s.x.nu)
}

func (s *twoSided) marginals() (w, v []float64) {
	w, v = make([]float64, s.in.m), make([]float64, s.in.n)
	s.f.eachFlow(func(i, j int32, mass float64) {
		w[i] += mass
		v[j] += mass
	})
	return w, v
}

// candidate hands over the current plan and prices. A rejected row's price may
// lie below −λ; the bound is no worse when it is clipped there.
func (s *twoSided) candidate() candidate {
	s.f.polish()
	plan := &Plan{}
	s.f.eachFlow(plan.add)
	c := candidate{plan: plan, u: make([]float64, s.in.m), s: make([]float64, s.in.n), iters: s.f.pivots, lambda: [2]float64{s.x.l1, s.x.l2}}
	for i := range c.u {
		c.u[i] = math.Max(-s.x.l1, s.f.u[i])
	}
	for j := range c.s {
		c.s[j] = math.Max(-s.x.l2, s.x.nu-s.f.u[s.in.m+j])
	}
	return c
}
