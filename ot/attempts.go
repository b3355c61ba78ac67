package ot

import (
	"context"
	"errors"
	"math"
)

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
		r.Lower, r.F, r.G, r.SourceLambda, r.TargetLambda, r.noise = s.Lower, s.F, s.G, s.SourceLambda, s.TargetLambda, s.noise
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
	var short error // of the last attempt
	for side := range relaxed {
		var err error
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
		if short = try(c); !fellShort(short) {
			return short
		}
		for _, x := range relaxed { // ties: a ball that choice among equals keeps slack
			c.plan, c.u, c.s, c.lambda, c.values = s.candidate().plan, x.candidate.u, x.candidate.s, x.candidate.lambda, nil
			if short = try(c); !fellShort(short) {
				return short
			}
		}
		if limit != nil {
			return limit
		}
		if start == 0 {
			if short = fixedPoint(ctx, in, o, w, try); !fellShort(short) {
				return short
			}
		}
	}
	return short
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
	// Weights so near to the base ones have a divergence that is mostly
	// rounding: stay that far inside.
	small.Rho *= 1 - math.Min(0.5, 16*eps/math.Sqrt(2*small.Rho))
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
