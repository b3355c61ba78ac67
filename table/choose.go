package table

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Selection says which columns of a table are used, and for what. Columns
// are given by name, by a pattern with * and ?, or by number from 1; a name
// wins over a pattern, a pattern over a number.
type Selection struct {
	Columns []string // to use; none means all
	Ignore  []string // to leave out
	ID      string   // names of the rows; "" means a saved index or a column called id, if there is one
	Label   string   // labels of the rows; "" means none
}

// An UnknownError is a Selection of columns that a table does not have.
type UnknownError struct {
	File  string
	Wants []UnknownColumn
	Have  []string // the columns that are there; nil when they have no names
	N     int      // how many there are
}

// An UnknownColumn is one that is not there.
type UnknownColumn struct {
	Name string
	For  string   // "columns", "ignore", "id" or "label"
	Near []string // columns with names like it
}

func (e *UnknownError) Error() string {
	var parts []string
	for _, w := range e.Wants {
		s := printable(w.Name)
		if len(w.Near) > 0 {
			s += " (did you mean " + listed(w.Near) + "?)"
		}
		parts = append(parts, s)
	}
	s := fmt.Sprintf("%s: no such column: %s", e.File, strings.Join(parts, ", "))
	if e.Have == nil {
		return s + fmt.Sprintf("; its %s have no names; give their numbers, counted from 1", count(e.N, "column"))
	}
	return s + "; the columns are " + listed(e.Have)
}

// Lacks reports whether the only column that is missing is the one for this
// use: "id" or "label".
func (e *UnknownError) Lacks(use string) bool {
	return len(e.Wants) == 1 && e.Wants[0].For == use
}

// Select returns the table with the chosen columns, ids and labels taken out.
// The error is an *UnknownError with all columns that are not there.
func (t *Table) Select(s Selection) (*Table, error) {
	unknown := &UnknownError{File: t.Name, N: len(t.Columns)}
	if t.Named {
		unknown.Have = t.Names()
	}
	one := func(want, use string) int {
		if want == "" {
			return -1
		}
		if j := t.Find(want); j >= 0 {
			return j
		}
		if k, err := strconv.Atoi(want); err == nil && 1 <= k && k <= len(t.Columns) {
			return k - 1
		}
		unknown.add(want, use)
		return -1
	}
	id, label := one(s.ID, "id"), one(s.Label, "label")
	if id < 0 && s.ID == "" {
		id = t.autoID(label)
	}
	keep := make([]bool, len(t.Columns))
	for j := range keep {
		keep[j] = len(s.Columns) == 0
	}
	for _, want := range s.Columns {
		t.mark(keep, want, true, "columns", unknown)
	}
	for _, want := range s.Ignore {
		t.mark(keep, want, false, "ignore", unknown)
	}
	if len(unknown.Wants) > 0 {
		return nil, unknown
	}
	if id >= 0 && id == label {
		return nil, failure(t.Name, "column %s cannot hold both ids and labels", quote(t.Columns[id].Name))
	}
	out := *t
	out.Columns = nil
	if id >= 0 {
		keep[id] = false
		out.IDs = t.Columns[id].Texts()
		if i := slices.Index(out.IDs, ""); i >= 0 {
			return nil, &Error{File: t.Name, Line: t.Line(i), Column: t.Columns[id].Name, Msg: "the id is empty" + t.rowText(i)}
		}
	}
	if label >= 0 {
		keep[label] = false
		out.Labels = t.Columns[label].Texts()
	}
	for j := range t.Columns {
		if keep[j] && !(t.Columns[j].Index && !slices.Contains(s.Columns, t.Columns[j].Name)) {
			out.Columns = append(out.Columns, t.Columns[j])
		}
	}
	if len(out.Columns) == 0 {
		return nil, failure(t.Name, "no column is left for the coordinates")
	}
	return &out, nil
}

// Without returns the table without the columns of these names; an error when
// none is left.
func (t *Table) Without(names []string) (*Table, error) {
	out := *t
	out.Columns = nil
	for j := range t.Columns {
		if !slices.Contains(names, t.Columns[j].Name) {
			out.Columns = append(out.Columns, t.Columns[j])
		}
	}
	if len(out.Columns) == 0 {
		return nil, failure(t.Name, "no column is left for the coordinates")
	}
	return &out, nil
}

// rowText names row i where no line does.
func (t *Table) rowText(i int) string {
	if t.Line(i) > 0 {
		return ""
	}
	return fmt.Sprintf(" in row %d", i)
}

func (e *UnknownError) add(want, use string) {
	for _, w := range e.Wants {
		if w.Name == want {
			return
		}
	}
	e.Wants = append(e.Wants, UnknownColumn{Name: want, For: use, Near: near(want, e.Have)})
}

// mark sets keep for the columns that want names.
func (t *Table) mark(keep []bool, want string, to bool, use string, unknown *UnknownError) {
	if j := t.Find(want); j >= 0 {
		keep[j] = to
		return
	}
	found := false
	if strings.ContainsAny(want, "*?") {
		pattern := strings.NewReplacer(`\`, `\\`, "[", `\[`, "/", "\x00").Replace(want)
		for j := range t.Columns {
			if ok, err := path.Match(pattern, strings.ReplaceAll(t.Columns[j].Name, "/", "\x00")); ok && err == nil {
				keep[j] = to
				found = true
			}
		}
	} else if k, err := strconv.Atoi(want); err == nil && 1 <= k && k <= len(t.Columns) {
		keep[k-1] = to
		found = true
	}
	if !found {
		unknown.add(want, use)
	}
}

// autoID is the saved index, or the one column called id, unless it holds the
// labels; otherwise -1.
func (t *Table) autoID(label int) int {
	if !t.Named {
		return -1
	}
	found, index := -1, -1
	for j := range t.Columns {
		if j == label {
			continue
		}
		if t.Columns[j].Index && index < 0 {
			index = j
		}
		if strings.EqualFold(t.Columns[j].Name, "id") {
			if found >= 0 {
				found = -2
			} else if found == -1 {
				found = j
			}
		}
	}
	if found >= 0 {
		return found
	}
	return index
}
