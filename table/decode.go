package table

import (
	"encoding/csv"
	"io"
	"math"
)

// Decode turns vectors back into a table: the nearest category, true from 0.5
// on, and a missing cell where its indicator is at least 0.5.
func (e *Encoding) Decode(values []float64) *Table {
	dim := e.Dim()
	n := len(values) / dim
	t := &Table{Named: e.Named, Rows: n}
	for j, g := range e.Groups() {
		c := &e.Columns[j]
		b := builder{field: field{name: c.Name, kind: c.Kind, width: max(c.Width, 1)}}
		for i := range n {
			row := values[i*dim+g.First : i*dim+g.First+g.Width]
			if c.Indicator && row[g.Width-1] >= 0.5 {
				b.addMissing()
				continue
			}
			c.decode(row, &b)
		}
		col := b.column()
		settleWords(&col)
		t.Columns = append(t.Columns, col)
	}
	return t
}

// decode appends the cell that the components of a row stand for.
func (c *EncodedColumn) decode(row []float64, b *builder) {
	if c.Kind == Category {
		best := 0
		for k := range c.Levels {
			if row[k] > row[best] {
				best = k
			}
		}
		b.addWord([]byte(c.Levels[best]))
		return
	}
	for w := range c.Unit {
		v := row[w]*c.Unit[w] + c.Center[w]
		if c.Kind == Boolean {
			v = math.Round(min(max(v, 0), 1))
		}
		b.numbers = append(b.numbers, v)
	}
}

// WriteCSV writes the table as CSV: with a header if the columns have names,
// the numbers of a vector as columns of their own, missing cells empty.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	var header []string
	for j := range t.Columns {
		c := &t.Columns[j]
		for k := range max(c.Width, 1) {
			header = append(header, componentName(c.Name, k, c.Width))
		}
	}
	if t.Named {
		out.Write(header) // An error stays until the end.
	}
	line := make([]string, len(header))
	for i := range t.Rows {
		at := 0
		for j := range t.Columns {
			c := &t.Columns[j]
			if c.Kind != Vector {
				line[at] = c.Text(i)
				at++
				continue
			}
			for k := range c.Width {
				if v := c.Numbers[i*c.Width+k]; v == v {
					line[at] = numberText(v)
				} else {
					line[at] = ""
				}
				at++
			}
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}
