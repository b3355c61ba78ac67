package dataset

import (
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/table"
)

// maxInfoColumns is how many columns Info describes one by one; images have
// thousands.
const maxInfoColumns = 64

// Info sums up a table.
type Info struct {
	Name        string       `json:"name"`
	Format      string       `json:"format"`
	Rows        int          `json:"rows"`
	Dim         int          `json:"dim"`      // components of the vectors that the rows become; 0 when they cannot
	Encoding    string       `json:"encoding"` // how they become vectors, in words; "" when they cannot
	Refused     string       `json:"refused"`  // what keeps them from becoming vectors as they are; "" for nothing
	HasIDs      bool         `json:"has_ids"`
	Columns     []ColumnInfo `json:"columns"`      // the first 64
	MoreColumns int          `json:"more_columns"` // how many are not in Columns
	Constant    []string     `json:"constant"`     // columns with one value only
	Duplicates  int          `json:"duplicates"`   // rows equal to an earlier row, ids and labels aside
	Labels      []LabelCount `json:"labels"`       // most frequent first; nil without labels
	Notes       []string     `json:"notes"`        // what the reader did
	Bytes       int64        `json:"bytes"`        // of memory that the table takes
}

// ColumnInfo sums up one column.
type ColumnInfo struct {
	Index int `json:"index"` // counted from 1
	table.ColumnSummary
}

// LabelCount says how many rows have a label.
type LabelCount struct {
	Label string `json:"label"`
	Count int    `json:"count"`
}

// Describe sums up the table that spec stands for. It refuses no file that can
// be read, whatever the columns hold.
func Describe(spec string, opts *Options) (*Info, error) {
	if opts == nil {
		opts = &Options{}
	}
	p, err := loadPart(spec, opts)
	if err != nil {
		return nil, err
	}
	if err := lacking([]*part{p}); err != nil {
		return nil, err
	}
	if err := unmatched([]*part{p}, opts); err != nil {
		return nil, err
	}
	return p.info(opts), nil
}

// info sums up a part.
func (p *part) info(opts *Options) *Info {
	t := p.asTable()
	all := t
	if p.whole != nil {
		all = p.whole
	}
	info := &Info{
		Name: p.spec, Format: p.format, Rows: t.Rows, HasIDs: t.IDs != nil, Columns: []ColumnInfo{}, Constant: []string{},
		Duplicates: duplicates(t), Labels: countLabels(t.Labels), Notes: append([]string{}, t.Notes...), Bytes: tableBytes(t),
	}
	info.encode(t, opts)
	shown := *all
	shown.Columns = all.Columns[:min(len(all.Columns), maxInfoColumns)]
	info.MoreColumns = len(all.Columns) - len(shown.Columns)
	for j, c := range shown.Summary() {
		if use := unusedFor(&shown.Columns[j], j, t, opts); use != "" {
			c.Use = use
		}
		info.Columns = append(info.Columns, ColumnInfo{j + 1, c})
	}
	for j := range t.Columns {
		c := &t.Columns[j]
		if missing, _ := c.Missing(); missing == 0 && isConstant(c) {
			info.Constant = append(info.Constant, c.Name)
		}
	}
	return info
}

// encode says what vectors the rows would become.
func (info *Info) encode(t *table.Table, opts *Options) {
	e := opts.Encoding
	if e == nil {
		encode := table.EncodingOptions{Scale: opts.Scale, Clock: opts.Clock}
		var err error
		if e, err = table.Fit(encode, t); err != nil {
			info.Refused = err.Error()
			encode.Missing = table.MissingIndicator
			if e, err = table.Fit(encode, t); err != nil {
				return
			}
		}
	}
	info.Dim, info.Encoding = e.Dim(), e.String()
}

// unusedFor says what a column is for that is no coordinate; "" for the others.
func unusedFor(c *table.Column, j int, t *table.Table, opts *Options) string {
	if t.Find(c.Name) >= 0 {
		return ""
	}
	isIt := func(want string) bool { return want != "" && (want == c.Name || want == strconv.Itoa(j+1)) }
	switch {
	case isIt(opts.LabelColumn):
		return "labels"
	case isIt(opts.IDColumn), opts.IDColumn == "" && (c.Index || strings.EqualFold(c.Name, "id")):
		return "names of the rows"
	}
	return "left out"
}

// isConstant reports whether all cells are the same.
func isConstant(c *table.Column) bool {
	switch c.Kind {
	case table.Category, table.Text:
		return !slices.ContainsFunc(c.Codes, func(k int32) bool { return k != c.Codes[0] })
	case table.Number, table.Boolean, table.Time:
		return !slices.ContainsFunc(c.Numbers, func(v float64) bool { return v != c.Numbers[0] })
	}
	return false
}

// duplicates counts the rows that equal an earlier one. Rows are told apart by
// 64 bits of a hash with a random seed.
func duplicates(t *table.Table) int {
	seed := maphash.MakeSeed()
	sums := make([]maphash.Hash, t.Rows)
	for i := range sums {
		sums[i].SetSeed(seed)
	}
	for j := range t.Columns {
		c := &t.Columns[j]
		for i := range sums {
			switch {
			case c.Kind == table.Other:
			case c.Codes != nil:
				maphash.WriteComparable(&sums[i], c.Codes[i])
			default:
				for _, v := range c.Numbers[i*c.Width : (i+1)*c.Width] {
					bits := math.Float64bits(v + 0) // −0 equals 0
					if v != v {
						bits = 1
					}
					maphash.WriteComparable(&sums[i], bits)
				}
			}
		}
	}
	seen := make(map[uint64]bool, t.Rows)
	count := 0
	for i := range sums {
		h := sums[i].Sum64()
		if seen[h] {
			count++
		}
		seen[h] = true
	}
	return count
}

// LabelCounts returns the labels with how often they occur, the most frequent
// first; nil without labels.
func (t *Table) LabelCounts() []LabelCount { return countLabels(t.Labels) }

func countLabels(labels []string) []LabelCount {
	if labels == nil {
		return nil
	}
	count := make(map[string]int)
	for _, s := range labels {
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

// tableBytes estimates the memory of a table.
func tableBytes(t *table.Table) int64 {
	n := 16 * int64(cap(t.IDs)+cap(t.Labels))
	for j := range t.Columns {
		c := &t.Columns[j]
		n += 8*int64(cap(c.Numbers)) + 4*int64(cap(c.Codes))
		for _, s := range c.Levels {
			n += int64(len(s)) + 16
		}
	}
	return n
}
