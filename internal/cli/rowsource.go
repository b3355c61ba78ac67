package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/openfile"
)

// A rowSource gives rows block by block; io.EOF is the end.
type rowSource interface {
	next() (*rowBlock, error)
	close()
}

// openRows opens a table: CSV streams by, other formats are read at once.
func openRows(ctx context.Context, std IO, o *scoreOptions, dim int, names []string) (rowSource, error) {
	var in io.Reader
	var file *os.File
	switch {
	case o.data == "-":
		in = std.In
	case strings.HasSuffix(strings.ToLower(o.data), ".csv") || strings.HasSuffix(strings.ToLower(o.data), ".tsv"):
		f, _, err := openfile.Open(o.data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.data, errors.Unwrap(err))
		}
		in, file = f, f
	default:
		t, err := await(ctx, func() (*dataset.Table, error) {
			return dataset.Load(o.data, &dataset.Options{IDColumn: o.idColumn})
		})
		if err != nil {
			return nil, err
		}
		if t.Points.Dim != dim {
			return nil, fmt.Errorf("%s has %s of numbers, the model has %d", o.data, plural(t.Points.Dim, "column"), dim)
		}
		return &loadedRows{table: t}, nil
	}
	s := &streamedRows{name: o.data, file: file, reader: csv.NewReader(bufio.NewReaderSize(in, 1<<20)), dim: dim}
	if strings.HasSuffix(strings.ToLower(o.data), ".tsv") {
		s.reader.Comma = '\t'
	}
	s.reader.ReuseRecord = true
	if err := s.header(names, o.idColumn); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// loadedRows are rows of a table that has been read.
type loadedRows struct {
	table *dataset.Table
	at    int
}

func (s *loadedRows) close() {}

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

// streamedRows are the rows of a CSV file.
type streamedRows struct {
	name    string
	file    *os.File // nil for standard input
	reader  *csv.Reader
	dim     int
	columns []int    // places of the model's columns in a line
	names   []string // of these; nil without a header
	id      int      // place of the ids; −1: none
	held    []string // a first line that is data
	row     int
}

func (s *streamedRows) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// header finds the model's columns: by name where the first line has names, and
// by place otherwise.
func (s *streamedRows) header(names []string, id string) error {
	line, err := s.reader.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: is empty", s.name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	line = slices.Clone(line)
	line[0] = strings.TrimPrefix(line[0], "\ufeff")
	s.id = -1
	if id != "" {
		if s.id = slices.Index(line, id); s.id < 0 {
			return fmt.Errorf("%s: has no column %q", s.name, id)
		}
	}
	var lacking []string
	for _, name := range names {
		at := slices.Index(line, name)
		if at < 0 {
			lacking = append(lacking, strconv.Quote(name))
			continue
		}
		s.columns = append(s.columns, at)
	}
	if names != nil && lacking == nil {
		s.names = names
		return nil
	}
	numbers := true
	for _, cell := range line {
		if _, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err != nil {
			numbers = false
		}
	}
	switch {
	case !numbers && names != nil:
		return fmt.Errorf("%s: lacks the columns %s of the model", s.name, strings.Join(lacking, ", "))
	case len(line) != s.dim:
		return fmt.Errorf("%s: has %s, the model has %d", s.name, plural(len(line), "column"), s.dim)
	}
	s.columns = nil
	for j := range s.dim {
		s.columns = append(s.columns, j)
	}
	if numbers {
		s.held = line
	}
	return nil
}

func (s *streamedRows) next() (*rowBlock, error) {
	b := &rowBlock{first: s.row, values: make([]float64, 0, blockRows*s.dim)}
	for b.n < blockRows {
		line := s.held
		if s.held = nil; line == nil {
			var err error
			if line, err = s.reader.Read(); err != nil {
				if errors.Is(err, io.EOF) && b.n > 0 {
					return b, nil
				}
				if !errors.Is(err, io.EOF) {
					err = fmt.Errorf("%s: %w", s.name, err)
				}
				return nil, err
			}
		}
		for k, at := range s.columns {
			v, err := strconv.ParseFloat(strings.TrimSpace(line[at]), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				number, _ := s.reader.FieldPos(0)
				column := strconv.Itoa(at + 1)
				if s.names != nil {
					column = strconv.Quote(s.names[k])
				}
				return nil, fmt.Errorf("%s:%d: column %s: %q is not a finite number", s.name, number, column, line[at])
			}
			b.values = append(b.values, v)
		}
		if s.id >= 0 {
			b.ids = append(b.ids, strings.Clone(line[s.id]))
		}
		b.n++
		s.row++
	}
	return b, nil
}
