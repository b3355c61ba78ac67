package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/summary"
	"rot.example/rot/table"
)

const columnsTask = "columns"

func init() {
	engine.Register(columnsTask, func(spec []byte) (engine.Task, error) {
		t := new(columnsSpec)
		return t, json.Unmarshal(spec, t)
	})
}

// A columnsSpec summarizes columns of blocks.
type columnsSpec struct {
	Format shards.Format
	Names  []string
}

// A ColumnSum is what all rows say about a column.
type ColumnSum struct {
	Name      string
	Rows      int64
	Missing   int64 // cells, those among them that are not of the column's kind
	Quantiles summary.Quantiles
	Sum       summary.Sum
	Squares   summary.Sum // of the values
	Levels    summary.Levels
}

// Mean is that of the numbers.
func (c *ColumnSum) Mean() float64 { return c.Sum.Mean(c.Quantiles.Rows()) }

// Deviation is the standard deviation of the numbers.
func (c *ColumnSum) Deviation() float64 {
	n := c.Quantiles.Rows()
	m := c.Mean()
	return math.Sqrt(max(0, c.Squares.Mean(n)-m*m))
}

type columnBytes struct {
	Name                            string
	Rows, Missing                   int64
	Quantiles, Sum, Squares, Levels []byte
}

func (c *ColumnSum) bytes() (b columnBytes, err error) {
	b = columnBytes{Name: c.Name, Rows: c.Rows, Missing: c.Missing}
	var errs [4]error
	b.Quantiles, errs[0] = c.Quantiles.MarshalBinary()
	b.Sum, errs[1] = c.Sum.MarshalBinary()
	b.Squares, errs[2] = c.Squares.MarshalBinary()
	b.Levels, errs[3] = c.Levels.MarshalBinary()
	return b, errors.Join(errs[:]...)
}

func (b *columnBytes) sum() (*ColumnSum, error) {
	c := &ColumnSum{Name: b.Name, Rows: b.Rows, Missing: b.Missing}
	return c, errors.Join(c.Quantiles.UnmarshalBinary(b.Quantiles), c.Sum.UnmarshalBinary(b.Sum), c.Squares.UnmarshalBinary(b.Squares), c.Levels.UnmarshalBinary(b.Levels))
}

func (c *ColumnSum) merge(d *ColumnSum) {
	c.Rows += d.Rows
	c.Missing += d.Missing
	c.Quantiles.Merge(&d.Quantiles)
	c.Sum.Merge(&d.Sum)
	c.Squares.Merge(&d.Squares)
	c.Levels.Merge(&d.Levels)
}

// Run implements engine.Task.
func (s *columnsSpec) Run(ctx context.Context, element []byte) ([]byte, error) {
	var b shards.Block
	if err := json.Unmarshal(element, &b); err != nil {
		return nil, err
	}
	sums := make([]*ColumnSum, len(s.Names))
	for k, name := range s.Names {
		sums[k] = &ColumnSum{Name: name}
	}
	err := s.Format.Each(ctx, &b, func(name string) bool { return slices.Contains(s.Names, name) }, func(p *shards.Piece) (int64, error) {
		t, err := p.Table()
		if err != nil {
			return 0, &engine.DataError{Err: err}
		}
		for _, c := range sums {
			if j := t.Find(c.Name); j >= 0 {
				c.add(&t.Columns[j], t.Rows)
			}
		}
		return int64(t.Rows), nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]columnBytes, len(sums))
	for k, c := range sums {
		if out[k], err = c.bytes(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}

// add summarizes the cells of a column.
func (c *ColumnSum) add(from *table.Column, rows int) {
	c.Rows += int64(rows)
	if from.Width == 1 {
		for _, v := range from.Numbers {
			if v != v {
				c.Missing++
				continue
			}
			c.Quantiles.Add(v)
			c.Sum.Add(v)
			c.Squares.Add(v * v)
		}
	}
	if from.Levels == nil && len(from.Codes) == 0 {
		return
	}
	counts := make([]int64, len(from.Levels))
	for _, code := range from.Codes {
		if code < 0 {
			c.Missing++
		} else {
			counts[code]++
		}
	}
	for k, n := range counts {
		c.Levels.AddTimes(from.Levels[k], n)
	}
}

// Merge implements engine.Task.
func (s *columnsSpec) Merge(a, b []byte) ([]byte, error) {
	var x, y []columnBytes
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return nil, err
	}
	for k := range x {
		p, err := x[k].sum()
		if err != nil {
			return nil, err
		}
		q, err := y[k].sum()
		if err != nil {
			return nil, err
		}
		p.merge(q)
		if x[k], err = p.bytes(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(x)
}

// columnSums summarizes columns of all inputs.
func columnSums(ctx context.Context, job *engine.Job, inputs []*shards.Input, names []string) ([][]*ColumnSum, error) {
	specs := make([]any, len(inputs))
	for k, in := range inputs {
		specs[k] = &columnsSpec{Format: in.Format, Names: names}
	}
	data, err := runRows(ctx, job, inputs, columnsTask, specs)
	if err != nil {
		return nil, err
	}
	all := make([][]*ColumnSum, len(inputs))
	for k := range inputs {
		var parts []columnBytes
		if err := json.Unmarshal(data[k], &parts); err != nil {
			return nil, err
		}
		for i := range parts {
			c, err := parts[i].sum()
			if err != nil {
				return nil, err
			}
			all[k] = append(all[k], c)
		}
	}
	return all, nil
}

// mostLevels is how many categories a column may have.
const mostLevels = 256

// refine sets what an encoding that was fitted to samples says about units,
// medians and categories by all rows.
func refine(ctx context.Context, job *engine.Job, inputs []*shards.Input, e *table.Encoding, o *TableOptions) error {
	var names []string
	for j := range e.Columns {
		names = append(names, e.Columns[j].Name)
	}
	sums, err := columnSums(ctx, job, inputs, names)
	if err != nil {
		return err
	}
	all := sums[0]
	for _, more := range sums[1:] {
		for k := range all {
			all[k].merge(more[k])
		}
	}
	for j := range e.Columns {
		refineColumn(&e.Columns[j], all[j], e, o)
	}
	return e.Check()
}

func refineColumn(c *table.EncodedColumn, s *ColumnSum, e *table.Encoding, o *TableOptions) {
	if e.Missing == table.MissingIndicator && s.Missing > 0 {
		c.Indicator = true
	}
	switch c.Kind {
	case table.Category:
		words, counts := s.Levels.Words()
		if !s.Levels.Complete() || len(words) > mostLevels || len(words) == 0 {
			return
		}
		c.Levels, c.FillLevel = words, 0
		for k := range counts {
			if counts[k] > counts[c.FillLevel] {
				c.FillLevel = k
			}
		}
	case table.Number, table.Time, table.Boolean:
		if s.Quantiles.Rows() == 0 || len(c.Unit) != 1 {
			return
		}
		at := func(level float64) float64 { v, _, _, _ := s.Quantiles.Quantile(level); return v }
		if e.Missing == table.MissingMedian || e.Missing == table.MissingIndicator {
			c.Fill[0] = at(0.5)
			if c.Kind == table.Boolean {
				c.Fill[0] = math.Round(c.Fill[0])
			}
		}
		if c.Kind == table.Boolean {
			return
		}
		spread := 0.0
		switch e.Scale {
		case table.ScaleStd:
			c.Center[0], spread = s.Mean(), s.Deviation()
		case table.ScaleRobust:
			c.Center[0], spread = at(0.5), (at(0.75)-at(0.25))/1.349
			if !(spread > 0) {
				spread = s.Deviation()
			}
		default:
			if c.Kind == table.Time {
				_, low, _, _ := s.Quantiles.Quantile(0)
				c.Center[0] = math.Floor(low/86400) * 86400
			}
			return
		}
		if spread > 0 && !math.IsInf(spread, 0) && !math.IsInf(1/spread, 0) {
			c.Unit[0] = spread
		}
	}
}
