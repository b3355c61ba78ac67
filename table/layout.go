package table

import (
	"bytes"
	"fmt"
	"strings"
)

// A Layout is what the beginning of a table of text tells about all of it, so
// that any part of it can be read by itself, in another process, as Open would
// read it in its place. It is made by FindLayout and survives JSON.
type Layout struct {
	Format    string         `json:"format"` // "csv", "tsv" or "jsonl"
	Delimiter byte           `json:"delimiter,omitempty"`
	Point     byte           `json:"point,omitempty"` // the decimal mark
	Named     bool           `json:"named"`
	Columns   []LayoutColumn `json:"columns"`

	// Skip is the bytes before the first record, a header among them, and Lines
	// the line of the first record, counted from 1.
	Skip  int64 `json:"skip"`
	Lines int   `json:"lines"`
}

// A LayoutColumn is a column before its cells are read.
type LayoutColumn struct {
	Name  string `json:"name"`
	Kind  Kind   `json:"kind"` // Text stands for categories, too
	Width int    `json:"width,omitempty"`
	Index bool   `json:"index,omitempty"`
	Typed bool   `json:"typed,omitempty"` // the file says that these are categories
	Whole bool   `json:"whole,omitempty"` // cells are kept as they are written
	Why   string `json:"why,omitempty"`   // of Kind Other: what the column holds
}

func layoutColumn(f field) LayoutColumn {
	return LayoutColumn{f.name, f.kind, f.width, f.index, f.typed, f.whole, f.why}
}

func (c LayoutColumn) field() field {
	return field{name: c.Name, kind: c.Kind, width: c.Width, index: c.Index, typed: c.Typed, whole: c.Whole, why: c.Why}
}

// HeadBytes is how much of a file FindLayout looks at: more is as good as all.
const HeadBytes = 2 << 20

// FindLayout finds the layout of a table of text by its beginning: all of it, or
// at least its first HeadBytes. opts may be nil. Text that cannot be read in
// parts, because it is not UTF-8 or its lines do not end in newlines, is an
// error.
func FindLayout(name string, head []byte, opts *Options) (*Layout, error) {
	if opts == nil {
		opts = &Options{}
	}
	format := FormatOf(name)
	if format != "csv" && format != "tsv" && format != "jsonl" {
		return nil, failure(name, "is no table of text by its name")
	}
	_, notes, err := textReader(name, bytes.NewReader(head))
	if err != nil {
		return nil, err
	}
	if len(notes) > 0 {
		return nil, failure(name, "cannot be read in parts (%s); convert it to UTF-8 with newlines", strings.Join(notes, ", "))
	}
	text := bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	mark := int64(len(head) - len(text))
	budget := newAccount(name, opts.MaxMemory, int64(len(head)))
	chunks := &chunker{file: name, budget: budget, plain: format == "jsonl", line: 1, r: bytes.NewReader(nil)}
	if format == "jsonl" {
		chunks.start(text)
		r := &jsonReader{file: name, budget: budget, place: map[string]int{}, extra: map[string]int{}, chunks: chunks}
		if r.first, err = chunks.next(); err != nil {
			return nil, failure(name, "the file is empty")
		}
		if err := r.settleColumns(opts, nil); err != nil {
			return nil, err
		}
		return newLayout(format, &layout{fields: r.fields, named: true, line: 1}, mark), nil
	}
	delim := opts.Delimiter
	if delim == 0 && format == "tsv" {
		delim = '\t'
	}
	rest, line := skipEmpty(text)
	if len(rest) == 0 {
		return nil, failure(name, "the file is empty")
	}
	if cut, sep, ok := cutSeparatorLine(rest); ok {
		rest, delim = cut, sep
		line++
	}
	if delim == 0 {
		delim = findDelimiter(rest[:min(len(rest), chunkBytes)])
	}
	chunks.delim, chunks.line = delim, 1+line
	chunks.start(rest)
	first, err := chunks.next()
	if err != nil {
		return nil, readFailure(name, err)
	}
	l := layout{delim: delim}
	used, _, err := l.settleColumns(name, first, opts, nil)
	if err != nil {
		return nil, err
	}
	return newLayout(format, &l, mark+int64(len(text)-len(rest))+int64(used.size)), nil
}

// start sets the text that chunks are cut from.
func (c *chunker) start(text []byte) {
	n := min(len(text), chunkBytes)
	c.rest, c.r = append([]byte(nil), text[:n]...), bytes.NewReader(text[n:])
}

func newLayout(format string, l *layout, skip int64) *Layout {
	out := &Layout{Format: format, Delimiter: l.delim, Point: l.point, Named: l.named, Skip: skip, Lines: l.line}
	for _, f := range l.fields {
		out.Columns = append(out.Columns, layoutColumn(f))
	}
	return out
}

// Differs says how a table of another layout cannot be a part of the same table:
// it has other columns, or the same in another order. It is "" where it can be.
// Kinds may differ, because those of the first part hold for all.
func (l *Layout) Differs(other *Layout) string {
	switch {
	case l.Format != other.Format:
		return fmt.Sprintf("is %s, not %s", other.Format, l.Format)
	case l.Format == "jsonl":
		return ""
	case l.Delimiter != other.Delimiter && len(l.Columns) > 1:
		return fmt.Sprintf("separates cells by %q, not by %q", other.Delimiter, l.Delimiter)
	case l.Named != other.Named && l.Named:
		return "has no header"
	case l.Named != other.Named:
		return "has a header"
	}
	return differentColumns(l.Columns, other.Columns)
}

// differentColumns says how the names of columns differ; "" where they do not.
func differentColumns(want, have []LayoutColumn) string {
	for j := range min(len(want), len(have)) {
		if want[j].Name != have[j].Name {
			return fmt.Sprintf("has %s as column %d, not %s", quote(have[j].Name), j+1, quote(want[j].Name))
		}
	}
	if len(want) != len(have) {
		return fmt.Sprintf("has %s, not %d", count(len(have), "column"), len(want))
	}
	return ""
}

// Parse reads whole records of a table of this layout, such as some lines. name
// and line, the number of the first line, are for messages. There may be no
// records, and then the table has no rows.
func (l *Layout) Parse(name string, text []byte, line int) (*Table, error) {
	budget := newAccount(name, 0, int64(len(text)))
	fields := make([]field, len(l.Columns))
	for j, c := range l.Columns {
		fields[j] = c.field()
	}
	k := &chunk{text: text, line: line}
	var t *Table
	if l.Format == "jsonl" {
		r := &jsonReader{file: name, budget: budget, fields: fields, place: map[string]int{}}
		for j, f := range fields {
			r.place[f.name] = j
		}
		var err error
		if t, err = r.parse(k, map[string]int{}); err != nil {
			return nil, readFailure(name, err)
		}
	} else {
		r := &csvReader{layout: layout{delim: l.Delimiter, point: l.Point, fields: fields, named: l.Named, line: l.Lines}, file: name, budget: budget}
		p := r.parse(k, float64(1+bytes.Count(text, []byte{'\n'}))/float64(max(len(text), 1)))
		if p.err != nil {
			return nil, readFailure(name, p.err)
		}
		t = p.table
		if !p.spread && p.blanks == 0 {
			t.line = line
		}
	}
	t.Name, t.Format, t.Named = name, l.Format, l.Named
	for j := range t.Columns {
		settleWords(&t.Columns[j])
	}
	return t, nil
}
