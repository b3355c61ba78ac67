package experiments

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFigure1: outliers spoil the plain distance and not the robust one, which
// takes the weight from all of them and from nothing else; the curve stays
// below its bound.
func TestFigure1(t *testing.T) {
	f := NewFigure1()
	if err := f.Solve(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := f.SolveCurve(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	clean, plain, robust := f.Plain.Value, f.Spoiled.Value, f.Robust.Value
	if robust < 0.9*clean || robust > 1.1*clean {
		t.Errorf("robust %v is not within 10 %% of clean %v", robust, clean)
	}
	if plain < 1.3*clean {
		t.Errorf("plain %v does not suffer from outliers; clean is %v", plain, clean)
	}
	if c := f.Theorem.Clean; math.Abs(c/clean-1) > 1e-6 {
		t.Errorf("the theorem's clean distance is %v, want %v", c, clean)
	}
	for _, p := range f.Curve.Points {
		if bound := f.Theorem.At(p.Rho); p.Value > bound*(1+1e-9) {
			t.Errorf("V(%v) = %v exceeds its bound %v", p.Rho, p.Value, bound)
		}
	}
	if found, others := f.Found(); found != f.Outliers() || others != 0 {
		t.Errorf("%d outliers and %d others lost their weight, want %d and 0", found, others, f.Outliers())
	}
}

// TestPlane runs the two experiments in the plane, which need no data: tables
// and pictures are there.
func TestPlane(t *testing.T) {
	o := options(t)
	for _, tt := range []struct {
		e       Experiment
		picture string
		want    string
	}{{fig1, "couplings.png", "from 15 of the 15 outliers and from 0 other points"}, {elbow, "curve.png", "broken at 0 of 13 radii"}} {
		res, err := tt.e.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(res.Markdown, tt.want) || !strings.Contains(res.Markdown, tt.picture) {
			t.Errorf("no %q in\n%s", tt.want, res.Markdown)
		}
		dir := filepath.Join(o.Out, tt.e.Name)
		if info, err := os.Stat(filepath.Join(dir, tt.picture)); err != nil || info.Size() < 1000 {
			t.Errorf("picture: %v, %v", info, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "results.json")); err != nil {
			t.Error(err)
		}
	}
}
