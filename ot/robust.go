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
	Tol            float64        // relative duality gap; 0 means 1e-9
	MaxIters       int            // pivots; 0 means no limit
	Progress       func(Progress) // called at most ten times a second; may be nil
}

// Robust minimizes ⟨P, C⟩ over plans P whose marginals lie in opts.Source
// around p.A and in opts.Target around p.B (docs/math.md §3). A zero radius
// keeps that marginal as it is; with both zero Robust is Exact. It returns
// ErrShape, ErrValue, ErrWeights or ErrOption for malformed input, ctx.Err()
// when cancelled, and a *ConvergenceError with its best Result when MaxIters
// runs out or rounding keeps the gap above Tol.
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
	switch {
	case o.Source.Rho == 0 && o.Target.Rho == 0:
		return Exact(ctx, p, &ExactOptions{Tol: o.Tol, MaxIters: o.MaxIters, Progress: o.Progress})
	case o.Source.Rho > 0 && o.Target.Rho > 0:
		return robustTwo(ctx, p, o, tol)
	}
	in, err := newInstance(p, o.Source.Rho == 0)
	if err != nil {
		return nil, err
	}
	w := newWatch("robust", o.MaxIters, o.Progress)
	s := newOneSided(in, w)
	if err := s.solve(ctx, math.Max(o.Source.Rho, o.Target.Rho)); err != nil && !errors.Is(err, errLimit{}) {
		return nil, err
	}
	return conclude(ctx, p, in, s.candidate(), o.Source, o.Target, tol, w)
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
