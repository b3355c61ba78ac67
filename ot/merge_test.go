package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// repeatedProblem has rows of few distinct numbers: as points, or as the matrix of
// their costs. Some weights are 0, and some a trillionth of others.
func repeatedProblem(t testing.TB, r *rand.Rand, m, n int, matrix, weighted bool) *Problem {
	t.Helper()
	side := func(n int) *Points {
		p := &Points{Dim: 2}
		for range n {
			p.Coords = append(p.Coords, float64(r.IntN(3)), float64(r.IntN(2)))
		}
		if weighted {
			for range n {
				p.Weights = append(p.Weights, []float64{0, 1e-12, 0.5, 1, 2}[r.IntN(5)])
			}
			p.Weights[0] = 1
		}
		return p
	}
	x, y := side(m), side(n)
	p, err := NewProblem(x, y, Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	if matrix {
		var all []float64
		for i := range m {
			for j := range n {
				all = append(all, p.Cost.At(i, j))
			}
		}
		if p.Cost, err = NewMatrixCost(m, n, all); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestMerge: the answer for the distinct rows is that for all of them, plan,
// weights and potentials included.
func TestMerge(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := repeatedProblem(t, r, 20+r.IntN(30), 20+r.IntN(30), seed%2 == 0, seed%3 == 0)
		source := chisq.Ball{Rho: []float64{0, 0.02, 0.3}[r.IntN(3)]}
		target := chisq.Ball{Rho: []float64{0, 0, 0.05}[r.IntN(3)]}
		name := fmt.Sprintf("seed %d, ρ %v, %v", seed, source.Rho, target.Rho)
		g, err := p.merge()
		if err != nil || g == nil || len(g.x.first) > 6 || len(g.y.first) > 6 {
			t.Fatalf("%s: not merged: %v", name, err)
		}
		got := certified(t, p, source.Rho, target.Rho)
		checkResult(t, p, got)
		if source.Rho == 0 && target.Rho == 0 {
			checkMarginals(t, p)
		}
		want, err := robust(context.Background(), p, RobustOptions{Source: source, Target: target}, 1e-9) // as it is
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if math.Abs(got.Value-want.Value) > 1e-9*(1e-3+want.Value) {
			t.Errorf("%s: value %v, and %v for all rows", name, got.Value, want.Value)
		}
		// Equal rows share their mass as they share their weight.
		w := got.SourceWeights()
		for i, k := range g.x.of {
			if first := int(g.x.first[k]); got.BaseA[i] > 1e-6 && got.BaseA[first] > 1e-6 && math.Abs(w[i]-w[first]) > 1e-9 {
				t.Errorf("%s: equal rows %d and %d have weights %v and %v", name, i, first, w[i], w[first])
			}
		}
	}
}

// TestMergeNot: rows of which few are equal stay as they are.
func TestMergeNot(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x := &Points{Dim: 1}
	for range 100 {
		x.Coords = append(x.Coords, r.NormFloat64())
	}
	for _, tt := range []struct {
		copies int
		want   bool
	}{{0, false}, {listLength - 1, false}, {listLength, true}} {
		y := &Points{Dim: 1, Coords: append([]float64(nil), x.Coords...)}
		for k := range tt.copies {
			y.Coords[k+1] = y.Coords[0]
		}
		p, err := NewProblem(x, y, SqEuclidean)
		if err != nil {
			t.Fatal(err)
		}
		if g, err := p.merge(); err != nil || (g != nil) != tt.want {
			t.Errorf("%d copies of a row: merged %v, %v", tt.copies, g != nil, err)
		}
	}
}

// TestMergeCurve: the curve of the distinct rows is that of all of them.
func TestMergeCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	p := repeatedProblem(t, r, 200, 150, false, false)
	rhos := []float64{0, 0.01, 0.05, 0.2}
	c, err := Curve(t.Context(), p, rhos, &CurveOptions{Tol: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	for k, rho := range rhos {
		want, err := robust(context.Background(), p, RobustOptions{Source: chisq.Ball{Rho: rho}}, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		if q := c.Points[k]; math.Abs(q.Value-want.Value) > 1e-8*(1e-3+want.Value) || q.Lower > want.Value+1e-12 {
			t.Errorf("ρ = %v: %v to %v, want %v", rho, q.Lower, q.Value, want.Value)
		}
	}
}

// BenchmarkTied has costs of which most are equal: rows of three kinds, and a
// matrix of zeros and ones without any order.
func BenchmarkTied(b *testing.B) {
	const n = 1000
	r := rand.New(rand.NewPCG(1, 2))
	kinds, bits := &Points{Dim: 1}, make([]float64, n*n)
	for range n {
		kinds.Coords = append(kinds.Coords, float64(r.IntN(3)))
	}
	other := &Points{Dim: 1}
	for range n {
		other.Coords = append(other.Coords, float64(r.IntN(3)))
	}
	for k := range bits {
		bits[k] = float64(r.IntN(2))
	}
	points, err := NewProblem(kinds, other, Cityblock)
	if err != nil {
		b.Fatal(err)
	}
	cost, err := NewMatrixCost(n, n, bits)
	if err != nil {
		b.Fatal(err)
	}
	for _, bb := range []struct {
		name string
		p    *Problem
		rho  float64
	}{{"kinds", points, 0}, {"kinds, robust", points, 0.005}, {"bits", &Problem{Cost: cost}, 0}} {
		b.Run(bb.name, func(b *testing.B) {
			for range b.N {
				if _, err := Robust(b.Context(), bb.p, &RobustOptions{Source: chisq.Ball{Rho: bb.rho}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
