package ot

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rot.example/rot/chisq"
)

// RobustOptions tunes Robust. The zero value is plain optimal transport.
type RobustOptions struct {
	Source, Target chisq.Ball     // how far each marginal may move
	Divergence     Divergence     // what the radii bound
	Tol            float64        // relative duality gap; 0 means 1e-9
	MaxIters       int            // pivots; 0 means no limit
	Progress       func(Progress) // called at most ten times a second; may be nil
	Sweeper        Sweeper        // helps with large problems; may be nil
}

// Robust minimizes ⟨P, C⟩ over plans P whose marginals lie in opts.Source
// around p.A and in opts.Target around p.B (docs/math.md §3, §5.1, §5.2). Rho
// bounds the divergence of opts.Divergence: with TV it is the mass that may be
// elsewhere, with KL Σ w log(w/a). A zero radius keeps that marginal as it is;
// with both zero Robust is Exact. It returns
// ErrShape, ErrValue, ErrWeights or ErrOption for malformed input, and
// ErrInfeasible where no plan avoids the forbidden pairs. With a
// *ConvergenceError, when MaxIters runs out or rounding keeps the gap above Tol,
// and with ctx.Err(), when cancelled, comes the best Result so far, if there is
// one; its bounds hold.
func Robust(ctx context.Context, p *Problem, opts *RobustOptions) (*Result, error) {
	var o RobustOptions
	if opts != nil {
		o = *opts
	}
	tol, err := tolerance(o.Tol, o.MaxIters)
	if err != nil {
		return nil, err
	}
	for _, rho := range []float64{o.Source.Rho, o.Target.Rho} {
		if !(rho >= 0) || math.IsInf(rho, 1) {
			return nil, fmt.Errorf("ot: radius %v: %w", rho, ErrOption)
		}
	}
	o.Source.Rho, o.Target.Rho = math.Min(o.Source.Rho, 1e300), math.Min(o.Target.Rho, 1e300) // no ball is wider
	if o.Divergence > TV {
		return nil, fmt.Errorf("ot: balls of %v: %w", o.Divergence, ErrOption)
	}
	p = p.withSweeper(o.Sweeper)
	if o.Divergence == Chi2 {
		if p, err = p.withTable(ctx); err != nil {
			return nil, err
		}
	}
	r, err := p.inUnits(func(s *scaledProblem) (*Result, error) {
		w := newWatch("robust", o.MaxIters, o.Progress)
		switch source, target := o.Source.Rho, o.Target.Rho; {
		case o.Divergence == KL:
			return entropyBall(ctx, s.Problem, [2]float64{source, target}, tol, w)
		case o.Divergence == TV && source > 0 && target > 0:
			return variationBoth(ctx, s.Problem, source, target, tol, w)
		case o.Divergence == TV && source+target > 0:
			return variation(ctx, s.Problem, source+target, target > 0, tol, w)
		}
		return s.onDistinct(ctx, o.Source, o.Target, tol, w, func(p *Problem) (*Result, error) {
			return robust(ctx, p, o, tol)
		})
	})
	p.release(r)
	return r, err
}

// leastRho is a radius that moves weights by no more than their own rounding.
const leastRho = 1e-28

// robust is Robust on costs of ordinary size.
func robust(ctx context.Context, p *Problem, o RobustOptions, tol float64) (*Result, error) {
	w := newWatch("robust", o.MaxIters, o.Progress)
	inner := o
	if inner.Source.Rho < leastRho {
		inner.Source.Rho = 0
	}
	if inner.Target.Rho < leastRho {
		inner.Target.Rho = 0
	}
	if inner.Source != o.Source || inner.Target != o.Target {
		r, err := robust(ctx, p, inner, tol)
		if r == nil {
			return nil, err
		}
		r, err = r.inBalls(p, o.Source, o.Target, tol, err)
		if !fellShort(err) {
			return r, err
		}
		// A value near 0 may hang on such a radius all the same.
		s, err := robustIn(ctx, p, o, tol, w)
		if s == nil {
			return r, err
		}
		s.take(r)
		return s, err
	}
	return robustIn(ctx, p, o, tol, w)
}

// robustIn is robust with the radii as they are.
func robustIn(ctx context.Context, p *Problem, o RobustOptions, tol float64, w *watch) (*Result, error) {
	source, target := o.Source, o.Target
	if source.Rho == 0 && target.Rho == 0 {
		w.solver = "exact"
		return exact(ctx, p, tol, w)
	}
	in, err := newInstance(p, false)
	if err != nil {
		return nil, err
	}
	if min(in.m, in.n) == 1 {
		return conclude(ctx, p, in, star(in, source, target), source, target, tol, w)
	}
	if source.Rho > 0 && target.Rho > 0 {
		return robustTwo(ctx, p, in, o, tol, w)
	}
	if source.Rho == 0 {
		in = in.flipped()
	}
	s := newOneSided(in, w)
	limit := s.solve(ctx, math.Max(source.Rho, target.Rho))
	switch {
	case limit == nil:
		r, err := conclude(ctx, p, in, s.candidate(), source, target, tol, w)
		if fellShort(err) && float64(in.m)*float64(in.n) <= refineLimit {
			return refineOneSided(ctx, p, r, source, target, tol, w)
		}
		return r, err
	case !stopped(limit):
		return nil, limit
	case s.f == nil:
		return concludeStopped(ctx, p, in, in.nothing(), source, target, tol, w)
	}
	return concludeStopped(ctx, p, in, s.candidate(), source, target, tol, w)
}

// refineOneSided improves a result whose gap rounding keeps open, by what
// plain transport in twice the precision says: with the weights that the best
// potentials ask for it gives a plan in the ball and new potentials.
func refineOneSided(ctx context.Context, p *Problem, r *Result, source, target chisq.Ball, tol float64, w *watch) (*Result, error) {
	var err error
	for range 8 {
		q := *p
		phi, base, ball, held := r.F, r.BaseA, source, &q.A
		if source.Rho == 0 {
			phi, base, ball, held = r.G, r.BaseB, target, &q.B
		}
		weights, _, e := ball.Solve(nil, phi, base)
		if e != nil {
			return r, e
		}
		*held = weights
		before := r.Gap()
		var fixed *Result
		if fixed, err = exact(ctx, &q, tol, newWatch(w.solver, 0, nil)); fixed == nil {
			return r, err
		}
		fixed.BaseA, fixed.BaseB = r.BaseA, r.BaseB
		fixed.SourceLambda, fixed.TargetLambda = r.SourceLambda, r.TargetLambda
		if fixed, err = fixed.inBalls(p, source, target, tol, err); fixed == nil {
			return r, err
		}
		r.take(fixed)
		if r.within(tol, 0) {
			return r, nil
		}
		if !(r.Gap() < 0.9*before) {
			break
		}
	}
	return r, &ConvergenceError{Solver: w.solver, Iters: r.Iters, Gap: r.RelGap(), Tol: tol}
}

// inBalls certifies a result with fixed marginals, or with smaller balls, for
// the balls given. err is what came with it.
func (r *Result) inBalls(p *Problem, source, target chisq.Ball, tol float64, err error) (*Result, error) {
	a, b, werr := p.exactWeights()
	if werr != nil {
		return nil, werr
	}
	if err != nil && !errors.As(err, new(*ConvergenceError)) {
		return r, err
	}
	proof := proveDual(r.F, r.G, a, b, source, target)
	r.Lower = math.Min(proof.bound.floor(), r.Value)
	r.neverNegative(p.Cost)
	if !r.within(tol, proof.noise+p.Cost.blur(r.Value)) {
		return r, &ConvergenceError{Solver: "robust", Iters: r.Iters, Gap: r.RelGap(), Tol: tol}
	}
	return r, nil
}

// candidate hands over the current plan and prices.
func (o *oneSided) candidate() candidate {
	prices := o.f.u
	if o.lambda > 0 {
		if o.values != nil { // they belong to the prices before polishing
			prices = append([]float64(nil), o.f.u...)
		}
		o.f.polish()
	}
	plan := &Plan{}
	o.f.eachFlow(plan.add)
	c := candidate{plan: plan, u: make([]float64, o.in.m), values: o.values, iters: o.f.pivots, lambda: [2]float64{o.lambda, math.Inf(1)}}
	if o.lambda > 0 {
		copy(c.u, prices)
	}
	return c
}
