package ot

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// TestWake starts from lists that know no outlier, at multipliers where
// outliers carry mass: afterwards no source without arcs has a violated one.
func TestWake(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	const n = 600
	in, err := newInstance(problem(t, normal(r, n, 2, n/20), normal(r, n, 2, 0), SqEuclidean), false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, w := context.Background(), newWatch("", 0, nil)
	l := newLists(in, listLength)
	if err := in.sweep(ctx, l, make([]float64, in.m), 0, in.n); err != nil {
		t.Fatal(err)
	}
	f := newForest(in, l)
	f.set(1.0/450, 1.0/5, 15)
	f.settleAll()
	f.precision()
	if err := f.pivotAll(ctx, w); err != nil {
		t.Fatal(err)
	}
	asleep := func() (all, violated int) {
		for i := range in.m {
			if len(f.order[f.comp[i]]) > 1 {
				continue
			}
			all++
			for j := range in.n {
				if in.cost(i, j)+f.u[i]-f.u[in.m+j] < -f.tol {
					violated++
					break
				}
			}
		}
		return all, violated
	}
	if _, violated := asleep(); violated < n/40 {
		t.Fatalf("%d sources to wake, want more", violated)
	}
	if err := f.wake(ctx, w); err != nil {
		t.Fatal(err)
	}
	if all, violated := asleep(); violated > 0 {
		t.Errorf("%d of %d sources without arcs would lower the cost", violated, all)
	}
	var mass float64
	f.eachFlow(func(i, j int32, x float64) { mass += x })
	if !(mass > 0) {
		t.Errorf("mass %v", mass)
	}
}

// TestHardSides solves problems with one large multiplier or two, from either
// side: both ways are certified, with the same value.
func TestHardSides(t *testing.T) {
	for _, tt := range []struct {
		dim    int
		metric Metric
		rho    float64
	}{
		{2, SqEuclidean, 0.005}, {2, SqEuclidean, 0.022}, {2, Euclidean, 0.02},
		{3, SqEuclidean, 0.02}, {3, Cityblock, 0.015}, {8, SqEuclidean, 0.015},
	} {
		r := rand.New(rand.NewPCG(9, uint64(tt.dim)))
		const n = 1200
		x, y := normal(r, n, tt.dim, n/20), normal(r, n, tt.dim, 0)
		var value [2]float64
		for side, p := range []*Problem{problem(t, x, y, tt.metric), problem(t, y, x, tt.metric)} {
			ball := chisq.Ball{Rho: tt.rho}
			res, err := Robust(context.Background(), p, &RobustOptions{Source: ball, Target: ball})
			if err != nil {
				t.Fatalf("%+v: %v", tt, err)
			}
			if res.RelGap() > 1e-11 {
				t.Errorf("%+v: gap %v", tt, res.RelGap())
			}
			value[side] = res.Value
		}
		if math.Abs(value[0]-value[1]) > 1e-11*value[0] {
			t.Errorf("%+v: %v from one side, %v from the other", tt, value[0], value[1])
		}
	}
}

func TestBetween(t *testing.T) {
	for _, tt := range []struct {
		name               string
		from, peak, excess float64
		want               float64
	}{
		{"geometric mean", 1, math.Exp(4), math.Exp(2), math.Exp(2)},
		{"down", 1, math.Exp(-4), math.Exp(-2), math.Exp(-2)},
		{"near", 2, 2.01, 1.001, 2.01},
		{"forest goes less far", 1, 1.1, 4, 1.1},
		{"against the ball", 1, 2, 0.5, 2},
		{"empty ball", 1, 0.5, 0, 0.5},
	} {
		if got := between(tt.from, tt.peak, tt.excess); math.Abs(got-tt.want) > 1e-12*tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
