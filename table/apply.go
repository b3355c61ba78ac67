package table

import (
	"math"
	"slices"
	"time"
)

// An Encoded is a table as vectors.
type Encoded struct {
	Dim    int
	Values []float64 // row-major
	Rows   []int     // of the table, for each vector; nil when it is all of them

	Dropped int           // rows left out for missing cells
	Filled  []ColumnCount // columns with missing cells that something stands in for
	Unknown []ColumnCount // columns with categories that the encoding does not know
	Bad     []BadColumn   // columns with cells that cannot be read; they count as missing
}

// A BadColumn is a column with cells that are not of its kind.
type BadColumn struct {
	Column string `json:"column"`
	BadCells
}

// A ColumnCount counts cells of a column.
type ColumnCount struct {
	Column  string `json:"column"`
	Count   int    `json:"count"`
	Example string `json:"example,omitempty"`
}

// Len returns the number of vectors.
func (v *Encoded) Len() int { return len(v.Values) / v.Dim }

// Apply encodes t, or a block of it. Its columns must be those of the
// encoding: by name, in any order, or by position for tables without names.
// Columns that differ give a *MeetError, cells that cannot be encoded an
// *EncodingError.
func (e *Encoding) Apply(t *Table) (*Encoded, error) {
	met, err := e.meet(t)
	if err != nil {
		return nil, err
	}
	bad := EncodingError{Total: len(met.Columns)}
	var unread []BadColumn
	for j := range met.Columns {
		c := &met.Columns[j]
		n, first := c.Missing()
		bad.check(c, e.Columns[j].Kind, met, n, first, e.Missing)
		if c.Bad.Count > 0 {
			unread = append(unread, BadColumn{e.Columns[j].Name, c.Bad})
		}
	}
	if len(bad.Complaints) > 0 {
		return nil, &bad
	}
	v := &Encoded{Dim: e.Dim(), Bad: unread}
	rows := met.Rows
	if e.Missing == MissingDrop {
		v.Rows = wholeRows(met)
		if v.Dropped = rows - len(v.Rows); v.Dropped == 0 {
			v.Rows = nil
		}
		rows = met.Rows - v.Dropped
		if rows == 0 {
			return nil, failure(t.Name, "each row has a missing cell, so that none is left")
		}
	}
	v.Values = make([]float64, rows*v.Dim)
	places := make([][]int, len(e.Columns))
	for j := range e.Columns {
		places[j] = e.Columns[j].levelPlaces(&met.Columns[j])
	}
	// Some rows at a time, so that they stay in the cache for all columns.
	const block = 2048
	blocks := (rows + block - 1) / block
	tallies := make([][]encodeTally, blocks)
	_ = eachInParallel(blocks, func(b int) error {
		tallies[b] = make([]encodeTally, len(e.Columns))
		at := 0
		for j := range e.Columns {
			c := &e.Columns[j]
			c.encode(&met.Columns[j], v, at, b*block, min((b+1)*block, rows), places[j], &tallies[b][j])
			at += c.components()
		}
		return nil
	})
	v.sum(e, tallies)
	return v, nil
}

// An encodeTally counts what had to be done to cells of a column.
type encodeTally struct {
	filled, unknown int
	example         string // of the unknown
}

// sum adds up the tallies of all blocks.
func (v *Encoded) sum(e *Encoding, tallies [][]encodeTally) {
	for j := range e.Columns {
		var all encodeTally
		for _, t := range tallies {
			all.filled += t[j].filled
			if all.unknown == 0 {
				all.example = t[j].example
			}
			all.unknown += t[j].unknown
		}
		if all.filled > 0 {
			v.Filled = append(v.Filled, ColumnCount{Column: e.Columns[j].Name, Count: all.filled})
		}
		if all.unknown > 0 {
			v.Unknown = append(v.Unknown, ColumnCount{Column: e.Columns[j].Name, Count: all.unknown, Example: all.example})
		}
	}
}

// EncodingName stands for an encoding in a *MeetError.
const EncodingName = "the encoding"

// meet brings the columns of t into the order of the encoding.
func (e *Encoding) meet(t *Table) (*Table, error) {
	own := &Table{Name: EncodingName, Named: e.Named}
	for j := range e.Columns {
		c := &e.Columns[j]
		own.Columns = append(own.Columns, Column{Name: c.Name, Kind: c.Kind, Width: max(c.Width, 1), Bad: BadCells{Count: 1}})
	}
	met, err := Meet(own, t)
	if err != nil {
		return nil, err
	}
	for j := range met.Columns {
		met.Columns[j].Name = e.Columns[j].Name
	}
	return met, nil
}

// wholeRows are the rows without missing cells.
func wholeRows(t *Table) []int {
	rows := make([]int, 0, t.Rows)
	for i := range t.Rows {
		if !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.IsMissing(i) }) {
			rows = append(rows, i)
		}
	}
	return rows
}

// encode writes the components of the vectors lo to hi of a column, from place
// at on.
func (c *EncodedColumn) encode(from *Column, v *Encoded, at, lo, hi int, place []int, t *encodeTally) {
	if from.Width == 1 && len(c.Unit) == 1 && !c.Clock && !c.Indicator && v.Rows == nil {
		center, unit := c.Center[0], c.Unit[0]
		for k := lo; k < hi; k++ {
			x := from.Numbers[k]
			if x != x {
				x = c.Fill[0]
				t.filled++
			}
			v.Values[k*v.Dim+at] = (x - center) / unit
		}
		return
	}
	indicator := at + c.components() - 1
	for k := lo; k < hi; k++ {
		i := k
		if v.Rows != nil {
			i = v.Rows[k]
		}
		to := v.Values[k*v.Dim : (k+1)*v.Dim]
		missing := from.IsMissing(i)
		if missing {
			t.filled++
			if c.Indicator {
				to[indicator] = 1
			}
		}
		if c.Kind == Category {
			c.encodeWord(from, i, missing, to[at:], place, t)
			continue
		}
		for w := range c.Unit {
			x := c.Fill[w]
			if own := from.Numbers[i*from.Width+w]; own == own {
				x = own
			}
			to[at+w] = (x - c.Center[w]) / c.Unit[w]
		}
		if c.Clock {
			x := c.Fill[0]
			if !missing {
				x = from.Numbers[i]
			}
			clockPoints(to[at+1:at+5], x)
		}
	}
}

// encodeWord writes the component of a category.
func (c *EncodedColumn) encodeWord(from *Column, i int, missing bool, to []float64, place []int, t *encodeTally) {
	level := c.FillLevel
	if !missing {
		if level = place[from.Codes[i]]; level < 0 {
			if t.unknown == 0 {
				t.example = from.Levels[from.Codes[i]]
			}
			t.unknown++
			return
		}
	}
	to[level] = LevelWeight
}

// levelPlaces maps the levels of a column to those of the encoding, -1 for
// unknown ones.
func (c *EncodedColumn) levelPlaces(from *Column) []int {
	if c.Kind != Category {
		return nil
	}
	known := make(map[string]int, len(c.Levels))
	for k, s := range c.Levels {
		known[s] = k
	}
	place := make([]int, len(from.Levels))
	for k, s := range from.Levels {
		place[k] = -1
		if p, ok := known[s]; ok {
			place[k] = p
		}
	}
	return place
}

// clockPoints writes the weekday and the hour as points on circles of diameter
// one, so that Sunday is next to Monday and 23 o'clock next to midnight.
func clockPoints(to []float64, seconds float64) {
	t := time.Unix(int64(math.Floor(seconds)), 0).UTC()
	day := 2 * math.Pi * float64(t.Weekday()) / 7
	hour := 2 * math.Pi * (float64(t.Hour()) + float64(t.Minute())/60) / 24
	to[0], to[1] = math.Cos(day)/2, math.Sin(day)/2
	to[2], to[3] = math.Cos(hour)/2, math.Sin(hour)/2
}
