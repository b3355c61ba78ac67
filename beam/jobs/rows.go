package jobs

import (
	"encoding/json"
	"slices"
	"strings"

	"rot.example/rot/beam/shards"
	"rot.example/rot/table"
)

// A rowReader turns pieces of shards into vectors as rot does a file.
type rowReader struct {
	Format   shards.Format   `json:"format"`
	Encoding *table.Encoding `json:"encoding"`
	ID       string          `json:"id"`
	Label    string          `json:"label"`
	Columns  []string        `json:"columns"` // of Parquet, those that are read; nil: all
}

// newRowReader says how the rows of an input become vectors by an encoding.
func newRowReader(in *shards.Input, e *table.Encoding, id, label string) *rowReader {
	r := &rowReader{Format: in.Format, Encoding: e, ID: id, Label: label}
	if l := in.Format.Layout; l != nil {
		// Categories are read as they are written, however much they look like
		// numbers.
		whole := *l
		whole.Columns = slices.Clone(l.Columns)
		for j := range whole.Columns {
			if c := &whole.Columns[j]; slices.Contains(e.AsWritten(), c.Name) {
				c.Kind, c.Whole = table.Text, true
			}
		}
		r.Format.Layout = &whole
	} else {
		r.Format.AsWritten = append(slices.Clone(r.Format.AsWritten), e.AsWritten()...)
	}
	if in.Format.Parquet && e.Named {
		for _, f := range in.Fields {
			known := slices.ContainsFunc(e.Columns, func(c table.EncodedColumn) bool { return c.Name == f.Name })
			if known || f.Index || f.Name == id || f.Name == label || strings.EqualFold(f.Name, "id") {
				r.Columns = append(r.Columns, f.Name)
			}
		}
	}
	return r
}

func (r *rowReader) wanted() func(string) bool {
	if r.Columns == nil {
		return nil
	}
	return func(name string) bool { return slices.Contains(r.Columns, name) }
}

// A batch is rows as vectors.
type batch struct {
	row    int64 // number of the first row of the piece
	rows   int64 // of the piece
	places []int // of each vector in the piece; nil: one after the other
	ids    []string
	values []float64
	dim    int

	filled, dropped, unknown int64
	extra                    []string
}

func (b *batch) len() int { return len(b.values) / b.dim }

func (b *batch) at(i int) int64 {
	if b.places != nil {
		i = b.places[i]
	}
	return b.row + int64(i)
}

// read turns a piece into vectors.
func (r *rowReader) read(p *shards.Piece) (*batch, error) {
	t, err := p.Table()
	if err != nil {
		return nil, err
	}
	if t, err = t.Select(table.Selection{ID: r.ID, Label: r.Label}); err != nil {
		return nil, err
	}
	b := &batch{row: p.Row, dim: r.Encoding.Dim()}
	if r.Encoding.Named && t.Named {
		t, b.extra = r.Encoding.Known(t)
	}
	v, err := r.Encoding.Apply(t)
	if err != nil {
		return nil, err
	}
	b.rows, b.values, b.ids, b.places = int64(t.Rows), v.Values, t.IDs, v.Rows
	if v.Rows != nil && t.IDs != nil {
		b.ids = make([]string, len(v.Rows))
		for k, i := range v.Rows {
			b.ids[k] = t.IDs[i]
		}
	}
	b.dropped = int64(v.Dropped)
	for _, c := range v.Filled {
		b.filled += int64(c.Count)
	}
	for _, c := range v.Unknown {
		b.unknown += int64(c.Count)
	}
	return b, nil
}

// A badRow is a row that cannot be read.
type badRow struct {
	Row   int64  `json:"row"`
	Line  int    `json:"line,omitempty"`
	Error string `json:"error"`
	Text  string `json:"text,omitempty"`
}

// readGood reads the rows that can be read and hands over the others one by one.
func (r *rowReader) readGood(p *shards.Piece, good func(*batch) error, bad func(badRow) error) (int64, error) {
	b, err := r.read(p)
	if err == nil {
		return b.rows, good(b)
	}
	first, second, ok := p.Halves()
	if !ok {
		return 1, bad(badRow{p.Row, p.Line, err.Error(), strings.TrimRight(string(p.Text()), "\r\n")})
	}
	var rows int64
	for _, half := range []*shards.Piece{first, second} {
		n, err := r.readGood(half, good, bad)
		rows += n
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// elements are blocks on their way to a task.
func elements(blocks []shards.Block) ([][]byte, error) {
	out := make([][]byte, len(blocks))
	for k := range blocks {
		b, err := json.Marshal(&blocks[k])
		if err != nil {
			return nil, err
		}
		out[k] = b
	}
	return out, nil
}
