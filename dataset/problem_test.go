package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rot.example/rot/ot"
)

// TestProblemErrors: an error about a row names its table and column.
func TestProblemErrors(t *testing.T) {
	good := func() *Table {
		return &Table{Name: "a.csv", Columns: []string{"x", "y"}, Points: ot.Points{Dim: 2, Coords: []float64{1, 2, 3, 4}}}
	}
	with := func(columns []string, coords ...float64) *Table {
		return &Table{Name: "b.csv", Columns: columns, Points: ot.Points{Dim: 2, Coords: coords}}
	}
	short := filepath.Join(t.TempDir(), "w.csv")
	if err := os.WriteFile(short, []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		target *Table
		opts   *ProblemOptions
		want   string
	}{
		{"named column", with([]string{"x", "y"}, 1, 2, 3, 1e300), nil, "b.csv: row 1 column y is 1e+300: costs would overflow: value is not usable (rows count from 0, columns from 1)"},
		{"numbered column", with(nil, 1, 1e300), nil, "b.csv: row 0 column 2 is 1e+300: costs would overflow: value is not usable (rows count from 0, columns from 1)"},
		{"no direction", with(nil, 1, 2, 0, 0), &ProblemOptions{Metric: ot.Cosine}, "b.csv: row 1: is all zeros and has no cosine (rows count from 0)"},
		{"too few weights", with(nil, 1, 2), &ProblemOptions{SourceWeights: short}, short + " has 1 weight for the 2 rows of a.csv"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := NewProblem(good(), tt.target, tt.opts); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestHeavyColumn: a column in small units makes the cost, unless the columns
// have a common one.
func TestHeavyColumn(t *testing.T) {
	table := func(seed, unit float64) *Table {
		x := &Table{Points: ot.Points{Dim: 2}}
		for i := range 30 {
			v := float64((i*7+int(seed))%11) / 11
			x.Points.Coords = append(x.Points.Coords, v, unit*(1-v)*float64(i%5))
		}
		return x
	}
	for _, tt := range []struct {
		unit float64
		want string
	}{{1000, "2"}, {0.2, ""}} {
		p, err := NewProblem(table(1, tt.unit), table(4, tt.unit), nil)
		if err != nil {
			t.Fatal(err)
		}
		name, share := p.HeavyColumn()
		if name != tt.want || (name != "") != (share > heavyShare) {
			t.Errorf("unit %v: column %q makes %v of the cost, want %q", tt.unit, name, share, tt.want)
		}
	}
}

// TestKnownOutliers: marks that are all alike score nothing.
func TestKnownOutliers(t *testing.T) {
	x := &Table{Name: "a.csv", Labels: []string{"1", "0"}, Points: ot.Points{Dim: 1, Coords: []float64{1, 2}}}
	marks, err := x.KnownOutliers("labels")
	if err != nil || !marks[0] || marks[1] {
		t.Errorf("got %v, %v", marks, err)
	}
	for label, all := range map[string]bool{"1": true, "0": false} {
		x.Labels = []string{label, label}
		var useless *MarksError
		if _, err := x.KnownOutliers("labels"); !errors.As(err, &useless) || useless.All != all || useless.From != "the label column of a.csv" {
			t.Errorf("labels %s: got %v", label, err)
		}
	}
}
