package jobs

import (
	"bytes"
	"context"
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
	"rot.example/rot/table"
)

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
