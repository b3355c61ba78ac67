package jobs

import (
	"bytes"
	"context"
	"encoding/json"
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

const pickTask = "pick"

func init() {
	engine.Register(pickTask, func(spec []byte) (engine.Task, error) {
		t := new(pickSpec)
		return t, json.Unmarshal(spec, t)
	})
}

// sampleRows are the numbers of the rows that a seed draws, ascending: all of
// them where there are no more than limit.
func sampleRows(rows int64, limit int, seed uint64) []uint64 {
	s := summary.Sample{Limit: limit, Seed: seed}
	for i := range uint64(rows) {
		s.Add(i)
	}
	return s.Rows()
}

// A pickSpec takes rows out of blocks as they are in their files.
type pickSpec struct{ Format shards.Format }

// A pickElement is a block and the rows of it that are wanted, from its first on.
type pickElement struct {
	Block shards.Block
	Rows  []int64
}

// A picked is rows of a block: lines, or a Parquet file.
type picked struct {
	Number int
	Data   []byte
}

// Run implements engine.Task.
func (s *pickSpec) Run(ctx context.Context, element []byte) ([]byte, error) {
	var e pickElement
	if err := json.Unmarshal(element, &e); err != nil {
		return nil, err
	}
	var data []byte
	var err error
	if s.Format.Parquet {
		data, err = pickParquet(ctx, &e)
	} else {
		data, err = s.pickText(ctx, &e)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal([]picked{{e.Block.Number, data}})
}

func (s *pickSpec) pickText(ctx context.Context, e *pickElement) ([]byte, error) {
	var out []byte
	cut := s.Format.Layout.Cutter()
	next := 0
	err := s.Format.Each(ctx, &e.Block, nil, func(p *shards.Piece) (int64, error) {
		rows := p.Rows()
		at := p.Row - e.Block.Row
		text := p.Text()
		for row := at; row < at+rows && next < len(e.Rows); row++ {
			n, blank := cut.First(text)
			line := text[:n]
			text = text[n:]
			if blank {
				row--
				continue
			}
			if row == e.Rows[next] {
				next++
				out = append(out, line...)
				if out[len(out)-1] != '\n' {
					out = append(out, '\n')
				}
			}
		}
		return rows, nil
	})
	return out, err
}

func pickParquet(ctx context.Context, e *pickElement) ([]byte, error) {
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
		for ; next < len(e.Rows) && e.Rows[next] < before+g.NumRows(); next++ {
			if err := rows.SeekToRow(e.Rows[next] - before); err != nil {
				rows.Close()
				return nil, err
			}
			if n, err := rows.ReadRows(buf); n != 1 {
				rows.Close()
				return nil, &engine.DataError{Err: fmt.Errorf("%s: row %d cannot be read: %w", e.Block.Shard, e.Rows[next], err)}
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

// Merge implements engine.Task.
func (s *pickSpec) Merge(a, b []byte) ([]byte, error) {
	out := append(bytes.Clone(a[:len(a)-1]), ',')
	return append(out, b[1:]...), nil
}

// sampleFiles writes some rows of each input to a file of the same format in
// dir, which rot reads as it reads any table, and returns their names.
func sampleFiles(ctx context.Context, job *engine.Job, inputs []*shards.Input, rows [][]uint64, dir string) ([]string, error) {
	specs, els := make([][]byte, len(inputs)), make([][][]byte, len(inputs))
	for k, in := range inputs {
		var err error
		if specs[k], err = json.Marshal(&pickSpec{Format: in.Format}); err != nil {
			return nil, err
		}
		at := 0
		for _, b := range in.Blocks {
			e := pickElement{Block: b}
			for ; at < len(rows[k]) && int64(rows[k][at]) < b.Row+b.Rows; at++ {
				e.Rows = append(e.Rows, int64(rows[k][at])-b.Row)
			}
			if len(e.Rows) > 0 {
				text, err := json.Marshal(&e)
				if err != nil {
					return nil, err
				}
				els[k] = append(els[k], text)
			}
		}
	}
	data, err := job.RunEach(ctx, pickTask, specs, els)
	if err != nil {
		return nil, err
	}
	var files []string
	for k, in := range inputs {
		var parts []picked
		if err := json.Unmarshal(data[k], &parts); err != nil {
			return nil, err
		}
		path, err := writeSample(ctx, in, parts, dir, fmt.Sprintf("sample%d", k))
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

func writeSample(ctx context.Context, in *shards.Input, parts []picked, dir, name string) (string, error) {
	slices.SortFunc(parts, func(a, b picked) int { return a.Number - b.Number })
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
