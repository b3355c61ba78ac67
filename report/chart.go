package report

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"strconv"
)

// The kinds of charts.
const (
	Scatter = "scatter" // points in the plane
	Lines   = "lines"   // curves
	Bars    = "bars"    // counts, the series stacked; all have the same X
)

// The looks of series. They differ in shape as well as in colour.
const (
	Data         = "data"          // blue dots, a solid line
	Flagged      = "flagged"       // orange triangles
	Other        = "other"         // grey dots, a dashed line
	OtherFlagged = "other-flagged" // purple triangles
)

// A Chart is a plot that the page draws in the place of a picture. Readers
// without JavaScript, and paper, see that picture.
type Chart struct {
	Kind           string // Scatter, Lines or Bars
	Title, Note    string // over the chart; plain text
	XLabel, YLabel string
	Series         []Series
	Marks          []Mark
}

// A Series is points that look the same.
type Series struct {
	Name string
	Look string // Data, Flagged, Other or OtherFlagged; "" means Data
	X, Y []float64

	// IDs and Facts are shown when the reader points at a point. IDs are the
	// names of the points; where one is "", its coordinates are shown instead.
	IDs   []string
	Facts []Fact
}

// A Fact is a named property of every point of a series, such as its weight, in
// numbers or in words.
type Fact struct {
	Name    string
	Numbers []float64
	Words   []string
}

// A Mark is a vertical line with a name.
type Mark struct {
	X    float64
	Name string
}

//go:embed uplot
var uplot embed.FS

// UPlot is the library that draws charts: uPlot.iife.min.js, uPlot.min.css and
// their LICENSE.
func UPlot() fs.FS {
	sub, err := fs.Sub(uplot, "uplot")
	if err != nil {
		panic(err) // the name is a valid one
	}
	return sub
}

// check reports the first thing that makes c impossible to draw.
func (c *Chart) check() error {
	if c.Kind != Scatter && c.Kind != Lines && c.Kind != Bars {
		return fmt.Errorf("kind %q", c.Kind)
	}
	if len(c.Series) == 0 {
		return fmt.Errorf("no series")
	}
	for _, s := range c.Series {
		n := len(s.X)
		if len(s.Y) != n || s.IDs != nil && len(s.IDs) != n {
			return fmt.Errorf("series %q: %d x, %d y, %d names", s.Name, n, len(s.Y), len(s.IDs))
		}
		if c.Kind == Bars && n != len(c.Series[0].X) {
			return fmt.Errorf("series %q: %d bars on top of %d", s.Name, n, len(c.Series[0].X))
		}
		for _, f := range s.Facts {
			if (f.Numbers == nil) == (f.Words == nil) || len(f.Numbers)+len(f.Words) != n {
				return fmt.Errorf("series %q: %d numbers and %d words of %q for %d points", s.Name, len(f.Numbers), len(f.Words), f.Name, n)
			}
		}
		for i := range n {
			if !finite(s.X[i]) || !finite(s.Y[i]) {
				return fmt.Errorf("series %q: point %d is %v, %v", s.Name, i, s.X[i], s.Y[i])
			}
		}
	}
	for _, m := range c.Marks {
		if !finite(m.X) {
			return fmt.Errorf("mark %q is at %v", m.Name, m.X)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// tooSmall is what a chart shows as 0: a browser that works out ticks between
// smaller numbers leaves the normal range of float64.
const tooSmall = 1e-290

// rounded are numbers with the digits that a screen can show; null where there
// is none.
type rounded []float64

// MarshalJSON implements json.Marshaler.
func (r rounded) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for k, v := range r {
		if k > 0 {
			out = append(out, ',')
		}
		if math.Abs(v) < tooSmall {
			out = append(out, '0')
		} else if finite(v) {
			out = strconv.AppendFloat(out, v, 'g', 6, 64)
		} else {
			out = append(out, "null"...)
		}
	}
	return append(out, ']'), nil
}

// MarshalJSON implements json.Marshaler. The names are those that chart.js
// reads. Like all that package json writes, it can stand in a script: <, > and
// & are escaped.
func (c *Chart) MarshalJSON() ([]byte, error) {
	type fact struct {
		Name   string `json:"name"`
		Values any    `json:"values"`
	}
	type series struct {
		Name  string   `json:"name"`
		Look  string   `json:"look"`
		X     rounded  `json:"x"`
		Y     rounded  `json:"y"`
		IDs   []string `json:"ids,omitempty"`
		Facts []fact   `json:"facts,omitempty"`
	}
	type mark struct {
		X    float64 `json:"x"`
		Name string  `json:"name"`
	}
	out := struct {
		Kind   string   `json:"kind"`
		X      string   `json:"x"`
		Y      string   `json:"y"`
		Series []series `json:"series"`
		Marks  []mark   `json:"marks,omitempty"`
	}{Kind: c.Kind, X: c.XLabel, Y: c.YLabel}
	for _, s := range c.Series {
		t := series{Name: s.Name, Look: s.Look, X: s.X, Y: s.Y, IDs: s.IDs}
		if t.Look == "" {
			t.Look = Data
		}
		for _, f := range s.Facts {
			if f.Words != nil {
				t.Facts = append(t.Facts, fact{f.Name, f.Words})
			} else {
				t.Facts = append(t.Facts, fact{f.Name, rounded(f.Numbers)})
			}
		}
		out.Series = append(out.Series, t)
	}
	for _, m := range c.Marks {
		out.Marks = append(out.Marks, mark(m))
	}
	return json.Marshal(out)
}
