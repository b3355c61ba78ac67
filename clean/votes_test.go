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

// gapSample is clusters, some of whose first rows lie farther from their middle
// than the others do.
func gapSample(n, alone int, wide float64) *ot.Points {
	const d, clusters = 12, 40
	rng := rand.New(rand.NewPCG(3, 1))
	centres := make([]float64, clusters*d)
	for k := range centres {
		centres[k] = 2 * rng.NormFloat64()
	}
	x := &ot.Points{Dim: d}
	for i := range n {
		c := centres[rng.IntN(clusters)*d:]
		for j := range d {
			v := 1.1 * rng.NormFloat64()
			if i < alone {
				v *= wide
			}
			x.Coords = append(x.Coords, c[j]+v)
		}
	}
	return x
}

// TestGaps takes rows that lie alone between clusters for suspects where scores
// rank them high without standing out, and none where there are only clusters.
func TestGaps(t *testing.T) {
	const n, alone = 1000, 40
	for _, tt := range []struct {
		wide        float64
		least, most int // of the rows that lie alone, of all suspects
	}{{1, 0, 0}, {2.6, 20, 60}} {
		r, err := Find(context.Background(), gapSample(n, alone, tt.wide), nil)
		if err != nil {
			t.Fatal(err)
		}
		if all, found := count(r.Suspect), count(r.Suspect[:alone]); all > tt.most || found < tt.least {
			t.Errorf("%v times as wide: %d of %d found, with %d suspects", tt.wide, found, alone, all)
		}
	}
}
