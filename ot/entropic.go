package ot

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rot.example/rot/chisq"
)

// EntropicOptions tunes Entropic. The zero value is ready to use.
type EntropicOptions struct {
	Epsilon  float64        // strength of the entropy, in units of cost; 0 means 0.01 × (mean cost − least cost)
	Tol      float64        // L1 error of the marginals before they are repaired; 0 means 1e-5
	MaxIters int            // passes over the kernel; 0 means 10000
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
	if err := o.defaults(typical - low); err != nil {
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
	proof := newCertificate(p.Cost, r.F, r.G, r.Value, wa, wb, chisq.Ball{}, chisq.Ball{})
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

func (o *EntropicOptions) defaults(spread float64) error {
	if o.Epsilon == 0 {
		if o.Epsilon = 0.01 * spread; o.Epsilon <= 0 {
			o.Epsilon = 1 // all costs are equal, any ε does
		}
	}
	if o.Tol == 0 {
		o.Tol = 1e-5
	}
	if o.MaxIters == 0 {
		o.MaxIters = 10000
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
	for at := 0; iters < o.MaxIters; {
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
