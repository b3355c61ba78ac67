package table

import (
	"fmt"
	"math"
	"slices"
)

// A ColumnSummary is what is to be known of a column at a glance.
type ColumnSummary struct {
	Name     string   `json:"name"`
	Kind     Kind     `json:"kind"`
	Width    int      `json:"width,omitempty"` // of vectors
	Missing  int      `json:"missing"`         // cells without a value, bad ones among them
	Bad      BadCells `json:"bad"`
	Distinct int      `json:"distinct"` // different values
	Infinite int      `json:"infinite,omitempty"`
	Index    bool     `json:"index,omitempty"`

	// Of numbers, booleans and times (in seconds since 1970), the finite ones;
	// nil when there are none.
	Min  *float64 `json:"min,omitempty"`
	Mean *float64 `json:"mean,omitempty"`
	Max  *float64 `json:"max,omitempty"`
	Std  *float64 `json:"std,omitempty"`

	First string `json:"first,omitempty"` // least value as text: of words in alphabetical order
	Last  string `json:"last,omitempty"`

	Examples []string `json:"examples,omitempty"`
	Use      string   `json:"use"` // what an Encoding would do with it
}

// Summary describes each column.
func (t *Table) Summary() []ColumnSummary {
	out := make([]ColumnSummary, len(t.Columns))
	_ = eachInParallel(len(out), func(j int) error {
		out[j] = t.Columns[j].summary()
		return nil
	})
	return out
}

func (c *Column) summary() ColumnSummary {
	s := ColumnSummary{Name: c.Name, Kind: c.Kind, Bad: c.Bad, Index: c.Index}
	if c.Kind == Vector {
		s.Width = c.Width
	}
	if c.Kind == Other {
		s.Use = "left out: it holds " + c.Why
		return s
	}
	s.Missing, _ = c.Missing()
	switch {
	case c.Kind.words():
		c.sumWords(&s)
	case c.Kind == Vector:
		c.sumVectors(&s)
	default:
		c.sumNumbers(&s)
	}
	for i := 0; i < c.rows() && len(s.Examples) < 3; i++ {
		if v := c.Text(i); !c.IsMissing(i) && !slices.Contains(s.Examples, v) {
			s.Examples = append(s.Examples, v)
		}
	}
	s.Use = c.use(&s)
	return s
}

func (c *Column) sumWords(s *ColumnSummary) {
	used := make([]bool, len(c.Levels))
	for _, code := range c.Codes {
		if code >= 0 && !used[code] {
			used[code] = true
			s.Distinct++
		}
	}
	first, last := "", ""
	for k, level := range c.Levels {
		if !used[k] {
			continue
		}
		if first == "" || level < first {
			first = level
		}
		last = max(last, level)
	}
	s.First, s.Last = first, last
}

func (c *Column) sumNumbers(s *ColumnSummary) {
	finite := make([]float64, 0, len(c.Numbers))
	for _, v := range c.Numbers {
		if isFinite(v) {
			finite = append(finite, v)
		} else if math.IsInf(v, 0) {
			s.Infinite++
		}
	}
	if len(finite) == 0 {
		return
	}
	slices.Sort(finite)
	for i, v := range finite {
		if i == 0 || v != finite[i-1] {
			s.Distinct++
		}
	}
	mean, std := moments(finite)
	low, high := finite[0], finite[len(finite)-1]
	s.Min, s.Mean, s.Max, s.Std = &low, &mean, &high, &std
	one := Column{Kind: c.Kind, Width: 1, Numbers: []float64{low, high}}
	s.First, s.Last = one.Text(0), one.Text(1)
}

func (c *Column) sumVectors(s *ColumnSummary) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range c.Numbers {
		if isFinite(v) {
			low, high = min(low, v), max(high, v)
		} else if math.IsInf(v, 0) {
			s.Infinite++
		}
	}
	if low <= high {
		s.Min, s.Max = &low, &high
		s.First, s.Last = numberText(low), numberText(high)
	}
}

// use says what an Encoding would do with the column.
func (c *Column) use(s *ColumnSummary) string {
	switch {
	case c.Index:
		return "names of the rows"
	case s.Missing == c.rows():
		return "left out if asked: it has no values"
	}
	switch c.Kind {
	case Text:
		return "refused as text: " + whyText(c)
	case Category:
		if h := hint(c.Levels); h != "" {
			return "refused: " + quote(c.Levels[0]) + " " + h
		}
		if isMixed([]*Column{c}) {
			return "refused as text: " + whyText(c)
		}
		return fmt.Sprintf("one-hot, %s", count(s.Distinct, "component"))
	case Boolean:
		return "0 or 1"
	case Time:
		return "a number, in days"
	case Vector:
		return count(c.Width, "number")
	}
	if s.Infinite > 0 {
		return fmt.Sprintf("refused: %s infinite", count(s.Infinite, "cell"))
	}
	return "a number"
}
