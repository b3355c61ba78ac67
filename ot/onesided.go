package ot

import (
	"context"
	"math"
	"slices"

	"rot.example/rot/chisq"
)

// oneSided solves for source weights in a ball, target weights hard
// (docs/math.md §5). It can be asked for one radius after another: the forest
// stays, so falling radii cost little more than the last of them.
type oneSided struct {
	in     *instance
	f      *forest
	lambda float64   // multiplier of the ball; 0: the ball does not bind
	floor  float64   // a λ below which nearest neighbours decide
	near   *nearest  // nil where the problem is known to be far from that
	values []float64 // least cost + price of every target at the end of a clean round, else nil
	loose  float64   // a gap that is good enough; 0: none, the answer is to be exact
	w      *watch
}

func newOneSided(in *instance, w *watch) *oneSided {
	return &oneSided{in: in, w: w}
}

// startNearest makes the forest that moves everything to the nearest source:
// the answer for large radii.
func (o *oneSided) startNearest(ctx context.Context) error {
	in := o.in
	l := newLists(in, listLength)
	if err := in.sweep(ctx, l, make([]float64, in.m), 0, in.n); err != nil {
		return err
	}
	o.f = newForest(in, l)
	row := make([]float64, in.m)
	var cheap sum
	for j := range in.n {
		o.f.link(l.src[j*l.k], int32(j), l.cost[j*l.k], in.b[j])
		row[l.src[j*l.k]] += in.b[j]
		cheap.add(in.b[j] * l.cost[j*l.k])
	}
	o.near = &nearest{rho: divergence(row, in.a), cost: cheap.total(), values: l.best(make([]float64, in.m))}
	o.f.least = 1e-15 * math.Abs(o.near.cost)
	o.floor = 1e-12 * math.Max(math.Abs(o.near.cost), math.Max(1e-9*o.typical(), 1e-300))
	return nil
}

// nearest is what moving everything to the nearest source comes to.
type nearest struct {
	rho    float64   // divergence of the source weights: larger radii change nothing
	cost   float64   // of the plan, a lower bound for every radius
	values []float64 // cost of every target
}

// divergence is ½ Σ (w−a)²/a.
func divergence(w, a []float64) float64 {
	var s float64
	for i, v := range w {
		s += (v - a[i]) * (v - a[i]) / a[i]
	}
	return s / 2
}

// radius is the divergence of the current weights, split into what stays and
// what shrinks with λ² while the forest stays: ρ(λ) = fixed + moving/λ².
func (o *oneSided) radius() (rho, fixed, moving float64) {
	f := o.f
	for _, order := range f.order {
		var mass, sum float64
		for _, v := range order {
			if int(v) < o.in.m {
				mass += o.in.a[v]
				sum += o.in.a[v] * f.u[v]
			}
		}
		if mass == 0 {
			continue
		}
		mean := sum / mass
		for _, v := range order {
			if int(v) < o.in.m {
				d := f.u[v] - mean
				moving += o.in.a[v] * d * d
			}
		}
		fixed += mass * (mean / o.lambda) * (mean / o.lambda)
	}
	fixed, moving = fixed/2, moving/2
	return fixed + moving/(o.lambda*o.lambda), fixed, moving
}

// cheapest says that all mass goes to a nearest source.
func (o *oneSided) cheapest() bool {
	return o.near != nil && o.f.cost() <= o.near.cost+1e-13*math.Abs(o.near.cost)
}

// tighten finds the λ whose weights have divergence rho, from the forest at
// hand. Steps are inexact at first: one round over the lists' blocks, none
// when λ hardly moved. What such a step says about λ may be wrong, so a
// conflict or the end is settled by exact steps. optimal: the forest is the
// answer for the λ at hand, as it is after another radius.
func (o *oneSided) tighten(ctx context.Context, rho float64, optimal bool) error {
	f := o.f
	lo, hi := 0.0, math.Inf(1) // bracket on λ
	exact := false
	doubts := 0
	last, far := 0.0, 0.01 // lists hold while λ stays that near to where they were swept
	if o.loose > 0 {
		far = 0.5
	}
	if optimal {
		last = o.lambda
	}
	doubt := func() {
		if doubts++; doubts > 3 {
			exact = true
		}
	}
	for it := 0; it < 200; it++ {
		if !exact && (it == 16 || hi-lo < 1e-9*hi) {
			exact = true
			lo, hi = 0, math.Inf(1)
		}
		f.settleAll()
		f.precision()
		var err error
		if exact || math.Abs(o.lambda-last) > far*last || o.loose > 0 && o.lambda != last && o.stiff() {
			err = f.optimize(ctx, o.w, exact)
			last = o.lambda
		} else {
			err = f.pivotAll(ctx, o.w)
		}
		if err != nil {
			return err
		}
		now, fixed, moving := o.radius()
		if now <= rho && o.cheapest() {
			o.f.polish()
			o.lambda, o.values = 0, o.near.values // ties among nearest neighbours leave the ball slack
			return nil
		}
		if o.loose > 0 && math.Abs(now-rho) < 1e-6*rho {
			if good, err := o.goodEnough(ctx, rho); err != nil || good {
				return err
			}
			if err := f.pivotAll(ctx, o.w); err != nil {
				return err
			}
			lo, hi = 0, math.Inf(1)
			now, fixed, moving = o.radius()
		}
		if math.Abs(now-rho) < 1e-11*rho {
			before := f.pivots
			if err := f.optimize(ctx, o.w, true); err != nil {
				return err
			}
			if f.pivots == before {
				o.values = f.l.best(f.u)
				return nil
			}
			doubt()
			lo, hi = 0, math.Inf(1)
			now, fixed, moving = o.radius()
		}
		if now > rho {
			lo = math.Max(lo, o.lambda)
		} else {
			hi = math.Min(hi, o.lambda)
		}
		next := math.Inf(1)
		if rho > fixed {
			next = math.Sqrt(moving / (rho - fixed))
		}
		if now > rho && next > 1.5*o.lambda {
			if next, err = o.predict(ctx, rho); err != nil {
				return err
			}
			next = math.Max(next, 1.25*o.lambda) // a timid guess must not creep
		}
		if math.IsInf(hi, 1) {
			if next > 64*o.lambda || next <= o.lambda*(1+1e-15) {
				next = 4 * o.lambda
			}
		} else if !(next > lo*(1+1e-16) && next < hi*(1-1e-16)) {
			if !exact { // perhaps the bracket rests on an inexact step: make sure of this one
				doubt()
				if err := f.optimize(ctx, o.w, true); err != nil {
					return err
				}
				if now, _, _ = o.radius(); now > rho {
					lo, hi = o.lambda, math.Inf(1)
				} else {
					lo, hi = 0, o.lambda
				}
				continue
			}
			if hi <= lo*(1+4e-16) {
				return nil // rounding decides; the certificate will tell
			}
			next = math.Sqrt(lo * hi)
			if lo == 0 {
				next = hi / 2
			}
		}
		next = math.Max(next, o.lambda/16) // ties may end the descent on the way
		if next < o.floor {
			if o.lambda == o.floor { // ties among nearest neighbours: the ball does not bind
				return f.optimize(ctx, o.w, true)
			}
			next = o.floor
		}
		o.lambda = next
		f.set(1/next, 0, 0)
	}
	return nil
}

// goodEnough refreshes all lists and says whether the gap is within loose.
func (o *oneSided) goodEnough(ctx context.Context, rho float64) (bool, error) {
	if err := o.in.sweep(ctx, o.f.l, o.f.u[:o.in.m], 0, o.in.n); err != nil {
		return false, err
	}
	values := o.f.l.best(o.f.u)
	if o.f.cost()-lowerBound(o.in, o.f.u[:o.in.m], values, chisq.Ball{Rho: rho}, chisq.Ball{}) > o.loose {
		return false, nil
	}
	o.values = values
	return true, nil
}

// solve answers one radius: from scratch the first time, then from the forest
// of the radius before.
func (o *oneSided) solve(ctx context.Context, rho float64) error {
	if err := o.w.enter(ctx, "pivots"); err != nil {
		return err
	}
	o.values = nil
	if o.f == nil {
		if err := o.startStiff(ctx, rho); err != nil {
			return err
		}
		if o.f != nil {
			return o.tighten(ctx, rho, false)
		}
		if err := o.startNearest(ctx); err != nil {
			return err
		}
	}
	if o.near != nil && o.near.rho <= rho {
		o.lambda, o.values = 0, o.near.values
		return nil
	}
	if o.lambda == 0 {
		mean, _ := o.in.costScale()
		if mean == 0 {
			mean = 1 // nothing costs anything: any λ will do
		}
		o.lambda = mean / math.Sqrt(2*rho*float64(o.in.m))
		o.f.set(1/o.lambda, 0, 0)
		return o.tighten(ctx, rho, false)
	}
	before := o.f
	if err := o.moveStiff(ctx, rho); err != nil {
		return err
	}
	return o.tighten(ctx, rho, o.f == before)
}

func (o *oneSided) typical() float64 {
	l := o.f.l
	worst := make([]float64, o.in.n)
	for j := range worst {
		worst[j] = math.Abs(l.cost[j*l.k+l.k-1])
	}
	slices.Sort(worst)
	return worst[len(worst)/2]
}
