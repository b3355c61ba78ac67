package ot

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// TestPricesBetweenCells makes weights that a smaller version does not have:
// prices of cells with these weights spare pivots that its own do not.
func TestPricesBetweenCells(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const n = 2000
	in, err := newInstance(problem(t, normal(r, n, 2, n/20), normal(r, n, 2, 0), SqEuclidean), false)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	small := in.coarse(n / 4)
	supply, demand := integerMass(small.a, small.b)
	s, err := solveFrom(ctx, small, supply, demand, make([]float64, small.m), true, 0, newWatch("", 0, nil))
	if err != nil {
		t.Fatal(err)
	}
	psi := s.u[small.m:]
	u, err := in.extend(ctx, small, psi)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := chisq.Ball{Rho: 0.02}.Solve(nil, scaled(u, -1), in.a)
	if err != nil {
		t.Fatal(err)
	}
	rows, cols := positive(w), upTo(in.n)
	pivots := func(u []float64) (int, float64) {
		plain, err := plainBetween(ctx, in, rows, cols, w, in.b, u, 0)
		if err != nil {
			t.Fatal(err)
		}
		var cost sum
		plain.eachFlow(func(i, j int32, mass int64) {
			cost.add(float64(mass) / massTotal * plain.in.cost(int(i), int(j)))
		})
		return plain.pivots, cost.total()
	}
	before, want := pivots(append([]float64(nil), u...))
	if err := in.betweenCells(ctx, small, psi, rows, cols, w, in.b, u); err != nil {
		t.Fatal(err)
	}
	after, got := pivots(u)
	if math.Abs(got-want) > 1e-12*want {
		t.Errorf("costs %v from one start, %v from the other", got, want)
	}
	if after > before*3/4 {
		t.Errorf("%d pivots from prices of cells with the weights, %d from those of other weights", after, before)
	}
}
