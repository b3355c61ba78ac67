package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/table"
)

// badShards writes a table in two shards with three bad rows, and the same table
// without them.
func badShards(t *testing.T, dir string) (bad, good string) {
	t.Helper()
	rows := records(15, 300, 0)
	for i := range rows {
		rows[i].ID = fmt.Sprint("n", i)
	}
	lines := strings.SplitAfter(csvText(rows, false), "\n")
	header, lines := lines[0], lines[1:301]
	lines[99] = "n99,1\n"
	lines[199] = "n199,x,2,red\n"
	lines[250] = "n250,3,inf,red\n"
	write(t, filepath.Join(dir, "bad", "a.csv"), []byte(header+strings.Join(lines[:150], "")))
	write(t, filepath.Join(dir, "bad", "b.csv"), []byte(header+strings.Join(lines[150:], "")))
	lines[99], lines[199], lines[250] = "", "", ""
	return filepath.Join(dir, "bad", "*.csv"), write(t, filepath.Join(dir, "good.csv"), []byte(header+strings.Join(lines, "")))
}

// TestSkipBadEverywhere runs every job on a table with bad rows: without a word
// it fails and says where, with one row too few as well, and else the answer is
// that for the table without them.
func TestSkipBadEverywhere(t *testing.T) {
	dir := t.TempDir()
	bad, good := badShards(t, dir)
	model := filepath.Join(dir, "model")
	out := filepath.Join(dir, "out")
	strict := TableOptions{Missing: table.MissingError}
	for _, tt := range []struct {
		name string
		run  func(pattern string, block int64, sample int, b BadOptions) (answer string, bad int64, err error)
	}{
		{"fit", func(pattern string, block int64, sample int, b BadOptions) (string, int64, error) {
			r, err := Fit(t.Context(), &engine.Job{Temp: t.TempDir()}, []string{pattern}, &FitOptions{Model: model, Sample: sample, Bad: b, Table: strict, Shards: shards.Options{Block: block}})
			if err != nil {
				return "", 0, err
			}
			text, err := os.ReadFile(model)
			return string(text), r.Bad, errors.Join(err, os.Remove(model))
		}},
		{"drift", func(pattern string, block int64, sample int, b BadOptions) (string, int64, error) {
			r, err := Drift(t.Context(), &engine.Job{Temp: t.TempDir()}, []string{good}, []string{pattern}, &DriftOptions{Sample: sample, Rows: 100, Permutations: 19, Out: out, Bad: b, Table: strict, Shards: shards.Options{Block: block}})
			if err != nil {
				return "", 0, err
			}
			n := r.Bad
			r.Bad = 0
			text, err := json.Marshal(r)
			return string(text), n, errors.Join(err, os.RemoveAll(out))
		}},
		{"dist", func(pattern string, block int64, sample int, b BadOptions) (string, int64, error) {
			r, err := Distance(t.Context(), &engine.Job{Temp: t.TempDir()}, []string{pattern}, []string{good}, &DistOptions{Sample: sample, Cores: 20, Bad: b, Table: strict, Shards: shards.Options{Block: block}})
			if err != nil {
				return "", 0, err
			}
			n := r.Bad
			r.Bad = 0
			text, err := json.Marshal(r)
			return string(text), n, err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, n, err := tt.run(good, 1<<20, 1000, BadOptions{})
			if err != nil || n != 0 {
				t.Fatalf("%d bad rows, error %v", n, err)
			}
			var some string
			for k, block := range []int64{700, 1 << 20} {
				file := filepath.Join(t.TempDir(), "bad.csv")
				got, n, err := tt.run(bad, block, 1000, BadOptions{Skip: 3, File: file})
				if err != nil || n != 3 {
					t.Fatalf("%d bad rows, error %v", n, err)
				}
				if got != want {
					t.Errorf("blocks of %d bytes: got %.300q, want as without the bad rows %.300q", block, got, want)
				}
				text := joined(t, file, true)
				for _, part := range []string{"a.csv,101,99,", `b.csv,51,199,`, `b.csv,102,250,`, "the line has 2 fields", `column ""a"" holds numbers, but one cell is not: ""x""`, `column ""b"" holds +Inf in line 102`, `"n99,1"`} {
					if !strings.Contains(text, part) {
						t.Errorf("the bad rows lack %s: %s", part, text)
					}
				}
				// Drawn from some of the rows it does not depend on the blocks.
				got, _, err = tt.run(bad, block, 100, BadOptions{Skip: 5, File: file})
				if err != nil {
					t.Fatal(err)
				}
				if k > 0 && got != some {
					t.Errorf("another cut gives another answer: %.300q, not %.300q", got, some)
				}
				some = got

				os.Remove(file)
				if _, _, err := tt.run(bad, block, 1000, BadOptions{Skip: 2, File: file}); err == nil || !strings.Contains(err.Error(), "bad rows") {
					t.Errorf("one bad row too many: error %v", err)
				}
				if _, _, err := tt.run(bad, block, 1000, BadOptions{}); err == nil || !strings.Contains(err.Error(), ".csv:101: the line has 2 fields") &&
					!strings.Contains(err.Error(), "in line 51") && !strings.Contains(err.Error(), "in line 102") {
					t.Errorf("a bad row: error %v", err)
				}
				for _, left := range []string{file, model, out} {
					if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("%s was left behind", left)
					}
				}
			}
		})
	}
}

// TestBadFormats has bad rows in JSON lines and in Parquet: errors name lines, or
// rows among all, also where a bad line is among the first.
func TestBadFormats(t *testing.T) {
	rows := records(16, 200, 0)
	for _, tt := range []struct {
		format, want string
		line         int
		data         func() []byte
	}{
		{"jsonl", "in.jsonl:41: the JSON object", 41, func() []byte {
			lines := strings.SplitAfter(jsonText(rows), "\n")
			lines[40] = `{"id":"x","a":1,` + "\n"
			return []byte(strings.Join(lines, ""))
		}},
		{"jsonl", `column "b" has 1 missing value, the first in line 42`, 42, func() []byte {
			lines := strings.SplitAfter(jsonText(rows), "\n")
			lines[41] = `{"id":"x","a":1,"colour":"red"}` + "\n"
			return []byte(strings.Join(lines, ""))
		}},
		{"parquet", `column "b" holds +Inf in row 43 of all`, 0, func() []byte {
			some := slices.Clone(rows)
			some[43].B = math.Inf(1)
			return parquetBytes(t, some, 30)
		}},
	} {
		dir := t.TempDir()
		in := write(t, filepath.Join(dir, "in."+tt.format), tt.data())
		run := func(b BadOptions) (*DistResult, error) {
			return Distance(t.Context(), &engine.Job{Runner: engine.Plain}, []string{in}, []string{in}, &DistOptions{Cores: 10, Bad: b, Table: TableOptions{Missing: table.MissingError}})
		}
		if _, err := run(BadOptions{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
		file := filepath.Join(dir, "bad.csv")
		r, err := run(BadOptions{Skip: 2, File: file})
		if err != nil || r.Bad != 2 || r.N != 199 || r.M != 199 {
			t.Fatalf("%+v, error %v", r, err)
		}
		if text := joined(t, file, true); strings.Count(text, fmt.Sprintf("in.%s,%d,", tt.format, tt.line)) != 2 {
			t.Errorf("bad rows: %s", text)
		}
	}
}
