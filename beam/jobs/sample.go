package jobs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/beam/store"
	"rot.example/rot/summary"
	"rot.example/rot/table"
)

// sampleRows are the numbers of the rows that a seed draws, ascending: all of
// them where there are no more than limit.
func sampleRows(rows int64, limit int, seed uint64) []uint64 {
	s := summary.Sample{Limit: limit, Seed: seed}
	for i := range uint64(rows) {
		s.Add(i)
	}
	return s.Rows()
}

// A picked is rows of a block: lines, or a Parquet file.
type picked struct {
	Number int
	Data   []byte
}

// appendPicked adds the rows of a block, if there are some.
func appendPicked(out []byte, p picked) []byte {
	if len(p.Data) == 0 {
		return out
	}
	out = binary.AppendUvarint(out, uint64(p.Number))
	out = binary.AppendUvarint(out, uint64(len(p.Data)))
	return append(out, p.Data...)
}

// parsePicked returns the rows of all blocks in their order.
func parsePicked(data []byte) (parts []picked, err error) {
	for len(data) > 0 {
		number, n := binary.Uvarint(data)
		size, m := binary.Uvarint(data[max(n, 0):])
		if n <= 0 || m <= 0 || size > uint64(len(data)-n-m) {
			return nil, errors.New("bytes of no rows")
		}
		parts = append(parts, picked{int(number), data[n+m : n+m+int(size)]})
		data = data[n+m+int(size):]
	}
	slices.SortFunc(parts, func(a, b picked) int { return a.Number - b.Number })
	return parts, nil
}

// lines takes records out of text.
type lines struct {
	want []int64 // those still to come, counted from the first of the block
	cut  table.Cutter
	text []byte
}

// take goes through the text of n records, of which the first is the at-th of
// the block. first is the number of the block's first among all rows.
func (l *lines) take(text []byte, at, n, first int64, bad []badRow) {
	for row := at; row < at+n && len(l.want) > 0 && l.want[0] < at+n; {
		size, blank := l.cut.First(text)
		record := text[:size]
		text = text[size:]
		if blank {
			continue
		}
		if row == l.want[0] {
			l.want = l.want[1:]
			if !slices.ContainsFunc(bad, func(b badRow) bool { return b.Row == first+row }) {
				l.text = append(l.text, record...)
				if record[len(record)-1] != '\n' {
					l.text = append(l.text, '\n')
				}
			}
		}
		row++
	}
}

// pickParquet copies the rows that are wanted, but for bad ones, as a file.
func pickParquet(ctx context.Context, e *gatherElement, bad []badRow) ([]byte, error) {
	want := slices.DeleteFunc(slices.Clone(e.Rows), func(row int64) bool {
		return slices.ContainsFunc(bad, func(b badRow) bool { return b.Row == e.Block.Row+row })
	})
	if len(want) == 0 {
		return nil, nil
	}
	size, err := store.Size(ctx, e.Block.Shard)
	if err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(store.At{Ctx: ctx, Name: e.Block.Shard}, size)
	if err != nil {
		return nil, &engine.DataError{Err: fmt.Errorf("%s: %w", e.Block.Shard, err)}
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, writerOptions(f)...)
	next, before := 0, int64(0)
	buf := make([]parquet.Row, 1)
	for _, g := range f.RowGroups()[e.Block.First:e.Block.Last] {
		rows := g.Rows()
		for ; next < len(want) && want[next] < before+g.NumRows(); next++ {
			if err := rows.SeekToRow(want[next] - before); err != nil {
				rows.Close()
				return nil, err
			}
			if n, err := rows.ReadRows(buf); n != 1 {
				rows.Close()
				return nil, &engine.DataError{Err: fmt.Errorf("%s: row %d cannot be read: %w", e.Block.Shard, want[next], err)}
			}
			if _, err := w.WriteRows(buf); err != nil {
				rows.Close()
				return nil, err
			}
		}
		rows.Close()
		before += g.NumRows()
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writerOptions(f *parquet.File) []parquet.WriterOption {
	out := []parquet.WriterOption{f.Schema()}
	for _, kv := range f.Metadata().KeyValueMetadata {
		if kv.Key != "ARROW:schema" { // it describes other pages
			out = append(out, parquet.KeyValueMetadata(kv.Key, kv.Value))
		}
	}
	return out
}

// writeSample writes rows of an input to a file of the same format in dir, which
// rot reads as it reads any table, and returns its name.
func writeSample(ctx context.Context, in *shards.Input, parts []picked, dir, name string) (string, error) {
	if in.Format.Parquet {
		path := filepath.Join(dir, name+".parquet")
		return path, store.Write(ctx, path, func(w io.Writer) error { return joinParquet(w, parts) })
	}
	path := filepath.Join(dir, name+"."+in.Format.Layout.Format)
	return path, store.Write(ctx, path, func(w io.Writer) error {
		if err := writeHeader(w, in.Format.Layout); err != nil {
			return err
		}
		for _, p := range parts {
			if _, err := w.Write(p.Data); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeHeader writes the names of the columns, as CSV has them.
func writeHeader(w io.Writer, l *table.Layout) error {
	if l.Format == "jsonl" || !l.Named {
		return nil
	}
	var names []string
	for j, c := range l.Columns {
		name := c.Name
		if c.Index && j == 0 && name == "index" {
			name = "" // as pandas and R leave it
		}
		if strings.ContainsAny(name, "\"\r\n"+string(rune(l.Delimiter))) || strings.TrimSpace(name) != name {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		names = append(names, name)
	}
	_, err := io.WriteString(w, strings.Join(names, string(rune(l.Delimiter)))+"\n")
	return err
}

func joinParquet(w io.Writer, parts []picked) error {
	var out *parquet.GenericWriter[any]
	for _, p := range parts {
		f, err := parquet.OpenFile(bytes.NewReader(p.Data), int64(len(p.Data)))
		if err != nil {
			return err
		}
		if out == nil {
			out = parquet.NewGenericWriter[any](w, writerOptions(f)...)
		}
		for _, g := range f.RowGroups() {
			rows := g.Rows()
			if _, err := parquet.CopyRows(out, rows); err != nil {
				rows.Close()
				return err
			}
			rows.Close()
		}
	}
	if out == nil {
		return errors.New("no rows were drawn")
	}
	return out.Close()
}
