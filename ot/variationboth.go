package ot

import (
	"context"
	"fmt"
	"math"
)

// variationBoth is robust transport whose weights of both sides may move by a
// total variation of at most the radii (docs/math.md §5.1). It is plain transport
// with two depots a side: one takes mass away, the other puts as much elsewhere.
func variationBoth(ctx context.Context, p *Problem, source, target, tol float64, w *watch) (*Result, error) {
	in, err := newInstance(p, false)
	if err != nil {
		return nil, err
	}
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	v := &variationBothSolve{p: p, in: in, a: a, b: b, radii: [2]float64{math.Min(source, 1), math.Min(target, 1)}, tol: tol, w: w}
	v.added = 1 + v.radii[0] + v.radii[1]
	if v.from, err = in.nearest(ctx, make([]float64, in.m)); err != nil {
		return nil, err
	}
	if v.to, err = in.flipped().nearest(ctx, make([]float64, in.n)); err != nil {
		return nil, err
	}
	wa, wb := v.a.pick(in.rows).withTwo(v.radii[0], v.radii[1]), v.b.pick(in.cols).withTwo(v.radii[0], v.radii[1])
	pairs := float64(in.m+2) * float64(in.n+2)
	if in.matrix == nil && pairs > depotPairs {
		r, err := solveByDepots(ctx, v.byDepots(wa.hi, wb.hi), wa, wb, w, v.conclude)
		if r == nil || err == nil || !fellShort(err) || pairs > partialLimit || w.max > 0 && w.iters >= w.max {
			return r, err
		}
	}
	if pairs > partialLimit {
		return nil, fmt.Errorf("ot: total variation on both sides and a given matrix build one of %d×%d costs, more than %d: %w", in.m+2, in.n+2, partialLimit, ErrShape)
	}
	return solveSpelledOut(ctx, v.matrix(), wa, wb, tol, w, v.conclude)
}

// variationBothSolve is variationBoth at work. After the sources come a depot
// with the mass put on sources, and one that serves targets whose mass is taken
// away; after the targets one for the mass taken from sources, and one for that
// put on targets.
type variationBothSolve struct {
	p     *Problem
	in    *instance
	a, b  weights
	from  *lists // nearest source of every target
	to    *lists // nearest target of every source
	radii [2]float64
	added float64 // mass of all, depots included
	tol   float64
	w     *watch
	cheap [2]int32 // a cheapest pair
}

// byDepots is the instance with depots, without a matrix.
func (v *variationBothSolve) byDepots(a, b []float64) *instance {
	in := v.in
	n := in.n
	least := math.Inf(1)
	put, taken := make([]float64, n+2), make([]float64, n+2)
	for j := range n {
		put[j] = v.from.cost[j*v.from.k]
		if put[j] < least {
			least, v.cheap = put[j], [2]int32{v.from.src[j*v.from.k], int32(j)}
		}
	}
	put[n+1] = least
	taken[n] = 2*in.farthest() + math.SmallestNonzeroFloat64
	if in.farthest() == 0 {
		taken[n] = 1
	}
	onto := make([]float64, in.m)
	for i := range onto {
		onto[i] = v.to.cost[i*v.to.k]
	}
	return in.withDepots(a, b, [][]float64{put, taken}, [][]float64{make([]float64, in.m), onto})
}

// matrix spells the costs out.
func (v *variationBothSolve) matrix() []float64 {
	in := v.in
	m, n := in.m, in.n
	out := in.spelledOut(2, 2)
	least, top := math.Inf(1), 0.0
	for i := range m {
		for j := range n {
			c := out[i*(n+2)+j]
			top = math.Max(top, math.Abs(c))
			if c < least {
				least, v.cheap = c, [2]int32{int32(i), int32(j)}
			}
		}
		out[i*(n+2)+n+1] = v.to.cost[i*v.to.k]
	}
	row := out[m*(n+2):]
	for j := range n {
		row[j] = v.from.cost[j*v.from.k]
	}
	row[n+1] = least
	// Mass taken from a source for mass taken from a target would be mass out of
	// nothing. At this price nobody takes it (docs/math.md §5.1).
	out[(m+1)*(n+2)+n] = 2*top + math.SmallestNonzeroFloat64
	if top == 0 {
		out[(m+1)*(n+2)+n] = 1
	}
	return out
}

// withTwo is the weights and those of two depots, scaled to sum to one.
func (w weights) withTwo(first, second float64) weights {
	n := len(w.hi)
	total := dd{hi: 1}.add(first).add(second)
	out := weights{make([]float64, n+2), make([]float64, n+2)}
	for i := range n + 2 {
		var x dd
		switch i {
		case n:
			x = dd{hi: first}
		case n + 1:
			x = dd{hi: second}
		default:
			x = w.at(i)
		}
		x = x.over(total)
		out.hi[i], out.lo[i] = x.hi, x.lo
	}
	return out
}

// conclude makes a Result of a plan with depots and the prices of its sources.
func (v *variationBothSolve) conclude(ctx context.Context, big *Plan, u []float64, iters int) (*Result, error) {
	in := v.in
	m, n := int32(in.m), int32(in.n)
	r := &Result{Plan: &Plan{}, Iters: iters}
	for k, mass := range big.Mass {
		i, j := big.I[k], big.J[k]
		switch {
		case mass <= 0 || j == n || i == m+1: // it stays behind, or is not missed
			continue
		case i == m && j == n+1:
			i, j = v.cheap[0], v.cheap[1]
		case i == m || i < m && j < n && mass <= dust*math.Max(in.a[i], in.b[j]):
			i = v.from.src[int(j)*v.from.k]
		case j == n+1:
			j = v.to.src[int(i)*v.to.k]
		}
		r.Plan.add(in.rows[i], in.cols[j], mass*v.added)
	}
	in.byRows(r.Plan)
	// What those prices leave to the targets is at least what they have in the plan
	// with depots.
	prices, values, err := in.withoutDepot(ctx, u)
	if err != nil {
		return nil, err
	}
	rows, cols := v.p.Cost.Dims()
	r.F, r.G = make([]float64, rows), make([]float64, cols)
	for i, k := range in.rows {
		r.F[k] = -prices[i]
	}
	for j, value := range values {
		r.G[in.cols[j]] = value
	}
	err = r.variationProof(v.p, v.radii, v.tol)
	if ctx.Err() != nil {
		return r, fmt.Errorf("ot: %s stopped: %w", v.w.solver, ctx.Err())
	}
	return r, err
}
