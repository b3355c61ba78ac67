package clean

import (
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

// TestCrowd: foreign points that keep together are found, at all shares, and
// neither points that all belong, heavy tails among them, nor one of many groups
// that all lie apart.
func TestCrowd(t *testing.T) {
	const n, dim = 1200, 24
	for _, tt := range []struct {
		name    string
		foreign int
		row     func(rng *rand.Rand, i int, x []float64) // the bulk's
	}{
		{"normal", 0, normalRow},
		{"normal, 5 % foreign", 60, normalRow},
		{"normal, 2 % foreign", 24, normalRow},
		{"normal, 10 % foreign", 120, normalRow},
		{"heavy tails", 0, func(rng *rand.Rand, i int, x []float64) {
			normalRow(rng, i, x)
			s := math.Exp(rng.NormFloat64() / 2)
			for j := range x {
				x[j] *= s
			}
		}},
		{"groups", 0, func(rng *rand.Rand, i int, x []float64) {
			normalRow(rng, i, x)
			for j := range x {
				x[j] *= 0.05
			}
			x[i%15]++
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			p := &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}
			score, foreign := make([]float64, n), make([]bool, n)
			for i := range n {
				x := p.Coords[i*dim : (i+1)*dim]
				if foreign[i] = i < tt.foreign; foreign[i] {
					normalRow(rng, i, x)
					for j := range x {
						x[j] *= 0.7
					}
					x[dim-1] += 60
				} else {
					tt.row(rng, i, x)
				}
				for _, v := range x {
					score[i] += v * v
				}
			}
			apart, share := (&rows{n: n, d: dim, v: p.Coords}).crowd(score)
			if tt.foreign == 0 {
				if apart != nil {
					t.Fatalf("a crowd of %v of the points", share)
				}
				return
			}
			if apart == nil {
				t.Fatal("no crowd")
			}
			if a, err := metrics.AUROC(apart, foreign); err != nil || a < 0.999 {
				t.Errorf("AUROC %v, %v", a, err)
			}
			if want := float64(tt.foreign) / n; math.Abs(share/want-1) > 0.3 {
				t.Errorf("%v of the points, want %v", share, want)
			}
		})
	}
}

// normalRow draws coordinates that differ in scale.
func normalRow(rng *rand.Rand, _ int, x []float64) {
	for j := range x {
		x[j] = rng.NormFloat64() * (1 + float64(j%4)/2)
	}
}
