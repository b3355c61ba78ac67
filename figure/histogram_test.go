package figure

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"rot.example/rot/ot"
)

func TestHistogramCount(t *testing.T) {
	h := &Histogram{Weights: []float64{0, 0.1, 1.4, 1.5, 1, 1}, Outlier: []bool{true, true, false, false, false, false}, Bins: 2}
	b, err := h.count()
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 1, 2}; !slices.Equal(b.edges, want) {
		t.Fatalf("edges %v, want %v", b.edges, want)
	}
	in, out := b.groups[0], b.groups[1]
	if in.n != 4 || math.Abs(in.mean-1.225) > 1e-12 || !slices.Equal(in.share, []float64{0, 1}) {
		t.Errorf("in distribution: %+v", in)
	}
	if out.n != 2 || math.Abs(out.mean-0.05) > 1e-12 || !slices.Equal(out.share, []float64{1, 0}) {
		t.Errorf("outliers: %+v", out)
	}
}

func TestHistogramShares(t *testing.T) {
	for _, tt := range []struct {
		name   string
		h      Histogram
		groups int
	}{
		{"one group", Histogram{Weights: gaussianWeights(500)}, 1},
		{"two groups", Histogram{Weights: gaussianWeights(500), Outlier: append(make([]bool, 499), true)}, 2},
		{"no outliers among the marks", Histogram{Weights: gaussianWeights(500), Outlier: make([]bool, 500)}, 1},
		{"all zero", Histogram{Weights: make([]float64, 3)}, 1},
		{"constant", Histogram{Weights: []float64{1, 1, 1}, Bins: 1}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := tt.h.count()
			if err != nil {
				t.Fatal(err)
			}
			if len(b.groups) != tt.groups {
				t.Fatalf("%d groups, want %d", len(b.groups), tt.groups)
			}
			for _, g := range b.groups {
				if sum := floats.Sum(g.share); math.Abs(sum-1) > 1e-12 {
					t.Errorf("%s: shares sum to %v", g.name, sum)
				}
			}
		})
	}
}

// TestHistogramPage looks at what is around the bars: the axis starts at weight
// 0, and few outliers have bars as high as many clean samples.
func TestHistogramPage(t *testing.T) {
	h := &Histogram{}
	for i := range 1000 {
		outlier := i%20 == 0
		h.Outlier = append(h.Outlier, outlier)
		h.Weights = append(h.Weights, map[bool]float64{false: 1.04, true: 0.24}[outlier])
	}
	b, err := h.count()
	if err != nil {
		t.Fatal(err)
	}
	if b.edges[0] != 0 || slices.Max(b.groups[0].share) != 1 || slices.Max(b.groups[1].share) != 1 {
		t.Errorf("edges from %v, shares %v and %v", b.edges[0], b.groups[0].share, b.groups[1].share)
	}
	var buf bytes.Buffer
	if err := WriteTo(&buf, h, "svg", nil); err != nil {
		t.Fatal(err)
	}
	text := parseSVG(t, buf.Bytes())
	for _, want := range []string{"in distribution (n = 950, mean 1.04)", "outliers (n = 50, mean 0.24)", "weight", "share of the group"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing from %q", want, text)
		}
	}
}

func gaussianWeights(n int) []float64 {
	w := gaussian(n, 1, 0, 1).Coords
	for i := range w {
		w[i] = math.Abs(w[i])
	}
	return w
}

func TestRuns(t *testing.T) {
	got := runs([]float64{1, 2, 0, 0, 3, 0, 4})
	if want := []run{{0, 2}, {4, 5}, {6, 7}}; !slices.Equal(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
}

func TestHistogramErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		h    *Histogram
		err  error
		text string
	}{
		{"nil", nil, ot.ErrShape, "no weights"},
		{"empty", &Histogram{}, ot.ErrShape, "no weights"},
		{"marks", &Histogram{Weights: []float64{1}, Outlier: []bool{}}, ot.ErrShape, "0 outlier marks for 1 weights"},
		{"bins", &Histogram{Weights: []float64{1}, Bins: -1}, ot.ErrOption, "-1 bins"},
		{"negative", &Histogram{Weights: []float64{1, -1}}, ot.ErrWeights, "weight 1 is -1"},
		{"not a number", &Histogram{Weights: []float64{math.NaN()}}, ot.ErrWeights, "weight 0 is NaN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.h.prepare()
			if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "figure: histogram: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one with %q", err, tt.text)
			}
		})
	}
}
