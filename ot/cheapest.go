package ot

import (
	"context"
	"math"
)

// onCheapest looks for a plan in both balls that moves everything at the least
// cost of all, where the multipliers of both balls vanish (docs/math.md §6).
// With λ1+λ2 as large as the step to the second least cost only arcs of least
// cost enter; the ratio of the two is searched for. nil: there is none.
func onCheapest(ctx context.Context, in *instance, rho1, rho2 float64) (*candidate, error) {
	low, step := in.twoLeast()
	if math.IsInf(step, 1) {
		step = 1 // all costs are equal
	}
	l := newLists(in, listLength)
	if err := in.sweep(ctx, l, make([]float64, in.m), 0, in.n); err != nil {
		return nil, err
	}
	s := &twoSided{in: in, f: newForest(in, l), rho1: rho1, rho2: rho2, w: newWatch("", 0, nil)}
	s.f.least = 1e-12 * step
	lo, hi := -40.0, 40.0 // log λ2/λ1
	for range 60 {
		mid := (lo + hi) / 2
		theta := 1 / (1 + math.Exp(-mid))
		if err := s.at(ctx, multipliers{step / (1 + math.Exp(mid)), step * theta, low}, true); err != nil {
			return nil, err
		}
		w, v := s.marginals()
		mass, over1, over2 := 0.0, 0.0, 0.0
		for i, x := range w {
			mass += x
			over1 += x * x / in.a[i]
		}
		if mass <= 0 {
			return nil, nil
		}
		for j, x := range v {
			over2 += x * x / in.b[j]
		}
		over1, over2 = over1/(mass*mass)-1-2*rho1, over2/(mass*mass)-1-2*rho2
		if over1 <= 0 && over2 <= 0 {
			c := s.candidate()
			for k := range c.plan.Mass {
				c.plan.Mass[k] /= mass
			}
			return &candidate{plan: c.plan, u: make([]float64, in.m), s: make([]float64, in.n), iters: s.f.pivots}, nil
		}
		if (1-theta)*over1+theta*over2 > 0 {
			return nil, nil // no plan of least cost is in both: their mixture of excesses is positive for all
		}
		if over2 > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return nil, nil
}

// twoLeast is the least cost of all, and how much more the second least is.
func (in *instance) twoLeast() (low, step float64) {
	low, second := math.Inf(1), math.Inf(1)
	for i := range in.m {
		for j := range in.n {
			switch c := in.cost(i, j); {
			case c < low:
				low, second = c, low
			case c > low && c < second:
				second = c
			}
		}
	}
	return low, second - low
}
