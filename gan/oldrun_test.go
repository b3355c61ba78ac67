package gan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"rot.example/rot/runs"
)

// TestOldRun resumes a run that was stopped at step 185 by rot before
// Config.Complete was there: config.json and checkpoint are still read, the
// data are still the same, and training goes on as it did then
// (resumed.jsonl). On the machine that made it the records are equal to the
// last digit; other processors round products and sums in another order.
func TestOldRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS("testdata/run")); err != nil {
		t.Fatal(err)
	}
	run, err := runs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var c Config
	if err := run.Config(&c); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, filepath.Join(dir, "config.json"), c)
	c.Data = "testdata/" + c.Data
	d, _, err := Load(&c)
	if err != nil {
		t.Fatal(err)
	}
	var got []Record
	tr, err := Resume(c, d, testBackend(t), run)
	if err != nil || tr.Step() != 185 {
		t.Fatalf("at step %d: %v", tr.Step(), err)
	}
	if err := tr.Run(t.Context(), run, &RunOptions{Hooks: Hooks{Step: func(r Record) { got = append(got, r) }}}); err != nil {
		t.Fatal(err)
	}
	want := readRecords[Record](t, filepath.Join(dir, "resumed.jsonl"))
	if len(got) != 6 || len(want) != 6 {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Step != w.Step || !closeTo(g.CriticLoss, w.CriticLoss) || !closeTo(g.GeneratorLoss, w.GeneratorLoss) || !closeTo(g.ESS, w.ESS) || !closeTo(g.GradientNorm, w.GradientNorm) {
			t.Errorf("got %+v, want %+v", g, w)
		}
	}
}

// closeTo reports whether two numbers of a record are the same but for rounding.
func closeTo(a, b float64) bool { return math.Abs(a-b) <= 1e-3*max(1, math.Abs(b)) }

// sameJSON checks that a configuration is written as the file has it.
func sameJSON(t *testing.T, path string, c any) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(c, "", "  ")
	if err != nil || !bytes.Equal(got, bytes.TrimSpace(want)) {
		t.Errorf("written as %s, %v; the file has %s", got, err, want)
	}
}

// readRecords reads a file of one JSON object a line.
func readRecords[R any](t *testing.T, path string) (all []R) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r R
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}
