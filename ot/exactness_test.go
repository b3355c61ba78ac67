package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestNearCopies: points against their own rounded copies, where every cost
// that matters is a small difference of large coordinates.
func TestNearCopies(t *testing.T) {
	for _, metric := range []Metric{SqEuclidean, Euclidean, Cityblock} {
		for _, scale := range []float64{1, 1 << 27, 1 << 40} {
			const n, d = 300, 8
			rng := rand.New(rand.NewPCG(1, 2))
			x, y := &Points{Dim: d}, &Points{Dim: d}
			for range n * d {
				v := rng.NormFloat64() * scale
				x.Coords, y.Coords = append(x.Coords, v), append(y.Coords, float64(float32(v)))
			}
			p, err := NewProblem(x, y, metric)
			if err != nil {
				t.Fatal(err)
			}
			var identity float64
			for i := range n {
				identity += p.Cost.At(i, i) / n
			}
			r, err := Exact(context.Background(), p, nil)
			if err != nil {
				t.Errorf("%v, scale %g: %v", metric, scale, err)
			}
			if r.Lower > identity*(1+1e-13) || r.Value > identity*(1+1e-13) {
				t.Errorf("%v, scale %g: value %v, lower %v, the identity costs %v", metric, scale, r.Value, r.Lower, identity)
			}
		}
	}
}

// TestMarginalsToTheLast: each row and column of a plan has its weight to
// 1e-12, however small.
func TestMarginalsToTheLast(t *testing.T) {
	c, err := NewMatrixCost(2, 2, []float64{1, 8, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	checkMarginals(t, &Problem{Cost: c, A: []float64{.1, .6}, B: []float64{1e-14, .5}})
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 9))
		m, n := 1+rng.IntN(12), 1+rng.IntN(12)
		matrix := make([]float64, m*n)
		for k := range matrix {
			matrix[k] = float64(rng.IntN(10))
		}
		a, b := make([]float64, m), make([]float64, n)
		for _, w := range [][]float64{a, b} {
			for k := range w {
				w[k] = math.Pow(10, -15*rng.Float64())
			}
		}
		c, err := NewMatrixCost(m, n, matrix)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { checkMarginals(t, &Problem{Cost: c, A: a, B: b}) })
	}
}

func checkMarginals(t *testing.T, p *Problem) {
	t.Helper()
	r, err := Exact(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for side, s := range [][2][]float64{{r.A, r.BaseA}, {r.B, r.BaseB}} {
		for i := range s[0] {
			if math.Abs(s[0][i]-s[1][i]) > 1e-12*s[1][i] {
				t.Errorf("side %d, row %d: %g, want %g", side, i, s[0][i], s[1][i])
			}
		}
	}
}

// TestFreeMatching: matchings of cost nothing, or next to it, beside costs
// that are not.
func TestFreeMatching(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 2 + rng.IntN(30)
		matrix := make([]float64, n*n)
		for k := range matrix {
			matrix[k] = 500 * rng.Float64()
		}
		for i, j := range rng.Perm(n) {
			matrix[i*n+j] = []float64{0, 1e-14 * rng.Float64()}[seed%2]
		}
		c, err := NewMatrixCost(n, n, matrix)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Exact(context.Background(), &Problem{Cost: c}, nil); err != nil || r.Value > 1e-14 {
			t.Errorf("seed %d: value %g, lower %g, %v", seed, r.Value, r.Lower, err)
		}
	}
}
