package ot

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// PartialOptions tunes Partial. The zero value transports everything.
type PartialOptions struct {
	Mass     float64        // share of the mass to transport, in (0, 1]; 0 means 1
	OneSided bool           // the source alone leaves mass behind: every target gets that share of its own
	Tol      float64        // relative duality gap; 0 means 1e-9
	MaxIters int            // pivots; 0 means no limit
	Progress func(Progress) // called now and then; may be nil
	Sweeper  Sweeper        // helps with large problems of points; may be nil
}

const (
	// partialLimit is the largest matrix that Partial builds, 400 MB.
	partialLimit = 50_000_000
	// depotPairs is from where on points are solved without one.
	depotPairs = 100_000
)

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
// Chapel, Alaya & Gasso 2020). A given matrix may have at most 5e7 costs.
//
// OneSided, it has πᵀ1 = s·b instead, and any F_i + G_j ≤ C_ij and θ prove
//
//	s·θ − Σ a_i max(0, θ − F_i) + s·Σ b_j G_j.
//
// A and B sum to s. Costs may be negative. Partial returns ErrOption for a mass
// outside (0, 1], ErrShape for a matrix beyond the limit, the errors of Exact
// for a malformed p, and a *ConvergenceError with its best Result when MaxIters
// runs out.
func Partial(ctx context.Context, p *Problem, opts *PartialOptions) (*Result, error) {
	var o PartialOptions
	if opts != nil {
		o = *opts
	}
	tol, err := tolerance(o.Tol, o.MaxIters)
	if err != nil {
		return nil, err
	}
	if o.Mass == 0 {
		o.Mass = 1
	}
	if !(o.Mass > 0 && o.Mass <= 1) {
		return nil, fmt.Errorf("ot: mass %g, want more than 0 and at most 1: %w", o.Mass, ErrOption)
	}
	p = p.withSweeper(o.Sweeper)
	r, err := p.inUnits(func(s *scaledProblem) (*Result, error) {
		w := newWatch("partial", o.MaxIters, o.Progress)
		switch {
		case o.Mass == 1:
			return exact(ctx, s.Problem, tol, w)
		case o.OneSided:
			return trimSource(ctx, s.Problem, o.Mass, tol, w)
		}
		return partial(ctx, s.Problem, o.Mass, tol, w)
	})
	p.release(r)
	return r, err
}

// partial is Partial on costs of ordinary size, for a mass below 1.
func partial(ctx context.Context, p *Problem, mass, tol float64, w *watch) (*Result, error) {
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	m, n := p.Cost.Dims()
	pairs := float64(m+1) * float64(n+1)
	r := &Result{Plan: &Plan{}, BaseA: a.hi, BaseB: b.hi}
	if mass <= math.Min(slices.Max(a.hi), slices.Max(b.hi)) {
		if i, j, c, ok := cheapestPair(newCostRows(p.Cost), a.hi, b.hi); ok && mass <= math.Min(a.hi[i], b.hi[j]) {
			// All of it fits on the cheapest pair.
			r.Plan.add(int32(i), int32(j), mass)
			r.F, r.G = make([]float64, m), make([]float64, n)
			fillWith(r.G, c)
			return r, r.partialProof(p, a, b, mass, tol)
		}
	}
	if p.Cost.metric != Given && pairs > depotPairs {
		err := r.partialPoints(ctx, p, a, b, mass, w)
		if r.F == nil {
			return nil, err
		}
		short := r.partialProof(p, a, b, mass, tol)
		if ctx.Err() != nil {
			return r, fmt.Errorf("ot: partial stopped: %w", ctx.Err())
		}
		if short == nil || pairs > partialLimit || w.max > 0 && w.iters >= w.max {
			return r, short
		}
		r = &Result{Plan: &Plan{}, BaseA: a.hi, BaseB: b.hi} // a matrix can be solved in twice the precision
	}
	if pairs > partialLimit {
		return nil, fmt.Errorf("ot: Partial of a given matrix builds one of %d×%d costs, more than %d: %w", m+1, n+1, partialLimit, ErrShape)
	}
	big, err := extended(ctx, newCostRows(p.Cost), a, b, mass)
	if err != nil {
		return nil, err
	}
	whole, err := exact(ctx, big, tol, w)
	if whole == nil {
		return nil, err
	}
	r.Iters = whole.Iters
	r.F, r.G = whole.F[:m], whole.G[:n]
	restrict(r.Plan, whole.Plan, m, n, mass)
	short := r.partialProof(p, a, b, mass, tol)
	if err != nil && !fellShort(err) {
		return r, err
	}
	return r, short
}

// partialPoints finds plan and potentials without a matrix, by two depots in
// the simplex; where it was stopped, those that it had then, if any.
func (r *Result) partialPoints(ctx context.Context, p *Problem, a, b weights, mass float64, w *watch) error {
	in, err := newInstance(p, false)
	if err != nil {
		return err
	}
	a, b = a.pick(in.rows).with(mass), b.pick(in.cols).with(mass)
	free := make([]float64, in.n+1)
	free[in.n] = 2 * in.farthest() // from depot to depot
	big := in.withDepots(a.hi, b.hi, [][]float64{free}, [][]float64{make([]float64, in.m)})
	t, limit := solvePlain(ctx, big, w)
	if t == nil {
		return limit
	}
	c, _ := t.candidate(a, b)
	near, err := big.nearestAtLast(ctx, c.u)
	if err != nil {
		return err
	}
	values := near.best(c.u)
	r.Iters = c.iters
	r.F, r.G = make([]float64, p.Cost.m), make([]float64, p.Cost.n)
	for i, k := range in.rows {
		r.F[k] = -c.u[i]
	}
	for j, k := range in.cols {
		r.G[k] = values[j]
	}
	restrict(r.Plan, c.plan, in.m, in.n, mass)
	for k := range r.Plan.Mass {
		r.Plan.I[k], r.Plan.J[k] = in.rows[r.Plan.I[k]], in.cols[r.Plan.J[k]]
	}
	in.byRows(r.Plan)
	return limit
}

// partialProof fills in the bounds of a plan and potentials, and says how far
// short of tol they are.
func (r *Result) partialProof(p *Problem, a, b weights, mass, tol float64) error {
	r.priceOf(p.Cost)
	p.Cost.lowerPair(r.F, r.G, r.Value/mass)
	bound, size := partialBound(r.F, r.G, a, b, mass)
	r.Lower = math.Min(bound.floor(), r.Value)
	r.neverNegative(p.Cost)
	r.priceIdle(p.Cost)
	if !r.within(tol, 2*bound.err+mass*p.Cost.blur(r.Value/mass)+8*eps*size) {
		return &ConvergenceError{Solver: "partial", Iters: r.Iters, Gap: r.RelGap(), Tol: tol}
	}
	return nil
}

// cheapestPair is the pair of least cost among those with weight.
func cheapestPair(rows *costRows, a, b []float64) (bi, bj int, least float64, ok bool) {
	least = math.Inf(1)
	buf := make([]float64, len(b))
	for i, w := range a {
		if w == 0 {
			continue
		}
		for j, c := range rows.row(i, buf) {
			if c < least && b[j] > 0 {
				bi, bj, least, ok = i, j, c, true
			}
		}
	}
	return bi, bj, least, ok
}

// extended is the problem with a dummy on each side. Mass between the dummies
// would be mass that nobody transports twice: its price forbids it.
func extended(ctx context.Context, rows *costRows, a, b weights, mass float64) (*Problem, error) {
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
	return &Problem{Cost: c, exact: &[2]weights{a.with(mass), b.with(mass)}}, nil
}

// with is the weights and the dummy's, 1 − mass, scaled to sum to one.
func (w weights) with(mass float64) weights {
	rest := exactDifference(1, mass)
	total := rest.add(1)
	n := len(w.hi)
	out := weights{make([]float64, n+1), make([]float64, n+1)}
	for i := range n + 1 {
		x := rest
		if i < n {
			x = w.at(i)
		}
		x = x.over(total)
		out.hi[i], out.lo[i] = x.hi, x.lo
	}
	return out
}

// restrict takes the plan between the m sources and n targets from that of the
// extended problem, whose weights were scaled to sum to one, and scales it to
// the mass asked for. If a limit left mass between the dummies, too much was
// sent.
func restrict(dst, big *Plan, m, n int, mass float64) {
	var sent sum
	for k, v := range big.Mass {
		if i, j := big.I[k], big.J[k]; v > 0 && int(i) < m && int(j) < n {
			dst.add(i, j, v)
			sent.add(v)
		}
	}
	scale := mass / sent.total()
	for k := range dst.Mass {
		dst.Mass[k] *= scale
	}
}

// partialBound is what potentials with F_i + G_j ≤ C_ij prove about Partial,
// and the sum of the absolute values of what was added up for it.
func partialBound(f, g []float64, a, b weights, mass float64) (x bound, size float64) {
	topF, topG := math.Inf(-1), math.Inf(-1)
	for i, v := range f {
		if a.hi[i] > 0 {
			topF = math.Max(topF, v)
		}
	}
	for j, v := range g {
		if b.hi[j] > 0 {
			topG = math.Max(topG, v)
		}
	}
	// mass·(max F + max G) less what the others lack: nothing cancels when the
	// mass is small.
	x = bound{value: exactProduct(mass, topF).plus(exactProduct(mass, topG))}
	size = mass * (math.Abs(topF) + math.Abs(topG))
	for _, side := range []struct {
		w   weights
		phi []float64
		top float64
	}{{a, f, topF}, {b, g, topG}} {
		for i, v := range side.phi {
			if side.w.hi[i] > 0 {
				shortfall := side.w.at(i).mul(exactDifference(side.top, v))
				x.value = x.value.minus(shortfall)
				size += shortfall.hi
			}
		}
	}
	x.err = sumError(len(f)+len(g)+2, size)
	return x, size
}
