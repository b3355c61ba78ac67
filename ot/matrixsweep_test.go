package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestRowMask compares the kernels with a comparison of one cost after the other.
func TestRowMask(t *testing.T) {
	for trial := range 90 {
		r := rand.New(rand.NewPCG(91, uint64(trial)))
		useKernel(t, trial%3)
		words := r.IntN(12)
		cost, price := make([]float64, 64*words), make([]float64, 64*words)
		for k := range cost {
			cost[k], price[k] = float64(r.IntN(9)), r.NormFloat64()
			switch r.IntN(20) {
			case 0:
				price[k] = math.Inf(1)
			case 1:
				price[k] = -cost[k] // next to a bound of 0
			}
		}
		bound := []float64{0, 4.5, math.Inf(1), math.Inf(-1), r.NormFloat64()}[r.IntN(5)]
		mask := make([]uint64, words)
		rowMask(cost, price, mask, bound)
		for k, c := range cost {
			if got, want := mask[k/64]>>(k%64)&1 == 1, c+price[k] <= bound; got != want {
				t.Fatalf("trial %d: place %d of %d: %g + %g ≤ %g is %v", trial, k, len(cost), c, price[k], bound, got)
			}
		}
	}
}

// TestMatrixSweep asserts that sweeps find the best entries of rows and of
// columns where some have no weight, in tiles of all sizes, and on small parts.
func TestMatrixSweep(t *testing.T) {
	ctx := context.Background()
	for trial := range 40 {
		r := rand.New(rand.NewPCG(92, uint64(trial)))
		useKernel(t, trial%3)
		m, n := 1+r.IntN(700), 1+r.IntN(700)
		x := table{make([]float64, m*n), randomWeights(r, m), randomWeights(r, n)}
		for k := range x.c {
			if x.c[k] = r.Float64(); trial%4 == 0 {
				x.c[k] = math.Floor(9 * x.c[k])
			}
		}
		if trial%2 == 0 {
			for range m / 3 {
				x.a[1+r.IntN(m-1)] = 0
			}
			for range n / 3 {
				x.b[1+r.IntN(n-1)] = 0
			}
		}
		in, err := newInstance(x.problem(t), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []*instance{in, in.flipped(), in.sub(every(in.m, 1+in.m/20), upTo(in.n)).flipped(), in.sub(upTo(in.m), every(in.n, 1+in.n/20)).flipped()} {
			l := newLists(in, listLength)
			for round := range 2 {
				u := somePrices(r, in)
				l.forget()
				if err := in.sweep(ctx, l, u, 0, in.n); err != nil {
					t.Fatal(err)
				}
				checkLists(t, in, l, u, upTo(in.n), fmt.Sprintf("trial %d round %d: %d×%d", trial, round, in.m, in.n))
			}
		}
	}
}

// TestSizesOf asserts that a look at the extremes finds the sizes that a look at
// every exponent finds.
func TestSizesOf(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		name string
		v    []float64
		want costSizes
	}{
		{"ordinary", []float64{3, -8, 0, 0.5}, costSizes{top: 8}},
		{"zeros", []float64{0, math.Copysign(0, -1)}, costSizes{}},
		{"infinite", []float64{1, inf, 2}, costSizes{top: 2, infinite: true}},
		{"jump", []float64{1e-3, 1e32, 5}, costSizes{top: 1e32, limit: 1e32, below: 5}},
		{"large gain", []float64{1e-3, -1e32, 5}, costSizes{top: 1e32}},
		{"tiny", []float64{5e-324, 1e-323}, costSizes{top: 1e-323}},
		{"from the least to the largest", []float64{5e-324, math.MaxFloat64}, costSizes{top: math.MaxFloat64, limit: math.MaxFloat64, below: 5e-324}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := sizesOf(tt.v); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	many := make([]float64, 1<<19) // in parts
	many[1<<18], many[9], many[1<<19-1] = -7, 1e-5, 2
	if low, high := extremes(many); low != 1e-5 || high != 7 {
		t.Errorf("extremes are %g and %g, want 1e-05 and 7", low, high)
	}
	many[1] = math.NaN()
	if _, high := extremes(many); !math.IsNaN(high) {
		t.Errorf("the largest is %g, want NaN", high)
	}
}
