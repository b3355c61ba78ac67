package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Complaint is a column that keeps a table from being encoded.
type Complaint struct {
	File    string `json:"file"`
	Column  string `json:"column"`
	Problem string `json:"problem"` // "text", "other", "missing", "bad" or "infinite"
	Count   int    `json:"count"`   // cells
	Msg     string `json:"msg"`
}

// An EncodingError lists all columns that keep tables from being encoded.
type EncodingError struct {
	Complaints []Complaint
	Total      int // columns of a table, good ones among them
}

func (e *EncodingError) Error() string {
	const most = 20
	var b strings.Builder
	file := ""
	for k, c := range e.Complaints[:min(len(e.Complaints), most)] {
		switch {
		case c.File != file && k == 0:
			b.WriteString(c.File + ": ")
		case c.File != file:
			b.WriteString("; " + c.File + ": ")
		default:
			b.WriteString("; ")
		}
		file = c.File
		fmt.Fprintf(&b, "column %s %s", quote(c.Column), c.Msg)
	}
	if n := len(e.Complaints) - most; n > 0 {
		fmt.Fprintf(&b, "; and %s more", count(n, "complaint"))
	}
	return b.String()
}

// Columns returns the columns with one of the problems, each once.
func (e *EncodingError) Columns(problems ...string) []string {
	var names []string
	for _, c := range e.Complaints {
		if slices.Contains(problems, c.Problem) && !slices.Contains(names, c.Column) {
			names = append(names, c.Column)
		}
	}
	return names
}

// check adds what keeps a column of t from being encoded.
func (e *EncodingError) check(c *Column, kind Kind, t *Table, missing, first int, policy Missing) {
	complain := func(problem string, n int, format string, args ...any) {
		e.Complaints = append(e.Complaints, Complaint{File: t.Name, Column: c.Name, Problem: problem, Count: n, Msg: fmt.Sprintf(format, args...)})
	}
	switch {
	case c.Kind == Other:
		complain("other", t.Rows, "holds %s, which have no coordinates", c.Why)
		return
	case kind == Text:
		complain("text", t.Rows, "holds text: %s", whyText(c))
		return
	}
	if policy == MissingError {
		if c.Bad.Count > 0 {
			complain("bad", c.Bad.Count, "holds %s, but %s", kind.plural(), badText(&c.Bad))
			missing -= c.Bad.Count
		}
		if missing > 0 {
			at := ""
			if c.Bad.Count == 0 {
				at = ", the first in " + t.Place(first)
			}
			complain("missing", missing, "has %s%s", count(missing, "missing value"), at)
		}
	}
	for i, v := range c.Numbers {
		if math.IsInf(v, 0) {
			complain("infinite", 1, "holds %v in %s, which is not a finite number", v, t.Place(i/c.Width))
			break
		}
	}
}

// CheckCells returns an *EncodingError with the columns that have cells which no
// encoding with this treatment of missing ones could take: missing, not of the
// column's kind, or infinite. Whether columns of text are categories, and what
// columns of Kind Other hold, is not looked at.
func (t *Table) CheckCells(how Missing) error {
	e := EncodingError{Total: len(t.Columns)}
	for j := range t.Columns {
		c := &t.Columns[j]
		kind := c.Kind
		switch kind {
		case Other:
			continue
		case Text:
			kind = Category
		}
		n, first := c.Missing()
		e.check(c, kind, t, n, first, how)
	}
	if len(e.Complaints) > 0 {
		return &e
	}
	return nil
}

// place says where the first of the cells stands.
func (b *BadCells) place() string {
	if b.Line > 0 {
		return fmt.Sprintf("line %d", b.Line)
	}
	return fmt.Sprintf("row %d", b.Row)
}

// badText tells of cells that are not of their column's kind.
func badText(b *BadCells) string {
	at := b.place()
	s := fmt.Sprintf("%s are not: %s in %s", count(b.Count, "cell"), quote(b.Text), at)
	if b.Count == 1 {
		s = fmt.Sprintf("one cell is not: %s in %s", quote(b.Text), at)
	}
	if h := hint([]string{b.Text}); h != "" {
		s += " " + h
	}
	return s
}

// whyText tells why words are neither numbers nor categories.
func whyText(c *Column) string {
	example := ""
	if len(c.Levels) > 0 {
		example = c.Levels[0]
		for _, s := range c.Levels {
			if _, ok := parseNumber([]byte(s), '.'); !ok {
				example = s
				break
			}
		}
	}
	if h := hint(c.Levels); h != "" {
		return fmt.Sprintf("%s %s", quote(example), h)
	}
	switch n := countNumbers(c.Levels); {
	case n == len(c.Levels) && n > 0:
		return fmt.Sprintf("numbers are stored as text, such as %s (store them as numbers)", quote(example))
	case n > 0:
		return fmt.Sprintf("numbers are mixed with words such as %s", quote(example))
	}
	return fmt.Sprintf("%d different values such as %s", len(c.Levels), quote(example))
}

func countNumbers(levels []string) int {
	n := 0
	for _, s := range levels {
		if _, ok := parseNumber([]byte(s), '.'); ok {
			n++
		}
	}
	return n
}
