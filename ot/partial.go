package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// PartialOptions tunes Partial. The zero value transports everything.
type PartialOptions struct {
	Mass     float64        // share of the mass to transport, in (0, 1]; 0 means 1
	Tol      float64        // relative duality gap; 0 means 1e-9
	MaxIters int            // pivots; 0 means no limit
	Progress func(Progress) // called now and then; may be nil
}

// partialLimit is the largest matrix that Partial builds, 400 MB.
const partialLimit = 50_000_000

// Partial transports a share s of the mass and leaves the rest where it is:
//
//	min ⟨C, π⟩   over π ≥ 0 with π1 ≤ a, πᵀ1 ≤ b, Σπ = s.
//
// Which mass stays is part of the answer, so the plan drops the fraction 1−s of
// each side that is dearest to move. Any F_i + G_j ≤ C_ij proves the bound
//
//	Σ a_i F_i + Σ b_j G_j − (1−s)(max F + max G)
//
// (docs/math.md §7.4). Partial solves the exact problem with one more source and
// one more target that take the rest at no cost (Caffarelli & McCann 2010;
// Chapel, Alaya & Gasso 2020), as a matrix of (m+1)(n+1) costs, at most 5e7 of
// them.
//
// A and B sum to s. Costs may be negative. Partial returns ErrOption for a mass
// outside (0, 1], ErrShape for a matrix beyond the limit, the errors of Exact
// for a malformed p, and a *ConvergenceError with its best Result when MaxIters
// runs out.
func Partial(ctx context.Context, p *Problem, opts *PartialOptions) (*Result, error) {
	a, b, err := p.weights()
	if err != nil {
		return nil, err
	}
	var o PartialOptions
	if opts != nil {
		o = *opts
	}
	if o.Mass == 0 {
		o.Mass = 1
	}
	if !(o.Mass > 0 && o.Mass <= 1) {
		return nil, fmt.Errorf("ot: mass %g, want more than 0 and at most 1: %w", o.Mass, ErrOption)
	}
	if o.Tol == 0 {
		o.Tol = 1e-9
	}
	m, n := p.Cost.Dims()
	if o.Mass < 1 && float64(m+1)*float64(n+1) > partialLimit {
		return nil, fmt.Errorf("ot: Partial builds a matrix of %d×%d costs, more than %d: %w", m+1, n+1, partialLimit, ErrShape)
	}
	rows := newCostRows(p.Cost)
	whole := p
	if o.Mass < 1 {
		if whole, err = extended(ctx, rows, a, b, o.Mass); err != nil {
			return nil, err
		}
	}
	big, err := Exact(ctx, whole, &ExactOptions{Tol: o.Tol, MaxIters: o.MaxIters, Progress: o.relay()})
	if stopped := new(ConvergenceError); err != nil && !errors.As(err, &stopped) {
		return nil, err
	}
	r := restrict(rows, big, a, b, o.Mass)
	if err := r.boundPartial(ctx, rows, big, o.Mass); err != nil {
		return nil, err
	}
	_, low, high, err := rows.stats(ctx, a, b)
	if err != nil {
		return nil, err
	}
	rounding := 1e-14 * math.Max(-low, high)
	if gap := r.Gap(); !(gap <= o.Tol*math.Abs(r.Value) || gap <= rounding) {
		return r, &ConvergenceError{Solver: "partial", Iters: r.Iters, Gap: r.RelGap(), Tol: o.Tol}
	}
	return r, nil
}

func (o *PartialOptions) relay() func(Progress) {
	if o.Progress == nil {
		return nil
	}
	return func(p Progress) {
		p.Solver = "partial"
		o.Progress(p)
	}
}

// extended is the problem with a dummy on each side. Mass between the dummies
// would be mass that nobody transports twice: its price forbids it.
func extended(ctx context.Context, rows *costRows, a, b []float64, mass float64) (*Problem, error) {
	m, n := rows.c.Dims()
	matrix := make([]float64, (m+1)*(n+1))
	var tops [rowBlocks]float64
	err := eachRow(ctx, m, n, func(block, i int) {
		dst := matrix[i*(n+1) : i*(n+1)+n]
		if rows.c.metric == Given {
			copy(dst, rows.row(i, nil))
		} else {
			rows.row(i, dst)
		}
		for _, v := range dst {
			tops[block] = math.Max(tops[block], math.Abs(v))
		}
	})
	if err != nil {
		return nil, err
	}
	var top float64
	for _, t := range tops {
		top = math.Max(top, t)
	}
	if top == 0 {
		top = 1
	}
	matrix[len(matrix)-1] = 2 * top
	c, err := NewMatrixCost(m+1, n+1, matrix)
	if err != nil {
		return nil, err
	}
	return &Problem{Cost: c, A: append(append([]float64{}, a...), 1-mass), B: append(append([]float64{}, b...), 1-mass)}, nil
}

// restrict reads the plan off that of the extended problem, whose weights were
// scaled to sum to one.
func restrict(rows *costRows, big *Result, a, b []float64, mass float64) *Result {
	m, n := rows.c.Dims()
	r := &Result{Plan: &Plan{}, A: make([]float64, m), B: make([]float64, n), Iters: big.Iters, BaseA: a, BaseB: b}
	var sent, cost sum
	for k, v := range big.Plan.Mass {
		if i, j := big.Plan.I[k], big.Plan.J[k]; v > 0 && int(i) < m && int(j) < n {
			r.Plan.add(i, j, v)
			sent.add(v)
			cost.add(v * rows.c.At(int(i), int(j)))
		}
	}
	// Undo the scaling; if a limit left mass between the dummies, too much was sent.
	scale := 1.0
	if mass < 1 {
		scale = mass / sent.total()
	}
	for k := range r.Plan.Mass {
		r.Plan.Mass[k] *= scale
		r.A[r.Plan.I[k]] += r.Plan.Mass[k]
		r.B[r.Plan.J[k]] += r.Plan.Mass[k]
	}
	r.Transport = cost.total() * scale
	r.Value = r.Transport
	return r
}

// boundPartial fills in potentials and Lower.
func (r *Result) boundPartial(ctx context.Context, rows *costRows, big *Result, mass float64) (err error) {
	if mass == 1 {
		r.F, r.G, err = rows.feasiblePair(ctx, big.F, r.BaseA, r.BaseB)
	} else {
		m, n := rows.c.Dims()
		// Beyond the dummies' potentials mass would rather stay.
		r.F, r.G, err = rows.cappedPair(ctx, big.F[:m], r.BaseA, r.BaseB, -big.G[n], -big.F[m])
	}
	if err != nil {
		return err
	}
	r.Lower = math.Min(partialBound(r.F, r.G, r.BaseA, r.BaseB, mass), r.Value)
	return nil
}

// cappedPair is feasiblePair with F ≤ topF and G ≤ topG.
func (r *costRows) cappedPair(ctx context.Context, f, a, b []float64, topF, topG float64) (F, G []float64, err error) {
	low := make([]float64, len(f))
	for i, v := range f {
		low[i] = min(v, topF)
	}
	if G, err = r.targetTransform(ctx, low, a); err != nil {
		return nil, nil, err
	}
	for j := range G {
		G[j] = min(G[j], topG)
	}
	if F, err = r.sourceTransform(ctx, G, b); err != nil {
		return nil, nil, err
	}
	for i := range F {
		F[i] = min(F[i], topF)
	}
	return F, G, r.release(ctx, F, G, b)
}

// partialBound is what potentials with F_i + G_j ≤ C_ij prove about Partial.
func partialBound(f, g, a, b []float64, mass float64) float64 {
	topF, topG := math.Inf(-1), math.Inf(-1)
	for i, v := range f {
		if a[i] > 0 {
			topF = math.Max(topF, v)
		}
	}
	for j, v := range g {
		if b[j] > 0 {
			topG = math.Max(topG, v)
		}
	}
	return mean(f, a) + mean(g, b) - (1-mass)*(topF+topG)
}
