package figure

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"rot/ot"
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
