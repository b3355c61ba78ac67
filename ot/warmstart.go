package ot

import (
	"context"
	"math"

	"rot/chisq"
)

// Where λ is large beside the differences between neighbours (far outliers
// not all thrown out, or a tiny radius) robust weights hardly depend on the
// details of the plan: trees span everything, each pivot visits all of one,
// and nearest neighbours are a poor start. Then the weights that the prices of
// a subsample suggest are nearly right, plain OT with these weights nearly
// optimal, and its tree a forest that needs few pivots more (docs/math.md §5).

// stiff is how large λ must be, in units of a small sample's resolution.
const stiff = 10

// startStiff replaces the nearest-neighbour forest by that of plain OT where
// that pays.
func (o *oneSided) startStiff(ctx context.Context, rho float64) error {
	in := o.in
	if min(in.m, in.n) < 400 {
		return nil
	}
	u, err := o.samplePrices(ctx, rho)
	if err != nil || u == nil {
		return err
	}
	t, active, err := weightedPlain(ctx, in, rho, u)
	if err != nil {
		return err
	}
	f := newForest(in, o.f.l)
	f.least, f.pivots, f.visits = o.f.least, o.f.pivots, o.f.visits
	unit := 1 / float64(massTotal)
	t.eachFlow(func(i, j int32, mass int64) {
		f.link(active[i], j, t.in.cost(int(i), int(j)), float64(mass)*unit)
	})
	u, err = fullPrices(ctx, in, t, active)
	if err != nil {
		return err
	}
	_, sol, err := chisq.Ball{Rho: rho}.Solve(nil, scaled(u, -1), in.a)
	if err != nil || !(sol.Lambda > 0) || math.IsInf(sol.Lambda, 1) {
		return err
	}
	o.f, o.lambda = f, sol.Lambda
	if devV {
		println("stiff: lambda", o.lambda, "simplex pivots", t.pivots)
	}
	return in.sweep(ctx, f.l, u, 0, in.n)
}

// samplePrices are source prices from smaller versions of the instance, nil
// where the problem is not stiff.
func (o *oneSided) samplePrices(ctx context.Context, rho float64) ([]float64, error) {
	small := o.in.coarse(probe)
	s, err := newOneSided(ctx, small, newWatch("", 0, nil))
	if err != nil {
		return nil, err
	}
	if err := s.solve(ctx, rho); err != nil {
		return nil, err
	}
	if s.lambda < stiff*resolution(s.f.l, s.f.u) {
		return nil, nil
	}
	return o.in.climb(ctx, small, s.f.u[small.m:], func(c *instance, u []float64) (*simplex, error) {
		t, _, err := weightedPlain(ctx, c, rho, u)
		return t, err
	})
}

// weightedPlain solves plain OT with the source weights that prices u give.
// Sources of weight zero take no part; active names the others.
func weightedPlain(ctx context.Context, in *instance, rho float64, u []float64) (t *simplex, active []int32, err error) {
	w, _, err := chisq.Ball{Rho: rho}.Solve(nil, scaled(u, -1), in.a)
	if err != nil {
		return nil, nil, err
	}
	active = positive(w)
	all := make([]int32, in.n)
	for j := range all {
		all[j] = int32(j)
	}
	sub := in.sub(active, all)
	first := make([]float64, len(active))
	for s, i := range active {
		first[s] = u[i]
		sub.a[s] = w[i]
	}
	supply, demand := make([]int64, sub.m), make([]int64, sub.n)
	round(supply, sub.a, massTotal)
	round(demand, sub.b, massTotal)
	t, err = solveFrom(ctx, sub, supply, demand, first, coarseEps, newWatch("", 0, nil))
	return t, active, err
}

// fullPrices are the prices of all sources when t has those of the active
// ones: the others' are such that some target just finds them tight.
func fullPrices(ctx context.Context, in *instance, t *simplex, active []int32) ([]float64, error) {
	u := make([]float64, in.m)
	on := make([]bool, in.m)
	for s, i := range active {
		u[i], on[i] = t.u[s], true
	}
	var off []int32
	for i := range on {
		if !on[i] {
			off = append(off, int32(i))
		}
	}
	if len(off) == 0 {
		return u, nil
	}
	back, err := in.lookBack(ctx, off, t.u[t.in.m:], 1)
	if err != nil {
		return nil, err
	}
	for s, i := range off {
		u[i] = t.u[t.in.m+int(back.src[s])] - back.cost[s]
	}
	return u, nil
}
