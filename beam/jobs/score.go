package jobs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/beam/store"
	"rot.example/rot/clean"
	"rot.example/rot/summary"
	"rot.example/rot/table"
)

const (
	scoreTask    = "score"
	suspectsTask = "suspects"
	topRows      = 100
)

func init() {
	engine.Register(scoreTask, newScoreTask)
	engine.Register(suspectsTask, func(spec []byte) (engine.Task, error) {
		t := new(suspectsSpec)
		return t, json.Unmarshal(spec, t)
	})
}

// A scoreSpec scores the rows of blocks and writes a file for each block.
type scoreSpec struct {
	Rows    *rowReader `json:"rows"`
	Model   []byte     `json:"model"`
	Out     string     `json:"out"`
	Job     string     `json:"job"`
	Blocks  int        `json:"blocks"`
	SkipBad int64      `json:"skip_bad"`

	model *clean.Model
}

func newScoreTask(spec []byte) (engine.Task, error) {
	s := new(scoreSpec)
	if err := json.Unmarshal(spec, s); err != nil {
		return nil, err
	}
	var err error
	s.model, _, err = clean.ReadModel(bytes.NewReader(s.Model))
	s.Model = nil
	return s, err
}

// A scoreSum is the summary of scored blocks.
type scoreSum struct {
	Rows                     int64 // scored
	Bad                      int64
	Filled, Dropped, Unknown int64
	Extra                    []string
	FirstBad                 *badRow
	BadShard                 string
	Tally, Top, Scores       []byte
	Files                    []FileInfo
	BadFiles                 []FileInfo
}

// A Suspect is one of the rows with the highest scores.
type Suspect struct {
	Row    int64   `json:"row"`
	ID     string  `json:"id"`
	Shard  string  `json:"shard"`
	Score  float64 `json:"score"`
	P      float64 `json:"p"`
	Causes []Cause `json:"causes"`
}

// A Cause is a column in which a row is unusual.
type Cause struct {
	Column string  `json:"column"`
	Value  float64 `json:"value"`
	Z      float64 `json:"z"` // deviations from the median
}

// scoreHistogram is what the page draws; the ends take what lies beyond.
func scoreHistogram() *summary.Histogram { return summary.NewHistogram(-5, 35, 160) }

func (s *scoreSpec) partName(b *shards.Block, ext string) string {
	return fmt.Sprintf("part-%05d-of-%05d%s", b.Number, s.Blocks, ext)
}

// Run implements engine.Task. A block that was done before, by an attempt or a
// run that died later, is not done again.
func (s *scoreSpec) Run(ctx context.Context, element []byte) ([]byte, error) {
	var b shards.Block
	if err := json.Unmarshal(element, &b); err != nil {
		return nil, err
	}
	file := s.partName(&b, ".csv")
	mark := store.Join(s.Out, workName+"/scores/"+s.partName(&b, ".json"))
	if done, err := store.Exists(ctx, mark); err == nil && done {
		if sum, err := s.reuse(ctx, mark); err == nil {
			return sum, nil
		}
	}
	sum := &scoreSum{}
	var tally clean.Tally
	top := summary.Top{Limit: topRows}
	hist := scoreHistogram()
	scorer := s.model.NewScorer()
	var lines []byte
	var bad []badRow
	names := s.Rows.Encoding.Components()
	info := FileInfo{File: "scores/" + file, Shard: b.Shard, Row: b.Row}
	var err error
	info.Bytes, info.SHA256, err = writePart(ctx, store.Join(s.Out, info.File), func(w io.Writer) error {
		if _, err := io.WriteString(w, "row,id,score,p\n"); err != nil {
			return err
		}
		good := func(v *batch) error {
			lines = lines[:0]
			for i := range v.len() {
				x := v.values[i*v.dim : (i+1)*v.dim]
				score := scorer.Score(x)
				p := s.model.P(score)
				row := v.at(i)
				id := ""
				if v.ids != nil {
					id = v.ids[i]
				}
				lines = appendScore(lines, row, id, v.ids != nil, score, p)
				tally.Add(p)
				hist.Add(score)
				if top.Wants(score, uint64(row)) {
					data, err := json.Marshal(s.suspect(&b, row, id, v.ids != nil, score, p, x, names))
					if err != nil {
						return err
					}
					top.Add(score, uint64(row), data)
				}
			}
			sum.Rows += int64(v.len())
			sum.Filled += v.filled
			sum.Dropped += v.dropped
			sum.Unknown += v.unknown
			sum.Extra = v.extra
			_, err := w.Write(lines)
			return err
		}
		return s.Rows.Format.Each(ctx, &b, s.Rows.wanted(), func(p *shards.Piece) (int64, error) {
			if s.SkipBad == 0 {
				v, err := s.Rows.read(p)
				if err != nil {
					return 0, &engine.DataError{Err: err}
				}
				return v.rows, good(v)
			}
			return s.Rows.readGood(p, good, func(r badRow) error {
				bad = append(bad, r)
				if int64(len(bad)) > s.SkipBad {
					return &engine.DataError{Err: fmt.Errorf("more than %d bad rows: %s", s.SkipBad, r.Error)}
				}
				return nil
			})
		})
	})
	if err != nil {
		return nil, err
	}
	info.Rows = sum.Rows
	sum.Files = []FileInfo{info}
	if len(bad) > 0 {
		if err := s.writeBad(ctx, &b, bad, sum); err != nil {
			return nil, err
		}
	}
	if sum.Tally, err = tally.MarshalBinary(); err != nil {
		return nil, err
	}
	if sum.Top, err = top.MarshalBinary(); err != nil {
		return nil, err
	}
	if sum.Scores, err = hist.MarshalBinary(); err != nil {
		return nil, err
	}
	out, err := json.Marshal(sum)
	if err != nil {
		return nil, err
	}
	return out, writeJSON(ctx, mark, &doneMark{Job: s.Job, Sum: out})
}

// A doneMark says that a block is done, and what came of it.
type doneMark struct {
	Job string
	Sum []byte
}

func (s *scoreSpec) reuse(ctx context.Context, mark string) ([]byte, error) {
	text, err := store.Read(ctx, mark)
	if err != nil {
		return nil, err
	}
	var m doneMark
	var sum scoreSum
	if err := errors.Join(json.Unmarshal(text, &m), json.Unmarshal(m.Sum, &sum)); err != nil {
		return nil, err
	}
	if m.Job != s.Job {
		return nil, errors.New("another job's")
	}
	for _, f := range append(slices.Clone(sum.Files), sum.BadFiles...) {
		if n, err := store.Size(ctx, store.Join(s.Out, f.File)); err != nil || n != f.Bytes {
			return nil, errors.New("its file is not there")
		}
	}
	return m.Sum, nil
}

func (s *scoreSpec) suspect(b *shards.Block, row int64, id string, named bool, score, p float64, x []float64, names []string) *Suspect {
	if !named {
		id = strconv.FormatInt(row, 10)
	}
	out := &Suspect{Row: row, ID: id, Shard: b.Shard, Score: score, P: p}
	for _, c := range s.model.Causes(x, 3) {
		out.Causes = append(out.Causes, Cause{names[c.Column], c.Value, c.Z})
	}
	return out
}

// appendScore adds a line as rot clean score writes it.
func appendScore(lines []byte, row int64, id string, named bool, score, p float64) []byte {
	lines = strconv.AppendInt(lines, row, 10)
	lines = append(lines, ',')
	if named {
		lines = append(lines, csvField(id)...)
	} else {
		lines = strconv.AppendInt(lines, row, 10)
	}
	lines = append(lines, ',')
	lines = strconv.AppendFloat(lines, score, 'g', 6, 64)
	lines = append(lines, ',')
	lines = strconv.AppendFloat(lines, p, 'g', -1, 64)
	return append(lines, '\n')
}

// csvField quotes what CSV has to quote.
func csvField(s string) string {
	if strings.ContainsAny(s, "\",\r\n") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

func (s *scoreSpec) writeBad(ctx context.Context, b *shards.Block, bad []badRow, sum *scoreSum) error {
	info := FileInfo{File: "bad/" + s.partName(b, ".csv"), Shard: b.Shard, Row: bad[0].Row, Rows: int64(len(bad))}
	var err error
	info.Bytes, info.SHA256, err = writePart(ctx, store.Join(s.Out, info.File), func(w io.Writer) error {
		var text strings.Builder
		text.WriteString("shard,line,row,error,text\n")
		for _, r := range bad {
			fmt.Fprintf(&text, "%s,%d,%d,%s,%s\n", csvField(b.Shard), r.Line, r.Row, csvField(r.Error), csvField(r.Text))
		}
		_, err := io.WriteString(w, text.String())
		return err
	})
	sum.Bad, sum.FirstBad, sum.BadShard = int64(len(bad)), &bad[0], b.Shard
	sum.BadFiles = []FileInfo{info}
	return err
}

// Merge implements engine.Task.
func (s *scoreSpec) Merge(a, b []byte) ([]byte, error) {
	var x, y scoreSum
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return nil, err
	}
	var t, u clean.Tally
	var p, q summary.Top
	var g, h summary.Histogram
	if err := errors.Join(t.UnmarshalBinary(x.Tally), u.UnmarshalBinary(y.Tally), p.UnmarshalBinary(x.Top), q.UnmarshalBinary(y.Top),
		g.UnmarshalBinary(x.Scores), h.UnmarshalBinary(y.Scores)); err != nil {
		return nil, err
	}
	t.Merge(&u)
	p.Merge(&q)
	if err := g.Merge(&h); err != nil {
		return nil, err
	}
	var errs [3]error
	x.Tally, errs[0] = t.MarshalBinary()
	x.Top, errs[1] = p.MarshalBinary()
	x.Scores, errs[2] = g.MarshalBinary()
	x.Rows += y.Rows
	x.Bad += y.Bad
	x.Filled += y.Filled
	x.Dropped += y.Dropped
	x.Unknown += y.Unknown
	if len(x.Extra) == 0 {
		x.Extra = y.Extra
	}
	if x.FirstBad == nil || y.FirstBad != nil && y.FirstBad.Row < x.FirstBad.Row {
		x.FirstBad, x.BadShard = y.FirstBad, y.BadShard
	}
	byRow := func(a, b FileInfo) int { return strings.Compare(a.File, b.File) }
	x.Files = append(x.Files, y.Files...)
	x.BadFiles = append(x.BadFiles, y.BadFiles...)
	slices.SortFunc(x.Files, byRow)
	slices.SortFunc(x.BadFiles, byRow)
	out, err := json.Marshal(&x)
	return out, errors.Join(append(errs[:], err)...)
}

// A suspectsSpec lists the rows up to the cut.
type suspectsSpec struct {
	Out string
	Cut float64
}

// Run implements engine.Task: it reads a file of scores again.
func (s *suspectsSpec) Run(ctx context.Context, element []byte) ([]byte, error) {
	var f FileInfo
	if err := json.Unmarshal(element, &f); err != nil {
		return nil, err
	}
	r, err := store.OpenRange(ctx, store.Join(s.Out, f.File), 0, f.Bytes)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	info := FileInfo{File: strings.TrimSuffix(strings.Replace(f.File, "scores/", "suspects/", 1), ".csv") + ".txt", Shard: f.Shard, Row: f.Row}
	var text bytes.Buffer
	if info.Rows, err = listSuspects(&text, r, s.Cut); err != nil {
		return nil, fmt.Errorf("%s: %w", f.File, err)
	}
	if info.Rows == 0 {
		return json.Marshal([]FileInfo{})
	}
	info.Bytes, info.SHA256, err = writePart(ctx, store.Join(s.Out, info.File), func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal([]FileInfo{info})
}

// listSuspects copies the ids, as they are written, of rows whose p-value is at
// most cut. A record may run over several lines where an id does.
func listSuspects(w io.Writer, r io.Reader, cut float64) (n int64, err error) {
	scan := bufio.NewReaderSize(r, 1<<20)
	var record []byte
	for first := true; ; {
		line, err := scan.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		record = append(record, line...)
		if bytes.Count(record, []byte{'"'})%2 == 1 {
			continue
		}
		if first {
			first, record = false, record[:0]
			continue
		}
		text := bytes.TrimSuffix(record, []byte{'\n'})
		last := bytes.LastIndexByte(text, ',')
		before := bytes.LastIndexByte(text[:max(last, 0)], ',')
		begin := bytes.IndexByte(text, ',')
		if begin < 0 || before <= begin {
			return n, fmt.Errorf("%q is no line of scores", text)
		}
		p, err := strconv.ParseFloat(string(text[last+1:]), 64)
		if err != nil {
			return n, err
		}
		if p <= cut {
			n++
			if _, err := w.Write(append(text[begin+1:before:before], '\n')); err != nil {
				return n, err
			}
		}
		record = record[:0]
	}
}

// Merge implements engine.Task.
func (s *suspectsSpec) Merge(a, b []byte) ([]byte, error) {
	var x, y []FileInfo
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return nil, err
	}
	x = append(x, y...)
	slices.SortFunc(x, func(a, b FileInfo) int { return strings.Compare(a.File, b.File) })
	return json.Marshal(x)
}

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
	opts.AsWritten = e.AsWritten()
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
	if sum.Bad > spec.SkipBad {
		return nil, &engine.DataError{Err: fmt.Errorf("%d bad rows, and at most %d may be skipped; the first: %s", sum.Bad, spec.SkipBad, sum.FirstBad.Error)}
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
