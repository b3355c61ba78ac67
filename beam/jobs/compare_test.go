package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/chisq"
	"rot.example/rot/drift"
	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// cloud writes points as CSV shards and returns them, too.
func cloud(t *testing.T, dir string, seed uint64, n, dim int, shift, dirt float64) (string, *ot.Points) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	p := &ot.Points{Dim: dim}
	text := [2]strings.Builder{}
	for k := range text {
		for j := range dim {
			fmt.Fprintf(&text[k], "%sx%d", map[bool]string{true: ","}[j > 0], j)
		}
		text[k].WriteString("\n")
	}
	for i := range n {
		far := 0.0
		if rng.Float64() < dirt {
			far = 50
		}
		for j := range dim {
			v := rng.NormFloat64() + shift + far
			p.Coords = append(p.Coords, v)
			fmt.Fprintf(&text[i%2], "%s%v", map[bool]string{true: ","}[j > 0], v)
		}
		text[i%2].WriteString("\n")
	}
	for k := range text {
		write(t, filepath.Join(dir, fmt.Sprintf("s%d.csv", k)), []byte(text[k].String()))
	}
	return filepath.Join(dir, "*.csv"), p
}

// TestDistanceBounds compares the bounds with exact solutions: they hold, plain
// and robust, for samples of any size, and do not depend on the cut.
func TestDistanceBounds(t *testing.T) {
	for trial := range 6 {
		rng := rand.New(rand.NewPCG(uint64(trial), 8))
		dim := []int{1, 2, 6}[trial%3]
		shift, dirt := rng.Float64(), 0.0
		if trial >= 3 {
			dirt = 0.03
		}
		dir := t.TempDir()
		source, x := cloud(t, filepath.Join(dir, "x"), uint64(2*trial), 150+rng.IntN(200), dim, shift, dirt)
		target, y := cloud(t, filepath.Join(dir, "y"), uint64(2*trial+1), 150+rng.IntN(200), dim, 0, 0)
		for _, rho := range []float64{0, 0.02, 0.3} {
			p, err := ot.NewProblem(x, y, ot.Euclidean)
			if err != nil {
				t.Fatal(err)
			}
			want, err := ot.Robust(t.Context(), p, &ot.RobustOptions{Source: chisq.Ball{Rho: rho}})
			if err != nil {
				t.Fatal(err)
			}
			var first []byte
			for k, cores := range []int{4, 40, 40, 4000} {
				if cores == 4000 && rho > 0 {
					continue
				}
				o := &DistOptions{Ball: chisq.Ball{Rho: rho}, Cores: cores, Sample: 60, Seed: uint64(trial), Table: TableOptions{Missing: table.MissingError}, Shards: shards.Options{Block: []int64{1 << 20, 900}[k%2]}}
				if k == 2 {
					o.Shards.Block = 2000
				}
				r, err := Distance(t.Context(), &engine.Job{Runner: engine.Plain}, []string{source}, []string{target}, o)
				if err != nil {
					t.Fatal(err)
				}
				if r.Lower > want.Value || r.Upper < want.Lower {
					t.Errorf("trial %d, rho %g, %d cores: the distance is %g to %g, and not in [%g, %g]", trial, rho, cores, want.Lower, want.Value, r.Lower, r.Upper)
				}
				text, _ := json.Marshal(r)
				if k == 1 {
					first = text
				} else if k == 2 && !bytes.Equal(first, text) {
					t.Errorf("trial %d: blocks of another size give %s, not %s", trial, text, first)
				}
				if cores == 4000 && r.Upper-r.Lower > 0.02*want.Value+1e-6 {
					t.Errorf("trial %d, rho %g: every row a core, and still [%g, %g] for %g", trial, rho, r.Lower, r.Upper, want.Value)
				}
			}
		}
	}
}

// TestDrift finds what has moved, and nothing where nothing has.
func TestDrift(t *testing.T) {
	dir := t.TempDir()
	ref, _ := cloud(t, filepath.Join(dir, "ref"), 1, 1200, 3, 0, 0)
	same, _ := cloud(t, filepath.Join(dir, "same"), 2, 1200, 3, 0, 0)
	moved, _ := cloud(t, filepath.Join(dir, "moved"), 3, 1200, 3, 0.5, 0)
	run := func(fresh, out string, block int64) *DriftResult {
		r, err := Drift(t.Context(), &engine.Job{Runner: engine.Plain}, []string{ref}, []string{fresh}, &DriftOptions{Sample: 400, Rows: 300, Permutations: 99, Out: out, Table: TableOptions{Missing: table.MissingIndicator}, Shards: shards.Options{Block: block}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	out := filepath.Join(dir, "out")
	a, b := run(moved, out, 1<<20), run(moved, "", 3000)
	if a.Verdict != drift.Moved || a.Columns[0].Adjusted > 1e-6 || math.Abs(a.Columns[0].Shift-0.5) > 0.15 {
		t.Errorf("verdict %s, first column %+v", a.Verdict, a.Columns[0])
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if !bytes.Equal(x, y) {
		t.Error("blocks of another size give another answer")
	}
	for _, name := range []string{"report.html", "columns.html", "manifest.json"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := run(same, "", 1<<20); r.Verdict == drift.Moved || r.Columns[0].Adjusted < 1e-3 {
		t.Errorf("same: verdict %s, first column %+v", r.Verdict, r.Columns[0])
	}
}
