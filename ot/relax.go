package ot

import (
	"context"
	"math"

	"rot.example/rot/chisq"
)

// A relaxation is the problem without one of its balls.
type relaxation struct {
	candidate candidate
	value     float64 // a lower bound of the problem itself
	lambda    float64
	fits      bool   // the plan lies in both balls
	lists     *lists // nearest sources of every target, if it looked for those
}

// relax keeps the ball of one side (0: sources): its weights minimize nearest
// costs, and all mass goes to the nearest.
func relax(ctx context.Context, in *instance, source, target chisq.Ball, keep int) (*relaxation, error) {
	back := in.flipped()
	side, mine, other, length := in, source, target, 2
	if keep == 1 {
		side, back, mine, other, length = back, in, target, source, listLength
	}
	near := newLists(back, length) // nearest targets of every source
	if err := back.sweep(ctx, near, make([]float64, side.n), 0, side.m); err != nil {
		return nil, err
	}
	d := near.best(make([]float64, side.n))
	w, sol, err := mine.Solve(nil, d, side.a)
	if err != nil {
		return nil, err
	}
	plan := &Plan{}
	u, v := make([]float64, side.m), make([]float64, side.n)
	ties := false
	for i := range d {
		target, cost := near.arcs(i)
		v[target[0]] += w[i]
		if w[i] > 0 {
			plan.add(int32(i), target[0], w[i])
			ties = ties || len(cost) > 1 && cost[1] <= cost[0]+4e-15*math.Abs(cost[0])
		}
		if !math.IsInf(sol.Lambda, 1) {
			u[i] = -math.Min(sol.Threshold, d[i])
		}
	}
	r := &relaxation{value: sol.Value, lambda: sol.Lambda, fits: divergence(v, side.b) <= other.Rho}
	if !r.fits && ties {
		if r.fits, err = choose(ctx, side, w, sol.Value, other, plan); err != nil {
			return nil, err
		}
	}
	r.candidate = candidate{plan: plan, u: u, s: make([]float64, side.n), lambda: [2]float64{sol.Lambda, 0}}
	if keep == 1 {
		r.lists = near
		plan.I, plan.J = plan.J, plan.I
		r.candidate.u, r.candidate.s = r.candidate.s, u
		r.candidate.lambda = [2]float64{0, sol.Lambda}
	}
	return r, nil
}

// choose looks among the plans that move weights w to nearest targets, where
// several are equally near, for one whose target weights lie in the ball.
func choose(ctx context.Context, in *instance, w []float64, value float64, ball chisq.Ball, plan *Plan) (bool, error) {
	active := positive(w)
	sub := in.flipped().sub(upTo(in.n), active)
	for k, i := range active {
		sub.b[k] = w[i]
	}
	o := newOneSided(sub, newWatch("", 0, nil))
	if err := o.solve(ctx, ball.Rho); err != nil {
		return false, err
	}
	if o.f.cost() > value+1e-13*math.Abs(value) {
		return false, nil
	}
	got := o.candidate().plan
	*plan = Plan{J: got.I, Mass: got.Mass}
	for _, k := range got.J {
		plan.I = append(plan.I, active[k])
	}
	return true, nil
}
