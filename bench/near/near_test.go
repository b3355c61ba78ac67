package main

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/dataset"
)

// TestKinds: every kind makes as many images as it is given, other ones, and the
// same ones again.
func TestKinds(t *testing.T) {
	for _, spec := range []string{"synth:digits,n=20", "synth:shapes,n=20"} {
		from, err := dataset.LoadImages(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(from.Pix)
		for _, k := range kinds {
			a, err := k.images(from, 1)
			if err != nil {
				t.Fatal(err)
			}
			b, err := k.images(from, 1)
			if err != nil {
				t.Fatal(err)
			}
			if a.Len() != 20 || a.H != from.H || a.W != from.W || a.C != from.C || !bytes.Equal(a.Pix, b.Pix) {
				t.Errorf("%s of %s: %d images of %d×%d×%d, or others the second time", k.name, spec, a.Len(), a.H, a.W, a.C)
			}
			same := 0
			for i := range a.Len() {
				if bytes.Equal(a.At(i), from.At(i)) {
					same++
				}
			}
			if same > 0 || !bytes.Equal(from.Pix, before) {
				t.Errorf("%s of %s: %d images are what they were, or the others have changed", k.name, spec, same)
			}
		}
	}
}

// TestRun makes a line of the table.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds, and longer under the race detector: run it without -short")
	}
	var out strings.Builder
	o := options{good: "synth:digits,n=600", held: "synth:digits,n=600,seed=1", from: "synth:digits,n=60,seed=2", kinds: "inverted", share: 0.05, steps: 2}
	if err := run(t.Context(), &out, o); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || strings.Count(lines[2], "|") != strings.Count(lines[0], "|") || !strings.HasPrefix(lines[2], "| inverted | 1.000, ") {
		t.Errorf("%q", lines)
	}
	out.Reset()
	o.from, o.foreign = "", "synth:shapes,n=60"
	if err := run(t.Context(), &out, o); err != nil || !strings.Contains(out.String(), "\n| synth:shapes,n=60 | ") {
		t.Errorf("%v: %q", err, out.String())
	}
	o.from, o.foreign, o.kinds = o.held, "", "none"
	out.Reset()
	if err := run(t.Context(), &out, o); err == nil || !strings.Contains(err.Error(), `no kind "none"`) {
		t.Errorf("an unknown kind: %v", err)
	}
	o.kinds = ""
	for _, share := range []float64{0, 1, -1, math.NaN(), 1e-6} {
		if o.share = share; run(t.Context(), &out, o) == nil {
			t.Errorf("a share of %v passes", share)
		}
	}
	if out.Len() > 0 {
		t.Errorf("after errors there is %q", out.String())
	}
}
