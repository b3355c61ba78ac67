package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Scale is how numbers are brought to a common unit.
type Scale string

// The scales.
const (
	ScaleNone   Scale = "none"   // as they are; times in days
	ScaleStd    Scale = "std"    // less the mean, divided by the standard deviation
	ScaleRobust Scale = "robust" // less the median, divided by the interquartile range over 1.349
)

// A Missing is what is done about missing cells.
type Missing string

// The ways to treat missing cells.
const (
	MissingError     Missing = "error"     // they are refused
	MissingDrop      Missing = "drop"      // their rows are left out
	MissingMedian    Missing = "median"    // the median stands in, the commonest word for categories
	MissingIndicator Missing = "indicator" // the median stands in, and one more component says so
)

// EncodingOptions tunes Fit. The zero value is ready to use.
type EncodingOptions struct {
	Scale     Scale   // "" means ScaleNone
	Missing   Missing // "" means MissingError
	FileOrder bool    // components stand in the order of the first table's columns
	Clock     bool    // times give their weekday and hour, too, as points on a circle
}

// An Encoding says how each column of a table becomes components of a vector.
// It is made by Fit, or read from JSON.
type Encoding struct {
	Version int             `json:"version"`
	Scale   Scale           `json:"scale"`
	Missing Missing         `json:"missing"`
	Named   bool            `json:"named"` // columns are found by name; else by position
	Columns []EncodedColumn `json:"columns"`
}

// An EncodedColumn is the part of an Encoding for one column. In the order of
// its components: its numbers, each less Center, divided by Unit; for a time
// with a clock, its weekday and hour as two points on circles of diameter one;
// or a component for each of Levels; then, if Indicator, one that is 1 where
// the cell is missing.
type EncodedColumn struct {
	Name      string    `json:"name"`
	Kind      Kind      `json:"kind"`
	Width     int       `json:"width,omitempty"` // numbers a cell of a Vector
	Center    []float64 `json:"center,omitempty"`
	Unit      []float64 `json:"unit,omitempty"`
	Levels    []string  `json:"levels,omitempty"`
	Clock     bool      `json:"clock,omitempty"`
	Fill      []float64 `json:"fill,omitempty"`       // what stands in for missing numbers
	FillLevel int       `json:"fill_level,omitempty"` // the level that stands in for a missing word
	Indicator bool      `json:"indicator,omitempty"`
}

// LevelWeight is the component of a category: two rows of different categories
// are 1 apart, as true is from false and as two numbers one unit apart are.
const LevelWeight = 1 / math.Sqrt2

// components is how many components the column has.
func (c *EncodedColumn) components() int {
	n := len(c.Unit) + len(c.Levels)
	if c.Clock {
		n += 4
	}
	if c.Indicator {
		n++
	}
	return n
}

// A Group is the components of one column.
type Group struct {
	Name  string `json:"name"`
	Kind  Kind   `json:"kind"`
	First int    `json:"first"` // the first component
	Width int    `json:"width"` // how many there are
}

// AsWritten returns the columns that must be read as they are written, however
// much the next file looks like numbers: those of categories.
func (e *Encoding) AsWritten() []string {
	var names []string
	for j := range e.Columns {
		if c := &e.Columns[j]; c.Kind == Category {
			names = append(names, c.Name)
		}
	}
	return names
}

// Known returns the part of a table with the columns of the encoding, and the
// names of the others.
func (e *Encoding) Known(t *Table) (known *Table, others []string) {
	have := make(map[string]bool, len(e.Columns))
	for j := range e.Columns {
		have[e.Columns[j].Name] = true
	}
	out := *t
	out.Columns = nil
	for j := range t.Columns {
		if have[t.Columns[j].Name] {
			out.Columns = append(out.Columns, t.Columns[j])
		} else {
			others = append(others, t.Columns[j].Name)
		}
	}
	return &out, others
}

// Plain returns the encoding of rows of numbers without names, as they are.
func Plain(dim int) *Encoding {
	e := &Encoding{Version: encodingVersion, Scale: ScaleNone, Missing: MissingError}
	for j := range dim {
		e.Columns = append(e.Columns, EncodedColumn{Name: strconv.Itoa(j + 1), Kind: Number, Center: []float64{0}, Unit: []float64{1}, Fill: []float64{0}})
	}
	return e
}

// Groups returns which components belong to which column.
func (e *Encoding) Groups() []Group {
	groups := make([]Group, len(e.Columns))
	at := 0
	for j := range e.Columns {
		c := &e.Columns[j]
		groups[j] = Group{c.Name, c.Kind, at, c.components()}
		at += c.components()
	}
	return groups
}

// Dim returns the number of components.
func (e *Encoding) Dim() int {
	n := 0
	for j := range e.Columns {
		n += e.Columns[j].components()
	}
	return n
}

// Components returns a name for each component: the column's, followed where
// there are several by what the component is.
func (e *Encoding) Components() []string {
	var names []string
	for j := range e.Columns {
		c := &e.Columns[j]
		for k := range c.Unit {
			names = append(names, componentName(c.Name, k, len(c.Unit)))
		}
		if c.Clock {
			for _, part := range []string{"weekday cos", "weekday sin", "hour cos", "hour sin"} {
				names = append(names, c.Name+" "+part)
			}
		}
		for _, level := range c.Levels {
			names = append(names, c.Name+"="+level)
		}
		if c.Indicator {
			names = append(names, c.Name+" missing")
		}
	}
	return names
}

// componentName is what component k of n of a column is called.
func componentName(name string, k, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s[%d]", name, k+1)
	}
	return name
}

// String describes the encoding in one line.
func (e *Encoding) String() string {
	var kinds [len(kindNames)][]string
	indicators := 0
	for j := range e.Columns {
		c := &e.Columns[j]
		name := printable(c.Name)
		switch {
		case c.Kind == Category:
			name += fmt.Sprintf(" (%d)", len(c.Levels))
		case c.Kind == Vector:
			name += fmt.Sprintf(" (%d)", c.Width)
		}
		kinds[c.Kind] = append(kinds[c.Kind], name)
		if c.Indicator {
			indicators++
		}
	}
	var parts []string
	add := func(k Kind, one, many, detail string) {
		names := kinds[k]
		if len(names) == 0 {
			return
		}
		noun := one
		if len(names) > 1 {
			noun = many
		}
		shown := strings.Join(names[:min(len(names), 6)], ", ")
		if len(names) > 6 {
			shown += fmt.Sprintf(" and %d more", len(names)-6)
		}
		parts = append(parts, fmt.Sprintf("%d %s%s: %s", len(names), noun, detail, shown))
	}
	scaled := map[Scale]string{ScaleNone: "", ScaleStd: " scaled by their deviation", ScaleRobust: " scaled by their quartiles"}[e.Scale]
	add(Number, "number", "numbers", scaled)
	add(Vector, "vector", "vectors", scaled)
	add(Boolean, "boolean", "booleans", " as 0 and 1")
	add(Category, "category", "categories", " one-hot")
	add(Time, "time", "times", map[bool]string{true: " in days", false: scaled}[e.Scale == ScaleNone])
	missing := map[Missing]string{
		MissingError: "none may be missing", MissingDrop: "rows with missing cells are left out",
		MissingMedian: "medians for missing cells", MissingIndicator: "medians for missing cells",
	}[e.Missing]
	if indicators > 0 {
		missing += fmt.Sprintf(" and %s", count(indicators, "indicator"))
	}
	return fmt.Sprintf("%s as %s (%s; %s)", count(len(e.Columns), "column"), count(e.Dim(), "component"), strings.Join(parts, "; "), missing)
}

const encodingVersion = 1

// ErrEncoding is wrapped by errors about an Encoding that cannot be used.
var ErrEncoding = errors.New("table: not a usable encoding")

// ParseEncoding reads an Encoding from JSON and checks it.
func ParseEncoding(text []byte) (*Encoding, error) {
	var e Encoding
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrEncoding, err)
	}
	return &e, e.Check()
}

// Check reports what is wrong with an encoding, if anything.
func (e *Encoding) Check() error {
	if e.Version != encodingVersion {
		return fmt.Errorf("%w: it is of version %d; version %d is read", ErrEncoding, e.Version, encodingVersion)
	}
	if err := (EncodingOptions{Scale: e.Scale, Missing: e.Missing}).check(); err != nil {
		return err
	}
	if len(e.Columns) == 0 {
		return fmt.Errorf("%w: it has no columns", ErrEncoding)
	}
	seen := make(map[string]bool)
	for j := range e.Columns {
		c := &e.Columns[j]
		bad := func(problem string) error { return fmt.Errorf("%w: column %s %s", ErrEncoding, quote(c.Name), problem) }
		if seen[c.Name] {
			return bad("occurs twice")
		}
		seen[c.Name] = true
		width := 1
		if c.Kind == Vector {
			width = c.Width
		}
		switch {
		case c.Kind == Category:
			if len(c.Levels) == 0 || len(c.Unit) > 0 || c.FillLevel < 0 || c.FillLevel >= len(c.Levels) {
				return bad("has no levels")
			}
		case !c.Kind.numeric():
			return bad("is of kind " + c.Kind.String())
		case width < 1 || len(c.Center) != width || len(c.Unit) != width || len(c.Fill) != width || len(c.Levels) > 0:
			return bad("has the wrong number of centers, units or fills")
		case c.Clock && c.Kind != Time:
			return bad("has a clock and is no time")
		}
		for k := range c.Unit {
			if !isFinite(c.Center[k]) || !isFinite(c.Unit[k]) || c.Unit[k] <= 0 || !isFinite(c.Fill[k]) {
				return bad("has a center, unit or fill that is no number")
			}
		}
	}
	return nil
}

func (o EncodingOptions) check() error {
	switch o.Scale {
	case ScaleNone, ScaleStd, ScaleRobust:
	default:
		return fmt.Errorf("table: %q is not a scale: none, std or robust", string(o.Scale))
	}
	switch o.Missing {
	case MissingError, MissingDrop, MissingMedian, MissingIndicator:
	default:
		return fmt.Errorf("table: %q is no way to treat missing cells: error, drop, median or indicator", string(o.Missing))
	}
	return nil
}
