package ot

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// TestTruncated compares truncated costs of points with the same costs as a
// matrix, for every solver that takes both.
func TestTruncated(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(11, 12))
	for k := range 60 {
		m, n, d := 2+r.IntN(80), 2+r.IntN(80), 1+r.IntN(9)
		p := certifyProblem(t, r, m, n, d, Metric(k%4))
		if k%3 == 0 { // far rows, so that the limit counts
			for i := range min(m, 4) {
				p.Cost.x[i*d] += 50
			}
			if Metric(k%4) == Cosine {
				continue // whose rows have length one
			}
		}
		c, err := p.Cost.Truncated(math.Exp(r.NormFloat64()))
		if err != nil {
			t.Fatal(err)
		}
		matrix := make([]float64, 0, m*n)
		for i := range m {
			for j := range n {
				matrix = append(matrix, math.Min(p.Cost.At(i, j), c.Most()))
			}
		}
		given, err := NewMatrixCost(m, n, matrix)
		if err != nil {
			t.Fatal(err)
		}
		near := func(what string, a, b *Result, err error) {
			t.Helper()
			if err != nil || math.Abs(a.Value-b.Value) > 1e-9*math.Abs(b.Value)+1e-12 || a.Lower > b.Value*(1+1e-12) {
				t.Errorf("%d: %s: %v (at least %v), want %v (%v)", k, what, a.Value, a.Lower, b.Value, err)
			}
		}
		points, dense := &Problem{Cost: c}, &Problem{Cost: given}
		for _, o := range []RobustOptions{{}, {Source: chisq.Ball{Rho: 0.1}}, {Source: chisq.Ball{Rho: 0.1}, Target: chisq.Ball{Rho: 0.05}}} {
			a, err := Robust(ctx, points, &o)
			b, err2 := Robust(ctx, dense, &o)
			near("robust", a, b, errors.Join(err, err2))
		}
		a, err := Partial(ctx, points, &PartialOptions{Mass: 0.8})
		b, err2 := Partial(ctx, dense, &PartialOptions{Mass: 0.8})
		near("partial", a, b, errors.Join(err, err2))
	}
}

// TestTruncatedLarge goes through sweeps that are warm, and coarse starts.
func TestTruncatedLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("a few seconds")
	}
	ctx := context.Background()
	for _, d := range []int{2, 16} {
		p := certifyProblem(t, rand.New(rand.NewPCG(13, 14)), 1500, 1400, d, Euclidean)
		for i := range 40 {
			p.Cost.x[i*d] += 1e6
		}
		c, err := p.Cost.Truncated(2.5)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Exact(ctx, &Problem{Cost: c}, nil)
		if err != nil || r.RelGap() > 1e-9 {
			t.Fatalf("d = %d: gap %v, %v", d, r.RelGap(), err)
		}
		for k, i := range r.Plan.I {
			if v := c.At(int(i), int(r.Plan.J[k])); v > 2.5 {
				t.Fatalf("a move costs %v", v)
			}
		}
		if r.Value > 2.5 {
			t.Errorf("d = %d: value %v", d, r.Value)
		}
	}
}

func TestTruncatedRefuses(t *testing.T) {
	p := certifyProblem(t, rand.New(rand.NewPCG(1, 1)), 3, 3, 1, Euclidean)
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := p.Cost.Truncated(v); !errors.Is(err, ErrOption) {
			t.Errorf("%v: %v", v, err)
		}
	}
	c, err := p.Cost.Truncated(0.5)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OneD(context.Background(), &Problem{Cost: c}, nil); !errors.Is(err, ErrOption) {
		t.Errorf("OneD: %v", err)
	}
}
