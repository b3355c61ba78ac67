package jobs

import (
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
	var bad badRows
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
			return eachGood(p, s.Rows.read, good, &bad, s.SkipBad)
		})
	})
	if err != nil {
		return nil, err
	}
	info.Rows = sum.Rows
	sum.Files = []FileInfo{info}
	if bad.Count > 0 {
		if err := s.writeBad(ctx, &b, &bad, sum); err != nil {
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

func (s *scoreSpec) writeBad(ctx context.Context, b *shards.Block, bad *badRows, sum *scoreSum) error {
	info := FileInfo{File: "bad/" + s.partName(b, ".csv"), Shard: b.Shard, Row: bad.Rows[0].Row, Rows: bad.Count}
	var err error
	info.Bytes, info.SHA256, err = writePart(ctx, store.Join(s.Out, info.File), bad.writeTo)
	sum.Bad, sum.FirstBad = bad.Count, &bad.Rows[0]
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
		x.FirstBad = y.FirstBad
	}
	byRow := func(a, b FileInfo) int { return strings.Compare(a.File, b.File) }
	x.Files = append(x.Files, y.Files...)
	x.BadFiles = append(x.BadFiles, y.BadFiles...)
	slices.SortFunc(x.Files, byRow)
	slices.SortFunc(x.BadFiles, byRow)
	out, err := json.Marshal(&x)
	return out, errors.Join(append(errs[:], err)...)
}
