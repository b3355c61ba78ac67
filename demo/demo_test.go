package demo

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rot.example/rot/chisq"
	"rot.example/rot/da"
	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

func TestGANs(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains, which takes too long with -short and under the race detector")
	}
	d, err := Generate(t.Context(), 2*parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Generate(t.Context(), 2*parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.plain.config.Rho != 0 || d.robust.config.Rho == 0 {
		t.Errorf("ρ is %v and %v, want 0 and more", d.plain.config.Rho, d.robust.config.Rho)
	}
	for _, g := range []*trainedGAN{d.plain, d.robust} {
		var steps []int
		for _, s := range g.shots {
			steps = append(steps, s.step)
		}
		if want := []int{2, 6, 16, 40}; !slices.Equal(steps, want) {
			t.Errorf("the %s GAN is shown at steps %v, want %v", g.name, steps, want)
		}
		if g.samples.Len() != ganSamples || len(g.weights) != g.data.Len() {
			t.Errorf("the %s GAN has %d samples, and %d weights of %d points", g.name, g.samples.Len(), len(g.weights), g.data.Len())
		}
	}
	// Two runs at the same time must not touch each other.
	if !slices.Equal(d.plain.samples.Coords, again.plain.samples.Coords) || !slices.Equal(d.robust.samples.Coords, again.robust.samples.Coords) {
		t.Error("a second training makes other samples")
	}
}

func TestJudge(t *testing.T) {
	var circle []float64 // a sample for each mode, off by 0.4
	for k := range modes {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / modes)
		circle = append(circle, 2.4*cos, 2.4*sin)
	}
	for _, tt := range []struct {
		name                 string
		samples              []float64
		onOutliers, onTheWay float64
		modes                int
	}{
		{"all modes", circle, 0, 0, 8},
		{"one mode", circle[:2], 0, 0, 1},
		{"none", []float64{0, 0, 3, 0}, 0, 0, 0},
		{"on the outliers", append([]float64{7, 8, 8.5, 7}, circle[:4]...), 0.5, 0, 2},
		{"on the way", append([]float64{4, 4, -5, 0}, circle[:4]...), 0, 0.5, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &trainedGAN{
				data:    &ot.Points{Dim: 2, Coords: []float64{2, 0, 6.5, 7, 7.5, 7}},
				outlier: []bool{false, true, true}, weights: []float64{2.8, 0.1, 0.1},
				samples: &ot.Points{Dim: 2, Coords: tt.samples},
			}
			if err := g.judge(); err != nil {
				t.Fatal(err)
			}
			if g.onOutliers != tt.onOutliers || g.onTheWay != tt.onTheWay || g.modes != tt.modes || g.auroc != 1 {
				t.Errorf("%v on the outliers, %v on the way, %d modes, AUROC %v", g.onOutliers, g.onTheWay, g.modes, g.auroc)
			}
		})
	}
}

// TestPanel looks for the samples that a picture leaves out.
func TestPanel(t *testing.T) {
	g := &trainedGAN{}
	p := g.panel("title", "3 samples", &ot.Points{Dim: 2, Coords: []float64{0, 0, 11, 0, 0, -5}})
	if want := []float64{0, 0}; p.Note != "3 samples; 2 outside the picture" || !slices.Equal(p.Generated.Coords, want) {
		t.Errorf("note %q, samples %v", p.Note, p.Generated.Coords)
	}
}

// TestTable: the faults are there, the easy ones are found, and the file
// says the same as the rows in memory.
func TestTable(t *testing.T) {
	d, err := Clean(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	j := d.Result()
	if j.Rows != tableRows || j.Bad != badRows*len(faults) || d.auroc < 0.95 {
		t.Errorf("%d rows, %d bad, AUROC %v", j.Rows, j.Bad, d.auroc)
	}
	for _, k := range j.Kinds[:4] { // the last is one of columns together
		if k.Rows != badRows || k.Found != k.Rows {
			t.Errorf("%s: %d of %d found", k.Name, k.Found, k.Rows)
		}
	}
	if j.Dropped > 2*j.Bad {
		t.Errorf("%d rows dropped to find %d", j.Dropped, j.Found)
	}
	text, err := d.CSV()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	back, err := dataset.Load(path, &dataset.Options{IDColumn: "id", LabelColumn: "bad", FileOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	marks, err := back.Marks()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.Points.Coords, d.points.Coords) || !slices.Equal(back.Points.IDs, d.points.IDs) || !slices.Equal(marks, d.bad()) {
		t.Error("the file holds another table")
	}
}

// TestAdapt: three classifiers of the same data, the same each time, and
// weights in the ball.
func TestAdapt(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains, which takes too long with -short and under the race detector")
	}
	d, err := Adapt(t.Context(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Adapt(t.Context(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.results, second.results) || !slices.Equal(d.weights.W, second.weights.W) {
		t.Error("a second training ends elsewhere")
	}
	if len(d.results) != len(adaptMethods) || d.config.Method != da.Robust {
		t.Fatalf("%d results, the last by %s", len(d.results), d.config.Method)
	}
	for k, r := range d.results {
		if !(r.Accuracy >= 0 && r.Accuracy <= r.Oracle && r.Oracle <= 1) {
			t.Errorf("%s: accuracy %v, oracle %v", adaptMethods[k].name, r.Accuracy, r.Oracle)
		}
	}
	if d.known() != 560 || d.summary.Outliers != 240 || d.summary.AUROC == nil {
		t.Errorf("%d digits, %d outliers", d.known(), d.summary.Outliers)
	}
	if got := chisq.Divergence(d.weights.W); !(got > 0 && got <= d.config.Rho*(1+1e-9)) {
		t.Errorf("the weights need a radius of %v, and have %v", got, d.config.Rho)
	}
}
