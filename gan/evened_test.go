package gan

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rot.example/rot/clean"
	"rot.example/rot/internal/standout"
)

// TestOwnViewEvened: where the radius is given and nothing stands out, images that
// are near to each other share their scores; with an automatic radius they do not.
func TestOwnViewEvened(t *testing.T) {
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
		}
		if !slices.Equal(g.own, want) {
			t.Errorf("auto %v: other scores", auto)
		}
	}
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
	if err := tr.updateByViews(); err != nil {
		t.Fatal(err)
	}
	w, err := tr.Weights()
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, v := range w[:foreign] {
		mean += v / foreign
	}
	if mean > 0.1 {
		t.Errorf("mean weight %v", mean)
	}
}
