package ot

import (
	"context"
	"math"

	"rot.example/rot/chisq"
)

// Where λ is large beside the differences between neighbours (far outliers
// not all thrown out, or a tiny radius) robust weights hardly depend on the
// details of the plan: trees span everything, each pivot visits all of one,
// and nearest neighbours are a poor start. Then the weights that the prices of
// a subsample suggest are nearly right, plain OT with these weights nearly
// optimal, and its tree a forest that needs few pivots more (docs/math.md §5).

// How large λ must be, in units of a small sample's resolution.
const (
	stiff       = 30
	nearlyStiff = 16 // is enough for cells where the whole has nearly the same λ
	leastSame   = 0.97
	mostSame    = 1.2 // times that of the cells
)

// stiff says that the present solution is.
func (o *oneSided) stiff() bool {
	return o.lambda >= stiff*resolution(o.f.l, o.f.u)
}

// startStiff makes the forest that of plain OT where that pays.
func (o *oneSided) startStiff(ctx context.Context, rho float64) error {
	if min(o.in.m, o.in.n) < 4*probe {
		return nil
	}
	u, err := o.samplePrices(ctx, rho, 0)
	if err != nil || u == nil {
		return err
	}
	return o.replace(ctx, rho, u)
}

// replace makes the forest that of plain OT with the weights that prices u
// give, and λ what the prices of its solution give.
func (o *oneSided) replace(ctx context.Context, rho float64, u []float64) error {
	t, active, err := weightedPlain(ctx, o.in, rho, u, 0)
	if err != nil {
		return err
	}
	if u, err = fullPrices(ctx, o.in, t, active); err != nil {
		return err
	}
	_, sol, err := chisq.Ball{Rho: rho}.Solve(nil, scaled(u, -1), o.in.a)
	if err != nil || !(sol.Lambda > 0) || math.IsInf(sol.Lambda, 1) {
		return err
	}
	t.l.rename(active)
	f := t.forest(o.in, t.l, active, upTo(o.in.n))
	if o.f != nil {
		f.pivots, f.visits = o.f.pivots, o.f.visits
	}
	o.f, o.lambda = f, sol.Lambda
	f.set(1/o.lambda, 0, 0)
	return nil
}

// loosely answers a stiff radius within a gap of about slack, without a forest:
// the weights that the prices of a subsample give are so nearly right that a
// plan for them will do. It returns no plan where the problem is not stiff.
func (o *oneSided) loosely(ctx context.Context, rho, slack float64) (c candidate, err error) {
	if min(o.in.m, o.in.n) < 4*probe {
		return c, nil
	}
	u, err := o.samplePrices(ctx, rho, slack)
	if err != nil || u == nil {
		return c, err
	}
	t, active, err := weightedPlain(ctx, o.in, rho, u, slack)
	if err != nil {
		return c, err
	}
	if c.u, err = fullPrices(ctx, o.in, t, active); err != nil {
		return c, err
	}
	t.l.rename(active)
	if err := o.in.sweep(ctx, t.l, c.u, 0, o.in.n); err != nil {
		return c, err
	}
	c.values = t.l.best(c.u)
	_, sol, err := chisq.Ball{Rho: rho}.Solve(nil, scaled(c.u, -1), o.in.a)
	if err != nil {
		return c, err
	}
	c.plan = &Plan{}
	t.eachFlow(func(i, j int32, mass int64) { c.plan.add(active[i], j, float64(mass)/massTotal) })
	c.iters, c.lambda = t.pivots, [2]float64{sol.Lambda, math.Inf(1)}
	return c, nil
}

// forest is the forest of a plain solution between some sources and targets of
// an instance.
func (t *simplex) forest(in *instance, l *lists, rows, cols []int32) *forest {
	f := newForest(in, l)
	t.eachFlow(func(i, j int32, mass int64) {
		f.link(rows[i], cols[j], t.in.cost(int(i), int(j)), float64(mass)/massTotal)
	})
	return f
}

// moveStiff goes from the radius before to a stiff one as startStiff does,
// from the prices at hand instead of a small version's.
func (o *oneSided) moveStiff(ctx context.Context, rho float64) error {
	if min(o.in.m, o.in.n) < 4*probe || !o.in.planar() {
		return nil // in many dimensions the forest at hand is nearer
	}
	u, err := o.wakingPrices(ctx)
	if err != nil {
		return err
	}
	_, sol, err := chisq.Ball{Rho: rho}.Solve(nil, scaled(u, -1), o.in.a)
	if err != nil || sol.Lambda < stiff*resolution(o.f.l, o.f.u) || math.IsInf(sol.Lambda, 1) {
		return err
	}
	return o.replace(ctx, rho, u)
}

// wakingPrices are the forest's prices, those of sources without weight
// lowered to where some target would just find them tight.
func (o *oneSided) wakingPrices(ctx context.Context) ([]float64, error) {
	in, f := o.in, o.f
	u := append([]float64(nil), f.u[:in.m]...)
	var asleep []int32
	for i := range u {
		if len(f.order[f.comp[i]]) == 1 {
			asleep = append(asleep, int32(i))
		}
	}
	if len(asleep) == 0 {
		return u, nil
	}
	back, err := in.lookBack(ctx, asleep, f.u[in.m:], 1)
	if err != nil {
		return nil, err
	}
	for s, i := range asleep {
		u[i] = f.u[in.m+int(back.src[s])] - back.cost[s]
	}
	return u, nil
}

// smallest solves the smallest version of the instance.
func (o *oneSided) smallest(ctx context.Context, rho float64) (*oneSided, error) {
	s := newOneSided(o.in.coarse(probe), newWatch("", 0, nil))
	return s, s.solve(ctx, rho)
}

// samplePrices are source prices from smaller versions of the instance, solved
// to a gap of at most slack, nil where the problem is not stiff.
func (o *oneSided) samplePrices(ctx context.Context, rho, slack float64) ([]float64, error) {
	s, err := o.smallest(ctx, rho)
	if err != nil {
		return nil, err
	}
	if stiff, err := o.stiffLike(ctx, s, rho); err != nil || !stiff {
		return nil, err
	}
	return o.in.climb(ctx, s.in, s.f.u[s.in.m:], func(c *instance, u []float64) (*simplex, error) {
		t, _, err := weightedPlain(ctx, c, rho, u, slack)
		return t, err
	})
}

// stiffLike says that the instance is stiff, by its smallest version s. In the
// plane the whole is much stiffer than that, since its points are closer; but a
// few cells tell little about how many points are outliers, so that where s is
// not quite stiff its prices, carried over to all sources, have to give nearly
// the same λ. On a line plain transport is slow, and in many dimensions its
// start is worse: there s has to be stiff itself.
func (o *oneSided) stiffLike(ctx context.Context, s *oneSided, rho float64) (bool, error) {
	if s.stiff() || !o.in.planar() || o.in.d == 1 || !(s.lambda >= nearlyStiff*resolution(s.f.l, s.f.u)) {
		return s.stiff(), nil
	}
	u, err := o.in.extend(ctx, s.in, s.f.u[s.in.m:])
	if err != nil {
		return false, err
	}
	_, sol, err := chisq.Ball{Rho: rho}.Solve(nil, scaled(u, -1), o.in.a)
	same := sol.Lambda / s.lambda
	return same >= leastSame && same <= mostSame, err
}

// weightedPlain solves plain OT with the source weights that prices u give.
// Sources of weight zero take no part; active names the others. slack is a gap
// that is good enough.
func weightedPlain(ctx context.Context, in *instance, rho float64, u []float64, slack float64) (t *simplex, active []int32, err error) {
	w, _, err := chisq.Ball{Rho: rho}.Solve(nil, scaled(u, -1), in.a)
	if err != nil {
		return nil, nil, err
	}
	active = positive(w)
	t, err = plainBetween(ctx, in, active, upTo(in.n), w, in.b, u, slack)
	return t, active, err
}

// plainBetween solves plain OT from weights w of some sources to weights v of
// some targets, starting from prices u, to a gap of at most slack.
func plainBetween(ctx context.Context, in *instance, rows, cols []int32, w, v, u []float64, slack float64) (*simplex, error) {
	sub := in.between(rows, cols, w, v)
	first := make([]float64, len(rows))
	for s, i := range rows {
		first[s] = u[i]
	}
	supply, demand := make([]int64, sub.m), make([]int64, sub.n)
	round(supply, sub.a, massTotal)
	round(demand, sub.b, massTotal)
	return solveFrom(ctx, sub, supply, demand, first, true, slack, newWatch("", 0, nil))
}

// between is the instance of some sources with weights w and some targets with
// weights v.
func (in *instance) between(rows, cols []int32, w, v []float64) *instance {
	sub := in.sub(rows, cols)
	for s, i := range rows {
		sub.a[s] = w[i]
	}
	for s, j := range cols {
		sub.b[s] = v[j]
	}
	return sub
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
