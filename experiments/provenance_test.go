package experiments

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutdated: whatever made a cell and is different now makes it old.
func TestOutdated(t *testing.T) {
	now := expectation{algorithm: "gan 2", known: true, data: "d", judge: "j"}
	for _, tt := range []struct {
		name string
		made Provenance
		want string
	}{
		{"the same", Provenance{Algorithm: "gan 2", Data: "d", Judge: "j", Revision: "other"}, ""},
		{"nothing known", Provenance{Device: "a GPU"}, beforeProvenance},
		{"version", Provenance{Algorithm: "gan 1", Data: "d", Judge: "j"}, "by gan 1, where now is gan 2"},
		{"data", Provenance{Algorithm: "gan 2", Data: "e", Judge: "j"}, otherData},
		{"judge", Provenance{Algorithm: "gan 2", Data: "d", Judge: "k"}, otherJudge},
	} {
		if got := tt.made.outdated(now); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	now.known = false
	if got := (Provenance{Algorithm: "gan 2", Data: "e"}).outdated(now); got != "" {
		t.Errorf("where the data are not there to compare with: %q", got)
	}
}

// TestRevision: a build without version control can be told its revision.
func TestRevision(t *testing.T) {
	if got := Revision(); got == "" {
		t.Error("no revision")
	}
	defer func() { revision = "" }()
	revision = "1.2.3"
	if got := Revision(); got != "1.2.3" {
		t.Errorf("revision %s", got)
	}
}

// TestRunAgain runs table 2 on made-up features, changes the data, and finds
// that all cells are run again; then shows a mixture of old and current cells.
func TestRunAgain(t *testing.T) {
	o := options(t)
	file := filepath.Join(o.Data, "office-caltech10", "efficientnet_lite4_f16.npz")
	archive(t, file)
	o.Parts = []string{"efficientnet"}
	var warnings []error
	o.Warn = func(err error) { warnings = append(warnings, err) }
	run := func() *Result {
		t.Helper()
		res, err := table2.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := run(); res.Done != 21 || len(warnings) > 0 || !strings.Contains(res.Markdown, "\n*Made by: revision unknown; algorithm adapt 1; data ") {
		t.Fatalf("%d cells, warnings %v:\n%s", res.Done, warnings, res.Markdown)
	}
	if res := run(); res.Done != 0 {
		t.Errorf("the second run ran %d cells", res.Done)
	}

	// A byte behind the archive changes nothing but its hash.
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, 0), 0o666); err != nil {
		t.Fatal(err)
	}
	res := run()
	var old *OldCellsError
	if res.Done != 21 || len(warnings) != 1 || !errors.As(warnings[0], &old) || old.Reason != otherData || old.Count != 21 || res.Sections[0].Old != 0 {
		t.Errorf("with other data %d cells ran, warnings %v", res.Done, warnings)
	}

	// Of two cells with other data than the rest one is before provenance and
	// one has data of its own: both are shown with a mark.
	path := filepath.Join(o.Out, "table2", "cells.jsonl")
	if text, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")[21:42] // the first 21 are of the first data
	strip := func(line, data string) string {
		var c storedCell
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.Data = data; data == "" {
			c.Provenance = Provenance{}
		} else {
			c.Date = "2020-01-01T00:00:00Z"
		}
		out, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return string(out) + "\n"
	}
	lines[0], lines[1] = strip(lines[0], ""), strip(lines[1], "0123456789abcdef")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Show = true
	s := run().Sections[0]
	if s.Old != 2 || strings.Count(s.Markdown, oldMark) < 4 || !strings.Contains(strings.Join(s.Notes, "\n"), "**† old: before provenance (1 of 21 runs), other data (1 of 21 runs).**") {
		t.Errorf("%d old; notes %q:\n%s", s.Old, s.Notes, s.Markdown)
	}
	if !strings.Contains(s.Markdown, "| amazon → caltech10 | 100.0 † | 100.0 † | 100.0 |") || !strings.Contains(s.Markdown, "| **mean** | **100.0** † |") {
		t.Errorf("the tables:\n%s", s.Markdown)
	}
	if !strings.Contains(s.Markdown, "; 1 of 21 runs by an unknown revision") {
		t.Errorf("below the tables:\n%s", s.MadeBy)
	}
}

// TestOldCells: what old and current cells have in common is averaged over the
// current ones only.
func TestOldCells(t *testing.T) {
	l := &lab{Options: &Options{Show: true}, hashes: newFileHashes(&Options{})}
	s, _ := openTestStore(t, filepath.Join(t.TempDir(), "fig"), "cells.jsonl")
	var jobs []*job
	for i, made := range []Provenance{{Algorithm: "made 1", Date: "2026"}, {}, {}} {
		k := cellKey{string(rune('a' + i)), "0123456789abcdef"}
		jobs = append(jobs, &job{key: k, now: expectation{algorithm: "made 1"}})
		if err := s.append(k, made, madeCell{Number: i / 2}); err != nil {
			t.Fatal(err)
		}
	}
	f := &finder{lab: l, store: s}
	cells, err := found[madeCell](f, []batch{{jobs: jobs}}, func(c *madeCell, o origin) string {
		c.origin = o
		return string(rune('0' + c.Number))
	})
	if err != nil || len(cells) != 2 || f.undone != 1 || cells[0].old != "" || cells[1].old != beforeProvenance {
		t.Errorf("cells %+v, %d lacking, %v", cells, f.undone, err)
	}
}

// TestCommittedCells: every cell in docs/results still has the key that the
// experiments look for. A change of a configuration's JSON loses them all.
func TestCommittedCells(t *testing.T) {
	const results = "../docs/results"
	seen := 0
	for _, e := range All() {
		o := options(t)
		o.Quick, o.Show, o.Seeds = false, true, 3
		if _, err := os.Stat(filepath.Join(results, e.Name, "cells.jsonl")); err != nil {
			continue
		}
		parts, err := e.prepare(&o)
		if err != nil {
			t.Fatal(err)
		}
		known := map[cellKey]bool{}
		for _, p := range parts {
			st, err := e.study(&o, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range st.batches {
				for _, j := range b.jobs {
					for _, k := range append(j.also, j.key) {
						known[k] = true
					}
				}
			}
		}
		s, warnings := openTestStore(t, filepath.Join(results, e.Name), "")
		if len(*warnings) > 0 {
			t.Errorf("warnings %v", *warnings)
		}
		names := map[string]bool{} // and whether one of its cells is found: an earlier configuration's is not
		for k := range s.own {
			names[k.name] = names[k.name] || known[k]
		}
		lost := 0
		for _, found := range names {
			if !found {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%s: %d of %d cells are not found by their keys", e.Name, lost, len(names))
		}
		seen += len(names)
	}
	if seen < 3392 {
		t.Errorf("%d cells in all", seen)
	}
}

// TestFileHashes: a hash is of the content of all files that a specification
// names, and of nothing else.
func TestFileHashes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a/train-images-idx3-ubyte.gz", "images")
	write("a/train-labels-idx1-ubyte.gz", "labels")
	write("b/batch_1.png", "one")
	write("b/batch_2.png", "two")
	write("c/bus/x.jpg", "bus")
	specs := map[string][]string{ // specification: files that count
		dir + "/a/train-images-idx3-ubyte.gz[0:20]":                    {"a/train-images-idx3-ubyte.gz", "a/train-labels-idx1-ubyte.gz"},
		"stack:" + dir + "/b/batch_*.png," + dir + "/c/bus/x.jpg@0.15": {"b/batch_1.png", "b/batch_2.png", "c/bus/x.jpg"},
		dir + "/c[label!=bus]":                                         {"c/bus/x.jpg"},
	}
	sum := func(spec string) string {
		t.Helper()
		hash, err := newFileHashes(&Options{Data: dir + "/"}).of([]string{spec})
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	for spec, files := range specs {
		first := sum(spec)
		write("b/else.txt", "else")
		if sum(spec) != first {
			t.Errorf("%s: another file changed it", spec)
		}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(dir, f))
			if err != nil {
				t.Fatal(err)
			}
			write(f, string(text)+"!")
			if sum(spec) == first {
				t.Errorf("%s: %s does not count", spec, f)
			}
			write(f, string(text))
		}
		if sum(spec) != first {
			t.Errorf("%s: not the same again", spec)
		}
	}
	if sum("synth:eight,n=3000") == sum("synth:eight,n=300") {
		t.Error("synthetic data count by their specification")
	}
	if _, err := newFileHashes(&Options{Data: dir}).of([]string{dir + "/gone.npz:x"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
