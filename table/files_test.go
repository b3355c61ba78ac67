package table

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/internal/budget"
)

// wanted is what bench/peers/table/make_testdata.py says about a file that it
// has written.
type wanted struct {
	Error   string         `json:"error"`
	Rows    int            `json:"rows"`
	Named   bool           `json:"named"`
	Count   int            `json:"count"` // columns, when not all are listed
	Notes   []string       `json:"notes"`
	Columns []wantedColumn `json:"columns"`
}

type wantedColumn struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Missing int      `json:"missing"`
	Cells   []string `json:"cells"`
	Index   bool     `json:"index"`
	Bad     BadCells `json:"bad"`
}

// TestFiles reads every file of testdata and compares with what must be read.
func TestFiles(t *testing.T) {
	wants, err := filepath.Glob("testdata/*.json")
	if err != nil || len(wants) < 30 {
		t.Fatalf("%d files, %v", len(wants), err)
	}
	for _, path := range wants {
		file := strings.TrimSuffix(path, ".json")
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var w wanted
			if err := json.Unmarshal(b, &w); err != nil {
				t.Fatal(err)
			}
			peak := peakMemory()
			got, err := Read(file, nil)
			if held := peak() >> 20; held > 256 {
				t.Errorf("held %d MiB", held)
			}
			if w.Error != "" {
				info, _ := os.Stat(file)
				limit := newAccount(file, 0, info.Size()).limit.Load()
				want := strings.NewReplacer("FILE", file, "LIMIT", budget.Text(limit)).Replace(w.Error)
				if err == nil || err.Error() != want {
					t.Fatalf("got error %v\nwant %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			compareTable(t, got, &w)
		})
	}
}

func compareTable(t *testing.T, got *Table, w *wanted) {
	t.Helper()
	if n := max(w.Count, len(w.Columns)); len(got.Columns) != n || got.Rows != w.Rows || got.Named != w.Named {
		t.Fatalf("got %d columns %v, %d rows, named %v; want %d, %d, %v", len(got.Columns), got.Names()[:min(len(got.Columns), 12)], got.Rows, got.Named, n, w.Rows, w.Named)
	}
	if !slices.Equal(got.Notes, w.Notes) {
		t.Errorf("got notes %q, want %q", got.Notes, w.Notes)
	}
	for j, want := range w.Columns {
		c := &got.Columns[j]
		missing, _ := c.Missing()
		var cells []string
		if c.Kind != Other {
			cells = c.Texts()[:min(got.Rows, 6)]
		}
		if c.Name != want.Name || c.Kind.String() != want.Kind || missing != want.Missing || c.Index != want.Index || c.Bad != want.Bad {
			t.Errorf("column %d: got %s %s, %d missing, index %v, bad %v; want %s %s, %d, %v, %v",
				j+1, c.Name, c.Kind, missing, c.Index, c.Bad, want.Name, want.Kind, want.Missing, want.Index, want.Bad)
		}
		if !slices.Equal(cells, want.Cells) && len(cells)+len(want.Cells) > 0 {
			t.Errorf("column %s: got %q, want %q", c.Name, cells, want.Cells)
		}
	}
}
