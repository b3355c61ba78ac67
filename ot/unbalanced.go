package ot

import (
	"context"
	"fmt"
	"math"
)

// A Divergence measures how far a marginal is from the weights it replaces.
type Divergence uint8

// The divergences of Unbalanced.
const (
	Chi2 Divergence = iota // ½ Σ (w − a)²/a, half-scaled as everywhere here
	KL                     // Σ w·log(w/a) − w + a
)

func (d Divergence) String() string {
	switch d {
	case Chi2:
		return "chi2"
	case KL:
		return "kl"
	}
	return fmt.Sprintf("Divergence(%d)", uint8(d))
}

// ParseDivergence is the inverse of String.
func ParseDivergence(s string) (Divergence, error) {
	switch s {
	case "chi2":
		return Chi2, nil
	case "kl":
		return KL, nil
	}
	return 0, fmt.Errorf("ot: unknown divergence %q (want chi2, kl): %w", s, ErrOption)
}

// of is the divergence of w from a.
func (d Divergence) of(w, a []float64) float64 {
	var s sum
	for i, x := range w {
		switch {
		case a[i] == 0: // w is 0 too
		case d == Chi2:
			s.add((x - a[i]) * (x - a[i]) / (2 * a[i]))
		case x == 0:
			s.add(a[i])
		case x < a[i]/2:
			s.add(x*math.Log(x/a[i]) - x + a[i])
		default: // the same without cancellation, which a large penalty would blow up
			d := (x - a[i]) / a[i]
			s.add(a[i] * ((1+d)*math.Log1p(d) - d))
		}
	}
	return s.total()
}

// bound is min over s ≥ 0 of P·φ(s) + f·s, the share of a potential f in the
// dual: f − f²/2P (P/2 from f = P on) or P(1 − exp(−f/P)).
func (d Divergence) bound(f, penalty float64) float64 {
	if d == KL {
		return -penalty * math.Expm1(-f/penalty)
	}
	f = min(f, penalty)
	return f - f*f/(2*penalty)
}

// UnbalancedOptions tunes Unbalanced. The zero value is ready to use.
type UnbalancedOptions struct {
	Divergence    Divergence // Chi2 unless set
	Penalty       float64    // price of moving the source marginal; 0 means 1, as in the paper
	TargetPenalty float64    // the same for the target; 0 means Penalty

	Tol      float64        // relative duality gap; 0 means 1e-9
	MaxIters int            // pivots; 0 means no limit
	Progress func(Progress) // called now and then; may be nil
}

// Unbalanced lets both marginals go, at a price: it minimizes
//
//	⟨C, π⟩ + P₁·D(π1 | a) + P₂·D(πᵀ1 | b)   over π ≥ 0,
//
// whose dual, for the half chi-square divergence, is
//
//	max Σ a_i (F_i − F_i²/2P₁) + Σ b_j (G_j − G_j²/2P₂),   F_i + G_j ≤ C_ij, F ≤ P₁, G ≤ P₂,
//
// and for KL has P(1 − exp(−F/P)) in place of F − F²/2P (docs/math.md §7.3).
// There is no entropic smoothing: an active set of arcs is pivoted to the exact
// optimum, so the gap is at rounding level. Chi2 uses no pair whose cost exceeds
// P₁+P₂ and gives points without a cheaper one weight 0; KL only fades them.
// Time grows with the penalties, as the problem turns into plain transport: 2000
// points a side take a fraction of a second while P is about the cost of a move,
// and seconds at a thousand times that.
//
// Value has all three terms and Transport the first. Costs may be negative.
// Unbalanced returns ErrOption for a bad penalty, ErrShape or ErrWeights for a
// malformed p, ctx.Err() when cancelled, and a *ConvergenceError with its best
// Result when MaxIters or rounding ends it above Tol.
func Unbalanced(ctx context.Context, p *Problem, opts *UnbalancedOptions) (*Result, error) {
	a, b, err := p.weights()
	if err != nil {
		return nil, err
	}
	var o UnbalancedOptions
	if opts != nil {
		o = *opts
	}
	if err := o.defaults(); err != nil {
		return nil, err
	}
	rows := newCostRows(p.Cost)
	mean, low, high, err := rows.stats(ctx, a, b)
	if err != nil {
		return nil, err
	}
	if math.IsInf(high, 0) || math.IsNaN(mean) {
		return nil, fmt.Errorf("ot: costs overflow: %w", ErrValue)
	}
	if o.Divergence == KL && -low > 500*(o.Penalty+o.TargetPenalty) {
		return nil, fmt.Errorf("ot: cost %g is too negative for a KL penalty of %g + %g, the mass overflows: %w", low, o.Penalty, o.TargetPenalty, ErrOption)
	}
	q := newRelaxedForest(a, b, o.Divergence, o.Penalty, o.TargetPenalty)
	if err := q.solve(ctx, rows, mean-low, &o); err != nil {
		return nil, err
	}
	r, err := q.result(ctx, rows, a, b)
	if err != nil {
		return nil, err
	}
	// Where the value itself is next to nothing, rounding is all there is.
	rounding := 1e-14*min(o.Penalty+o.TargetPenalty, max(-low, high)) + 1e-15/(1/o.Penalty+1/o.TargetPenalty)
	if gap := r.Gap(); !(gap <= o.Tol*math.Max(math.Abs(r.Value), math.Abs(r.Lower)) || gap <= rounding) {
		return r, &ConvergenceError{Solver: "unbalanced", Iters: r.Iters, Gap: r.RelGap(), Tol: o.Tol}
	}
	return r, nil
}

func (o *UnbalancedOptions) defaults() error {
	if o.Divergence > KL {
		return fmt.Errorf("ot: %v: %w", o.Divergence, ErrOption)
	}
	if o.Penalty == 0 {
		o.Penalty = 1
	}
	if o.TargetPenalty == 0 {
		o.TargetPenalty = o.Penalty
	}
	if o.Tol == 0 {
		o.Tol = 1e-9
	}
	for _, v := range []float64{o.Penalty, o.TargetPenalty, o.Tol} {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("ot: penalties %g and %g, tolerance %g: %w", o.Penalty, o.TargetPenalty, o.Tol, ErrOption)
		}
	}
	return nil
}

// solve finds the optimal forest. Large penalties make large trees, slow to
// pivot: it starts with penalties of the size of the costs and raises them.
func (q *relaxedForest) solve(ctx context.Context, rows *costRows, spread float64, o *UnbalancedOptions) error {
	const step = 8
	s := newRelaxedPricer(q, rows)
	if err := s.cover(ctx); err != nil {
		return err
	}
	progress := func(pivots int) {
		if o.Progress != nil {
			o.Progress(Progress{Solver: "unbalanced", Stage: fmt.Sprintf("penalty %.3g", q.p1), Iters: pivots, Done: math.NaN()})
		}
	}
	scale := 1.0
	for spread > 0 && scale*max(o.Penalty, o.TargetPenalty) > step*spread {
		scale /= step
	}
	for ; ; scale = min(1, scale*step) {
		q.retune(scale*o.Penalty, scale*o.TargetPenalty)
		if err := s.solve(ctx, o.MaxIters, progress); err != nil {
			return err
		}
		if scale == 1 {
			return nil
		}
	}
}

// result reads the plan off the forest and certifies it.
func (q *relaxedForest) result(ctx context.Context, rows *costRows, a, b []float64) (*Result, error) {
	r := &Result{Plan: &Plan{}, A: make([]float64, q.m), B: make([]float64, q.n), Iters: q.pivots, BaseA: a, BaseB: b}
	var transport sum
	for v, x := range q.nodes {
		if x.parent < 0 || x.flow <= 0 {
			continue
		}
		i, j := min(v, int(x.parent)), max(v, int(x.parent))-q.m
		r.Plan.add(int32(i), int32(j), x.flow)
		r.A[i] += x.flow
		r.B[j] += x.flow
		transport.add(x.flow * rows.c.At(i, j))
	}
	r.Transport = transport.total()
	r.Value = r.Transport + q.p1*q.div.of(r.A, a) + q.p2*q.div.of(r.B, b)
	f := make([]float64, q.m)
	for i := range f {
		f[i] = -q.h[i]
	}
	var err error
	if r.F, r.G, err = rows.repair(ctx, f, q.h[q.m:], b); err != nil {
		return nil, err
	}
	var lower sum
	for i, w := range a {
		if w > 0 {
			lower.add(w * q.div.bound(r.F[i], q.p1))
		}
	}
	for j, w := range b {
		if w > 0 {
			lower.add(w * q.div.bound(r.G[j], q.p2))
		}
	}
	r.Lower = math.Min(lower.total(), r.Value)
	return r, nil
}
