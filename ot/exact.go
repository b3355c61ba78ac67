package ot

import (
	"context"
	"math"
	"slices"

	"rot.example/rot/chisq"
)

// ExactOptions tunes Exact. The zero value is ready to use.
type ExactOptions struct {
	Tol      float64        // relative duality gap that counts as exact; 0 means 1e-9
	MaxIters int            // pivots; 0 means no limit
	Progress func(Progress) // called at most ten times a second; may be nil
	Sweeper  Sweeper        // helps with large problems; may be nil
}

// Exact is optimal transport: it minimizes ⟨P, C⟩ over plans P with marginals
// p.A and p.B (docs/math.md §4). It returns ErrShape, ErrValue or ErrWeights
// for a malformed p, and ErrInfeasible where no plan avoids the forbidden
// pairs. With a *ConvergenceError, when MaxIters runs out or rounding keeps the
// gap above Tol, and with ctx.Err(), when cancelled, comes the best Result so
// far, if there is one; its bounds hold.
func Exact(ctx context.Context, p *Problem, opts *ExactOptions) (*Result, error) {
	var o ExactOptions
	if opts != nil {
		o = *opts
	}
	tol, err := tolerance(o.Tol, o.MaxIters)
	if err != nil {
		return nil, err
	}
	if p, err = p.withSweeper(o.Sweeper).withTable(ctx); err != nil {
		return nil, err
	}
	r, err := p.inUnits(func(s *scaledProblem) (*Result, error) {
		w := newWatch("exact", o.MaxIters, o.Progress)
		return s.onDistinct(ctx, chisq.Ball{}, chisq.Ball{}, tol, w, func(p *Problem) (*Result, error) {
			return exact(ctx, p, tol, w)
		})
	})
	p.release(r)
	return r, err
}

// exact is Exact on costs of ordinary size.
func exact(ctx context.Context, p *Problem, tol float64, w *watch) (*Result, error) {
	in, err := newInstance(p, false)
	if err != nil {
		return nil, err
	}
	if in.matrix != nil {
		in = in.flipped() // sweeps over it go along its rows
	}
	none := chisq.Ball{}
	if min(in.m, in.n) == 1 {
		return conclude(ctx, p, in, star(in, none, none), none, none, tol, w)
	}
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	if in.swapped() {
		a, b = b, a
	}
	a, b = a.pick(in.rows), b.pick(in.cols)
	t, limit := solvePlain(ctx, in, w)
	if limit != nil && !stopped(limit) {
		return nil, limit
	}
	if t == nil {
		return concludeStopped(ctx, p, in, in.nothing(), none, none, tol, w)
	}
	c, whole := t.candidate(a, b)
	if limit != nil {
		return concludeStopped(ctx, p, in, c, none, none, tol, w)
	}
	c.values = t.l.best(t.u)
	r, err := conclude(ctx, p, in, c, none, none, tol, w)
	if whole && r != nil && r.within(tol, 0) || float64(in.m)*float64(in.n) > refineLimit {
		return r, err
	}
	// What rounding of these potentials hides, smaller ones may show.
	fine, fineErr := refined(ctx, p, in, newRefiner(t, a, b), tol, w)
	if fine == nil || whole && fine.Gap() >= r.Gap() {
		return r, err
	}
	return fine, fineErr
}

// candidate hands over the current plan and prices, and whether the plan has
// the marginals that it should.
func (t *simplex) candidate(a, b weights) (c candidate, whole bool) {
	c = candidate{u: t.u[:t.in.m], iters: t.pivots, lambda: [2]float64{math.Inf(1), math.Inf(1)}}
	c.plan, whole = t.plan(a, b)
	return c, whole
}

// refined is the result of a refiner: from its potentials as they are, or,
// where rounding them costs too much, from levelled ones.
func refined(ctx context.Context, p *Problem, in *instance, f *refiner, tol float64, w *watch) (*Result, error) {
	if err := w.enter(ctx, "refining"); err != nil {
		return nil, err
	}
	if err := f.optimize(ctx, w); err != nil {
		return nil, err
	}
	c, _ := f.t.candidate(f.a, f.b)
	c.u = f.prices(func(int) dd { return dd{} })
	best, bestErr := conclude(ctx, p, in, c, chisq.Ball{}, chisq.Ball{}, tol, w)
	if best != nil && best.within(tol, 0) {
		return best, nil
	}
	u, err := f.levelled(ctx)
	if err != nil || u == nil {
		return best, bestErr
	}
	c.u = u
	if r, err := conclude(ctx, p, in, c, chisq.Ball{}, chisq.Ball{}, tol, w); r != nil && (best == nil || r.Gap() < best.Gap()) {
		return r, err
	}
	return best, bestErr
}

const listLength = 12

// Auctions overshoot by these fractions of the resolution of the prices, one
// phase after another. A phase costs a fraction of a sweep and spares three
// pivots of four.
var auctionEps = []float64{0.1, 0.02, 0.004, 0.001, 0.0002}

// solvePlain is exact OT on an instance: prices from subsamples where they
// help, an auction, augmenting paths, then the network simplex.
func solvePlain(ctx context.Context, in *instance, w *watch) (*simplex, error) {
	supply, demand := integerMass(in.a, in.b)
	if in.dense() {
		return solveDense(ctx, in, supply, demand, w)
	}
	u, err := coarsePrices(ctx, in)
	if err != nil {
		return nil, err
	}
	if u == nil {
		u = make([]float64, in.m)
	}
	return solveFrom(ctx, in, supply, demand, u, true, 0, w)
}

// solveFrom is OT from given prices, which it overwrites: exact, or optimal
// for the lists after one round over all arcs; to a gap of at most slack.
func solveFrom(ctx context.Context, in *instance, supply, demand []int64, u []float64, exact bool, slack float64, w *watch) (*simplex, error) {
	if err := w.enter(ctx, "auction"); err != nil {
		return nil, err
	}
	l := newLists(in, listLength)
	if err := in.sweep(ctx, l, u, 0, in.n); err != nil {
		return nil, err
	}
	_, top := in.costScale()
	a := newAuction(in, l, u, supply, demand)
	a.slack = slack
	if err := a.run(ctx, auctionEps, top); err != nil {
		return nil, err
	}
	if err := l.addRare(ctx, in, a.values()); err != nil {
		return nil, err
	}
	if err := w.enter(ctx, "simplex"); err != nil {
		return nil, err
	}
	t := newSimplex(in, l, supply, demand, math.Max(2e-14*top, slack))
	t.start(a)
	return t, t.solve(ctx, exact, w)
}

// coarsePrices guesses source prices from smaller versions of the instance
// (docs/math.md §4). The auction starts level otherwise, and far outliers then
// cost a pivot for every unit that their price lacks. Where a small sample
// finds prices that differ little more than its own resolution, level is
// better: nil. Cells are always better than that.
func coarsePrices(ctx context.Context, in *instance) ([]float64, error) {
	const far = 10
	if min(in.m, in.n) < 4*probe {
		return nil, nil
	}
	in.findCoords()
	small := in.coarse(probe)
	supply, demand := integerMass(small.a, small.b)
	t, err := solveFrom(ctx, small, supply, demand, make([]float64, small.m), false, 0, newWatch("", 0, nil))
	if err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(t.u[:small.m]))
	if few := small.m / 50; !in.planar() && in.coords == nil && sorted[small.m-1-few]-sorted[few] < far*resolution(t.l, t.u) {
		return nil, nil
	}
	return in.climb(ctx, small, t.u[small.m:], func(c *instance, u []float64) (*simplex, error) {
		supply, demand := integerMass(c.a, c.b)
		return solveFrom(ctx, c, supply, demand, u, true, 0, newWatch("", 0, nil))
	})
}

// resolution is how much better a target's first choice is than its last, in
// the middle of the targets: prices matter down to a fraction of this.
func resolution(l *lists, u []float64) float64 {
	spread := make([]float64, len(l.top))
	for j := range spread {
		src, cost := l.arcs(j)
		spread[j] = cost[l.k-1] + u[src[l.k-1]] - cost[0] - u[src[0]]
	}
	slices.Sort(spread)
	return spread[len(spread)/2]
}
