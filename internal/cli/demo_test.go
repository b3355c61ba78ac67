package cli

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/chisq"
	"rot.example/rot/da"
	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

// The trainings of the demo are short in tests, those of scripts among them.
func init() { demoSteps, demoDASteps = 2*demoParts, 2 }

func TestDemoGANs(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which -short goes with, stops GoMLX")
	}
	d, err := trainDemo(t.Context(), IO{Err: io.Discard}, 2*demoParts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := trainDemo(t.Context(), IO{Err: io.Discard}, 2*demoParts)
	if err != nil {
		t.Fatal(err)
	}
	if d.plain.config.Rho != 0 || d.robust.config.Rho == 0 {
		t.Errorf("ρ is %v and %v, want 0 and more", d.plain.config.Rho, d.robust.config.Rho)
	}
	for _, g := range []*demoGAN{d.plain, d.robust} {
		var steps []int
		for _, s := range g.shots {
			steps = append(steps, s.step)
		}
		if want := []int{2, 6, 16, 40}; !slices.Equal(steps, want) {
			t.Errorf("the %s GAN is shown at steps %v, want %v", g.name, steps, want)
		}
		if g.samples.Len() != demoSamples || len(g.weights) != g.data.Len() {
			t.Errorf("the %s GAN has %d samples, and %d weights of %d points", g.name, g.samples.Len(), len(g.weights), g.data.Len())
		}
	}
	// Two runs at the same time must not touch each other.
	if !slices.Equal(d.plain.samples.Coords, again.plain.samples.Coords) || !slices.Equal(d.robust.samples.Coords, again.robust.samples.Coords) {
		t.Error("a second training makes other samples")
	}
}

func TestDemoJudge(t *testing.T) {
	var ring []float64 // a sample for each mode, off by 0.4
	for k := range demoModes {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / demoModes)
		ring = append(ring, 2.4*cos, 2.4*sin)
	}
	for _, tt := range []struct {
		name                 string
		samples              []float64
		onOutliers, onTheWay float64
		modes                int
	}{
		{"all modes", ring, 0, 0, 8},
		{"one mode", ring[:2], 0, 0, 1},
		{"none", []float64{0, 0, 3, 0}, 0, 0, 0},
		{"on the outliers", append([]float64{7, 8, 8.5, 7}, ring[:4]...), 0.5, 0, 2},
		{"on the way", append([]float64{4, 4, -5, 0}, ring[:4]...), 0, 0.5, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &demoGAN{
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

// TestDemoPanel looks for the samples that a picture leaves out.
func TestDemoPanel(t *testing.T) {
	g := &demoGAN{}
	p := g.panel("title", "3 samples", &ot.Points{Dim: 2, Coords: []float64{0, 0, 11, 0, 0, -5}})
	if want := []float64{0, 0}; p.Note != "3 samples; 2 outside the picture" || !slices.Equal(p.Generated.Coords, want) {
		t.Errorf("note %q, samples %v", p.Note, p.Generated.Coords)
	}
}

// A tripwire cancels as soon as a text is written to it.
type tripwire struct {
	bytes.Buffer
	text   string
	cancel func()
}

func (w *tripwire) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.text) {
		w.cancel()
	}
	return w.Buffer.Write(b)
}

// TestDemoInterrupted stops a demo in the middle of a training that would take
// half a minute, and between two of them.
func TestDemoInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which -short goes with, stops GoMLX")
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary) // on Windows
	for _, tt := range []struct {
		text  string
		steps int
	}{{"step 1 of", 0}, {"2 of 3: adapted, all alike", 2}} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := runDemo(ctx, IO{Out: io.Discard, Err: &tripwire{text: tt.text, cancel: cancel}}, demoOptions{out: filepath.Join(dir, "demo"), steps: tt.steps})
		if err != context.Canceled {
			t.Errorf("%s: got %v, want %v", tt.text, err, context.Canceled)
		}
		if n := entries(t, dir); n != 0 {
			t.Errorf("%s: %d files left behind", tt.text, n)
		}
		if n := entries(t, temporary); n != 0 {
			t.Errorf("%s: %d temporary folders left behind", tt.text, n)
		}
	}
}

// TestDemoDA: three classifiers of the same data, the same each time, and
// weights in the ball.
func TestDemoDA(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which -short goes with, stops GoMLX")
	}
	d, err := adaptDemo(t.Context(), IO{Err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	again, err := adaptDemo(t.Context(), IO{Err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.results, again.results) || !slices.Equal(d.weights.W, again.weights.W) {
		t.Error("a second training ends elsewhere")
	}
	if len(d.results) != len(demoMethods) || d.config.Method != da.Robust {
		t.Fatalf("%d results, the last by %s", len(d.results), d.config.Method)
	}
	for k, r := range d.results {
		if !(r.Accuracy >= 0 && r.Accuracy <= r.Oracle && r.Oracle <= 1) {
			t.Errorf("%s: accuracy %v, oracle %v", demoMethods[k].name, r.Accuracy, r.Oracle)
		}
	}
	if d.known() != 560 || d.summary.Outliers != 240 || d.summary.AUROC == nil {
		t.Errorf("%d digits, %d outliers", d.known(), d.summary.Outliers)
	}
	if got := chisq.Divergence(d.weights.W); !(got > 0 && got <= d.config.Rho*(1+1e-9)) {
		t.Errorf("the weights need a radius of %v, and have %v", got, d.config.Rho)
	}
}

// TestDemoTable: the faults are there, the easy ones are found, and the file
// says the same as the rows in memory.
func TestDemoTable(t *testing.T) {
	d, err := cleanDemo(t.Context(), IO{Err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	j := d.json()
	if j.Rows != demoRows || j.Bad != demoBadRows*len(demoFaults) || d.auroc < 0.95 {
		t.Errorf("%d rows, %d bad, AUROC %v", j.Rows, j.Bad, d.auroc)
	}
	for _, k := range j.Kinds[:4] { // the last is one of columns together
		if k.Rows != demoBadRows || k.Found != k.Rows {
			t.Errorf("%s: %d of %d found", k.Kind, k.Found, k.Rows)
		}
	}
	if j.Dropped > 2*j.Bad {
		t.Errorf("%d rows dropped to find %d", j.Dropped, j.Found)
	}
	text, err := d.csv()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	back, err := dataset.Load(path, &dataset.Options{IDColumn: "id", LabelColumn: "bad"})
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
