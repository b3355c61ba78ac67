package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rot.example/rot/chisq"
)

// EntropicOptions tunes Entropic. The zero value is ready to use.
type EntropicOptions struct {
	Epsilon  float64        // strength of the entropy, in units of cost; 0 means 0.01 × (mean cost − least cost)
	Tol      float64        // L1 error of the marginals before they are repaired; 0 means 1e-5
	MaxIters int            // passes over the kernel; 0 means what some seconds allow: 2e9/mn, from 2000 to 1000000
	NoPlan   bool           // leave Plan nil and save its memory
	Progress func(Progress) // called now and then; may be nil
}

// Entropic is plain transport blurred by entropy: it finds
//
//	π_ij = a_i b_j exp((f_i + g_j − C_ij)/ε)   with marginals a and b,
//
// the minimizer of ⟨C, π⟩ + ε·KL(π | a⊗b), by Sinkhorn's iteration in the log
// domain with ε lowered in steps and over-relaxation (docs/math.md §7.2).
//
// Sinkhorn stops with marginals that are only nearly right and a value that
// bounds nothing. The Result is certified all the same: the plan is rounded to
// the exact marginals (Altschuler, Weed & Rigollet 2017), so that Value is an
// upper bound of plain transport, and the potentials are made feasible, so that
// Lower is a lower bound of it. Gap is thus the price of the blur, and does not
// go to 0 with Tol but with Epsilon: expect a few percent at the default. The
// iteration slows down as ε falls; for an exact answer use Exact.
//
// The plan is dense by nature. Plan keeps the entries above 1e-9/mn and moves
// what it dropped (at most 1e-9 of the mass) to other entries, so its marginals
// are exact; it takes 16 bytes an entry, often a tenth of all m·n. With NoPlan
// nothing of size m·n is kept beyond 32 MiB.
//
// Entropic returns ErrOption for a bad ε, ErrShape or ErrWeights for a malformed
// p, ctx.Err() when cancelled, and a *ConvergenceError with its best Result when
// MaxIters runs out; Gap and Tol in that error are errors of the marginals.
func Entropic(ctx context.Context, p *Problem, opts *EntropicOptions) (*Result, error) {
	var o EntropicOptions
	if opts != nil {
		o = *opts
	}
	return p.inUnits(func(s *scaledProblem) (*Result, error) {
		q := o
		q.Epsilon = math.Ldexp(o.Epsilon, -s.exp)
		q.NoPlan = o.NoPlan && s.price == 0 // whether it pays a mask is seen on the plan
		r, err := entropic(ctx, s.Problem, &q)
		if r != nil && s.price > 0 {
			if e := r.avoid(ctx, s.Problem, s.price); e != nil {
				return nil, e
			}
		}
		if r != nil && o.NoPlan && s.price > 0 {
			if mask := s.allowed(p.Cost, r); mask == nil {
				r.Plan = nil
			}
		}
		return r, err
	})
}

// entropic is Entropic on costs of ordinary size.
func entropic(ctx context.Context, p *Problem, o *EntropicOptions) (*Result, error) {
	wa, wb, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	a, b := wa.hi, wb.hi
	rows := newCostRows(p.Cost)
	typical, low, _, err := rows.stats(ctx, a, b)
	if err != nil {
		return nil, err
	}
	if err := o.defaults(typical-low, float64(len(a))*float64(len(b))); err != nil {
		return nil, err
	}
	s := newSinkhorn(rows, a, b)
	iters, miss, limit := s.solve(ctx, math.Max(o.Epsilon, typical-low), o)
	if limit != nil {
		if !stopped(limit) {
			return nil, limit
		}
		late, cancel := afterwards(ctx)
		defer cancel()
		ctx = late
	}
	r, err := s.rounded(ctx, !o.NoPlan)
	if err != nil {
		return nil, errors.Join(limit, err)
	}
	r.Iters = iters
	if r.F, r.G, err = rows.feasiblePair(ctx, s.f, a, b); err != nil {
		return nil, errors.Join(limit, err)
	}
	for i, v := range r.F {
		r.F[i] = down(v) // rounded once, as G is
	}
	proof := newDualProof(p.Cost, r.F, r.G, r.Value, wa, wb, chisq.Ball{}, chisq.Ball{})
	r.Lower = math.Min(proof.bound.floor(), r.Value)
	r.neverNegative(p.Cost)
	if limit != nil {
		return r, fmt.Errorf("ot: entropic stopped: %w", limit)
	}
	if !(miss <= o.Tol) {
		return r, &ConvergenceError{Solver: "entropic", Measure: "error of the marginals", Iters: iters, Gap: miss, Tol: o.Tol}
	}
	return r, nil
}

// avoid moves what rounding to exact marginals has put on pairs that cost
// price or more, which are masked, elsewhere: together with as small a share of
// the rest as will do.
func (r *Result) avoid(ctx context.Context, p *Problem, price float64) error {
	pays := func(q *Plan) (kept Plan, any bool) {
		for k, mass := range q.Mass {
			if p.Cost.At(int(q.I[k]), int(q.J[k])) >= price {
				any = true
			} else {
				kept.add(q.I[k], q.J[k], mass)
			}
		}
		return kept, any
	}
	kept, any := pays(r.Plan)
	if !any {
		return nil
	}
	for _, share := range []float64{0, 1e-6, 1e-3, 0.03, 0.3, 1} {
		q := &Problem{Cost: p.Cost, A: slices.Clone(r.BaseA), B: slices.Clone(r.BaseB)}
		for k, mass := range kept.Mass {
			q.A[kept.I[k]] -= (1 - share) * mass
			q.B[kept.J[k]] -= (1 - share) * mass
		}
		var left float64
		for i := range q.A {
			q.A[i] = math.Max(0, q.A[i])
			left += q.A[i]
		}
		for j := range q.B {
			q.B[j] = math.Max(0, q.B[j])
		}
		rest, err := exact(ctx, q, 1e-9, newWatch("entropic", 0, nil))
		if rest == nil {
			return err
		}
		if _, any := pays(rest.Plan); any {
			continue
		}
		r.Plan = &Plan{}
		for k, mass := range kept.Mass {
			r.Plan.add(kept.I[k], kept.J[k], (1-share)*mass)
		}
		for k, mass := range rest.Plan.Mass {
			r.Plan.add(rest.Plan.I[k], rest.Plan.J[k], left*mass)
		}
		r.priceOf(p.Cost)
		break
	}
	return nil
}

func (o *EntropicOptions) defaults(spread, pairs float64) error {
	if o.Epsilon == 0 {
		if o.Epsilon = 0.01 * spread; o.Epsilon <= 0 {
			o.Epsilon = 1 // all costs are equal, any ε does
		}
	}
	if o.Tol == 0 {
		o.Tol = 1e-5
	}
	if o.MaxIters == 0 {
		o.MaxIters = int(min(max(2e9/pairs, 2000), 1e6))
	}
	if !(o.Epsilon > 0) || math.IsInf(o.Epsilon, 1) || !(o.Tol > 0) || o.MaxIters < 0 {
		return fmt.Errorf("ot: epsilon %g, tolerance %g, limit %d: %w", o.Epsilon, o.Tol, o.MaxIters, ErrOption)
	}
	return nil
}

// solve lowers ε from start to its final value and iterates there until the
// marginals are right to o.Tol.
func (s *sinkhorn) solve(ctx context.Context, start float64, o *EntropicOptions) (iters int, miss float64, err error) {
	// A rough answer at one ε is all that the next one needs.
	const (
		step      = 4
		roughIter = 10
		roughTol  = 0.01
	)
	s.eps = start
	tried := len(s.b) > newtonTargets
	for at := 0; iters < o.MaxIters; {
		if !tried && s.eps == o.Epsilon && at >= newtonAfter {
			tried = true
			s.absorb()
			if miss, err = s.newton(ctx, o.Tol); err != nil || miss <= o.Tol {
				return iters, miss, err
			}
		}
		if miss, err = s.pass(ctx); err != nil {
			return iters, miss, err
		}
		iters++
		at++
		if o.Progress != nil && iters%16 == 0 {
			done := math.Log(miss/2) / math.Log(o.Tol/2)
			o.Progress(Progress{Solver: "entropic", Stage: fmt.Sprintf("epsilon %.3g", s.eps), Iters: iters, Done: min(max(done, 0), 1)})
		}
		if s.eps == o.Epsilon {
			if miss <= o.Tol {
				break
			}
		} else if at == roughIter || miss < roughTol {
			s.anneal(math.Max(o.Epsilon, s.eps/step))
			at = 0
		}
	}
	if s.eps > o.Epsilon {
		miss = math.Inf(1) // the limit came first
	}
	s.absorb()
	return iters, miss, nil
}
