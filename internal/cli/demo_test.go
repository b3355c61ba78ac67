package cli

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
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
		t.Skip("it trains, which takes too long with -short and under the race detector")
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
		err := runDemo(ctx, IO{Out: io.Discard, Err: &tripwire{text: tt.text, cancel: cancel}}, demoOptions{out: filepath.Join(dir, "demo"), steps: tt.steps, adaptSteps: 2})
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
