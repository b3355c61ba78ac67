package clean

import (
	"math/rand/v2"
	"testing"
)

// TestSquares: many distances at once are those of squared, to the bit.
func TestSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, d := range []int{1, 2, 3, 4, 5, 7, 8, 31, 384} {
		for n := range 11 {
			r := &rows{n: n, d: d, v: make([]float64, n*d)}
			x := make([]float64, d)
			for i := range r.v {
				r.v[i] = rng.NormFloat64()
			}
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			for first := range n {
				out := make([]float64, n-first)
				r.squares(out, x, first)
				for k, v := range out {
					if want := squared(x, r.row(first+k)); v != want {
						t.Fatalf("%d points of %d numbers from %d on: %v, want %v", n, d, first, v, want)
					}
				}
			}
		}
	}
}

func BenchmarkSquares(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	r := &rows{n: 256, d: 384, v: make([]float64, 256*384)}
	for i := range r.v {
		r.v[i] = rng.NormFloat64()
	}
	out := make([]float64, r.n)
	b.Run("at once", func(b *testing.B) {
		for b.Loop() {
			r.squares(out, r.row(3), 0)
		}
	})
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			r.squaresOneByOne(out, r.row(3), 0)
		}
	})
}
