package dataset

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// LoadTogether reads samples that are to be compared: their columns meet by
// name, or by position where one of them has no names, and become vectors by
// one encoding. An id or a label column that opts names must be in one of them;
// the others may lack it. opts may be nil. Besides *InputError, the errors are
// *table.Error, *table.UnknownError, *table.MeetError and
// *table.EncodingError, which list everything that is wrong at once.
func LoadTogether(specs []string, opts *Options) ([]*Table, error) {
	if opts == nil {
		opts = &Options{}
	}
	parts := make([]*part, len(specs))
	for k, spec := range specs {
		p, err := loadPart(spec, opts)
		if err != nil {
			return nil, err
		}
		parts[k] = p
	}
	if err := lacking(parts); err != nil && !opts.Bare {
		return nil, err
	}
	if err := unmatched(parts, opts); err != nil {
		return nil, err
	}
	if out, ok := samePoints(parts, opts); ok {
		return out, nil
	}
	tables := make([]*table.Table, len(parts))
	for k, p := range parts {
		tables[k] = p.asTable()
	}
	e := opts.Encoding
	if e == nil {
		fit := table.EncodingOptions{Scale: opts.Scale, Missing: opts.Missing, Clock: opts.Clock, FileOrder: opts.FileOrder}
		var err error
		if e, err = meetAndFit(tables, fit); err != nil {
			return nil, err
		}
	}
	out := make([]*Table, len(parts))
	for k, t := range tables {
		v, err := e.Apply(t)
		if err != nil {
			return nil, err
		}
		out[k] = newTable(t, e, v, parts[k])
	}
	return out, nil
}

// meetAndFit brings the columns of all tables into the order of the first's and
// fits an encoding. When columns do not meet, the error also has what is wrong
// with those that do.
func meetAndFit(tables []*table.Table, fit table.EncodingOptions) (*table.Encoding, error) {
	var apart []error
	for k := 1; k < len(tables); k++ {
		met, err := table.Meet(tables[0], tables[k])
		var meet *table.MeetError
		switch {
		case errors.As(err, &meet) && meet.NA == meet.NB:
			apart = append(apart, err)
			for i := range tables[:k+1] {
				rest, err := tables[i].Without(meet.Columns())
				if err != nil {
					return nil, errors.Join(apart...)
				}
				tables[i] = rest
			}
			if met, err = table.Meet(tables[0], tables[k]); err != nil {
				return nil, errors.Join(apart...)
			}
		case err != nil:
			return nil, err
		}
		tables[k] = met
	}
	e, err := table.Fit(fit, tables...)
	if err = errors.Join(append(apart, err)...); err != nil {
		return nil, err
	}
	return e, nil
}

// A part is one of the samples that are loaded together: a table of package
// table, or rows of numbers at hand.
type part struct {
	spec, format string
	table        *table.Table // the columns to use
	whole        *table.Table // with all its columns
	rows         *Table
	lacks        []error          // declared columns that are not there: ids, labels
	ignore       map[string]error // columns to leave out that are not there
}

// loadPart reads what spec stands for and chooses rows and columns.
func loadPart(spec string, opts *Options) (*part, error) {
	body, sel := cutSelection(spec, isFile)
	p := &part{spec: spec, lacks: make([]error, 2)}
	var err error
	switch {
	case spec == "-":
		p.format = "csv"
		err = p.readTable("-", sel, opts)
	case strings.HasPrefix(body, "synth:"):
		p.format = "synth"
		p.lackColumns(body, opts)
		if p.rows, err = synth(body); err == nil {
			p.rows, err = p.rows.choose(body, sel, p.rows.byLabel(body, opts))
		}
	default:
		err = p.loadFile(spec, body, sel, opts)
	}
	if err != nil {
		return nil, err
	}
	if p.rows != nil {
		p.rows.Name, p.rows.Format = spec, p.format
	}
	return p, nil
}

// loadFile reads the file that body, the spec without its selection, names.
func (p *part) loadFile(spec, body string, sel selection, opts *Options) error {
	path, rest := splitSpec(body)
	var err error
	if p.format, err = checkFile(body, path); err != nil {
		return err
	}
	switch p.format {
	case "npz":
		// Of several arrays one is meant, unless columns are asked for.
		if tail := strings.TrimPrefix(spec, path); tail != "" || len(opts.Columns)+len(opts.Ignore) == 0 {
			return p.loadArrays(path, tail, opts)
		}
	case "idx":
		p.lackColumns(path, opts)
		in, err := open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		if p.rows, err = readArrayTable(path, in, in.size, in.bounded(readIDXHeader)); err != nil {
			return err
		}
		if p.rows.Labels, err = loadIDXLabels(path, rest, p.rows.Points.Len()); err == nil {
			p.rows, err = p.rows.choose(body, sel, p.rows.byLabel(body, opts))
		}
		return err
	case "npy":
		if ok, err := p.loadSingle(path, sel, opts); ok || err != nil {
			return err
		}
	}
	return p.readTable(path, sel, opts)
}

// loadArrays reads arrays of an archive that the spec names.
func (p *part) loadArrays(path, tail string, opts *Options) error {
	o := *opts
	for {
		var err error
		p.rows, err = loadNPZ(path, tail, &o)
		var bad *ColumnError
		if !errors.As(err, &bad) || !bad.Missing {
			return err
		}
		if bad.Role == "id" {
			p.lacks[0], o.IDColumn = err, ""
		} else {
			p.lacks[1], o.LabelColumn = err, ""
		}
	}
}

// lackColumns remembers that a format has no columns to choose from.
func (p *part) lackColumns(file string, opts *Options) {
	for k, want := range []string{opts.IDColumn, opts.LabelColumn} {
		if want != "" {
			p.lacks[k] = columnError(file, []string{"id", "label"}[k], want, "%s data has no named columns (tables have)", p.format)
		}
	}
}

// readTable reads a file of package table.
func (p *part) readTable(path string, sel selection, opts *Options) error {
	read := &table.Options{Header: opts.Header, MaxMemory: opts.MaxMemory, Stdin: opts.Stdin}
	if len(sel) == 0 {
		read.Sample, read.SampleSeed = opts.Sample, opts.SampleSeed
	}
	for _, name := range []string{opts.IDColumn, opts.LabelColumn} {
		if name != "" {
			read.AsWritten = append(read.AsWritten, name)
		}
	}
	if opts.Encoding != nil && opts.Encoding.Named {
		read.AsWritten = append(read.AsWritten, opts.Encoding.AsWritten()...)
	}
	t, err := readDeclared(path, read)
	if err != nil {
		return err
	}
	if t.Name == "-" {
		t.Name = "stdin"
	}
	p.format = t.Format
	chosen, err := p.selectColumns(t, opts)
	if err != nil {
		return err
	}
	if t.Sampled != nil && chosen.IDs == nil {
		chosen.IDs = pickIDs(nil, t.Sampled)
	}
	if len(sel) > 0 {
		rows, err := sel.of(t.Name, "rows", t.Rows, byColumn(t, chosen.Labels, opts, t.Name))
		if err != nil {
			return err
		}
		if chosen.IDs == nil {
			chosen.IDs = pickIDs(nil, rows)
			picked := *chosen
			picked.IDs = nil
			ids := chosen.IDs
			chosen = picked.Pick(rows)
			chosen.IDs = ids
		} else {
			chosen = chosen.Pick(rows)
		}
		t = t.Pick(rows)
	}
	p.table, p.whole = chosen, t
	return nil
}

// readDeclared reads a table. A column that is declared by name makes the first
// line of a text file a header; one that is not there does not.
func readDeclared(path string, read *table.Options) (*table.Table, error) {
	var text bytes.Buffer
	o := *read
	if path == "-" && read.Stdin != nil {
		o.Stdin = io.TeeReader(read.Stdin, &text)
	}
	t, err := table.Read(path, &o)
	if err != nil || (t.Format != "csv" && t.Format != "tsv") {
		return t, err
	}
	o.AsWritten = slices.DeleteFunc(slices.Clone(read.AsWritten), func(name string) bool {
		_, err := strconv.Atoi(name)
		return err != nil && t.Find(name) < 0
	})
	if len(o.AsWritten) == len(read.AsWritten) {
		return t, nil
	}
	o.Stdin = &text
	return table.Read(path, &o)
}

// selectColumns takes out ids and labels and the columns that are not wanted.
// Ids and labels that are not there are remembered.
func (p *part) selectColumns(t *table.Table, opts *Options) (*table.Table, error) {
	s := table.Selection{Columns: opts.Columns, Ignore: opts.Ignore, ID: opts.IDColumn, Label: opts.LabelColumn}
	for {
		out, err := t.Select(s)
		var unknown *table.UnknownError
		if !errors.As(err, &unknown) {
			return out, err
		}
		// Each column that one file lacks may be in the other.
		for _, w := range unknown.Wants {
			switch w.For {
			case "id":
				p.lacks[0], s.ID = err, ""
			case "label":
				p.lacks[1], s.Label = err, ""
			case "ignore":
				if p.ignore == nil {
					p.ignore = make(map[string]error)
				}
				one := *unknown
				one.Wants = []table.UnknownColumn{w}
				p.ignore[w.Name] = &one
				s.Ignore = slices.DeleteFunc(slices.Clone(s.Ignore), func(name string) bool { return name == w.Name })
			default:
				return nil, err
			}
		}
	}
}

// byColumn matches the steps of a selection with the labels, or with a column.
func byColumn(t *table.Table, labels []string, opts *Options, file string) matcher {
	return func(s *step) (func(i int) bool, error) {
		if s.name == "label" || s.name == opts.LabelColumn {
			if labels != nil {
				return s.match(file, "label", labels)
			}
		}
		if j := t.Find(s.name); j >= 0 && t.Columns[j].Kind != table.Other {
			return s.match(file, "value", t.Columns[j].Texts())
		}
		if s.name == "label" {
			return nil, fileError(file, "%s: there are no labels to choose by", s.text).with(DeclareLabels)
		}
		return nil, fileError(file, "%s: there is no column %s to choose by", s.text, quote(s.name))
	}
}

// lacking returns the error about a declared column that no part has.
func lacking(parts []*part) error {
	for k := range 2 {
		for i, p := range parts {
			if p.lacks[k] == nil {
				break
			}
			if i == len(parts)-1 {
				return parts[0].lacks[k]
			}
		}
	}
	return nil
}

// unmatched returns the error about a column to leave out that no part has.
func unmatched(parts []*part, opts *Options) error {
	if opts.Lenient {
		return nil
	}
	for _, name := range opts.Ignore {
		found := slices.ContainsFunc(parts, func(p *part) bool { return p.rows != nil || p.ignore[name] == nil })
		if !found {
			return parts[0].ignore[name]
		}
	}
	return nil
}

// samePoints returns rows of numbers without names as they are, when all parts
// are such rows and nothing is to be done to them.
func samePoints(parts []*part, opts *Options) ([]*Table, bool) {
	if len(opts.Columns)+len(opts.Ignore) > 0 || opts.Encoding != nil || (opts.Scale != "" && opts.Scale != table.ScaleNone) {
		return nil, false
	}
	var out []*Table
	for _, p := range parts {
		if p.rows == nil || p.rows.Points.Dim != parts[0].rows.Points.Dim {
			return nil, false
		}
		out = append(out, p.rows)
	}
	return out, true
}

// asTable returns the part as a table, its rows as columns without names.
func (p *part) asTable() *table.Table {
	if p.table != nil {
		return p.table
	}
	x := p.rows.Points.Double()
	n := x.Len()
	t := &table.Table{Name: p.spec, Format: p.format, Rows: n, IDs: x.IDs, Labels: p.rows.Labels, Shape: p.rows.shape}
	for j := range x.Dim {
		c := table.Column{Name: strconv.Itoa(j + 1), Kind: table.Number, Width: 1, Numbers: make([]float64, n)}
		for i := range n {
			c.Numbers[i] = x.Coords[i*x.Dim+j]
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// newTable is t, encoded as v by e.
func newTable(t *table.Table, e *table.Encoding, v *table.Encoded, p *part) *Table {
	out := &Table{
		Points: ot.Points{Dim: v.Dim, Coords: v.Values, IDs: t.IDs},
		Labels: t.Labels, Name: p.spec, Format: p.format, Encoding: e, Notes: slices.Clone(t.Notes),
		shape: t.Shape, firstLine: t.Line(0), Total: t.Total, Places: t.Sampled,
	}
	if e.Named || slices.ContainsFunc(e.Columns, func(c table.EncodedColumn) bool { return c.Kind != table.Number }) {
		out.Columns = e.Components()
	}
	if p.rows != nil {
		out.Outlier = p.rows.Outlier
	}
	if v.Rows != nil {
		out.Points.IDs, out.Labels, out.Outlier = pickIDs(t.IDs, v.Rows), at(t.Labels, v.Rows), at(out.Outlier, v.Rows)
		out.firstLine, out.shape = 0, nil
		if out.Places = at(out.Places, v.Rows); out.Places == nil {
			out.Places = v.Rows
		}
	}
	out.Notes = append(out.Notes, v.Warnings()...)
	return out
}
