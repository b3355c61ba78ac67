package ot

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

func line(t testing.TB, rng *rand.Rand, m, n int, metric Metric) *Problem {
	t.Helper()
	draw := func(n int) *Points {
		p := &Points{Dim: 1, Coords: make([]float64, n)}
		for i := range p.Coords {
			p.Coords[i] = rng.NormFloat64()
		}
		return p
	}
	p, err := NewProblem(draw(m), draw(n), metric)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOneD(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range 400 {
		p := line(t, rng, 1+rng.IntN(40), 1+rng.IntN(40), []Metric{Euclidean, SqEuclidean, Cityblock}[k%3])
		if k%4 == 0 { // ties
			for i := range p.Cost.x {
				p.Cost.x[i] = math.Round(p.Cost.x[i])
			}
			for j := range p.Cost.y {
				p.Cost.y[j] = math.Round(p.Cost.y[j])
			}
		}
		if k%2 == 0 {
			p.A = make([]float64, p.Cost.m)
			for i := range p.A {
				p.A[i] = float64(rng.IntN(4))
			}
			p.A[rng.IntN(len(p.A))] = 1
		}
		r, err := OneD(context.Background(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkPlain(t, p, r)
		if r.Gap() > 1e-13*math.Max(1, r.Value) {
			t.Errorf("gap %v at value %v", r.Gap(), r.Value)
		}
	}
}

// TestOneDBrute tries all assignments.
func TestOneDBrute(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range 30 {
		n := 1 + k%6
		p := line(t, rng, n, n, []Metric{Euclidean, SqEuclidean}[k%2])
		r, err := OneD(context.Background(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		used := make([]bool, n)
		var try func(i int, sum float64)
		try = func(i int, sum float64) {
			if i == n {
				best = math.Min(best, sum/float64(n))
				return
			}
			for j := range n {
				if !used[j] {
					used[j] = true
					try(i+1, sum+p.Cost.At(i, j))
					used[j] = false
				}
			}
		}
		try(0, 0)
		if math.Abs(r.Value-best) > 1e-14 {
			t.Errorf("n=%d: value %v, best assignment %v", n, r.Value, best)
		}
	}
}

// TestOneDLarge has rounding errors add up over 400 000 steps.
func TestOneDLarge(t *testing.T) {
	p := line(t, rand.New(rand.NewPCG(5, 6)), 200000, 200003, SqEuclidean)
	r, err := OneD(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "A", r.A, r.BaseA, 1e-13)
	near(t, "B", r.B, r.BaseB, 1e-13)
	if r.RelGap() > 1e-12 {
		t.Errorf("relative gap %v", r.RelGap())
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100000 { // feasibility is a theorem; a sample guards the code
		i, j := rng.IntN(p.Cost.m), rng.IntN(p.Cost.n)
		if slack := p.Cost.At(i, j) - r.F[i] - r.G[j]; slack < -1e-12 {
			t.Fatalf("F[%d] + G[%d] exceeds the cost by %v", i, j, -slack)
		}
	}
}

func BenchmarkOneD(b *testing.B) {
	p := line(b, rand.New(rand.NewPCG(5, 6)), 1000000, 1000000, Euclidean)
	for b.Loop() {
		if _, err := OneD(context.Background(), p, nil); err != nil {
			b.Fatal(err)
		}
	}
}
