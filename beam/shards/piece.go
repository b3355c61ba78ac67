package shards

import (
	"bytes"
	"context"
	"errors"
	"io"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/store"
	"rot.example/rot/table"
)

// A Piece is some rows that are read at a time.
type Piece struct {
	Block *Block
	Row   int64 // number of the first among all rows
	Line  int   // of the first in its shard; 0 for Parquet

	format *Format
	text   []byte
	table  *table.Table // of Parquet
}

// pieceBytes of text are parsed at a time.
const pieceBytes = 1 << 20

// Each calls do for the pieces of a block, in order. Of Parquet only the columns
// for which wanted is true are read; nil means all. do returns how many rows the
// piece had.
func (f *Format) Each(ctx context.Context, b *Block, wanted func(string) bool, do func(*Piece) (int64, error)) error {
	row := b.Row
	step := func(p *Piece) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.Block, p.format, p.Row = b, f, row
		n, err := do(p)
		row += n
		return err
	}
	err := f.each(ctx, b, wanted, step)
	if err == nil && row != b.Row+b.Rows {
		err = dataErrorf("%s: %d rows where %d had been counted: the shard has changed meanwhile", b.Shard, row-b.Row, b.Rows)
	}
	return err
}

func (f *Format) each(ctx context.Context, b *Block, wanted func(string) bool, step func(*Piece) error) error {
	if f.Parquet {
		size, err := store.Size(ctx, b.Shard)
		if err != nil {
			return &engine.DataError{Err: err}
		}
		r, err := table.OpenGroups(b.Shard, store.At{Ctx: ctx, Name: b.Shard}, size, b.First, b.Last, wanted, &table.Options{AsWritten: f.AsWritten, BlockRows: 8192})
		if err != nil {
			return &engine.DataError{Err: err}
		}
		defer r.Close()
		for {
			t, err := r.Next()
			if errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return &engine.DataError{Err: err}
			}
			if err := step(&Piece{table: t}); err != nil {
				return err
			}
		}
	}
	r, err := openText(ctx, b.Shard, b.Start, b.End)
	if err != nil {
		return &engine.DataError{Err: err}
	}
	defer r.Close()
	line := int(b.Line)
	return cutText(r, f.Layout.Cutter(), pieceBytes, func(text []byte) error {
		p := &Piece{text: text, Line: line}
		line += bytes.Count(text, []byte{'\n'})
		return step(p)
	})
}

// cutText cuts what r yields, whole records, into pieces.
func cutText(r io.Reader, c table.Cutter, size int, do func([]byte) error) error {
	buf := make([]byte, 0, 4*size)
	for {
		var err error
		for len(buf) < cap(buf) && err == nil {
			var n int
			n, err = r.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+n]
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		pieces := c.Pieces(buf, size)
		if err == nil { // the last may go on
			if len(pieces) < 2 {
				buf = append(make([]byte, 0, 2*cap(buf)), buf...)
				continue
			}
			pieces = pieces[:len(pieces)-1]
		}
		used := 0
		for _, p := range pieces {
			if err := do(p); err != nil {
				return err
			}
			used += len(p)
		}
		if err != nil {
			return nil
		}
		buf = buf[:copy(buf, buf[used:])]
	}
}

// Table parses the rows.
func (p *Piece) Table() (*table.Table, error) {
	if p.table != nil {
		return p.table, nil
	}
	return p.format.Layout.Parse(p.Block.Shard, p.text, p.Line)
}

// Rows is how many rows there are.
func (p *Piece) Rows() int64 {
	if p.table != nil {
		return int64(p.table.Rows)
	}
	return p.format.Layout.Cutter().Scan(p.text, false).Records
}

// Text is the text of the rows; nil for Parquet.
func (p *Piece) Text() []byte { return p.text }

// Halves cuts the piece in two; ok is false for a single row.
func (p *Piece) Halves() (a, b *Piece, ok bool) {
	n := p.Rows()
	if n < 2 {
		return nil, nil, false
	}
	a, b = &Piece{}, &Piece{}
	*a, *b = *p, *p
	if p.table != nil {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		a.table, b.table = p.table.Pick(rows[:n/2]), p.table.Pick(rows[n/2:])
		b.Row += n / 2
		return a, b, true
	}
	c := p.format.Layout.Cutter()
	at := 0
	for k := int64(0); k < n/2; {
		size, blank := c.First(p.text[at:])
		at += size
		if !blank {
			k++
		}
	}
	a.text, b.text = p.text[:at], p.text[at:]
	b.Row += n / 2
	b.Line += bytes.Count(a.text, []byte{'\n'})
	return a, b, true
}
