package da

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"rot.example/rot/runs"
)

// TestOldRun trains by a config.json that rot wrote before Config.Complete was
// there: it is still read, the data are still the same, and the records are
// those of then (metrics.jsonl). On the machine that made them they are equal
// to the last digit; other processors round products and sums in another order.
func TestOldRun(t *testing.T) {
	run, err := runs.Open("testdata/run")
	if err != nil {
		t.Fatal(err)
	}
	var c Config
	if err := run.Config(&c); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/run/config.json")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.MarshalIndent(c, "", "  "); err != nil || !bytes.Equal(again, bytes.TrimSpace(text)) {
		t.Errorf("written as %s, %v; the file has %s", again, err, text)
	}
	c.Source, c.Target = "testdata/"+c.Source, "testdata/"+c.Target
	var got []Record
	tr, fresh := newTrainer(t, c, load(t, &c))
	if err := tr.Run(context.Background(), fresh, &RunOptions{Hooks: Hooks{Step: func(r Record) { got = append(got, r) }}}); err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile("testdata/run/metrics.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-3*max(1, math.Abs(b)) }
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(lines) != 8 || len(got) != 8 {
		t.Fatalf("%d records, want those of %d lines", len(got), len(lines))
	}
	for i, line := range lines {
		var want Record
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		g := got[i]
		if g.Step != want.Step || !near(g.ClassLoss, want.ClassLoss) || !near(g.CriticLoss, want.CriticLoss) || !near(g.ESS, want.ESS) || !near(g.GradientNorm, want.GradientNorm) {
			t.Errorf("got %+v, want %+v", g, want)
		}
	}
}
