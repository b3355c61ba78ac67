package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/beam/store"
	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// DefaultSample is how many rows are drawn for what a driver works out itself.
const DefaultSample = 50_000

// TableOptions say how columns become numbers, as the flags of rot do.
type TableOptions struct {
	Columns, Ignore []string
	ID, Label       string
	Scale           table.Scale
	Missing         table.Missing
	Clock           bool
}

func (o *TableOptions) dataset(header table.Header) *dataset.Options {
	return &dataset.Options{IDColumn: o.ID, LabelColumn: o.Label, Columns: o.Columns, Ignore: o.Ignore, Header: header, Missing: o.Missing, Scale: o.Scale, Clock: o.Clock}
}

// FitOptions tunes Fit.
type FitOptions struct {
	Model  string // file to write
	Core   int
	Seed   uint64
	Sample int // rows that the model is made from at most; 0 means DefaultSample
	Table  TableOptions
	Shards shards.Options
}

// A FitResult says what a model was made from.
type FitResult struct {
	Rows   int64  `json:"n"`
	Drawn  int    `json:"sample"`
	Dim    int    `json:"dim"`
	Model  string `json:"model"`
	Seed   uint64 `json:"seed"`
	Shards int    `json:"shards"`
}

// Fit makes a model of the rows of shards and writes it to a file: of all rows
// where they are no more than the sample, the same file that rot clean fit
// writes, and else of a sample, with units and categories of all rows.
func Fit(ctx context.Context, job *engine.Job, patterns []string, o *FitOptions) (*FitResult, error) {
	limit := o.Sample
	if limit <= 0 {
		limit = DefaultSample
	}
	opts := o.Shards
	if o.Table.ID != "" {
		opts.AsWritten = append(opts.AsWritten, o.Table.ID)
	}
	in, err := shards.Open(ctx, job, patterns, &opts)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "rot-beam")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	tables, err := loadSamples(ctx, job, []*shards.Input{in}, limit, o.Seed, dir, &o.Table, opts.Header)
	if err != nil {
		return nil, err
	}
	t := tables[0]
	m, err := clean.Fit(ctx, &t.Points, &clean.Options{Core: o.Core, Seed: o.Seed, Groups: clean.Groups(t.Encoding)})
	if err != nil {
		if errors.Is(err, ot.ErrShape) {
			return nil, &engine.DataError{Err: fmt.Errorf("%s: %w", strings.Join(patterns, " "), err)}
		}
		return nil, err
	}
	if int64(t.Points.Len()) < in.Rows {
		m.Rows = int(in.Rows)
	}
	e := t.Encoding
	if e == nil {
		e = table.Plain(t.Points.Dim)
	}
	encoding, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	if err := store.Write(ctx, o.Model, func(w io.Writer) error { return m.Write(w, encoding) }); err != nil {
		return nil, err
	}
	return &FitResult{Rows: in.Rows, Drawn: t.Points.Len(), Dim: t.Points.Dim, Model: o.Model, Seed: o.Seed, Shards: len(in.Names)}, nil
}

// loadSamples draws rows of each input and reads them as rot reads tables that
// are compared. Where not all rows are drawn, units, medians and categories are
// those of all rows.
func loadSamples(ctx context.Context, job *engine.Job, inputs []*shards.Input, limit int, seed uint64, dir string, o *TableOptions, header table.Header) ([]*dataset.Table, error) {
	whole := true
	var drawn [][]uint64
	for k, in := range inputs {
		rows := sampleRows(in.Rows, limit, seed+uint64(k))
		drawn = append(drawn, rows)
		whole = whole && int64(len(rows)) == in.Rows
	}
	files, err := sampleFiles(ctx, job, inputs, drawn, dir)
	if err != nil {
		return nil, err
	}
	read := o.dataset(header)
	tables, err := dataset.LoadTogether(files, read)
	if err == nil && !whole && tables[0].Encoding != nil {
		if err := refine(ctx, job, inputs, tables[0].Encoding, o); err != nil {
			return nil, err
		}
		read.Encoding = tables[0].Encoding
		tables, err = dataset.LoadTogether(files, read)
	}
	if err != nil {
		text := err.Error()
		for k, f := range files {
			text = strings.ReplaceAll(text, f, inputs[k].Names[0]+" (a sample)")
		}
		return nil, &engine.DataError{Err: errors.New(text)}
	}
	for k, t := range tables {
		// Rows without names are called by their numbers among all rows.
		if t.Points.IDs == nil && t.Points.Len() == len(drawn[k]) {
			for _, row := range drawn[k] {
				t.Points.IDs = append(t.Points.IDs, strconv.FormatUint(row, 10))
			}
		}
	}
	return tables, nil
}
