package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"rot.example/rot/ot"
)

// TestOptimumOfMatchings compares with all permutations.
func TestOptimumOfMatchings(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		n := 1 + r.IntN(5)
		in := &Instance{M: n, N: n, Metric: ot.Given, Method: Exact}
		for range n * n {
			c := float64(r.IntN(7) - 2)
			if r.IntN(5) == 0 {
				c = math.Inf(1)
			}
			in.Matrix = append(in.Matrix, c)
		}
		best := math.Inf(1)
		var assign func(i int, used int, cost float64)
		assign = func(i, used int, cost float64) {
			if i == n {
				best = math.Min(best, cost)
				return
			}
			for j := range n {
				if used>>j&1 == 0 {
					assign(i+1, used|1<<j, cost+in.Matrix[i*n+j])
				}
			}
		}
		assign(0, 0, 0)
		got := in.optimum()
		if math.IsInf(best, 1) {
			if got != nil {
				t.Fatalf("%v: optimum %v, no plan exists", in.Matrix, got.value)
			}
			continue
		}
		if got == nil || got.value.Cmp(new(big.Rat).SetFrac64(int64(best), int64(n))) != 0 {
			t.Fatalf("%v: optimum %v, want %v/%d", in.Matrix, got, best, n)
		}
	}
}

func TestOptimumOfPartial(t *testing.T) {
	// The dearest half of each side stays: what is left is the cheapest arc.
	in := &Instance{M: 2, N: 2, Metric: ot.Given, Matrix: []float64{3, 1, 2, 8}, Method: Partial, Mass: 0.5}
	if got := in.optimum(); got == nil || got.value.Cmp(big.NewRat(1, 2)) != 0 {
		t.Errorf("half: %v, want 1/2", got)
	}
	in.Mass = 1
	if got := in.optimum(); got == nil || got.value.Cmp(big.NewRat(3, 2)) != 0 {
		t.Errorf("all: %v, want 3/2", got)
	}
}
