package ot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// variation is robust transport whose weights of one side may move by a total
// variation of at most radius: mass of that size may be taken from sources and
// put on others (docs/math.md §5.1). It is plain transport with two depots. One
// takes mass in at no cost; the other sends as much out, to a target at the cost
// of its nearest source.
func variation(ctx context.Context, p *Problem, radius float64, target bool, tol float64, w *watch) (*Result, error) {
	in, err := newInstance(p, false)
	if err != nil {
		return nil, err
	}
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	v := &variationSolve{p: p, in: in, a: a, b: b, radius: math.Min(radius, 1), tol: tol, w: w}
	if v.target = target; target {
		v.in = in.flipped()
		v.a, v.b = b, a
	}
	near, err := v.in.nearest(ctx, make([]float64, v.in.m))
	if err != nil {
		return nil, err
	}
	v.near = near
	pairs := float64(in.m+1) * float64(in.n+1)
	if in.matrix == nil && pairs > depotPairs {
		r, err := v.byDepots(ctx)
		if r == nil || err == nil || !fellShort(err) || pairs > partialLimit || w.max > 0 && w.iters >= w.max {
			return r, err
		}
	}
	if pairs > partialLimit {
		return nil, fmt.Errorf("ot: total variation and a given matrix build one of %d×%d costs, more than %d: %w", in.m+1, in.n+1, partialLimit, ErrShape)
	}
	return v.byMatrix(ctx)
}

// variationSolve is variation at work. Its sources are the side that moves.
type variationSolve struct {
	p      *Problem
	in     *instance
	a, b   weights // of the problem's rows, sources of in first
	near   *lists  // nearest source of every target
	radius float64
	target bool // the sources of in are the problem's targets
	tol    float64
	w      *watch
}

// extended are the weights with the depots.
func (v *variationSolve) extended() (a, b weights) {
	return v.a.pick(v.in.rows).with(1 - v.radius), v.b.pick(v.in.cols).with(1 - v.radius)
}

// byDepots solves without a matrix.
func (v *variationSolve) byDepots(ctx context.Context) (*Result, error) {
	in := v.in
	a, b := v.extended()
	from := append(slices.Clone(v.near.cost), 0)
	big := in.withDepots(a.hi, b.hi, [][]float64{from}, [][]float64{make([]float64, in.m)})
	return solveByDepots(ctx, big, a, b, v.w, v.conclude)
}

// byMatrix spells the depots out.
func (v *variationSolve) byMatrix(ctx context.Context) (*Result, error) {
	matrix := v.in.spelledOut(1, 1)
	copy(matrix[v.in.m*(v.in.n+1):], v.near.cost)
	a, b := v.extended()
	return solveSpelledOut(ctx, matrix, a, b, v.tol, v.w, v.conclude)
}

// spelledOut is the costs with rows and columns of zeros after them.
func (in *instance) spelledOut(rows, cols int) []float64 {
	matrix := make([]float64, (in.m+rows)*(in.n+cols))
	for i := range in.m {
		for j := range in.n {
			matrix[i*(in.n+cols)+j] = in.cost(i, j)
		}
	}
	return matrix
}

// A conclusion makes a Result of a plan with depots and the prices of its
// sources.
type conclusion func(ctx context.Context, plan *Plan, u []float64, iters int) (*Result, error)

// solveByDepots is plain transport between points and depots, of which conclude
// makes a Result.
func solveByDepots(ctx context.Context, big *instance, a, b weights, w *watch, conclude conclusion) (*Result, error) {
	t, limit := solvePlain(ctx, big, w)
	if t == nil || limit != nil && !stopped(limit) {
		return nil, limit
	}
	c, _ := t.candidate(a, b)
	return conclude(ctx, c.plan, c.u, c.iters)
}

// solveSpelledOut is plain transport by a matrix, of which conclude makes a
// Result.
func solveSpelledOut(ctx context.Context, matrix []float64, a, b weights, tol float64, w *watch, conclude conclusion) (*Result, error) {
	c, err := NewMatrixCost(len(a.hi), len(b.hi), matrix)
	if err != nil {
		return nil, err
	}
	whole, err := exact(ctx, &Problem{Cost: c, exact: &[2]weights{a, b}}, tol, w)
	if whole == nil {
		return nil, err
	}
	r, short := conclude(ctx, whole.Plan, scaled(whole.F, -1), whole.Iters)
	if err != nil && !fellShort(err) {
		return r, err
	}
	return r, short
}

// nearestAtLast is nearest, with some time left after ctx has ended.
func (in *instance) nearestAtLast(ctx context.Context, u []float64) (*lists, error) {
	if ctx.Err() != nil {
		late, cancel := afterwards(ctx)
		defer cancel()
		ctx = late
	}
	return in.nearest(ctx, u)
}

// withoutDepot is the prices of the sources, of which u has one more for the depot
// that sends mass out, and the values of the targets that go with them. At the
// price of the depot no target gains by its nearest source, nor by any: a source
// need not ask for more.
func (in *instance) withoutDepot(ctx context.Context, u []float64) (prices, values []float64, err error) {
	prices = make([]float64, in.m)
	for i := range prices {
		prices[i] = math.Min(u[i], u[in.m])
	}
	near, err := in.nearestAtLast(ctx, prices)
	if err != nil {
		return nil, nil, err
	}
	return prices, near.best(prices), nil
}

// dust is the part of a weight that rounding leaves behind, at whatever cost.
const dust = 16 * eps

// conclude makes a Result of a plan with depots and the prices of its sources.
func (v *variationSolve) conclude(ctx context.Context, big *Plan, u []float64, iters int) (*Result, error) {
	in := v.in
	m, n := int32(in.m), int32(in.n)
	r := &Result{Plan: &Plan{}, Iters: iters}
	for k, mass := range big.Mass {
		i, j := big.I[k], big.J[k]
		if mass <= 0 || j == n { // it stays behind
			continue
		}
		if i == m || mass <= dust*math.Max(in.a[i], in.b[j]) { // so little might as well come from the nearest
			i = v.near.src[j]
		}
		r.Plan.add(in.rows[i], in.cols[j], mass*(1+v.radius))
	}
	in.byRows(r.Plan)
	prices, values, err := in.withoutDepot(ctx, u)
	if err != nil {
		return nil, err
	}
	rows, cols := v.p.Cost.Dims()
	r.F, r.G = make([]float64, rows), make([]float64, cols)
	f, g := r.F, r.G
	if v.target {
		f, g = g, f
		r.Plan.I, r.Plan.J = r.Plan.J, r.Plan.I
	}
	for i, k := range in.rows {
		f[k] = -prices[i]
	}
	for j, value := range values {
		g[in.cols[j]] = value
	}
	radii := [2]float64{v.radius, 0}
	if v.target {
		radii = [2]float64{0, v.radius}
	}
	err = r.variationProof(v.p, radii, v.tol)
	if ctx.Err() != nil {
		return r, fmt.Errorf("ot: %s stopped: %w", v.w.solver, ctx.Err())
	}
	return r, err
}

// variationProof fills in the bounds of a plan and potentials, and says how far
// short of tol they are.
func (r *Result) variationProof(p *Problem, radii [2]float64, tol float64) error {
	a, b, err := p.exactWeights()
	if err != nil {
		return err
	}
	r.BaseA, r.BaseB = a.hi, b.hi
	r.priceOf(p.Cost)
	p.Cost.lowerPair(r.F, r.G, r.Value)
	y, slope := a.leastNear(r.F, radii[0])
	z, targetSlope := b.leastNear(r.G, radii[1])
	x := y.plus(z)
	r.SourceLambda, r.TargetLambda = slope, targetSlope
	noise := 2*x.err + p.Cost.blur(r.Value) + 8*eps*(a.size(r.F)+b.size(r.G))
	r.Lower = math.Min(x.floor(), r.Value)
	r.neverNegative(p.Cost)
	r.priceIdle(p.Cost)
	if !r.within(tol, noise) {
		return &ConvergenceError{Solver: "robust", Iters: r.Iters, Gap: r.RelGap(), Tol: tol}
	}
	return nil
}

// leastNear bounds from below the mean of φ under any weights at a total
// variation of at most radius from w: for any θ ≥ min φ it is
//
//	Σ w_i min(φ_i, θ) − radius·(θ − min φ),
//
// and best where the weights of larger φ sum to the radius (docs/math.md §5.1).
// slope is θ − min φ, what more radius is worth.
func (w weights) leastNear(phi []float64, radius float64) (x bound, slope float64) {
	if radius == 0 {
		return w.mean(phi), math.Inf(1)
	}
	radius = math.Min(radius, 1)
	order := positive(w.hi)
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(phi[j], phi[i]) })
	low, theta := phi[order[len(order)-1]], phi[order[0]]
	above := 0.0
	for _, i := range order {
		theta = phi[i]
		if above += w.hi[i]; above > radius {
			break
		}
	}
	if above <= radius {
		theta = low
	}
	var s dd
	var size float64
	for _, i := range order {
		y := w.at(int(i)).times(math.Min(phi[i], theta))
		s = s.plus(y)
		size += math.Abs(y.hi)
	}
	paid := exactDifference(theta, low).times(radius)
	return bound{s.minus(paid), sumError(len(order)+2, size+math.Abs(paid.hi))}, theta - low
}
