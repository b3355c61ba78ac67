package jobs

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/table"
)

const gatherTask = "gather"

func init() {
	engine.Register(gatherTask, func(spec []byte) (engine.Task, error) {
		t := new(gatherSpec)
		return t, json.Unmarshal(spec, t)
	})
}

// A gatherSpec is the first pass over the rows: it checks all of them,
// summarizes columns, and takes out the rows that were drawn as they are in
// their files.
type gatherSpec struct {
	Format  shards.Format
	Select  table.Selection
	Columns []string // of Parquet, those that are read
	Missing table.Missing
	Sums    bool // columns are summarized
	SkipBad int64
}

// A gatherElement is a block and the rows of it that are drawn, from its first on.
type gatherElement struct {
	Block shards.Block
	Rows  []int64
}

// A gathered is what came of blocks.
type gathered struct {
	Columns []columnBytes // ascending by name
	Bad     badRows

	picked []byte // rows that were drawn, as appendPicked writes them
}

// bytes puts the rows before the rest, so that merging need not look into them.
func (g *gathered) bytes() ([]byte, error) {
	text, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(nil, uint64(len(g.picked)))
	return append(append(out, g.picked...), text...), nil
}

func parseGathered(data []byte) (*gathered, error) {
	n, used := binary.Uvarint(data)
	if used <= 0 || n > uint64(len(data)-used) {
		return nil, errors.New("bytes of nothing gathered")
	}
	g := &gathered{picked: data[used : used+int(n)]}
	return g, json.Unmarshal(data[used+int(n):], g)
}

// Run implements engine.Task.
func (s *gatherSpec) Run(ctx context.Context, element []byte) ([]byte, error) {
	var e gatherElement
	if err := json.Unmarshal(element, &e); err != nil {
		return nil, err
	}
	var out gathered
	sums := map[string]*ColumnSum{}
	use := func(t *table.Table) error {
		if !s.Sums {
			return nil
		}
		for j := range t.Columns {
			c := &t.Columns[j]
			if sums[c.Name] == nil {
				sums[c.Name] = &ColumnSum{Name: c.Name}
			}
			sums[c.Name].add(c, t.Rows)
		}
		return nil
	}
	pick := &lines{want: e.Rows, cut: s.cutter()}
	err := s.Format.Each(ctx, &e.Block, s.wanted(), func(p *shards.Piece) (int64, error) {
		known := len(out.Bad.Rows)
		n, err := eachGood(p, s.read, use, &out.Bad, s.SkipBad)
		if err == nil && !s.Format.Parquet {
			pick.take(p.Text(), p.Row-e.Block.Row, n, e.Block.Row, out.Bad.Rows[known:])
		}
		return n, err
	})
	if err != nil {
		return nil, err
	}
	if s.Format.Parquet {
		if pick.text, err = pickParquet(ctx, &e, out.Bad.Rows); err != nil {
			return nil, err
		}
	}
	out.picked = appendPicked(nil, picked{e.Block.Number, pick.text})
	for _, c := range sums {
		b, err := c.bytes()
		if err != nil {
			return nil, err
		}
		out.Columns = append(out.Columns, b)
	}
	sortColumns(out.Columns)
	return out.bytes()
}

// project makes of the selection the columns of Parquet that are read.
func (s *gatherSpec) project(in *shards.Input) error {
	if !in.Format.Parquet {
		return nil
	}
	t, err := in.Probe().Select(s.Select)
	if err != nil {
		return &engine.DataError{Err: err}
	}
	s.Select.Columns, s.Select.Ignore = t.Names(), nil
	for _, f := range in.Fields {
		if t.Find(f.Name) >= 0 || namesRows(f, s.Select.ID, s.Select.Label) {
			s.Columns = append(s.Columns, f.Name)
		}
	}
	return nil
}

func (s *gatherSpec) wanted() func(string) bool {
	if s.Columns == nil {
		return nil
	}
	return func(name string) bool { return slices.Contains(s.Columns, name) }
}

func (s *gatherSpec) cutter() (c table.Cutter) {
	if s.Format.Layout != nil {
		c = s.Format.Layout.Cutter()
	}
	return c
}

// read parses a piece and checks its cells.
func (s *gatherSpec) read(p *shards.Piece) (*table.Table, int64, error) {
	t, err := p.Table()
	if err != nil {
		return nil, 0, err
	}
	if t.Rows == 0 {
		return t, 0, nil
	}
	if t, err = t.Select(s.Select); err != nil {
		return nil, 0, err
	}
	return t, int64(t.Rows), t.CheckCells(s.Missing)
}

func sortColumns(c []columnBytes) {
	slices.SortFunc(c, func(a, b columnBytes) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
}

// Merge implements engine.Task.
func (s *gatherSpec) Merge(a, b []byte) ([]byte, error) {
	x, err := parseGathered(a)
	if err != nil {
		return nil, err
	}
	y, err := parseGathered(b)
	if err != nil {
		return nil, err
	}
	x.picked = slices.Concat(x.picked, y.picked)
	x.Bad.merge(&y.Bad, s.SkipBad)
	for _, c := range y.Columns {
		k := slices.IndexFunc(x.Columns, func(d columnBytes) bool { return d.Name == c.Name })
		if k < 0 {
			x.Columns = append(x.Columns, c)
			continue
		}
		if err := x.Columns[k].merge(&c); err != nil {
			return nil, err
		}
	}
	sortColumns(x.Columns)
	return x.bytes()
}

// A gathering is what the first pass found in an input.
type gathering struct {
	drawn   []uint64 // numbers of the rows that were drawn and are good
	file    string   // with these rows, of the input's format
	columns map[string]*ColumnSum
	bad     badRows
	rows    int64 // that are good
}

// gather passes over the rows of all inputs once: it draws up to limit rows of
// each and writes them to files in dir, summarizes the columns unless all rows
// are drawn, and fails where more rows are bad than may be.
func gather(ctx context.Context, job *engine.Job, inputs []*shards.Input, limit int, seed uint64, dir string, o *TableOptions, sums bool, skip int64) ([]*gathering, error) {
	missing := o.Missing
	if missing == "" {
		missing = table.MissingError
	}
	specs, els := make([][]byte, len(inputs)), make([][][]byte, len(inputs))
	out := make([]*gathering, len(inputs))
	for k, in := range inputs {
		out[k] = &gathering{drawn: sampleRows(in.Rows, limit, seed+uint64(k)), columns: map[string]*ColumnSum{}}
		sums = sums || int64(len(out[k].drawn)) < in.Rows
	}
	for k, in := range inputs {
		var err error
		spec := &gatherSpec{Format: in.Format, Select: o.selection(in), Missing: missing, Sums: sums, SkipBad: skip}
		if err = spec.project(in); err != nil {
			return nil, err
		}
		if specs[k], err = json.Marshal(spec); err != nil {
			return nil, err
		}
		at, drawn := 0, out[k].drawn
		for _, b := range in.Blocks {
			e := gatherElement{Block: b}
			for ; at < len(drawn) && int64(drawn[at]) < b.Row+b.Rows; at++ {
				e.Rows = append(e.Rows, int64(drawn[at])-b.Row)
			}
			text, err := json.Marshal(&e)
			if err != nil {
				return nil, err
			}
			els[k] = append(els[k], text)
		}
	}
	data, err := job.RunEach(ctx, gatherTask, specs, els)
	if err != nil {
		return nil, err
	}
	var bad badRows
	for k, in := range inputs {
		g, err := parseGathered(data[k])
		if err != nil {
			return nil, err
		}
		bad.Count += g.Bad.Count
		bad.Rows = append(bad.Rows, g.Bad.Rows...)
		if err := bad.check(skip); err != nil {
			return nil, err
		}
		if err := out[k].take(ctx, in, g, dir, fmt.Sprintf("sample%d", k)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// take writes the file and sorts out the rest.
func (g *gathering) take(ctx context.Context, in *shards.Input, from *gathered, dir, name string) (err error) {
	g.bad, g.rows = from.Bad, in.Rows-from.Bad.Count
	isBad := map[uint64]bool{}
	for _, r := range from.Bad.Rows {
		isBad[uint64(r.Row)] = true
	}
	g.drawn = slices.DeleteFunc(g.drawn, func(row uint64) bool { return isBad[row] })
	if len(g.drawn) == 0 {
		return &engine.DataError{Err: fmt.Errorf("%s: every row is bad", in.Names[0])}
	}
	for k := range from.Columns {
		c, err := from.Columns[k].sum()
		if err != nil {
			return err
		}
		g.columns[c.Name] = c
	}
	parts, err := parsePicked(from.picked)
	if err != nil {
		return err
	}
	g.file, err = writeSample(ctx, in, parts, dir, name)
	return err
}
