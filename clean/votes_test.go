package clean

import (
	"context"
	"math/rand/v2"
	"testing"

	"rot.example/rot/ot"
)

// TestRareCategory takes the rows that are far away for suspects, and not those
// of a rare category, which is a heap of its own.
func TestRareCategory(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	x := &ot.Points{Dim: 4}
	const n, foreign = 600, 12
	for i := range n {
		rare := 0.
		if rng.Float64() < 0.12 {
			rare = 1
		}
		a, b := rng.NormFloat64(), rng.NormFloat64()
		if i < foreign {
			a, b = -60, 40+0.01*rng.Float64()
		}
		x.Coords = append(x.Coords, a, b, 1-rare, rare)
	}
	r, err := Find(context.Background(), x, &Options{Groups: []Group{{First: 2, Width: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range r.Suspect {
		if s != (i < foreign) {
			t.Errorf("row %d: suspect %v, score %v", i, s, r.Score[i])
		}
	}
}
