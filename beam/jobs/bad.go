package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/beam/store"
)

// A badRow is a row that cannot be read.
type badRow struct {
	Shard string `json:"shard"`
	Row   int64  `json:"row"`
	Line  int    `json:"line,omitempty"`
	Error string `json:"error"`
	Text  string `json:"text,omitempty"`
}

// badRows are the bad rows of some blocks, in their order. Of more than may be
// skipped only the first are kept, and Count still counts all.
type badRows struct {
	Count int64    `json:"count,omitempty"`
	Rows  []badRow `json:"rows,omitempty"`
}

// merge adds the rows of other blocks, of which limit may be skipped.
func (b *badRows) merge(c *badRows, limit int64) {
	b.Count += c.Count
	b.Rows = append(b.Rows, c.Rows...)
	slices.SortFunc(b.Rows, func(x, y badRow) int {
		if x.Row != y.Row {
			return int(x.Row - y.Row)
		}
		return strings.Compare(x.Shard, y.Shard)
	})
	if int64(len(b.Rows)) > limit {
		b.Rows = b.Rows[:limit+1]
	}
}

// add takes one more bad row. More than limit in one block end the job.
func (b *badRows) add(r badRow, limit int64) error {
	b.Count++
	b.Rows = append(b.Rows, r)
	switch {
	case limit == 0:
		return &engine.DataError{Err: errors.New(r.Error)}
	case b.Count > limit:
		return &engine.DataError{Err: fmt.Errorf("more than %d bad rows; the last of them: %s", limit, r.Error)}
	}
	return nil
}

// check fails where there are more bad rows than limit.
func (b *badRows) check(limit int64) error {
	if b.Count <= limit {
		return nil
	}
	return &engine.DataError{Err: fmt.Errorf("%d bad rows, and at most %d may be skipped; the first: %s", b.Count, limit, b.Rows[0].Error)}
}

// eachGood reads a piece and hands over what came of it; read also counts the
// rows of the piece. Where that fails and
// rows may be skipped, it reads the rows that can be read and adds the others to
// bad. It returns how many rows the piece has.
func eachGood[T any](p *shards.Piece, read func(*shards.Piece) (T, int64, error), use func(T) error, bad *badRows, limit int64) (int64, error) {
	v, n, err := read(p)
	if err == nil {
		return n, use(v)
	}
	if limit == 0 {
		return 0, &engine.DataError{Err: firstBad(p, read, err)}
	}
	first, second, ok := p.Halves()
	if !ok {
		return 1, bad.add(badRow{p.Block.Shard, p.Row, p.Line, rowError(p, err).Error(), strings.TrimRight(string(p.Text()), "\r\n")}, limit)
	}
	var rows int64
	for _, half := range []*shards.Piece{first, second} {
		n, err := eachGood(half, read, use, bad, limit)
		rows += n
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// firstBad returns what is wrong with the first bad row of a piece that read
// refuses with err; err itself where no row by itself is bad.
func firstBad[T any](p *shards.Piece, read func(*shards.Piece) (T, int64, error), err error) error {
	for at := p; ; {
		first, second, ok := at.Halves()
		if !ok {
			return rowError(at, err)
		}
		at = first
		if _, _, halfErr := read(at); halfErr != nil {
			err = halfErr
			continue
		}
		at = second
		_, _, halfErr := read(at)
		if halfErr == nil {
			return err
		}
		err = halfErr
	}
}

// rowError says where the only row of a piece stands, where err counts it from
// the beginning of the piece.
func rowError(p *shards.Piece, err error) error {
	place := fmt.Sprintf("row %d of all", p.Row)
	if p.Line > 0 {
		place = fmt.Sprintf("line %d", p.Line)
	}
	return errors.New(strings.ReplaceAll(err.Error(), "in row 0", "in "+place))
}

// writeTo writes the rows as a table.
func (b *badRows) writeTo(w io.Writer) error {
	var text strings.Builder
	text.WriteString("shard,line,row,error,text\n")
	for _, r := range b.Rows {
		fmt.Fprintf(&text, "%s,%d,%d,%s,%s\n", csvField(r.Shard), r.Line, r.Row, csvField(r.Error), csvField(r.Text))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// A BadOptions says what becomes of rows that cannot be read. The zero value
// ends the job with the first of them.
type BadOptions struct {
	Skip int64  // rows to leave out at most
	File string // where they are written, a table; "" means nowhere
}

// write writes the rows that were left out, where there are some.
func (o *BadOptions) write(ctx context.Context, b *badRows) error {
	if o.File == "" || b.Count == 0 {
		return nil
	}
	return store.Write(ctx, o.File, b.writeTo)
}
