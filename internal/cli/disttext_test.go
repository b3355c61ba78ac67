package cli

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

func inputOf(t *testing.T, x, y *dataset.Table) *input {
	t.Helper()
	p, err := ot.NewProblem(&x.Points, &y.Points, ot.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	return &input{x, y, p}
}

// TestSideText: what a side says about its rows and labels.
func TestSideText(t *testing.T) {
	x := rowsAt(0, 0.5, 1, 70)
	x.Labels = []string{"0", "0", "0", "1"}
	in := inputOf(t, x, rowsAt(0, 1))
	r, err := ot.Solve(t.Context(), in.problem, &ot.SolveOptions{Rho: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	s := side{r.Source, x}
	if got, want := s.labelled(), "Label 1: 1 of the 1 rows below 0.5, 1 of all 4 rows.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.suspects(); len(got) != 1 || got[0].ID != "3" || *got[0].Label != "1" || got[0].Nearest != 69 {
		t.Errorf("%+v", got)
	}
	var b strings.Builder
	s = side{&ot.Side{Name: "source", Moves: true}, nil}
	if s.text(&b); !strings.Contains(b.String(), "No source row is worth moving") {
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
