package da

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/engine"
	"rot.example/rot/runs"
)

// TestModelUnits: a model classifies a row the same whatever rows are beside
// it, in the units of the target that it was trained for.
func TestModelUnits(t *testing.T) {
	dir := t.TempDir()
	file := func(name, head string, n int, row func(i int) string) string {
		var s strings.Builder
		s.WriteString(head)
		for i := range n {
			s.WriteString(row(i))
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(s.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	at := func(i int) (x, y float64) { return float64(i%2)*4 + math.Sin(float64(i)), math.Cos(3 * float64(i)) }
	target := func(i int) string {
		x, y := at(i)
		return fmt.Sprintf("%g,%g\n", 100+20*x, 3*y)
	}
	c := preset(t, "mlp")
	c.Label, c.Steps, c.WarmUp, c.BankEvery, c.EvalEvery, c.Batch, c.Backend = "class", 30, 10, 10, 30, 16, "cpu"
	c.Source = file("source.csv", "x,y,class\n", 60, func(i int) string {
		x, y := at(i)
		return fmt.Sprintf("%g,%g,%c\n", x, y, 'a'+rune(i%2))
	})
	c.Target = file("target.csv", "x,y\n", 60, target)
	data, notes, err := Load(&c)
	if err != nil || len(notes) != 1 {
		t.Fatal(notes, err)
	}
	b, err := engine.Open("cpu", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tr, err := New(c, data, b)
	if err != nil {
		t.Fatal(err)
	}
	run, err := runs.Create(dir, "run", "da", c)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Run(context.Background(), run, nil); err != nil {
		t.Fatal(err)
	}
	if err := tr.UseBest(); err != nil {
		t.Fatal(err)
	}
	all, err := tr.Evaluate(data.Target, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	few := c
	few.Target, few.DataHash = file("few.csv", "x,y\n", 3, target), ""
	other, _, err := Load(&few)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(few, other, b, run)
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Evaluate(other.Target, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range e.Predict {
		if k != all.Predict[i] || math.Abs(e.Sure[i]-all.Sure[i]) > 1e-4 {
			t.Errorf("row %d is %d (%v) among three, and %d (%v) among all", i, k, e.Sure[i], all.Predict[i], all.Sure[i])
		}
	}
}
