package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// trimByLP is the same program, spelled out for a linear programming solver:
// plans π and what the sources keep.
func trimByLP(t *testing.T, p *Problem, mass float64) float64 {
	t.Helper()
	a, b, err := p.weights()
	if err != nil {
		t.Fatal(err)
	}
	m, n := p.Cost.Dims()
	c := make([]float64, m*n+m)
	A, rhs := mat.NewDense(m+n, m*n+m, nil), make([]float64, m+n)
	for i := range m {
		for j := range n {
			c[i*n+j] = p.Cost.At(i, j)
			A.Set(i, i*n+j, 1)
			A.Set(m+j, i*n+j, 1)
			rhs[m+j] = mass * b[j]
		}
		A.Set(i, m*n+i, 1)
		rhs[i] = a[i]
	}
	value, _, err := lp.Simplex(c, A, rhs, 1e-12, nil)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// checkTrim recomputes what a Result claims whose source left mass behind.
func checkTrim(t *testing.T, p *Problem, r *Result, mass float64) {
	t.Helper()
	checkResult(t, p, r)
	for i, v := range r.A {
		if v > r.BaseA[i]+1e-12 {
			t.Errorf("source %d sends %v of %v", i, v, r.BaseA[i])
		}
	}
	for j, v := range r.B {
		if math.Abs(v-mass*r.BaseB[j]) > 1e-12 {
			t.Errorf("target %d gets %v, want %v", j, v, mass*r.BaseB[j])
		}
	}
	best := math.Inf(-1) // over all θ that matter
	for _, theta := range r.F {
		lower := mass * theta
		for i, f := range r.F {
			lower -= r.BaseA[i] * math.Max(0, theta-f)
		}
		best = math.Max(best, lower)
	}
	for j, g := range r.G {
		best += mass * r.BaseB[j] * g
	}
	if math.Abs(best-r.Lower) > 1e-9*math.Abs(r.Value)+1e-13 && r.Lower != 0 || r.Gap() > 1e-9*math.Abs(r.Value)+1e-13 {
		t.Errorf("value %.17g, lower %.17g, by the potentials %.17g", r.Value, r.Lower, best)
	}
}

func TestTrimSource(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 61))
		x, y := fewPoints(r, seed%3 == 0)
		p := problem(t, x, y, []Metric{Euclidean, SqEuclidean, Cityblock}[seed%3])
		mass := []float64{1e-6, 0.05, 0.5, 0.8, 0.97, 1 - 1e-7}[r.IntN(6)]
		want := trimByLP(t, p, mass)
		name := fmt.Sprintf("seed %d: %d×%d, mass %g", seed, x.Len(), y.Len(), mass)
		got, err := Partial(ctx, p, &PartialOptions{Mass: mass, OneSided: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkTrim(t, p, got, mass)
		if math.Abs(got.Value-want) > 1e-9*math.Max(want, 1) {
			t.Errorf("%s: %.15g, by linear programming %.15g", name, got.Value, want)
		}
	}
}

// TestTrimSourceLarge asserts that depot and matrix agree, and the ends.
func TestTrimSourceLarge(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(62, 62))
	for _, d := range []int{2, 8} {
		p := problem(t, normal(r, 700, d, 30), normal(r, 650, d, 0), SqEuclidean)
		matrix := tableOf(t, p).problem(t)
		both := math.Inf(1)
		for _, mass := range []float64{1, 0.99, 0.95, 0.5, 0.01} {
			o := &PartialOptions{Mass: mass, OneSided: true}
			got, err := Partial(ctx, p, o)
			if err != nil {
				t.Fatal(err)
			}
			checkTrim(t, p, got, mass)
			other, err := Partial(ctx, matrix, o)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Value-other.Value) > 1e-10*got.Value || got.Value > both {
				t.Errorf("mass %g in %d dimensions: %.15g, with a matrix %.15g, with more mass %.15g", mass, d, got.Value, other.Value, both)
			}
			both = got.Value
			free, err := Partial(ctx, p, &PartialOptions{Mass: mass})
			if err != nil {
				t.Fatal(err)
			}
			if free.Value > got.Value*(1+1e-12) {
				t.Errorf("mass %g in %d dimensions: %.15g, trimmed on both sides %.15g", mass, d, got.Value, free.Value)
			}
		}
	}
	small, stop := context.WithCancel(ctx)
	stop()
	p := problem(t, normal(r, 5, 2, 0), normal(r, 4, 2, 0), Euclidean)
	if _, err := Partial(small, p, &PartialOptions{Mass: 0.5, OneSided: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
