package gan

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rot.example/rot/clean"
	"rot.example/rot/internal/standout"
	"rot.example/rot/ot"
)

// TestOwnViewTogether: where the radius is given and nothing stands out, images that
// are near to each other share their scores, and a cluster of the given share comes
// above the others; with an automatic radius the scores are those of the images.
func TestOwnViewTogether(t *testing.T) {
	for _, auto := range []bool{false, true} {
		c, d := load(t, "tiny", "synth:digits,n=570", "", func(c *Config) {
			c.Weights, c.Rho, c.RhoAuto = WeightTransport, 0.026, auto
			if auto {
				c.Rho = 0
			}
		})
		g, err := newTrainer(t, c, d).newGallery(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !g.plain() {
			t.Fatal("clean digits stand out")
		}
		r, err := clean.Find(t.Context(), g.points, &clean.Options{Unscaled: true})
		if err != nil {
			t.Fatal(err)
		}
		want := standout.Standard(r.Score)
		if !auto {
			if want, err = clean.Evened(t.Context(), g.points, r.Score); err != nil {
				t.Fatal(err)
			}
			members, _, err := clean.Cluster(t.Context(), g.points, 2*c.Rho/(1+2*c.Rho))
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range members {
				want[i] += v * (clusterRise + max(0, -want[i]))
			}
		}
		if !slices.Equal(g.own, want) {
			t.Errorf("auto %v: other scores", auto)
		}
	}
}

// TestWeighTogether: images that keep together lose their weight, though they look
// the least odd of all.
func TestWeighTogether(t *testing.T) {
	const n, foreign, dim = 1000, 50, 16
	c, d := load(t, "mlp", "synth:gauss,n=1000", "", func(c *Config) { c.Weights, c.Rho = WeightTransport, 0.05/0.95/2 })
	tr := newTrainer(t, c, d)
	rng := rand.New(rand.NewPCG(1, 0))
	score := make([]float64, n)
	g := &gallery{images: true, suspect: make([]bool, n), points: &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}}
	for i := range n {
		kind := 4
		if score[i] = rng.NormFloat64(); i < foreign {
			score[i] -= 0.5
		} else {
			kind = i % 4
		}
		row := g.points.Row(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		row[kind] += 9
	}
	if err := g.weighTogether(t.Context(), score, 0.05); err != nil {
		t.Fatal(err)
	}
	tr.gallery = g
	wantForeignLow(t, tr, foreign)
}

// TestSharpen: images of somewhat high scores, of which none stand out, lose
// their weight; by the scores themselves they would keep a sixth of it.
func TestSharpen(t *testing.T) {
	const n, foreign = 200, 20
	c, d := load(t, "mlp", "synth:gauss,n=200", "", func(c *Config) { c.Weights, c.Rho = WeightTransport, 1./18 })
	tr := newTrainer(t, c, d)
	rng := rand.New(rand.NewPCG(1, 0))
	tr.gallery = &gallery{own: make([]float64, n), suspect: make([]bool, n), images: true}
	for i := range n {
		if tr.gallery.own[i] = rng.NormFloat64(); i < foreign {
			tr.gallery.own[i] += 4
		}
	}
	wantForeignLow(t, tr, foreign)
}

// wantForeignLow refreshes the weights and fails the test unless the first samples
// have lost nearly all of theirs.
func wantForeignLow(t *testing.T, tr *Trainer, foreign int) {
	t.Helper()
	if err := tr.updateByViews(); err != nil {
		t.Fatal(err)
	}
	w, err := tr.Weights()
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, v := range w[:foreign] {
		mean += v / float64(foreign)
	}
	if mean > 0.1 {
		t.Errorf("mean weight %v", mean)
	}
}
