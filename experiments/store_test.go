package experiments

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// openTestStore opens the store of dir and returns it with its warnings.
func openTestStore(t *testing.T, dir, file string) (*store, *[]error) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	warnings := &[]error{}
	s, err := openStore(dir, file, func(err error) { *warnings = append(*warnings, err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	return s, warnings
}

const storedLine = `{"cell":"%s","hash":"0123456789abcdef","result":{"n":%d}}` + "\n"

// TestStoreDamaged: a damaged line is one warning, beside or in the middle, and
// what a kill cut off is cut away.
func TestStoreDamaged(t *testing.T) {
	out := t.TempDir()
	dir, beside := filepath.Join(out, "fig"), filepath.Join(out, "table")
	line := func(name string, n int) string { return fmt.Sprintf(storedLine, name, n) }
	for path, text := range map[string]string{
		filepath.Join(dir, "cells.jsonl"):        line("a", 1) + "{\"cell\":\"b\x00\n" + line("c", 3) + `{"cell":"half`,
		filepath.Join(beside, "cells.jsonl"):     "null\n" + line("d", 4) + strings.Repeat("x", 1<<20) + "\n",
		filepath.Join(out, "cells.jsonl"):        "not a folder of an experiment",
		filepath.Join(out, "odd", "cells.jsonl"): line("e", 5) + "half",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(out, "worse", "cells.jsonl"), 0o777); err != nil { // a folder
		t.Fatal(err)
	}

	shown, warnings := openTestStore(t, dir, "")
	check := func(s *store, warnings []error) {
		t.Helper()
		if len(s.own) != 2 || len(s.othersCells("0123456789abcdef")) != 2 {
			t.Errorf("cells %v beside %v", s.own, s.beside)
		}
		var lines, files []string
		for _, w := range warnings {
			var d *DamagedError
			if !errors.As(w, &d) {
				t.Errorf("warning %v", w)
				continue
			}
			name := filepath.Base(filepath.Dir(d.Path))
			if d.Line == 0 {
				files = append(files, name)
			} else {
				lines = append(lines, fmt.Sprint(name, ":", d.Line))
			}
		}
		if got := strings.Join(lines, " "); got != "fig:2 table:1 table:3" {
			t.Errorf("damaged lines %s", got)
		}
		if got := strings.Join(files, " "); got != "worse" {
			t.Errorf("damaged files %s", got)
		}
	}
	check(shown, *warnings)
	text, err := os.ReadFile(filepath.Join(dir, "cells.jsonl"))
	if err != nil || !strings.HasSuffix(string(text), "half") {
		t.Errorf("showing cut a line that may be being written: %v", err)
	}
	if err := shown.refresh(); err != nil {
		t.Error(err)
	}
	check(shown, *warnings) // each once

	run, warnings := openTestStore(t, dir, "cells.jsonl")
	check(run, *warnings)
	if err := run.append(cellKey{"f", "0123456789abcdef"}, Provenance{Algorithm: "x 1"}, 6); err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(filepath.Join(dir, "cells.jsonl"))
	want := line("c", 3) + `{"cell":"f","hash":"0123456789abcdef","algorithm":"x 1","result":6}` + "\n"
	if err != nil || !strings.HasSuffix(string(text), want) {
		t.Errorf("the file ends with %q, %v", text[max(0, len(text)-len(want)):], err)
	}

	// The reader finds what another process appends, in whatever file.
	if err := os.WriteFile(filepath.Join(dir, "cells-1-of-2.jsonl"), []byte(line("g", 7)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := shown.refresh(); err != nil || len(shown.own) != 4 {
		t.Errorf("after it was refreshed: %v, %v", shown.own, err)
	}
}

// TestStoreNewest: of several cells of a key the newest is the last, whatever
// file it is in.
func TestStoreNewest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fig")
	k := cellKey{"a", "0123456789abcdef"}
	for i, date := range []string{"2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z", ""} {
		s, _ := openTestStore(t, dir, fmt.Sprintf("cells-%d-of-3.jsonl", 2-i))
		if err := s.append(k, Provenance{Date: date}, i); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := openTestStore(t, dir, "")
	cells := s.cells(k)
	if len(cells) != 3 || string(cells[0].Result) != "2" || string(cells[2].Result) != "1" {
		t.Errorf("cells %v", cells)
	}
}
