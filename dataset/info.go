package dataset

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strings"
)

// maxInfoColumns is how many columns Info describes one by one; images have
// thousands.
const maxInfoColumns = 64

// Info sums up a Table.
type Info struct {
	Name        string       `json:"name"`
	Format      string       `json:"format"`
	Rows        int          `json:"rows"`
	Dim         int          `json:"dim"`
	HasIDs      bool         `json:"has_ids"`
	Columns     []ColumnInfo `json:"columns"`      // the first 64
	MoreColumns int          `json:"more_columns"` // how many are not in Columns
	Constant    []int        `json:"constant"`     // columns with one value only, counted from 0
	Duplicates  int          `json:"duplicates"`   // rows equal to an earlier row
	Labels      []LabelCount `json:"labels"`       // most frequent first; nil without labels
	Bytes       int64        `json:"bytes"`        // of memory that the table takes
}

// ColumnInfo sums up one coordinate.
type ColumnInfo struct {
	Index int     `json:"index"` // counted from 0
	Name  string  `json:"name"`  // "" when it has none
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	Max   float64 `json:"max"`
	Std   float64 `json:"std"` // root mean square distance from Mean
}

// LabelCount says how many rows have a label.
type LabelCount struct {
	Label string `json:"label"`
	Count int    `json:"count"`
}

// Info sums t up.
func (t *Table) Info() *Info {
	p := &t.Points
	info := &Info{
		Name: t.Name, Format: t.Format, Rows: p.Len(), Dim: p.Dim, HasIDs: p.IDs != nil,
		Columns: []ColumnInfo{}, Constant: []int{},
		Duplicates: t.duplicates(), Labels: t.labelCounts(), Bytes: t.bytes(),
	}
	if info.Rows == 0 {
		return info
	}
	low, high := t.box()
	for j := range p.Dim {
		if low[j] == high[j] {
			info.Constant = append(info.Constant, j)
		}
	}
	shown := min(p.Dim, maxInfoColumns)
	info.MoreColumns = p.Dim - shown
	for j := range shown {
		c := ColumnInfo{Index: j, Min: low[j], Max: high[j]}
		if t.Columns != nil {
			c.Name = t.Columns[j]
		}
		c.Mean, c.Std = t.moments(j, max(math.Abs(low[j]), math.Abs(high[j])))
		info.Columns = append(info.Columns, c)
	}
	return info
}

// moments is the mean and standard deviation of column j, whose values are at
// most scale in size. Dividing by scale keeps the sums from overflowing.
func (t *Table) moments(j int, scale float64) (mean, std float64) {
	if scale == 0 {
		return 0, 0
	}
	p, n := &t.Points, float64(t.Points.Len())
	for k := j; k < len(p.Coords); k += p.Dim {
		mean += p.Coords[k] / scale / n
	}
	for k := j; k < len(p.Coords); k += p.Dim {
		d := p.Coords[k]/scale - mean
		std += d * d / n
	}
	return mean * scale, math.Sqrt(std) * scale
}

// duplicates counts the rows that equal an earlier one.
func (t *Table) duplicates() int {
	p := &t.Points
	first := make(map[uint64]int, p.Len()) // rows that differ, by hash
	seed := maphash.MakeSeed()
	buf := make([]byte, 0, 8*p.Dim)
	count := 0
	for i := range p.Len() {
		row := p.Row(i)
		buf = buf[:0]
		for _, v := range row {
			if v == 0 {
				v = 0 // −0 equals 0
			}
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		h := maphash.Bytes(seed, buf)
		k, taken := first[h]
		for taken && !slices.Equal(row, p.Row(k)) {
			h++
			k, taken = first[h]
		}
		if taken {
			count++
		} else {
			first[h] = i
		}
	}
	return count
}

func (t *Table) labelCounts() []LabelCount {
	if t.Labels == nil {
		return nil
	}
	count := make(map[string]int)
	for _, s := range t.Labels {
		count[s]++
	}
	out := make([]LabelCount, 0, len(count))
	for s, n := range count {
		out = append(out, LabelCount{s, n})
	}
	slices.SortFunc(out, func(a, b LabelCount) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Label, b.Label)
	})
	return out
}

// bytes estimates the memory of the table; equal labels share theirs.
func (t *Table) bytes() int64 {
	n := 8*int64(cap(t.Points.Coords)) + 16*int64(cap(t.Points.IDs)+cap(t.Labels))
	for _, s := range t.Points.IDs {
		n += int64(len(s))
	}
	return n
}
