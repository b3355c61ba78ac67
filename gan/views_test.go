package gan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

// TestLateKind: what only the generator's view sets apart gives a radius to points
// of which none stand out. Where some do, how many is known without it.
func TestLateKind(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tells bool // the data's own view
		want  bool // a radius
	}{
		{"points", false, true},
		{"points of which some stand out", true, false},
	} {
		c, d := eightConfig(t, func(c *Config) { c.Rho, c.RhoAuto, c.Weights = 0, true, WeightTransport })
		tr := newTrainer(t, c, d)
		n := d.N
		tr.gallery = &gallery{own: make([]float64, n), suspect: make([]bool, n), tells: tt.tells}
		scores, r := make([]float64, n), rand.New(rand.NewPCG(1, 2))
		for i := range scores {
			if scores[i] = r.NormFloat64(); i%20 == 0 {
				scores[i] += 50
			}
		}
		if err := tr.saved.Bank.Blend(scores, 0); err != nil {
			t.Fatal(err)
		}
		if err := tr.chooseRadius(); err != nil {
			t.Fatal(err)
		}
		if got := tr.Rho(); (got > 0.02) != tt.want || (got > 0) != tt.want {
			t.Errorf("%s: radius %v", tt.name, got)
		}
	}
}

// TestLateKindOfImages: an automatic radius of images is that of the images which
// stand out among the data, whatever the generator makes: it is not asked. With a
// radius that is given it is.
func TestLateKindOfImages(t *testing.T) {
	for _, tt := range []struct {
		name     string
		suspects int
		rho      float64
	}{
		{"none stand out", 0, 0},
		{"some do", 57, 1. / 18}, // a tenth: γ/2(1−γ)
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, d := load(t, "tiny", "synth:digits,n=570", "", func(c *Config) {
				c.Rho, c.RhoAuto, c.Weights, c.Steps, c.WarmUp, c.BankEvery, c.Batch = 0, true, WeightTransport, 6, 2, 1, 8
			})
			tr := newTrainer(t, c, d)
			g := &gallery{own: make([]float64, d.N), suspect: make([]bool, d.N), line: 1, tells: tt.suspects > 0, images: true}
			for i := range tt.suspects {
				g.own[i], g.suspect[i] = 9, true
			}
			tr.gallery = g
			if err := tr.Run(t.Context(), newRun(t, c), nil); err != nil {
				t.Fatal(err)
			}
			if tr.saved.Bank.Scores() != nil {
				t.Error("the bank has scores of the generator's samples")
			}
			if got := tr.Rho(); math.Abs(got-tt.rho) > 1e-12 {
				t.Errorf("radius %v, want %v", got, tt.rho)
			}
			w, err := tr.Weights()
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range w {
				if aside := v < 0.01; aside != (i < tt.suspects) {
					t.Fatalf("image %d has weight %v", i, v)
				}
			}
			c.Rho, c.RhoAuto = 0.02, false
			given := newTrainer(t, c, d)
			if err := given.Run(t.Context(), newRun(t, c), nil); err != nil {
				t.Fatal(err)
			}
			if given.saved.Bank.Scores() == nil {
				t.Error("with a radius that is given the generator was not asked")
			}
		})
	}
}

// TestOwnView: images of another kind lose their weight before the first step,
// and images that all belong keep theirs.
func TestOwnView(t *testing.T) {
	for _, tt := range []struct {
		name, outliers string
	}{
		{"digits", ""},
		{"digits with shapes", "synth:blobs@0.05"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, d := load(t, "tiny", "synth:digits,n=570", tt.outliers, func(c *Config) { c.Rho, c.RhoAuto, c.Weights = 0, true, WeightTransport })
			tr := newTrainer(t, c, d)
			if !tr.refreshDue(1) {
				t.Fatal("the weights wait")
			}
			if err := tr.refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			w, err := tr.Weights()
			if err != nil {
				t.Fatal(err)
			}
			if tt.outliers == "" {
				if tr.Rho() > 0.01 {
					t.Errorf("radius %v for clean data", tr.Rho())
				}
				return
			}
			for i, v := range w {
				w[i] = -v
			}
			if a, err := metrics.AUROC(w, d.Outlier); err != nil || a < 0.97 {
				t.Errorf("AUROC of the weights is %v, %v", a, err)
			}
			if tr.Rho() < 0.013 || tr.Rho() > 0.052 {
				t.Errorf("radius %v, want 0.026", tr.Rho())
			}
		})
	}
}

// TestPrices: data that the generator does not make cost more than others, and
// the price of each is the least over the samples.
func TestPrices(t *testing.T) {
	c, d := load(t, "mlp", "synth:gauss,n=300", "synth:far@0.1", func(c *Config) { c.Weights = WeightTransport })
	tr := newTrainer(t, c, d)
	var err error
	if tr.gallery, err = tr.newGallery(t.Context()); err != nil {
		t.Fatal(err)
	}
	price, _, err := tr.prices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a, err := metrics.AUROC(price, d.Outlier); err != nil || a < 0.99 {
		t.Errorf("AUROC of the prices is %v, %v", a, err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	ref := &ot.Points{Dim: 2, Coords: make([]float64, 80)}
	g := make([]float64, 40)
	for i := range ref.Coords {
		ref.Coords[i] = rng.NormFloat64()
	}
	for j := range g {
		g[j] = rng.NormFloat64()
	}
	got, err := tr.transform(t.Context(), ref, g)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		x, want := tr.gallery.points.Row(i), math.Inf(1)
		for j := range g {
			want = min(want, math.Hypot(x[0]-ref.Row(j)[0], x[1]-ref.Row(j)[1])-g[j])
		}
		if math.Abs(v-want) > 1e-4 { // float32
			t.Fatalf("row %d costs %v, want %v", i, v, want)
		}
	}
}

// TestViewScores: a view counts where it tells, and both where neither does.
func TestViewScores(t *testing.T) {
	const n = 200
	normal := func(seed uint64) []float64 {
		rng := rand.New(rand.NewPCG(seed, 0))
		out := make([]float64, n)
		for i := range out {
			out[i] = rng.NormFloat64()
		}
		return out
	}
	foreign := func(scores []float64, from, to int) []float64 {
		for i := from; i < to; i++ {
			scores[i] = 12 + float64(i%3)
		}
		return scores
	}
	for _, tt := range []struct {
		name      string
		own, made []float64
		tells     bool
		want      [][2]int // what is set aside; nil: nothing sharply
	}{
		{"own", foreign(normal(1), 0, 20), normal(2), true, [][2]int{{0, 20}}},
		{"made", normal(1), foreign(normal(2), 30, 50), false, [][2]int{{30, 50}}},
		{"both", foreign(normal(1), 0, 10), foreign(normal(2), 30, 40), true, [][2]int{{0, 10}, {30, 40}}},
		{"own, before there are samples", foreign(normal(1), 0, 20), nil, true, [][2]int{{0, 20}}},
		{"neither", normal(1), normal(2), false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, d := load(t, "mlp", "synth:gauss,n=200", "", func(c *Config) { c.Weights, c.Rho = WeightTransport, 1./18 })
			tr := newTrainer(t, c, d)
			tr.gallery = &gallery{own: tt.own, suspect: make([]bool, n), tells: tt.tells}
			if tt.made != nil {
				if err := tr.saved.Bank.Blend(tt.made, 0); err != nil {
					t.Fatal(err)
				}
			}
			for i := range tt.own {
				tr.gallery.suspect[i] = tt.tells && tt.own[i] > 10
			}
			if err := tr.updateByViews(); err != nil {
				t.Fatal(err)
			}
			w, err := tr.Weights()
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range w {
				aside := slices.ContainsFunc(tt.want, func(r [2]int) bool { return i >= r[0] && i < r[1] })
				if tt.want != nil && aside != (v < 0.3) {
					t.Errorf("sample %d has weight %v", i, v)
				}
			}
			if scores, share := tr.viewScores(); tt.want == nil && (share != 1 || slices.Max(scores) <= 1.1) {
				t.Errorf("scores that tell nothing set %v aside", share)
			}
			if tt.want != nil && math.Abs(tr.saved.Bank.Ball().Rho-1./18) > 1e-9 {
				t.Errorf("the radius is %v, want all of it", tr.saved.Bank.Ball().Rho)
			}
		})
	}
}

// TestTrust: samples that lie as near to the data as these to each other are
// trusted, others are not.
func TestTrust(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, dim = 400, 6
	cloud := func(shift float64) *ot.Points {
		p := &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}
		for i := range p.Coords {
			p.Coords[i] = rng.NormFloat64() + shift
		}
		return p
	}
	data := cloud(0)
	for _, tt := range []struct {
		name     string
		samples  *ot.Points
		low, top float64
	}{
		{"like the data", cloud(0), 0.7, 1},
		{"elsewhere", cloud(1), 0, 0},
		{"the same everywhere", &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}, 0, 0},
	} {
		if got := trust(data, distances(data, tt.samples)); got < tt.low || got > tt.top {
			t.Errorf("%s: trust %v, want %v to %v", tt.name, got, tt.low, tt.top)
		}
	}
	same := &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}
	if got := trust(same, distances(same, cloud(0))); got != 0 {
		t.Errorf("data that are all the same: trust %v", got)
	}
}

// TestPlainImages: where nothing stands out among images, the weights follow
// their own view, and the other only if the generator is trusted.
func TestPlainImages(t *testing.T) {
	const n = 200
	rng := rand.New(rand.NewPCG(1, 0))
	own, made := make([]float64, n), make([]float64, n)
	for i := range own {
		own[i], made[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	c, d := load(t, "mlp", "synth:gauss,n=200", "", func(c *Config) { c.Weights, c.Rho = WeightTransport, 0.02 })
	tr := newTrainer(t, c, d)
	tr.gallery = &gallery{own: own, suspect: make([]bool, n), images: true}
	if err := tr.saved.Bank.Blend(made, 0); err != nil {
		t.Fatal(err)
	}
	for _, trusted := range []float64{0, 1} {
		tr.gallery.trusted = trusted
		if err := tr.updateByViews(); err != nil {
			t.Fatal(err)
		}
		w, err := tr.Weights()
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0 // pairs that the weights order in another way than the data's own view
		for i := range own {
			for j := range own {
				if own[i] > own[j] && w[i] > w[j] {
					wrong++
				}
			}
		}
		if (wrong == 0) != (trusted == 0) {
			t.Errorf("trust %v: %d pairs of samples in another order", trusted, wrong)
		}
	}
}
