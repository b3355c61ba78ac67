package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// New makes a table of columns that are in memory already, under the name that
// messages call it by. Columns that all lack a name meet others by position.
// Text becomes a category where a reader would take it for one, and a Category
// stays one. What keeps columns from being a table is an *Error.
func New(name string, columns []Column) (*Table, error) {
	t := &Table{Name: name, Format: "memory", Columns: slices.Clone(columns)}
	t.Named = slices.ContainsFunc(columns, func(c Column) bool { return c.Name != "" })
	for j := range t.Columns {
		c := &t.Columns[j]
		if !t.Named {
			c.Name = strconv.Itoa(j + 1)
		}
		if c.Width == 0 {
			c.Width = 1
		}
		if err := c.check(); err != nil {
			return nil, &Error{File: name, Column: c.Name, Msg: err.Error()}
		}
		if rows := c.rows(); j == 0 {
			t.Rows = rows
		} else if rows != t.Rows {
			return nil, &Error{File: name, Column: c.Name, Msg: fmt.Sprintf("has %s, and the columns before have %s", count(rows, "row"), count(t.Rows, "row"))}
		}
		if c.Kind.words() {
			c.typed = c.typed || c.Kind == Category
			c.Codes, c.Levels = slices.Clone(c.Codes), slices.Clone(c.Levels)
			settleWords(c)
			sortLevels(c)
		}
	}
	if len(t.Columns) == 0 {
		return nil, failure(name, "there are no columns")
	}
	if t.Named {
		t.Notes = uniqueNames(len(t.Columns), func(j int) *string { return &t.Columns[j].Name }, nil)
		for j := range t.Columns {
			t.Columns[j].Index = t.Columns[j].Index || isIndexName(t.Columns[j].Name, j, len(t.Columns))
		}
	}
	return t, nil
}

// check sees to it that the cells are what the kind says.
func (c *Column) check() error {
	switch {
	case c.Width < 1 || c.Width > 1 && c.Kind != Vector:
		return fmt.Errorf("%d numbers a row do not make a %s", c.Width, c.Kind)
	case c.Kind.numeric() && len(c.Numbers)%c.Width != 0:
		return fmt.Errorf("%d numbers are no rows of %d", len(c.Numbers), c.Width)
	case c.Kind == Boolean:
		for i, v := range c.Numbers {
			if v != 0 && v != 1 && !math.IsNaN(v) {
				return fmt.Errorf("row %d: %v is not a boolean, 0 or 1", i, v)
			}
		}
	case c.Kind.words():
		for i, code := range c.Codes {
			if code < -1 || int(code) >= len(c.Levels) {
				return fmt.Errorf("row %d: there is no word %d", i, code)
			}
		}
		levels := slices.Clone(c.Levels)
		slices.Sort(levels)
		if len(slices.Compact(levels)) < len(c.Levels) {
			return fmt.Errorf("a word is there twice")
		}
	case !c.Kind.numeric() && c.Kind != Other:
		return fmt.Errorf("%s is not a kind of column", c.Kind)
	}
	return nil
}
