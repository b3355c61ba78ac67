package ot

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// asMatrix is the problem with its costs as a matrix.
func asMatrix(t *testing.T, p *Problem) *Problem {
	t.Helper()
	m, n := p.Cost.Dims()
	matrix := make([]float64, 0, m*n)
	for i := range m {
		for j := range n {
			matrix = append(matrix, p.Cost.At(i, j))
		}
	}
	c, err := NewMatrixCost(m, n, matrix)
	if err != nil {
		t.Fatal(err)
	}
	return &Problem{Cost: c, A: p.A, B: p.B}
}

// TestPartialPoints compares partial transport by depots with that by a matrix.
func TestPartialPoints(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(21, 22))
	for k := range 40 {
		m, n, d := 320+r.IntN(200), 320+r.IntN(200), 1+r.IntN(10)
		p := certifyProblem(t, r, m, n, d, Metric(k%4))
		if k%3 == 1 {
			p.A, p.B = gappyWeights(r, m), gappyWeights(r, n)
		}
		if k%5 == 2 && p.Cost.metric != Cosine {
			for i := range 10 {
				p.Cost.x[i*d] += 1000
			}
		}
		mass := 0.05 + 0.94*r.Float64()
		if k%4 == 3 {
			c, err := p.Cost.Truncated(1.5)
			if err != nil {
				t.Fatal(err)
			}
			p.Cost = c
		}
		got, err := Partial(ctx, p, &PartialOptions{Mass: mass})
		if err != nil {
			t.Errorf("%d: %v", k, err)
			continue
		}
		want, err := Partial(ctx, asMatrix(t, p), &PartialOptions{Mass: mass})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Value-want.Value) > 1e-9*want.Value || got.Lower > want.Value*(1+1e-12) || got.RelGap() > 1e-9 {
			t.Errorf("%d: %v, at least %v; want %v", k, got.Value, got.Lower, want.Value)
		}
		var moved float64
		for i, v := range got.A {
			if moved += v; v > got.BaseA[i]*(1+1e-9)+1e-15 {
				t.Errorf("%d: source %d sends %v of %v", k, i, v, got.BaseA[i])
			}
		}
		for j, v := range got.B {
			if v > got.BaseB[j]*(1+1e-9)+1e-15 {
				t.Errorf("%d: target %d gets %v of %v", k, j, v, got.BaseB[j])
			}
		}
		if math.Abs(moved-mass) > 1e-12 {
			t.Errorf("%d: %v moved, want %v", k, moved, mass)
		}
	}
}

// TestPartialPointsStop checks that a limit leaves bounds that hold.
func TestPartialPointsStop(t *testing.T) {
	ctx := context.Background()
	p := certifyProblem(t, rand.New(rand.NewPCG(23, 24)), 600, 500, 3, Euclidean)
	best, err := Partial(ctx, p, &PartialOptions{Mass: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	short, err := Partial(ctx, p, &PartialOptions{Mass: 0.9, MaxIters: 20})
	if short == nil || err == nil {
		t.Fatalf("20 pivots are enough? %v", err)
	}
	if short.Lower > best.Value || short.Value < best.Lower {
		t.Errorf("bounds %v, %v around %v", short.Lower, short.Value, best.Value)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if r, err := Partial(ended, p, &PartialOptions{Mass: 0.9}); err == nil || r != nil && r.Lower > best.Value {
		t.Errorf("cancelled: %+v, %v", r, err)
	}
}
