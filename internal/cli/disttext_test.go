package cli

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

// rowsAt is a table of points on a line.
func rowsAt(x ...float64) *dataset.Table {
	return &dataset.Table{Points: ot.Points{Dim: 1, Coords: x}}
}

func inputOf(t *testing.T, x, y *dataset.Table) *input {
	t.Helper()
	p, err := ot.NewProblem(&x.Points, &y.Points, ot.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	return &input{x, y, p}
}

func TestSideRanksTies(t *testing.T) {
	x := rowsAt(0, 50, 90, 70, 1)
	x.Labels = []string{"0", "1", "1", "1", "0"}
	in := inputOf(t, x, rowsAt(0, 1))
	quarter := []float64{0.25, 0.25, 0.25, 0.25, 0}
	r := &ot.Result{
		A: []float64{0.9, 0, 1e-19, 0.1, 0}, BaseA: quarter,
		F: []float64{0, 7, 7, 7, 0}, // The potential is capped and cannot tell.
		G: []float64{0, 0}, B: []float64{0.5, 0.5}, BaseB: []float64{0.5, 0.5},
	}
	s := newSide("source", in, r, true)
	var order []int
	for _, row := range s.suspect {
		order = append(order, row.Row)
	}
	if want := []int{2, 1, 3}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v: the farthest first, then the higher weight", order, want)
	}
	if s.dropped != 2 || s.low != 3 || s.counted != 4 {
		t.Errorf("dropped %d, low %d of %d; want 2, 3 of 4, without the row of base weight 0", s.dropped, s.low, s.counted)
	}
	if got := s.suspect[0]; got.Nearest != 89 || got.Weight != 0 || *got.Label != "1" {
		t.Errorf("worst row %+v", got)
	}
	if got, want := s.labelled(), "Label 1: 3 of the 3 rows below 0.5, 3 of all 4 rows.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSideMean checks the mean of weights when mass is left behind.
func TestSideMean(t *testing.T) {
	in := inputOf(t, rowsAt(0, 1, 2), rowsAt(0, 1))
	r := &ot.Result{
		A: []float64{0.1, 0.3, 0}, BaseA: []float64{0.2, 0.3, 0.5},
		B: []float64{0.2, 0.2}, BaseB: []float64{0.5, 0.5},
	}
	var b bytes.Buffer
	s := newSide("source", in, r, true)
	if err := s.writeWeights(&b); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "index,weight\n0,1.25\n1,2.5\n2,0\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var mean float64
	for i, w := range s.weights {
		mean += w * r.BaseA[i]
	}
	if math.Abs(mean-1) > 1e-12 {
		t.Errorf("mean weight %v", mean)
	}
}

func TestSideOfEmptyPlan(t *testing.T) {
	in := inputOf(t, rowsAt(0), rowsAt(9))
	r := &ot.Result{A: []float64{0}, BaseA: []float64{1}, B: []float64{0}, BaseB: []float64{1}, Plan: &ot.Plan{}}
	s := newSide("source", in, r, true)
	if err := s.writeWeights(&bytes.Buffer{}); err == nil {
		t.Error("weights of nothing")
	}
	var b strings.Builder
	if s.report(&b); !strings.Contains(b.String(), "No source row is worth moving") {
		t.Errorf("got %q", b.String())
	}
}

func TestPositiveLabel(t *testing.T) {
	for _, tt := range []struct {
		labels, want string
	}{
		{"1 1 1 0", "1"}, {"false true false", "true"}, {"cat cat dog", "dog"}, {"a b c", ""}, {"0 0.0", "0.0"},
	} {
		x := rowsAt(make([]float64, len(strings.Fields(tt.labels)))...)
		x.Labels = strings.Fields(tt.labels)
		if got, _ := positive(x); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.labels, got, tt.want)
		}
	}
}
