package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shuffledFile writes a table of several kinds with its columns in a random
// order, the same cells whatever the order.
func shuffledFile(t *testing.T, path string, rows, seed int, order *rand.Rand) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	names := []string{"id", "age", "b2", "b10", "country", "member", "joined", "class"}
	place := order.Perm(len(names))
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	write := func(cells []string) {
		line := make([]string, len(cells))
		for k, j := range place {
			line[k] = cells[j]
		}
		w.Write(line)
	}
	write(names)
	for i := range rows {
		age := fmt.Sprint(20 + r.IntN(50))
		if r.IntN(15) == 0 {
			age = ""
		}
		kind := r.IntN(2)
		write([]string{
			fmt.Sprintf("r%03d", i), age, fmt.Sprintf("%.4f", r.NormFloat64()+2*float64(kind)), fmt.Sprintf("%.4f", 100*r.NormFloat64()),
			[]string{"FR", "DE", "IT"}[r.IntN(3)], fmt.Sprint(r.IntN(2) == 0), fmt.Sprintf("2024-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)),
			[]string{"no", "yes"}[kind],
		})
	}
	w.Flush()
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// withoutTimes is a result without what differs from run to run.
func withoutTimes(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key := range v {
				switch {
				case strings.Contains(key, "second"), key == "run", key == "rows_per_second", key == "when", key == "images_per_second":
					delete(v, key)
				default:
					strip(v[key])
				}
			}
		case []any:
			for _, x := range v {
				strip(x)
			}
		}
	}
	strip(v)
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestOrderOfColumns shuffles the columns of either file: no result of any verb
// may change.
func TestOrderOfColumns(t *testing.T) {
	const flags = " --label-column class"
	verbs := []struct {
		lines []string
		files []string // compared as they are
	}{
		{lines: []string{"dist a.csv b.csv --missing median --rho 0.05 --json --weights w.csv --plan p.csv --potentials f.npz" + flags}, files: []string{"w.csv", "p.csv", "f.npz"}},
		{lines: []string{"dist a.csv b.csv --missing drop --scale std --json" + flags}},
		{lines: []string{"dist a.csv b.csv --missing indicator --scale robust --clock --encoding e.json --metric cityblock --json" + flags}, files: []string{"e.json"}},
		{lines: []string{"curve a.csv b.csv --missing median --scale std --rhos 0,0.05,0.2 --json" + flags}},
		{lines: []string{"clean a.csv --out c --json" + flags}, files: []string{"c/weights.csv"}},
		{lines: []string{"clean a.csv --against b.csv --out c --json" + flags}, files: []string{"c/weights.csv"}},
		{lines: []string{"drift b.csv a.csv --permutations 19 --json" + flags}},
		{lines: []string{"clean fit a.csv --model m --ignore class --json", "clean score b.csv --model m --out s.csv --json"}, files: []string{"s.csv"}},
		{lines: []string{"data mix a.csv b.csv@0.1 --out mixed.csv --missing median --json" + flags}},
		{lines: []string{
			"da train --source a.csv --target b.csv --missing median --steps 4 --batch 8 --warm-up 2 --eval-every 2 --backend go --name r --runs runs --json" + flags,
			"da eval runs/r --target b.csv --json --backend go", "da predict runs/r --target b.csv --out pred.csv --json --backend go",
		}, files: []string{"pred.csv"}},
		{lines: []string{
			"gan train --data a.csv --missing median --outliers b.csv@0.1 --steps 3 --batch 8 --backend go --name g --runs runs --json" + flags,
			"gan sample runs/g -n 5 --out s.csv --backend go",
		}, files: []string{"s.csv"}},
	}
	for _, v := range verbs {
		t.Run(v.lines[0], func(t *testing.T) {
			var first []string
			for k := range 3 {
				dir := t.TempDir()
				t.Chdir(dir)
				order := rand.New(rand.NewPCG(uint64(k), 7))
				shuffledFile(t, "a.csv", 60, 1, order)
				shuffledFile(t, "b.csv", 50, 2, order)
				var results []string
				for _, line := range v.lines {
					var out, errs bytes.Buffer
					if code := run(t.Context(), strings.Fields(line), IO{Out: &out, Err: &errs}); code != ExitOK && code != ExitNotConverged {
						t.Fatalf("%s: exit code %d\n%s", line, code, errs.String())
					}
					results = append(results, withoutTimes(t, out.String()))
				}
				for _, file := range v.files {
					text, err := os.ReadFile(filepath.Join(dir, file))
					if err != nil {
						t.Fatal(err)
					}
					results = append(results, string(text))
				}
				if first == nil {
					first = results
				}
				for i := range results {
					if results[i] != first[i] {
						t.Fatalf("order %d: got\n%s\nwant\n%s", k, results[i], first[i])
					}
				}
			}
		})
	}
}
