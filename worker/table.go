package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"rot.example/rot/clean"
	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// A frame is a table in the args of a request. The cells of column k of the
// table X are the array "X.k": numbers (seconds since 1970 for times, NaN where
// nothing is there), several a row for vectors; or the places of words in
// Levels, −1 where nothing is there.
type frame struct {
	Columns []frameColumn `json:"columns"`
}

type frameColumn struct {
	Name   string     `json:"name"`
	Kind   table.Kind `json:"kind"`
	Levels []string   `json:"levels"`
}

// A tableRequest is how the tables of a request become vectors, as in packages
// dataset and table.
type tableRequest struct {
	Tables   map[string]*frame `json:"tables"`
	Columns  []string          `json:"columns"`
	Ignore   []string          `json:"ignore"`
	Scale    table.Scale       `json:"scale"`
	Missing  table.Missing     `json:"missing"`
	Clock    bool              `json:"clock"`
	Encoding json.RawMessage   `json:"encoding"` // of an answer before
}

// A sample is the rows of an array or of a table.
type sample struct {
	points   *ot.Points
	encoding *table.Encoding
	notes    []string
}

// isTable reports whether name needs an encoding.
func (q *request) isTable(name string) bool {
	return q.Tables[name] != nil || q.Scale != "" && q.Scale != table.ScaleNone || len(q.Encoding) > 0
}

// table is the table or the array name.
func (q *request) table(name string) (*table.Table, error) {
	var columns []table.Column
	if f := q.Tables[name]; f != nil {
		for k, c := range f.Columns {
			a := q.arrays[name+"."+strconv.Itoa(k)]
			if a == nil || a.DType == bytes1 || len(a.Shape) == 0 || len(a.Shape) > 2 {
				return nil, fmt.Errorf("worker: column %q of %s is not usable: %w", c.Name, name, errRequest)
			}
			column := table.Column{Name: c.Name, Kind: c.Kind, Numbers: a.Floats, Codes: a.Ints, Levels: c.Levels}
			if len(a.Shape) == 2 {
				column.Width = a.Shape[1]
			}
			columns = append(columns, column)
		}
	} else {
		x, err := q.points(name)
		if err != nil {
			return nil, err
		}
		for j := range x.Dim {
			column := table.Column{Numbers: make([]float64, x.Len())}
			for i := range column.Numbers {
				column.Numbers[i] = x.Coords[i*x.Dim+j]
			}
			columns = append(columns, column)
		}
	}
	t, err := table.New(name, columns)
	if err != nil {
		return nil, err
	}
	return t.Select(table.Selection{Columns: q.Columns, Ignore: q.Ignore})
}

// samples are tables and arrays as vectors of one encoding: that of the
// request, or one that fits them all.
func (q *request) samples(names ...string) ([]*sample, error) {
	var tables []*table.Table
	for _, name := range names {
		t, err := q.table(name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	var e *table.Encoding
	var err error
	if len(q.Encoding) > 0 {
		e, err = table.ParseEncoding(q.Encoding)
	} else {
		for k := 1; k < len(tables); k++ {
			if tables[k], err = table.Meet(tables[0], tables[k]); err != nil {
				return nil, err
			}
		}
		e, err = table.Fit(table.EncodingOptions{Scale: q.Scale, Missing: q.Missing, Clock: q.Clock}, tables...)
	}
	if err != nil {
		return nil, err
	}
	var out []*sample
	for _, t := range tables {
		v, err := e.Apply(t)
		if err != nil {
			return nil, err
		}
		if v.Rows != nil {
			return nil, fmt.Errorf("worker: %d rows of %s are not complete: %w", v.Dropped, t.Name, errRequest)
		}
		out = append(out, &sample{points: &ot.Points{Dim: v.Dim, Coords: v.Values, IDs: t.IDs}, encoding: e, notes: append(t.Notes, v.Warnings()...)})
	}
	return out, nil
}

// encodingAnswer is what the answers of encoded tables have besides.
type encodingAnswer struct {
	Encoding   *table.Encoding `json:"encoding"`
	Text       string          `json:"encoding_text"`
	Components []string        `json:"components"`
	Notes      []string        `json:"notes"`
}

func newEncodingAnswer(samples ...*sample) encodingAnswer {
	e := samples[0].encoding
	a := encodingAnswer{Encoding: e, Text: e.Summary(), Components: e.Components()}
	for _, s := range samples {
		a.Notes = append(a.Notes, s.notes...)
	}
	return a
}

// encode takes the table or array X, and Y if it is there, and returns them as
// arrays of one encoding.
func encode(_ context.Context, q *request) (answer, error) {
	names := []string{"X"}
	if q.Tables["Y"] != nil || q.arrays["Y"] != nil {
		names = append(names, "Y")
	}
	samples, err := q.samples(names...)
	if err != nil {
		return answer{}, err
	}
	a := answer{args: newEncodingAnswer(samples...)}
	for k, s := range samples {
		a.arrays = append(a.arrays, Floats(names[k], s.points.Coords, s.points.Len(), s.points.Dim))
	}
	return a, nil
}

// categoryGroups are the components of each category of an encoding.
func categoryGroups(e *table.Encoding) []clean.Group {
	var groups []clean.Group
	for _, g := range e.Categories() {
		groups = append(groups, clean.Group{First: g.First, Width: g.Width})
	}
	return groups
}
