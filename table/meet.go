package table

import (
	"fmt"
	"strings"
)

// A MeetError lists all that keeps the columns of two tables apart.
type MeetError struct {
	A, B   string       // the files
	OnlyA  []LoneColumn // columns that B does not have
	OnlyB  []LoneColumn // columns that A does not have
	Kinds  []KindClash  // columns of the same name and another kind
	Common int          // columns that do meet
	NA, NB int          // columns of two tables that meet by position; 0 when by name
}

// A LoneColumn is a column of one table that the other does not have.
type LoneColumn struct {
	Name string
	Near []string // columns of the other table that may be meant
}

// A KindClash is a column of two kinds.
type KindClash struct {
	Name   string
	InA    string // what it is in A: a kind, with the length of vectors
	InB    string
	BadA   BadCells // cells of A that hint at the reason
	BadB   BadCells
	Sample string // a cell of the one that is text
}

func (e *MeetError) Error() string {
	if e.NA != e.NB {
		return fmt.Sprintf("%s has %s, %s has %d, and they have no names to meet by", e.A, count(e.NA, "column"), e.B, e.NB)
	}
	var parts []string
	add := func(file string, lone []LoneColumn) {
		if len(lone) == 0 {
			return
		}
		var names []string
		for _, c := range lone[:min(len(lone), 20)] {
			s := printable(c.Name)
			if len(c.Near) > 0 {
				s += " (like " + listed(c.Near) + ")"
			}
			names = append(names, s)
		}
		s := "only in " + file + ": " + strings.Join(names, ", ")
		if len(lone) > 20 {
			s += fmt.Sprintf(" and %d more", len(lone)-20)
		}
		parts = append(parts, s)
	}
	add(e.A, e.OnlyA)
	add(e.B, e.OnlyB)
	for _, k := range e.Kinds[:min(len(e.Kinds), 20)] {
		s := fmt.Sprintf("%s holds %s in %s and %s in %s", printable(k.Name), k.InA, e.A, k.InB, e.B)
		if k.Sample != "" {
			s += " (such as " + quote(k.Sample) + ")"
		}
		parts = append(parts, s)
	}
	if n := len(e.Kinds) - 20; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more columns are of different kinds", n))
	}
	return fmt.Sprintf("the columns of %s and %s do not meet: %s", e.A, e.B, strings.Join(parts, "; "))
}

// Columns returns the names of all columns that do not meet.
func (e *MeetError) Columns() []string {
	var names []string
	for _, c := range e.OnlyA {
		names = append(names, c.Name)
	}
	for _, c := range e.OnlyB {
		names = append(names, c.Name)
	}
	for _, k := range e.Kinds {
		names = append(names, k.Name)
	}
	return names
}

// Meet brings the columns of b into the order of a's: by name, or by position
// when one of the tables has no names. Both must have the same columns of the
// same kinds; otherwise the error is a *MeetError that lists all that differ.
// Categories and text are one kind here, and a column without any value is of
// every kind.
func Meet(a, b *Table) (*Table, error) {
	e := &MeetError{A: a.Name, B: b.Name}
	out := *b
	out.Columns = nil
	if !a.Named || !b.Named {
		if len(a.Columns) != len(b.Columns) {
			e.NA, e.NB = len(a.Columns), len(b.Columns)
			return nil, e
		}
		for j := range a.Columns {
			c := b.Columns[j]
			c.Name = a.Columns[j].Name
			if !a.Named {
				c.Name = b.Columns[j].Name
			}
			out.Columns = append(out.Columns, e.pair(&a.Columns[j], c, b.Rows))
		}
		out.Named = a.Named
		if len(e.Kinds) > 0 {
			e.Common = len(out.Columns) - len(e.Kinds)
			return nil, e
		}
		if !a.Named && b.Named {
			for j := range out.Columns {
				out.Columns[j].Name = a.Columns[j].Name
			}
		}
		return &out, nil
	}
	e.findLone(a, b)
	place := make(map[string]int, len(b.Columns))
	for k := range b.Columns {
		place[b.Columns[k].Name] = k
	}
	for j := range a.Columns {
		if k, ok := place[a.Columns[j].Name]; ok {
			out.Columns = append(out.Columns, e.pair(&a.Columns[j], b.Columns[k], b.Rows))
		}
	}
	if len(e.OnlyA)+len(e.OnlyB)+len(e.Kinds) > 0 {
		e.Common = len(out.Columns) - len(e.Kinds)
		return nil, e
	}
	return &out, nil
}

// findLone lists the columns that only one of the tables has.
func (e *MeetError) findLone(a, b *Table) {
	inA, inB := make(map[string]bool), make(map[string]bool)
	for _, name := range a.Names() {
		inA[name] = true
	}
	var onlyA, onlyB []string
	for _, name := range b.Names() {
		inB[name] = true
		if !inA[name] {
			onlyB = append(onlyB, name)
		}
	}
	for _, name := range a.Names() {
		if !inB[name] {
			onlyA = append(onlyA, name)
		}
	}
	const few = 200 // names to compare with each other
	for _, name := range onlyA {
		e.OnlyA = append(e.OnlyA, LoneColumn{name, near(name, onlyB[:min(len(onlyB), few)])})
	}
	for _, name := range onlyB {
		e.OnlyB = append(e.OnlyB, LoneColumn{name, near(name, onlyA[:min(len(onlyA), few)])})
	}
}

// pair returns b as a column of a's kind, and notes when it cannot be one.
func (e *MeetError) pair(a *Column, b Column, rows int) Column {
	switch {
	case a.Kind == b.Kind && (a.Kind != Vector || a.Width == b.Width), a.Kind.words() && b.Kind.words():
		return b
	case b.isEmpty():
		return missingColumn(b.Name, a.Kind, a.Width, rows)
	case a.isEmpty():
		return b
	}
	k := KindClash{Name: a.Name, InA: a.content(), InB: b.content(), BadA: a.Bad, BadB: b.Bad}
	switch {
	case a.Kind.words() && !b.Kind.words():
		k.Sample = a.example()
	case b.Kind.words() && !a.Kind.words():
		k.Sample = b.example()
	}
	e.Kinds = append(e.Kinds, k)
	return b
}

// isEmpty reports whether the column has no value at all.
func (c *Column) isEmpty() bool {
	if c.Kind == Other || c.Bad.Count > 0 {
		return false
	}
	for i := range c.rows() {
		if !c.IsMissing(i) {
			return false
		}
	}
	return true
}

// content says what the cells are, for messages.
func (c *Column) content() string {
	if c.Kind == Vector {
		return fmt.Sprintf("vectors of %d numbers", c.Width)
	}
	if c.Kind == Other {
		return c.Why
	}
	return c.Kind.plural()
}

// example is a cell that is the strangest for a number: the last in order.
func (c *Column) example() string {
	for k := len(c.Levels) - 1; k >= 0; k-- {
		if _, ok := parseNumber([]byte(c.Levels[k]), '.'); !ok {
			return c.Levels[k]
		}
	}
	return ""
}

// missingColumn is a column without values.
func missingColumn(name string, kind Kind, width, rows int) Column {
	b := builder{field: field{name: name, kind: kind, width: width}}
	for range rows {
		b.addMissing()
	}
	return b.column()
}
