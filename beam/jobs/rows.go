package jobs

import (
	"context"
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
			if known || namesRows(f, id, label) {
				r.Columns = append(r.Columns, f.Name)
			}
		}
	}
	return r
}

// namesRows reports whether a column may hold the rows' ids or labels.
func namesRows(f table.LayoutColumn, id, label string) bool {
	return f.Index || f.Name == id || f.Name == label || strings.EqualFold(f.Name, "id")
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

// read turns a piece into vectors and counts its rows.
func (r *rowReader) read(p *shards.Piece) (*batch, int64, error) {
	t, err := p.Table()
	if err != nil {
		return nil, 0, err
	}
	if t, err = t.Select(table.Selection{ID: r.ID, Label: r.Label}); err != nil {
		return nil, 0, err
	}
	b := &batch{row: p.Row, dim: r.Encoding.Dim()}
	if r.Encoding.Named && t.Named {
		t, b.extra = r.Encoding.Known(t)
	}
	v, err := r.Encoding.Apply(t)
	if err != nil {
		return nil, 0, err
	}
	b.values, b.ids, b.places = v.Values, t.IDs, v.Rows
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
	return b, int64(t.Rows), nil
}

// each calls do for every row of a block that can be read, and returns the
// others, of which limit may be.
func (r *rowReader) each(ctx context.Context, element []byte, limit int64, do func(x []float64)) (*badRows, error) {
	var b shards.Block
	if err := json.Unmarshal(element, &b); err != nil {
		return nil, err
	}
	bad := &badRows{}
	use := func(v *batch) error {
		for i := range v.len() {
			do(v.values[i*v.dim : (i+1)*v.dim])
		}
		return nil
	}
	return bad, r.Format.Each(ctx, &b, r.wanted(), func(p *shards.Piece) (int64, error) {
		return eachGood(p, r.read, use, bad, limit)
	})
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
