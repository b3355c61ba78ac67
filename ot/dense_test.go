package ot

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// denseTable is a random problem of a kind, with at most side points a side.
func denseTable(r *rand.Rand, kind string, side int) table {
	m, n := 2+r.IntN(side), 2+r.IntN(side)
	if kind == "one row" {
		m = 1
	}
	x := table{make([]float64, m*n), randomWeights(r, m), randomWeights(r, n)}
	p, q := normal(r, m, 2, m/10), normal(r, n, 2, 0)
	for k := range x.c {
		switch i, j := k/n, k%n; kind {
		case "plane", "equal weights", "no weight":
			x.c[k] = pointCost(SqEuclidean, p.Coords[2*i:2*i+2], q.Coords[2*j:2*j+2])
		case "ties":
			x.c[k] = float64(r.IntN(4))
		case "constant":
			x.c[k] = 2.5
		case "masks":
			if x.c[k] = r.Float64(); r.IntN(3) == 0 {
				x.c[k] = []float64{math.Inf(1), 1e32}[r.IntN(2)]
			}
		case "decades":
			x.c[k] = math.Pow(10, 8*r.Float64()-4)
		case "gains":
			x.c[k] = r.NormFloat64()
		default:
			x.c[k] = r.Float64()
		}
	}
	switch kind {
	case "equal weights", "ties":
		for i := range x.a {
			x.a[i] = 1
		}
		for j := range x.b {
			x.b[j] = 1
		}
	case "no weight":
		for range m / 2 {
			x.a[1+r.IntN(m-1)] = 0
		}
		x.b[n-1] = 0
	}
	return x
}

// TestDense compares solves by pivots on a whole matrix with those that start
// from an auction and look for arcs in lists.
func TestDense(t *testing.T) {
	defer func() { useDense = true }()
	kinds := []string{"plane", "equal weights", "no weight", "one row", "ties", "constant", "masks", "decades", "gains", "random"}
	for trial := range 300 {
		r := rand.New(rand.NewPCG(93, uint64(trial)))
		useKernel(t, trial%3)
		kind := kinds[trial%len(kinds)]
		side := 90
		if trial < 2*len(kinds) {
			side = 500 // where an auction comes first
		}
		p := denseTable(r, kind, side).problem(t)
		useDense = false
		want, wantErr := Exact(context.Background(), p, nil)
		useDense = true
		got, err := Exact(context.Background(), p, nil)
		if errors.Is(wantErr, ErrInfeasible) && errors.Is(err, ErrInfeasible) {
			continue
		}
		if err != nil || wantErr != nil {
			t.Fatalf("trial %d, %s: %v, from lists: %v", trial, kind, err, wantErr)
		}
		if kind != "masks" { // which may be infinite
			verify(t, p, got, 0, 0, 1e-9)
		}
		if math.Abs(got.Value-want.Value) > 2e-9*math.Abs(want.Value) {
			t.Errorf("trial %d, %s: %.17g, from lists %.17g", trial, kind, got.Value, want.Value)
		}
	}
}

// TestDenseTied asserts that larger matrices are dense where costs are few
// numbers, and that the answer is certified.
func TestDenseTied(t *testing.T) {
	const m, n = 1100, 1200
	for name, kinds := range map[string]int{"ties": 5, "none": 1 << 50} {
		r := rand.New(rand.NewPCG(97, 0))
		x := table{make([]float64, m*n), slices.Repeat([]float64{1}, m), slices.Repeat([]float64{1}, n)}
		for k := range x.c {
			x.c[k] = float64(r.IntN(kinds))
		}
		p := x.problem(t)
		in, err := newInstance(p, true)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := in.dense(), name == "ties"; got != want {
			t.Errorf("%s: dense is %v", name, got)
		}
		certified(t, p, 0, 0)
	}
}

// TestDenseLimit asserts that a limit of pivots and a context that has ended
// leave bounds that hold.
func TestDenseLimit(t *testing.T) {
	p := denseTable(rand.New(rand.NewPCG(94, 0)), "plane", 150).problem(t)
	best, err := Exact(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Exact(context.Background(), p, &ExactOptions{MaxIters: 3})
	if !fellShort(err) || r == nil || r.Lower > best.Value || r.Value < best.Lower {
		t.Errorf("after three pivots: %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Exact(ctx, p, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
