package cli

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/chisq"
	"rot.example/rot/da"
)

// The trainings of the demo are short in tests, those of scripts among them.
func init() { demoSteps, demoDASteps = 40, 2 }

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
