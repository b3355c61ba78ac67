package ot

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestEntropic(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 200 {
		p := smallProblem(t, rng, 12)
		exact, err := Exact(context.Background(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, noPlan := range []bool{false, true} {
			r, err := Entropic(context.Background(), p, &EntropicOptions{NoPlan: noPlan, MaxIters: 100000})
			if err != nil {
				t.Fatal(err)
			}
			checkPlain(t, p, r)
			if noPlan != (r.Plan == nil) {
				t.Errorf("NoPlan %v, plan %v", noPlan, r.Plan)
			}
			if slack := 1e-12 * (1 + math.Abs(exact.Value)); r.Value < exact.Lower-slack || r.Lower > exact.Value+slack {
				t.Errorf("bounds [%v, %v], exact [%v, %v]", r.Lower, r.Value, exact.Lower, exact.Value)
			}
		}
	}
}

// TestEntropicLimit lowers ε towards plain transport: the excess is at most
// ε·log n, and falls.
func TestEntropicLimit(t *testing.T) {
	const n = 40
	p := line(t, rand.New(rand.NewPCG(23, 24)), n, n, SqEuclidean)
	exact, err := OneD(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := math.Inf(1)
	for _, eps := range []float64{1, 0.1, 0.01, 0.003} {
		r, err := Entropic(context.Background(), p, &EntropicOptions{Epsilon: eps, Tol: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		checkPlain(t, p, r)
		excess := r.Value - exact.Value
		if excess < -1e-12 || excess > eps*math.Log(n) || excess > before || exact.Value-r.Lower > 2*eps*math.Log(n) {
			t.Errorf("ε %v: bounds [%v, %v], exact %v", eps, r.Lower, r.Value, exact.Value)
		}
		before = excess
	}
	if before > 0.01*exact.Value {
		t.Errorf("excess %v over %v left", before, exact.Value)
	}
}

// TestSinkhornModes compares passes with and without a stored kernel.
func TestSinkhornModes(t *testing.T) {
	p := cloud(t, 60, Euclidean)
	var values [2]float64
	for k := range values {
		a, b, err := p.weights()
		if err != nil {
			t.Fatal(err)
		}
		s := newSinkhorn(newCostRows(p.Cost), a, b)
		if k == 1 {
			s.kernel = nil
		}
		o := &EntropicOptions{Epsilon: 0.02, Tol: 1e-11, MaxIters: 100000}
		if _, miss, err := s.solve(context.Background(), 2, o); err != nil || miss > o.Tol {
			t.Fatalf("miss %v, error %v", miss, err)
		}
		r, err := s.rounded(context.Background(), true)
		if err != nil {
			t.Fatal(err)
		}
		values[k] = r.Value
	}
	if math.Abs(values[0]-values[1]) > 1e-9 {
		t.Errorf("values %v", values)
	}
}

// TestEntropicFar has points whose kernel entries underflow at every ε.
func TestEntropicFar(t *testing.T) {
	x, _ := FromRows([][]float64{{0}, {1}, {1e6}})
	y, _ := FromRows([][]float64{{0.5}, {2}, {3e6}, {-1e7}})
	p, err := NewProblem(x, y, Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := OneD(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range []float64{1e-3, 1, 1e5} {
		r, err := Entropic(context.Background(), p, &EntropicOptions{Epsilon: eps})
		if err != nil && !errors.As(err, new(*ConvergenceError)) {
			t.Fatal(err)
		}
		checkPlain(t, p, r)
		if r.Lower > exact.Value*(1+1e-12) || r.Value < exact.Value*(1-1e-12) || r.Value > exact.Value*(1+1e-6)+2*eps {
			t.Errorf("ε %v: bounds [%v, %v], exact %v", eps, r.Lower, r.Value, exact.Value)
		}
	}
}

func TestEntropicStops(t *testing.T) {
	p := cloud(t, 50, SqEuclidean)
	exact, err := Exact(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{1, 7, 40} {
		calls := 0
		r, err := Entropic(context.Background(), p, &EntropicOptions{Epsilon: 0.001, Tol: 1e-10, MaxIters: limit, Progress: func(q Progress) {
			calls++
			if q.Solver != "entropic" || !(q.Done >= 0 && q.Done <= 1) {
				t.Errorf("progress %+v", q)
			}
		}})
		var stop *ConvergenceError
		if !errors.As(err, &stop) || stop.Iters != limit || r == nil {
			t.Fatalf("limit %d: %v, %v", limit, r, err)
		}
		checkPlain(t, p, r)
		if r.Lower > exact.Value || r.Value < exact.Value {
			t.Errorf("bounds [%v, %v], exact %v", r.Lower, r.Value, exact.Value)
		}
		if limit > 16 && calls == 0 {
			t.Error("no progress was reported")
		}
	}
}

// BenchmarkEntropic is the instance of the comparison with POT.
func BenchmarkEntropic(b *testing.B) {
	p := cloud(b, 2000, SqEuclidean)
	for b.Loop() {
		if _, err := Entropic(context.Background(), p, &EntropicOptions{Tol: 1e-6, NoPlan: true}); err != nil {
			b.Fatal(err)
		}
	}
}
