package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"rot.example/rot/dataset"
	tab "rot.example/rot/table"
)

// A rowSource gives rows block by block; io.EOF is the end.
type rowSource interface {
	next() (*rowBlock, error)
	notes() []string
	close()
}

// openRows opens rows that become vectors by an encoding. Tables stream by;
// what is no file of a table is read at once.
func openRows(ctx context.Context, std IO, o *scoreOptions, e *tab.Encoding) (rowSource, error) {
	if o.data != "-" && tab.FormatOf(o.data) == "" {
		t, err := await(ctx, func() (*dataset.Table, error) {
			return dataset.Load(o.data, &dataset.Options{IDColumn: o.idColumn, Encoding: e, Stdin: std.In})
		})
		if err != nil {
			return nil, err
		}
		return &loadedRows{table: t}, nil
	}
	opts := &tab.Options{AsWritten: e.AsWritten(), BlockRows: blockRows, Stdin: std.In}
	if o.idColumn != "" {
		opts.AsWritten = append(opts.AsWritten, o.idColumn)
	}
	r, err := await(ctx, func() (*tab.Reader, error) { return tab.Open(o.data, opts) })
	if err != nil {
		return nil, err
	}
	return &streamedRows{name: o.data, reader: r, encoding: e, id: o.idColumn}, nil
}

// loadedRows are rows of a table that has been read.
type loadedRows struct {
	table *dataset.Table
	at    int
}

func (s *loadedRows) close() {}

func (s *loadedRows) notes() []string { return s.table.Notes }

func (s *loadedRows) next() (*rowBlock, error) {
	x := &s.table.Points
	n := min(blockRows, x.Len()-s.at)
	if n == 0 {
		return nil, io.EOF
	}
	b := &rowBlock{first: s.at, n: n, values: x.Coords[s.at*x.Dim : (s.at+n)*x.Dim]}
	if x.IDs != nil {
		b.ids = x.IDs[s.at : s.at+n]
	}
	s.at += n
	return b, nil
}

// streamedRows are the rows of a table that need not fit into memory.
type streamedRows struct {
	name     string
	reader   *tab.Reader
	encoding *tab.Encoding
	id       string
	row      int
	extra    []string    // columns that the encoding does not have
	done     tab.Encoded // what was done to the cells so far
}

func (s *streamedRows) close() { s.reader.Close() }

func (s *streamedRows) next() (*rowBlock, error) {
	t, err := s.reader.Next()
	if err != nil {
		return nil, err
	}
	t.Name = s.name
	if t, err = t.Select(tab.Selection{ID: s.id}); err != nil {
		return nil, err
	}
	if s.encoding.Named && t.Named {
		t, s.extra = s.encoding.Known(t)
	}
	v, err := s.encoding.Apply(t)
	if err != nil {
		return nil, err
	}
	b := &rowBlock{first: s.row, n: v.Len(), values: v.Values, ids: t.IDs, rows: v.Rows}
	if v.Rows != nil && t.IDs != nil {
		b.ids = make([]string, len(v.Rows))
		for k, i := range v.Rows {
			b.ids[k] = t.IDs[i]
		}
	}
	s.done.Count(v)
	s.row += t.Rows
	return b, nil
}

// notes are what was done on the way, once all rows have been read.
func (s *streamedRows) notes() []string {
	notes := slices.Clone(s.reader.Notes())
	if len(s.extra) > 0 {
		notes = append(notes, "columns that the model does not have are left out: "+strings.Join(s.extra, ", "))
	}
	return append(notes, s.done.Warnings()...)
}

var errNoEncoding = errors.New("does not say what its columns are")
