package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"rot.example/rot/drift"
)

// A record is what came of a trial.
type record struct {
	Kind       string             `json:"kind"`
	Source     string             `json:"source"`
	Number     int                `json:"number"`
	Rows       [2]int             `json:"rows"`
	Verdict    drift.Verdict      `json:"verdict"`
	PMoved     float64            `json:"p_moved"`
	PDirty     float64            `json:"p_dirty"`
	Effect     float64            `json:"effect"`
	SetAside   [2]int             `json:"set_aside"`
	Suspects   int                `json:"suspects"`
	Statistics map[string]float64 `json:"statistics"`
}

func newRecord(t trial, r *drift.Result) record {
	out := record{t.kind, t.source, t.number, [2]int{t.old.Len(), t.fresh.Len()}, r.Verdict, r.PMoved, r.PDirty, min(r.Effect, 1e300), r.SetAside, len(r.Suspects), map[string]float64{}}
	for _, s := range r.Statistics {
		out.Statistics[s.Name] = s.P
	}
	return out
}

// A trialKey tells trials apart.
type trialKey struct {
	kind, source string
	number       int
}

// A book is a file with a line of JSON for each trial, and the same in memory.
type book struct {
	file *os.File // nil: in memory only
	mu   sync.Mutex
	made map[trialKey]record
}

func openBook(path string) (*book, error) {
	b := &book{made: map[trialKey]record{}}
	if path == "" {
		return b, nil
	}
	records, err := readRecords(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, r := range records {
		b.made[trialKey{r.Kind, r.Source, r.Number}] = r
	}
	if b.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return b, b.file.Truncate(int64(bytes.LastIndexByte(text, '\n') + 1)) // a line that is cut off goes
}

func (b *book) has(p plan) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.made[trialKey{p.kind, p.source.name, p.number}]
	return ok
}

func (b *book) add(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made[trialKey{r.Kind, r.Source, r.Number}] = r
	if b.file == nil {
		return nil
	}
	_, err = b.file.Write(append(line, '\n'))
	return err
}

// of returns what came of the plans, in their order.
func (b *book) of(plans []plan) []record {
	var out []record
	for _, p := range plans {
		if r, ok := b.made[trialKey{p.kind, p.source.name, p.number}]; ok {
			out = append(out, r)
		}
	}
	return out
}

func (b *book) close() {
	if b.file != nil {
		_ = b.file.Close() // every line is written already
	}
}

// readRecords reads the records of several files. The last line of a file may be
// cut off, as it is when a run is.
func readRecords(paths ...string) ([]record, error) {
	var out []record
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		scan := bufio.NewScanner(bytes.NewReader(text))
		for line := 1; scan.Scan(); line++ {
			var r record
			if err := json.Unmarshal(scan.Bytes(), &r); err != nil {
				if bytes.HasSuffix(text, scan.Bytes()) {
					continue
				}
				return nil, fmt.Errorf("%s, line %d: %w", path, line, err)
			}
			out = append(out, r)
		}
		if err := scan.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return out, nil
}

// report prints how often each kind was called moved, and how often each
// statistic alone would have said so.
func report(w io.Writer, records []record) {
	var kinds, names []string
	for _, r := range records {
		if !slices.Contains(kinds, r.Kind) {
			kinds = append(kinds, r.Kind)
		}
		for name := range r.Statistics {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	order := append(append([]string{"null"}, dirtyKinds...), powerKinds...)
	slices.SortFunc(kinds, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	fmt.Fprint(w, "| kind | splits | moved | dirty | same |")
	for _, name := range names {
		fmt.Fprintf(w, " %s |", name)
	}
	fmt.Fprintf(w, "\n|---|---|---|---|---|%s\n", strings.Repeat("---|", len(names)))
	for _, kind := range kinds {
		count := map[drift.Verdict]float64{}
		parts := make([]float64, len(names))
		var n float64
		for _, r := range records {
			if r.Kind != kind {
				continue
			}
			n++
			count[r.Verdict]++
			for j, name := range names {
				if p, ok := r.Statistics[name]; ok && p <= drift.DefaultAlpha {
					parts[j]++
				}
			}
		}
		fmt.Fprintf(w, "| %s | %.0f | %.3f | %.3f | %.3f |", kind, n, count[drift.Moved]/n, count[drift.Dirty]/n, count[drift.Same]/n)
		for _, p := range parts {
			fmt.Fprintf(w, " %.2f |", p/n)
		}
		fmt.Fprintln(w)
	}
}
