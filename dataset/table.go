package dataset

import (
	"fmt"
	"strconv"
	"strings"

	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// A Table is a loaded sample.
type Table struct {
	Points  ot.Points // the rows; IDs where the input names them
	Labels  []string  // one per row, as written in the input; nil when it has none
	Columns []string  // names of the coordinates; nil when they have none
	Name    string    // the spec as given to Load
	Outlier []bool    // which rows were mixed in; nil when none were
	Format  string    // "csv", "tsv", "npy", "npz", "parquet", "arrow", "jsonl", "idx" or "synth"

	Total  int   // rows of the file, where Options.Sample left some out; else 0
	Places []int // which rows of the file these are, where some were left out; else nil

	Encoding *table.Encoding // how the columns of the file became coordinates; nil when they were numbers without names
	Notes    []string        // what was done on the way, and what one should know

	shape     []int // of the array the rows come from; nil for other formats
	firstLine int   // of the text file, when row i stands on line firstLine+i; 0 otherwise
}

// Marks reads the labels as marks of known outliers: 1 or true for an
// outlier, 0 or false for a good row.
func (t *Table) Marks() ([]bool, error) {
	if t.Labels == nil {
		return nil, fileError(t.Name, "has no labels to take outlier marks from")
	}
	marks := make([]bool, len(t.Labels))
	for i, s := range t.Labels {
		m, ok := parseMark(s)
		if !ok {
			return nil, t.rowError(i, "label %s is not an outlier mark (1 or true for an outlier, 0 or false for a good row)", quote(s))
		}
		marks[i] = m
	}
	return marks, nil
}

// rowError is an InputError about row i of t.
func (t *Table) rowError(i int, format string, args ...any) *InputError {
	e := &InputError{File: t.Name, Row: i, Msg: fmt.Sprintf(format, args...)}
	if t.firstLine > 0 {
		e.Line = t.firstLine + i
	}
	return e
}

func parseMark(s string) (mark, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	// 1.0 is how a table of floats writes a mark.
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return v == 1, err == nil && (v == 0 || v == 1)
}
