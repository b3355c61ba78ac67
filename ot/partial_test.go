package ot

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// checkPartial asserts what Partial promises beyond checkResult.
func checkPartial(t *testing.T, p *Problem, mass float64, r *Result) {
	t.Helper()
	checkResult(t, p, r)
	var a, b float64
	for i, v := range r.A {
		a += v
		if v > r.BaseA[i]+1e-12 {
			t.Errorf("source %d sends %v of %v", i, v, r.BaseA[i])
		}
	}
	for j, v := range r.B {
		b += v
		if v > r.BaseB[j]+1e-12 {
			t.Errorf("target %d gets %v of %v", j, v, r.BaseB[j])
		}
	}
	if math.Abs(a-mass) > 1e-12 || math.Abs(b-mass) > 1e-12 {
		t.Errorf("mass %v sent, %v received, want %v", a, b, mass)
	}
	if x, _ := partialBound(r.F, r.G, weights{hi: r.BaseA}, weights{hi: r.BaseB}, mass); r.Lower > x.value.float()+1e-12*math.Abs(x.value.float()) {
		t.Errorf("Lower = %v, the potentials prove %v", r.Lower, x.value.float())
	}
}

func TestPartial(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for range 200 {
		p := smallProblem(t, rng, 12)
		mass := 1 - rng.Float64()
		r, err := Partial(context.Background(), p, &PartialOptions{Mass: mass})
		if err != nil {
			t.Fatal(err)
		}
		checkPartial(t, p, mass, r)
		_, low, high, err := newCostRows(p.Cost).stats(context.Background(), r.BaseA, r.BaseB)
		if err != nil {
			t.Fatal(err)
		}
		if r.Gap() > 1e-12*math.Max(-low, high) {
			t.Errorf("gap %v at %v", r.Gap(), r.Value)
		}
	}
}

// TestPartialLimits checks both ends: all mass is plain transport, next to none
// takes the cheapest pair, and the value is convex in between.
func TestPartialLimits(t *testing.T) {
	p := cloud(t, 30, Euclidean)
	value := func(mass float64) float64 {
		r, err := Partial(context.Background(), p, &PartialOptions{Mass: mass})
		if err != nil {
			t.Fatal(err)
		}
		checkPartial(t, p, mass, r)
		return r.Value
	}
	exact, err := Exact(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := value(1); math.Abs(v-exact.Value) > 1e-12 {
		t.Errorf("mass 1: %v, exact %v", v, exact.Value)
	}
	if v := value(1 - 1e-9); math.Abs(v-exact.Value) > 1e-7 {
		t.Errorf("mass almost 1: %v, exact %v", v, exact.Value)
	}
	_, low, _, err := newCostRows(p.Cost).stats(context.Background(), exact.BaseA, exact.BaseB)
	if err != nil {
		t.Fatal(err)
	}
	if v := value(1e-3); math.Abs(v-1e-3*low) > 1e-12 {
		t.Errorf("mass 0.001: %v, cheapest pair %v", v, 1e-3*low)
	}
	if a, b, c := value(0.3), value(0.6), value(0.9); b > (a+c)/2+1e-12 {
		t.Errorf("not convex: %v, %v, %v", a, b, c)
	}
}

// TestPartialBound checks that any feasible potentials give a lower bound.
func TestPartialBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	p := cloud(t, 20, Euclidean)
	r, err := Partial(context.Background(), p, &PartialOptions{Mass: 0.7})
	if err != nil {
		t.Fatal(err)
	}
	rows := newCostRows(p.Cost)
	for range 50 {
		f := make([]float64, 20)
		for i := range f {
			f[i] = r.F[i] + 0.1*rng.NormFloat64()
		}
		F, G, err := rows.feasiblePair(context.Background(), f, r.BaseA, r.BaseB)
		if err != nil {
			t.Fatal(err)
		}
		if x, _ := partialBound(F, G, weights{hi: r.BaseA}, weights{hi: r.BaseB}, 0.7); x.value.float() > r.Value+1e-12 {
			t.Errorf("bound %v above the value %v", x.value.float(), r.Value)
		}
	}
}

func TestPartialStops(t *testing.T) {
	p := cloud(t, 150, SqEuclidean)
	exact, err := Partial(context.Background(), p, &PartialOptions{Mass: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	r, err := Partial(context.Background(), p, &PartialOptions{Mass: 0.8, MaxIters: 1, Progress: func(q Progress) {
		calls++
		if q.Solver != "partial" {
			t.Errorf("progress %+v", q)
		}
	}})
	var stop *ConvergenceError
	if !errors.As(err, &stop) || stop.Solver != "partial" || r == nil {
		t.Fatalf("%v, %v", r, err)
	}
	checkPartial(t, p, 0.8, r)
	if r.Lower > exact.Value || r.Value < exact.Value || calls == 0 {
		t.Errorf("bounds [%v, %v], exact %v, %d calls", r.Lower, r.Value, exact.Value, calls)
	}
}
