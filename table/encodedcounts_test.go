package table

import (
	"slices"
	"testing"
)

// TestCount sums what was done to the blocks of a table.
func TestCount(t *testing.T) {
	var sum Encoded
	sum.Count(&Encoded{Dropped: 1, Filled: []ColumnCount{{Column: "a", Count: 2}}, Bad: []BadColumn{{"a", BadCells{Count: 1, Row: 3, Text: "x"}}}})
	sum.Count(&Encoded{Dropped: 2, Filled: []ColumnCount{{Column: "b", Count: 1}, {Column: "a", Count: 5}}, Unknown: []ColumnCount{{Column: "c", Count: 1, Example: "Ulm"}}, Bad: []BadColumn{{"a", BadCells{Count: 4, Row: 1, Text: "y"}}, {"b", BadCells{Count: 1, Row: 2, Text: "z"}}}})
	want := []string{
		`cells that cannot be read count as missing: a 5 ("x" in row 3), b 1 ("z" in row 2)`,
		"3 rows with missing cells left out",
		"missing cells filled in: a 7, b 1",
		`categories that the encoding does not know: c 1 ("Ulm")`,
	}
	if got := sum.Warnings(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
