package table

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fuzzFormat reads anything as a file of one format: it must be a whole table
// or an *Error that names the file.
func fuzzFormat(f *testing.F, name string, endings ...string) {
	paths, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		for _, ending := range endings {
			if b, err := os.ReadFile(path); err == nil && strings.HasSuffix(path, ending) && len(b) < 20_000 {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ReadBytes(name, data, &Options{MaxMemory: 64 << 20})
		var e *Error
		if err != nil {
			if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), name) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		checkWhole(t, got)
	})
}

// checkWhole fails when a table contradicts itself.
func checkWhole(t *testing.T, got *Table) {
	t.Helper()
	seen := make(map[string]bool)
	if got.Rows == 0 || len(got.Columns) == 0 {
		t.Fatalf("%d rows, %d columns", got.Rows, len(got.Columns))
	}
	for j := range got.Columns {
		c := &got.Columns[j]
		if c.Kind != Other && c.rows() != got.Rows {
			t.Fatalf("column %q has %d rows of %d", c.Name, c.rows(), got.Rows)
		}
		for _, code := range c.Codes {
			if int(code) >= len(c.Levels) || code < -1 {
				t.Fatalf("column %q: code %d of %d", c.Name, code, len(c.Levels))
			}
		}
		if seen[c.Name] {
			t.Fatalf("two columns %q", c.Name)
		}
		seen[c.Name] = true
		for i := range min(got.Rows, 3) {
			c.Text(i)
		}
	}
	if e, err := Fit(EncodingOptions{Missing: MissingIndicator, Scale: ScaleRobust, Clock: true}, got); err == nil {
		if _, err := e.Apply(got); err != nil {
			t.Fatalf("encoding: %v", err)
		}
	}
	got.Summary()
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n1,\"x\"\"y\"\n"))
	fuzzFormat(f, "x.csv", ".csv", ".tsv")
}
func FuzzJSON(f *testing.F)    { fuzzFormat(f, "x.jsonl", ".jsonl", ".ndjson") }
func FuzzNPY(f *testing.F)     { fuzzFormat(f, "x.npy", ".npy") }
func FuzzNPZ(f *testing.F)     { fuzzFormat(f, "x.npz", ".npz") }
func FuzzParquet(f *testing.F) { fuzzFormat(f, "x.parquet", ".parquet") }
func FuzzArrow(f *testing.F)   { fuzzFormat(f, "x.arrow", ".arrow", ".feather", ".arrows") }

func FuzzEncoding(f *testing.F) {
	f.Add([]byte(`{"version":1,"scale":"std","missing":"drop","named":true,"columns":[{"name":"x","kind":"number","center":[1],"unit":[2],"fill":[3]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ParseEncoding(data)
		if err != nil {
			return
		}
		if len(e.Components()) != e.Dim() || e.String() == "" {
			t.Fatal("components do not add up")
		}
	})
}
