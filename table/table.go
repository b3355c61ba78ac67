package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Table is named columns of equal length.
type Table struct {
	Name    string   // the file, as the caller gave it
	Format  string   // "csv", "tsv", "parquet", "npy", "npz", "arrow" or "jsonl"
	Columns []Column // in the order of the file
	Named   bool     // the columns have names of their own; else their names are numbers from 1
	Rows    int
	Notes   []string // what the reader did that one may want to know, such as "3 blank lines skipped"

	Shape []int // of the array that a .npy file holds; nil for other formats

	IDs    []string // names of the rows, taken out by Select; nil when there are none
	Labels []string // taken out by Select; nil when there are none

	Sampled []int // which rows of the file these are, where Options.Sample left some out; else nil
	Total   int   // rows of the file then

	line int   // of a text file on which row 0 stands, when row i stands on line+i; else 0
	cost int64 // in the budget
}

// A Column is a column of a Table.
type Column struct {
	Name string
	Kind Kind

	// Numbers holds a Number; 0 or 1 for a Boolean; seconds since 1970 (UTC)
	// for a Time; and Width numbers a row for a Vector. NaN is missing.
	Numbers []float64
	Width   int // numbers a row: 1 but for a Vector

	// Codes and Levels hold Category and Text: cell i is Levels[Codes[i]],
	// or missing where the code is -1.
	Codes  []int32
	Levels []string

	Index bool     // a row index that pandas or R saved, or a column called id
	Bad   BadCells // cells that are not of Kind and count as missing
	Why   string   // of Kind Other: what the column holds

	typed bool // the file itself says that the column is of categories
	whole bool // the cells are as they are written
	tally
}

// BadCells counts the cells of a column that are not of its kind.
type BadCells struct {
	Count int    `json:"count"`
	Row   int    `json:"row"`  // of the first, counted from 0
	Line  int    `json:"line"` // of the first in a text file, counted from 1; 0 in others
	Text  string `json:"text"` // of the first
}

// rows is the number of rows of a column on its own.
func (c *Column) rows() int {
	switch {
	case c.Kind.words():
		return len(c.Codes)
	case c.Kind.numeric() && c.Width > 0:
		return len(c.Numbers) / c.Width
	}
	return 0
}

// IsMissing reports whether the cell of row i is missing. A vector is missing
// when one of its numbers is.
func (c *Column) IsMissing(i int) bool {
	switch {
	case c.Kind.words():
		return c.Codes[i] < 0
	case c.Kind.numeric():
		for _, v := range c.Numbers[i*c.Width : (i+1)*c.Width] {
			if v != v {
				return true
			}
		}
		return false
	}
	return true
}

// Missing returns how many cells are missing, bad ones among them, and the row
// of the first; -1 when none is.
func (c *Column) Missing() (count, first int) {
	first = -1
	if c.Kind.numeric() && c.Width == 1 {
		for i, v := range c.Numbers {
			if v != v {
				if count == 0 {
					first = i
				}
				count++
			}
		}
		return count, first
	}
	n := c.rows()
	for i := range n {
		if c.IsMissing(i) {
			if count == 0 {
				first = i
			}
			count++
		}
	}
	return count, first
}

// Text returns the cell of row i as text: "" for a missing one, numbers with
// all their digits, times in ISO 8601.
func (c *Column) Text(i int) string {
	if c.Kind == Other || c.IsMissing(i) {
		return ""
	}
	switch c.Kind {
	case Category, Text:
		return c.Levels[c.Codes[i]]
	case Boolean:
		return strconv.FormatBool(c.Numbers[i] != 0)
	case Time:
		return timeText(c.Numbers[i])
	case Vector:
		var parts []string
		for _, v := range c.Numbers[i*c.Width : (i+1)*c.Width] {
			parts = append(parts, numberText(v))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return numberText(c.Numbers[i])
}

// Texts returns all cells as Text does.
func (c *Column) Texts() []string {
	out := make([]string, c.rows())
	for i := range out {
		out[i] = c.Text(i)
	}
	return out
}

// numberText writes whole numbers without an exponent and others in the
// shortest form that reads back the same.
func numberText(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// timeText writes seconds since 1970 as a date, with the time where there is one.
func timeText(seconds float64) string {
	if !(math.Abs(seconds) < 1e12) { // year 33 658
		return numberText(seconds)
	}
	whole := math.Floor(seconds)
	t := time.Unix(int64(whole), int64(math.Round((seconds-whole)*1e6))*1000).UTC()
	if t.Nanosecond() == 0 && t.Second() == 0 && t.Minute() == 0 && t.Hour() == 0 {
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02T15:04:05.999999Z")
}

// Find returns the place of the column with this name, or -1.
func (t *Table) Find(name string) int {
	for j := range t.Columns {
		if t.Columns[j].Name == name {
			return j
		}
	}
	return -1
}

// Names returns the names of the columns.
func (t *Table) Names() []string {
	names := make([]string, len(t.Columns))
	for j := range names {
		names[j] = t.Columns[j].Name
	}
	return names
}

// Line returns the line of a text file on which row i stands, counted from 1;
// 0 when there is none, or records run over several lines.
func (t *Table) Line(i int) int {
	if t.line == 0 {
		return 0
	}
	return t.line + i
}

// Place says where row i stands, for messages: "line 17", or "row 15" counted
// from 0 where there are no lines.
func (t *Table) Place(i int) string {
	if line := t.Line(i); line > 0 {
		return fmt.Sprintf("line %d", line)
	}
	if t.Sampled != nil {
		i = t.Sampled[i]
	}
	return fmt.Sprintf("row %d", i)
}

// Pick returns the part of the table with the given rows, in that order.
func (t *Table) Pick(rows []int) *Table {
	out := *t
	out.Rows, out.line = len(rows), 0
	out.Columns = make([]Column, len(t.Columns))
	for j := range t.Columns {
		out.Columns[j] = t.Columns[j].pick(rows)
	}
	out.IDs, out.Labels = pickWords(t.IDs, rows), pickWords(t.Labels, rows)
	if t.Sampled != nil {
		out.Sampled = make([]int, len(rows))
		for k, i := range rows {
			out.Sampled[k] = t.Sampled[i]
		}
	}
	if k := len(rows); t.line > 0 && k > 0 && rows[k-1]-rows[0] == k-1 {
		out.line = t.line + rows[0] // no gaps, if they rise
	}
	return &out
}

func pickWords(words []string, rows []int) []string {
	if words == nil {
		return nil
	}
	out := make([]string, len(rows))
	for k, i := range rows {
		out[k] = words[i]
	}
	return out
}

func (c *Column) pick(rows []int) Column {
	out := *c
	switch {
	case c.Kind.words():
		out.Codes = make([]int32, len(rows))
		for k, i := range rows {
			out.Codes[k] = c.Codes[i]
		}
	case c.Kind.numeric():
		out.Numbers = make([]float64, 0, len(rows)*c.Width)
		for _, i := range rows {
			out.Numbers = append(out.Numbers, c.Numbers[i*c.Width:(i+1)*c.Width]...)
		}
	}
	return out
}
