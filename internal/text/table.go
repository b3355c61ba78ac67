// Package text says results in the words that a terminal shows, one file a
// kind of result. Package page does the same in HTML.
package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"rot.example/rot/internal/plain"
)

// A Table lines up columns of text. Columns of numbers stand on the right.
type Table struct {
	Head []string
	Left []bool // which columns stand on the left; the others are numbers
	rows [][]string
}

// Add appends a row. Cells may be names from anywhere: what would not show as
// itself is escaped.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for k, s := range cells {
		row[k] = plain.Word(s)
	}
	t.rows = append(t.rows, row)
}

// AppendTo appends the table to b, indented by two.
func (t *Table) AppendTo(b *strings.Builder) {
	width := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.rows...) {
		for k, s := range row {
			width[k] = max(width[k], utf8.RuneCountInString(s))
		}
	}
	for _, row := range append([][]string{t.Head}, t.rows...) {
		var line strings.Builder
		for k, s := range row {
			pad := strings.Repeat(" ", width[k]-utf8.RuneCountInString(s))
			if line.WriteString("  "); t.Left[k] {
				line.WriteString(s + pad)
			} else {
				line.WriteString(pad + s)
			}
		}
		fmt.Fprintln(b, strings.TrimRight(line.String(), " "))
	}
}
