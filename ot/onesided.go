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

// divergenceAt is the divergence of the weights at one λ, split into what stays
// and what shrinks with λ² while the forest stays: ρ(λ) = fixed + moving/λ².
type divergenceAt struct{ rho, fixed, moving float64 }

// radius is the divergence of the current weights.
func (o *oneSided) radius() divergenceAt {
	var fixed, moving float64
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
	return divergenceAt{fixed + moving/(o.lambda*o.lambda), fixed, moving}
}

// cheapest says that all mass goes to a nearest source.
func (o *oneSided) cheapest() bool {
	return o.near != nil && o.f.cost() <= o.near.cost+1e-13*math.Abs(o.near.cost)
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
