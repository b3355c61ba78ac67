package ot

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFastExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200000 {
		x := rng.Float64()*1416 - 708
		if rng.IntN(2) == 0 {
			x = rng.NormFloat64()
		}
		got, want := fastExp(x), math.Exp(x)
		if math.Abs(got-want) > 1e-13*want {
			t.Fatalf("fastExp(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{-709, -1e300, math.Inf(-1), math.NaN()} {
		if got := fastExp(x); got != 0 {
			t.Errorf("fastExp(%v) = %v, want 0", x, got)
		}
	}
	if got := fastExp(0); got != 1 {
		t.Errorf("fastExp(0) = %v, want 1", got)
	}
}

func BenchmarkFastExp(b *testing.B) {
	x := make([]float64, 1000)
	for i := range x {
		x[i] = -30 * float64(i) / 1000
	}
	var s float64
	for b.Loop() {
		for _, v := range x {
			s += fastExp(v)
		}
	}
	_ = s
}

func BenchmarkMathExp(b *testing.B) {
	x := make([]float64, 1000)
	for i := range x {
		x[i] = -30 * float64(i) / 1000
	}
	var s float64
	for b.Loop() {
		for _, v := range x {
			s += math.Exp(v)
		}
	}
	_ = s
}
