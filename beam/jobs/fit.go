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

// selection is the columns of an input that are looked at: what it does not have
// is left to the reader of all inputs, which knows whether others have it.
func (o *TableOptions) selection(in *shards.Input) table.Selection {
	probe := in.Probe()
	has := func(s table.Selection) bool {
		var unknown *table.UnknownError
		_, err := probe.Select(s)
		return !errors.As(err, &unknown)
	}
	var s table.Selection
	if o.ID != "" && has(table.Selection{ID: o.ID}) {
		s.ID = o.ID
	}
	if o.Label != "" && has(table.Selection{Label: o.Label}) {
		s.Label = o.Label
	}
	for _, name := range o.Columns {
		if has(table.Selection{Columns: []string{name}}) {
			s.Columns = append(s.Columns, name)
		}
	}
	for _, name := range o.Ignore {
		if has(table.Selection{Ignore: []string{name}}) {
			s.Ignore = append(s.Ignore, name)
		}
	}
	return s
}

// FitOptions tunes Fit.
type FitOptions struct {
	Model  string // file to write
	Core   int
	Seed   uint64
	Sample int // rows that the model is made from at most; 0 means DefaultSample
	Bad    BadOptions
	Table  TableOptions
	Shards shards.Options
}

// A FitResult says what a model was made from.
type FitResult struct {
	Rows   int64  `json:"n"`
	Bad    int64  `json:"bad"` // rows left out
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
	opts.SkipBad = o.Bad.Skip
	if o.Table.ID != "" {
		opts.AsWritten = append(opts.AsWritten, o.Table.ID)
	}
	in, err := shards.Open(ctx, job, patterns, &opts)
	if err != nil {
		return nil, err
	}
	d, err := draw(ctx, job, []*shards.Input{in}, limit, o.Seed, &o.Table, opts.Header, false, o.Bad.Skip)
	if err != nil {
		return nil, err
	}
	t, rows := d.tables[0], d.sides[0].rows
	m, err := clean.Fit(ctx, &t.Points, &clean.Options{Core: o.Core, Seed: o.Seed, Groups: clean.Groups(t.Encoding)})
	if err != nil {
		if errors.Is(err, ot.ErrShape) {
			return nil, &engine.DataError{Err: fmt.Errorf("%s: %w", strings.Join(patterns, " "), err)}
		}
		return nil, err
	}
	if int64(t.Points.Len()) < rows {
		m.Rows = int(rows)
	}
	e := t.Encoding
	if e == nil {
		e = table.Plain(t.Points.Dim)
	}
	encoding, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	if err := o.Bad.write(ctx, &d.bad); err != nil {
		return nil, err
	}
	if err := store.Write(ctx, o.Model, func(w io.Writer) error { return m.Write(w, encoding) }); err != nil {
		return nil, err
	}
	return &FitResult{Rows: rows, Bad: d.bad.Count, Drawn: t.Points.Len(), Dim: t.Points.Dim, Model: o.Model, Seed: o.Seed, Shards: len(in.Names)}, nil
}

// A drawing is rows of inputs that are compared, and what all rows say.
type drawing struct {
	tables []*dataset.Table // the rows that were drawn
	sides  []*gathering
	bad    badRows
}

// draw passes over the rows of each input once and reads those that it draws as
// rot reads tables that are compared. Where not all rows are drawn, units,
// medians and categories are those of all rows. Columns are summarized where not
// all rows are drawn, or sums is true.
func draw(ctx context.Context, job *engine.Job, inputs []*shards.Input, limit int, seed uint64, o *TableOptions, header table.Header, sums bool, skip int64) (*drawing, error) {
	dir, err := os.MkdirTemp("", "rot-beam")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	d := &drawing{}
	if d.sides, err = gather(ctx, job, inputs, limit, seed, dir, o, sums, skip); err != nil {
		return nil, err
	}
	whole := true
	var files []string
	for _, g := range d.sides {
		files = append(files, g.file)
		whole = whole && int64(len(g.drawn)) == g.rows
		d.bad.Count += g.bad.Count
		d.bad.Rows = append(d.bad.Rows, g.bad.Rows...)
	}
	read := o.dataset(header)
	d.tables, err = dataset.LoadTogether(files, read)
	if err == nil && !whole && d.tables[0].Encoding != nil {
		if err := refine(d.tables[0].Encoding, d.sides); err != nil {
			return nil, err
		}
		read.Encoding = d.tables[0].Encoding
		d.tables, err = dataset.LoadTogether(files, read)
	}
	if err != nil {
		text := err.Error()
		for k, f := range files {
			text = strings.ReplaceAll(text, f, inputs[k].Names[0]+" (a sample)")
		}
		return nil, &engine.DataError{Err: errors.New(text)}
	}
	for k, t := range d.tables {
		// Rows without names are called by their numbers among all rows.
		if t.Points.IDs == nil && t.Points.Len() == len(d.sides[k].drawn) {
			for _, row := range d.sides[k].drawn {
				t.Points.IDs = append(t.Points.IDs, strconv.FormatUint(row, 10))
			}
		}
	}
	return d, nil
}
