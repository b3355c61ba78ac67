package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/beam/store"
	"rot.example/rot/clean"
	"rot.example/rot/summary"
	"rot.example/rot/table"
)

// ScoreOptions tunes Score.
type ScoreOptions struct {
	Model   string // file of clean fit
	Out     string // folder
	ID      string // column that names the rows
	FDR     float64
	SkipBad int64 // rows that may be bad
	Shards  shards.Options
}

// A ScoreResult is what Score found; it is also the manifest of the folder.
type ScoreResult struct {
	Format   string     `json:"format"`
	Rows     int64      `json:"n"`
	Suspects int64      `json:"suspects"`
	FDR      float64    `json:"fdr"`
	P        float64    `json:"p"` // the largest of a suspect
	Bad      int64      `json:"bad"`
	Filled   int64      `json:"filled"`
	Dropped  int64      `json:"dropped"`
	Unknown  int64      `json:"unknown"`
	Notes    []string   `json:"notes,omitempty"`
	Shards   []Shard    `json:"shards"`
	Scores   []FileInfo `json:"scores"`
	Lists    []FileInfo `json:"suspect_lists"`
	BadRows  []FileInfo `json:"bad_rows,omitempty"`
	Top      []Suspect  `json:"top"`
}

// A Shard is a file of the input.
type Shard struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Rows  int64  `json:"rows"`
}

// Score scores the rows of shards by a model and fills a folder: a file of
// scores for each block, lists of suspects, a page and a manifest.
func Score(ctx context.Context, job *engine.Job, patterns []string, o *ScoreOptions) (*ScoreResult, error) {
	fdr := o.FDR
	if fdr == 0 {
		fdr = clean.DefaultFDR
	}
	model, e, err := readModel(ctx, o.Model)
	if err != nil {
		return nil, err
	}
	opts := o.Shards
	opts.AsWritten, opts.SkipBad = e.AsWritten(), o.SkipBad
	if o.ID != "" {
		opts.AsWritten = append(opts.AsWritten, o.ID)
	}
	in, err := shards.Open(ctx, job, patterns, &opts)
	if err != nil {
		return nil, err
	}
	spec := &scoreSpec{Rows: newRowReader(in, e, o.ID, ""), Model: model, Blocks: len(in.Blocks), SkipBad: o.SkipBad}
	if spec.Job, err = fingerprint(spec, in.Blocks, in.Sizes, fdr); err != nil {
		return nil, err
	}
	out, err := openOutput(ctx, o.Out, spec.Job)
	if err != nil {
		return nil, err
	}
	spec.Out = out.Dir
	r, err := score(ctx, job, in, spec, out, fdr)
	if err != nil {
		return nil, out.failed(ctx, err)
	}
	return r, nil
}

func score(ctx context.Context, job *engine.Job, in *shards.Input, spec *scoreSpec, out *Output, fdr float64) (*ScoreResult, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	blocks, err := elements(in.Blocks)
	if err != nil {
		return nil, err
	}
	data, err := job.Run(ctx, scoreTask, text, blocks)
	if err != nil {
		return nil, err
	}
	var sum scoreSum
	var tally clean.Tally
	var top summary.Top
	var hist summary.Histogram
	if err := json.Unmarshal(data, &sum); err != nil {
		return nil, err
	}
	if err := errors.Join(tally.UnmarshalBinary(sum.Tally), top.UnmarshalBinary(sum.Top), hist.UnmarshalBinary(sum.Scores)); err != nil {
		return nil, err
	}
	if sum.Bad > 0 {
		bad := badRows{Count: sum.Bad, Rows: []badRow{*sum.FirstBad}}
		if err := bad.check(spec.SkipBad); err != nil {
			return nil, err
		}
	}
	r := &ScoreResult{Format: "rot-beam scores 1", Rows: sum.Rows, FDR: fdr, Bad: sum.Bad, Filled: sum.Filled, Dropped: sum.Dropped, Unknown: sum.Unknown, Scores: sum.Files, BadRows: sum.BadFiles}
	for k, name := range in.Names {
		r.Shards = append(r.Shards, Shard{name, in.Sizes[k], in.RowsOf[k]})
	}
	if len(sum.Extra) > 0 {
		r.Notes = append(r.Notes, "columns that the model does not have are left out: "+strings.Join(sum.Extra, ", "))
	}
	for _, e := range top.Entries() {
		var s Suspect
		if err := json.Unmarshal(e.Data, &s); err != nil {
			return nil, err
		}
		r.Top = append(r.Top, s)
	}
	cut, suspects := tally.Cut(fdr)
	r.P, r.Suspects = cut, int64(suspects)
	if suspects > 0 {
		if r.Lists, err = listAll(ctx, job, &suspectsSpec{Out: out.Dir, Cut: cut}, sum.Files); err != nil {
			return nil, err
		}
	}
	if err := store.Write(ctx, out.path("report.html"), func(w io.Writer) error { return writeScorePage(w, r, &hist) }); err != nil {
		return nil, err
	}
	return r, out.finish(ctx, r)
}

// listAll writes the lists of suspects.
func listAll(ctx context.Context, job *engine.Job, spec *suspectsSpec, files []FileInfo) ([]FileInfo, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	var in [][]byte
	for k := range files {
		b, err := json.Marshal(&files[k])
		if err != nil {
			return nil, err
		}
		in = append(in, b)
	}
	data, err := job.Run(ctx, suspectsTask, text, in)
	if err != nil {
		return nil, err
	}
	var lists []FileInfo
	return lists, json.Unmarshal(data, &lists)
}

// readModel reads a model file and how its columns become numbers.
func readModel(ctx context.Context, path string) ([]byte, *table.Encoding, error) {
	data, err := store.Read(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	m, text, err := clean.ReadModel(bytes.NewReader(data))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	e, err := table.ParseEncoding(text)
	if err == nil && e.Dim() != m.Dim {
		err = errors.New("the model does not say what its columns are")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, e, nil
}
