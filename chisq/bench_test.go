package chisq

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// million returns 10⁶ scores of one kind.
func million(kind string) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 1_000_000)
	for i := range x {
		switch kind {
		case "cauchy":
			x[i] = math.Tan(math.Pi * (r.Float64() - 0.5))
		case "ties":
			x[i] = float64(r.IntN(3))
		case "equal":
			x[i] = 7
		case "tower": // an outlier at every scale that doubles have
			x[i] = r.NormFloat64()
			if i%500 == 0 {
				x[i] = math.Ldexp(1, i/1000)
			}
		default:
			x[i] = r.NormFloat64()
		}
	}
	switch kind {
	case "sorted":
		slices.Sort(x)
	case "reversed":
		slices.Sort(x)
		slices.Reverse(x)
	}
	return x
}

func BenchmarkMinimize1M(b *testing.B) {
	for _, kind := range []string{"gauss", "sorted", "reversed", "cauchy", "tower", "ties", "equal"} {
		x := million(kind)
		dst := make([]float64, len(x))
		for _, rho := range []float64{0.025, 0.5} {
			b.Run(fmt.Sprintf("%s/rho=%g", kind, rho), func(b *testing.B) {
				for b.Loop() {
					if _, err := (Ball{Rho: rho}).Minimize(dst, x); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkSolveWeighted1M(b *testing.B) {
	x := million("gauss")
	base, dst := make([]float64, len(x)), make([]float64, len(x))
	r := rand.New(rand.NewPCG(3, 4))
	for i := range base {
		base[i] = r.ExpFloat64()
	}
	for b.Loop() {
		if _, _, err := (Ball{Rho: 0.025}).Solve(dst, x, base); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProject1M(b *testing.B) {
	x := million("gauss")
	dst := make([]float64, len(x))
	for b.Loop() {
		if _, err := (Ball{Rho: 0.025}).Project(dst, x); err != nil {
			b.Fatal(err)
		}
	}
}
