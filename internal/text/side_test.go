package text

import (
	"strings"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

// rowsAt is a table of points on a line.
func rowsAt(x ...float64) *dataset.Table {
	return &dataset.Table{Points: ot.Points{Dim: 1, Coords: x}}
}

// TestSide: what a side says about its rows and labels.
func TestSide(t *testing.T) {
	x, y := rowsAt(0, 0.5, 1, 70), rowsAt(0, 1)
	x.Labels = []string{"0", "0", "0", "1"}
	p, err := ot.NewProblem(&x.Points, &y.Points, ot.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ot.Solve(t.Context(), p, &ot.SolveOptions{Rho: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := labelled(r.Source, x), "Label 1: 1 of the 1 rows below 0.5, 1 of all 4 rows.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var b strings.Builder
	Side(&b, r.Source, x)
	for _, want := range []string{"1 of 4 source rows lose most of their weight", "row  weight  nearest target  label", "  3", " 69  1\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if Side(&b, &ot.Side{Name: "source", Moves: true}, nil); !strings.Contains(b.String(), "No source row is worth moving") {
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
