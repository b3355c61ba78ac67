package clean

import (
	"io"
	"slices"
	"strings"

	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// PointRows is the rows of points as a RowSource.
func PointRows(x *ot.Points) RowSource { return &pointRows{x: x} }

type pointRows struct {
	x  *ot.Points
	at int
}

// Next implements RowSource.
func (s *pointRows) Next() (*Block, error) {
	x := s.x
	n := min(BlockRows, x.Len()-s.at)
	if n == 0 {
		return nil, io.EOF
	}
	b := &Block{First: s.at, N: n, Values: x.Coords[s.at*x.Dim : (s.at+n)*x.Dim]}
	if x.IDs != nil {
		b.IDs = x.IDs[s.at : s.at+n]
	}
	s.at += n
	return b, nil
}

// TableRows are the rows of a table that need not fit into memory, as vectors
// by an encoding: a RowSource. Its reader should give BlockRows rows at a time.
type TableRows struct {
	Name     string // of the table, for errors
	Reader   *table.Reader
	Encoding *table.Encoding
	ID       string // column that names the rows; "": none

	row   int
	extra []string      // columns that the encoding does not have
	done  table.Encoded // what was done to the cells so far
}

// Next implements RowSource.
func (s *TableRows) Next() (*Block, error) {
	t, err := s.Reader.Next()
	if err != nil {
		return nil, err
	}
	t.Name = s.Name
	if t, err = t.Select(table.Selection{ID: s.ID}); err != nil {
		return nil, err
	}
	if s.Encoding.Named && t.Named {
		t, s.extra = s.Encoding.Known(t)
	}
	v, err := s.Encoding.Apply(t)
	if err != nil {
		return nil, err
	}
	b := &Block{First: s.row, N: v.Len(), Values: v.Values, IDs: t.IDs, Rows: v.Rows}
	if v.Rows != nil && t.IDs != nil {
		b.IDs = make([]string, len(v.Rows))
		for k, i := range v.Rows {
			b.IDs[k] = t.IDs[i]
		}
	}
	s.row += t.Rows
	s.done.Count(v)
	return b, nil
}

// Notes are what was done on the way, once all rows have been read.
func (s *TableRows) Notes() []string {
	notes := slices.Clone(s.Reader.Notes())
	if len(s.extra) > 0 {
		notes = append(notes, "columns that the model does not have are left out: "+strings.Join(s.extra, ", "))
	}
	return append(notes, s.done.Warnings()...)
}
