package cli

import (
	"bytes"
	"context"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot/ot"
)

// The GANs of the demo are short in tests, those of scripts among them.
func init() { demoSteps = 2 * demoParts }

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
// half a minute.
func TestDemoInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which -short goes with, stops GoMLX")
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary) // on Windows
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := runDemo(ctx, IO{Out: io.Discard, Err: &tripwire{text: "step 1 of", cancel: cancel}}, demoOptions{out: filepath.Join(dir, "demo")})
	if err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if n := entries(t, dir); n != 0 {
		t.Errorf("%d files left behind", n)
	}
	if n := entries(t, temporary); n != 0 {
		t.Errorf("%d temporary folders left behind", n)
	}
}
