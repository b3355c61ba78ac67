package jobs

import (
	"errors"
	"math"

	"rot.example/rot/summary"
	"rot.example/rot/table"
)

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

// merge adds the bytes of the same column's rows elsewhere.
func (b *columnBytes) merge(c *columnBytes) error {
	x, err := b.sum()
	if err != nil {
		return err
	}
	y, err := c.sum()
	if err != nil {
		return err
	}
	x.merge(y)
	*b, err = x.bytes()
	return err
}

// mostLevels is how many categories a column may have.
const mostLevels = 256

// refine sets what an encoding that was fitted to samples says about units,
// medians and categories by all rows.
func refine(e *table.Encoding, sides []*gathering) error {
	for j := range e.Columns {
		c := &e.Columns[j]
		all := &ColumnSum{Name: c.Name}
		for _, g := range sides {
			if s := g.columns[c.Name]; s != nil {
				all.merge(s)
			}
		}
		refineColumn(c, all, e)
	}
	return e.Check()
}

func refineColumn(c *table.EncodedColumn, s *ColumnSum, e *table.Encoding) {
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
