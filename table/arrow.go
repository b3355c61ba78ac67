package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// An arrowReader yields the record batches of Arrow's IPC formats: files,
// which Feather version 2 is, and streams.
type arrowReader struct {
	file    string
	r       io.Reader
	at      io.ReaderAt
	size    int64
	places  []int64 // of the messages that are left in a file; nil for a stream
	budget  *account
	left    int64 // bytes of the file that have not been read
	fields  []arrowField
	dicts   map[int64]*arrowDict
	done    bool
	rows    int
	notes   []string
	pending []*Table // read to find out the widths of vectors
}

// An arrowDict is a dictionary: words, or numbers.
type arrowDict struct {
	words   []string
	numbers []float64
	cost    int64
}

const arrowMark = "ARROW1"

func openArrow(src *source, opts *Options) (blockReader, error) {
	r := &arrowReader{file: src.name, r: src.r, at: src.at, size: src.size, budget: src.budget, left: src.size, dicts: map[int64]*arrowDict{}}
	var mark [8]byte
	if _, err := io.ReadFull(r.r, mark[:]); err != nil {
		return nil, failure(r.file, "is not an Arrow file: it has %d bytes", src.size)
	}
	var schema flat
	var err error
	switch {
	case string(mark[:4]) == "FEA1":
		return nil, failure(r.file, "is Feather version 1; write version 2")
	case string(mark[:6]) == arrowMark:
		schema, err = r.readFooter()
	case binary.LittleEndian.Uint32(mark[:]) == 0xFFFFFFFF:
		r.r = io.MultiReader(bytes.NewReader(mark[:]), src.r)
		schema, err = r.readSchema()
	default:
		return nil, failure(r.file, "is not an Arrow file: it does not start with ARROW1")
	}
	if err != nil {
		return nil, err
	}
	if schema.integer(0, 2, 0) != 0 {
		return nil, failure(r.file, "stores numbers in big-endian order, which is not read")
	}
	if r.fields, err = arrowFields(schema, 1, 0, r.budget); err != nil {
		return nil, r.damaged(err)
	}
	arrowPandas(r.fields, schema)
	if *schema.bad || len(r.fields) == 0 {
		return nil, r.damaged(errors.New("its schema has no columns"))
	}
	r.notes = uniqueNames(len(r.fields), func(j int) *string { return &r.fields[j].name }, nil)
	for j := range r.fields {
		f := &r.fields[j]
		f.field.index = isIndexName(f.name, 1, 2)
		if f.whole = isWhole(&f.field, j, opts); f.whole && f.kind != Vector && f.kind != Other {
			f.kind = Text
		}
		if f.coded && f.kind == Number {
			f.typed = false
		}
	}
	return r, r.settleWidths()
}

func (r *arrowReader) damaged(err error) error {
	var have *Error
	if errors.As(err, &have) {
		return have
	}
	return &Error{File: r.file, Msg: "the Arrow file is damaged (" + err.Error() + ")", Err: err}
}

// next returns the next record batch.
func (r *arrowReader) next() (*Table, error) {
	if len(r.pending) > 0 {
		t := r.pending[0]
		r.pending = r.pending[1:]
		return t, nil
	}
	for !r.done {
		more, err := r.nextPlace()
		if err != nil {
			return nil, err
		}
		if !more {
			r.done = true
			break
		}
		meta, body, err := r.message()
		if err != nil {
			return nil, err
		}
		if meta.pos == 0 {
			r.done = true
			break
		}
		switch meta.integer(1, 1, 0) {
		case 2:
			if err := r.readDictionary(meta.table(2), body); err != nil {
				return nil, r.damaged(err)
			}
		case 3:
			t, err := r.readBatch(meta.table(2), body)
			if err != nil {
				return nil, r.damaged(err)
			}
			if t.Rows == 0 {
				continue
			}
			for j := range t.Columns {
				t.Columns[j].Bad.Row += r.rows
			}
			r.rows += t.Rows
			return t, nil
		}
	}
	if r.rows == 0 {
		return nil, failure(r.file, "the Arrow file has no rows")
	}
	return nil, io.EOF
}

// settleWidths reads batches until the first vector of each list column has
// told how long they are.
func (r *arrowReader) settleWidths() error {
	open := func() bool {
		for j := range r.fields {
			if r.fields[j].kind == Vector && r.fields[j].width == 0 {
				return true
			}
		}
		return false
	}
	if !open() {
		return nil
	}
	t, err := r.next()
	if err != nil {
		return err
	}
	for j := range r.fields {
		if f := &r.fields[j]; f.kind == Vector && f.width == 0 {
			f.kind, f.why, f.width = Other, "empty lists", 1
			t.Columns[j] = Column{Name: f.name, Kind: Other, Why: f.why}
		}
	}
	r.pending = []*Table{t}
	return nil
}

// readBatch decodes the columns of a record batch.
func (r *arrowReader) readBatch(f flat, body []byte) (*Table, error) {
	b, err := r.newBatch(f, body)
	if err != nil {
		return nil, err
	}
	defer b.release()
	t := &Table{Rows: int(b.length), Columns: make([]Column, len(r.fields))}
	for j := range r.fields {
		c, cost, err := b.column(&r.fields[j])
		if err != nil {
			return nil, err
		}
		if f := &r.fields[j]; f.kind != Other && (f.kind != Vector || f.width > 0) && c.rows() != t.Rows {
			return nil, errBatch
		}
		t.Columns[j] = c
		t.cost += cost
	}
	return t, nil
}

// readDictionary decodes a dictionary, or more entries of one.
func (r *arrowReader) readDictionary(f flat, body []byte) error {
	id, more := f.integer(0, 8, 0), f.integer(2, 1, 0) != 0
	owner := findDict(r.fields, id)
	if owner == nil {
		return nil
	}
	b, err := r.newBatch(f.table(1), body)
	if err != nil {
		return err
	}
	defer b.release()
	values := *owner
	values.coded = false
	if values.typ == arrowUtf8 || values.typ == arrowLargeUtf8 || values.typ == arrowUtf8View {
		values.kind = Text
	}
	c, cost, err := b.column(&values)
	if err != nil {
		return err
	}
	d := &arrowDict{numbers: c.Numbers, cost: cost}
	if values.kind.words() {
		d.words = c.Texts()
	}
	if old := r.dicts[id]; old != nil {
		if more {
			d.words, d.numbers = append(old.words, d.words...), append(old.numbers, d.numbers...)
		} else {
			r.budget.free(old.cost)
		}
	}
	r.dicts[id] = d
	return nil
}

func findDict(fields []arrowField, id int64) *arrowField {
	for j := range fields {
		if f := &fields[j]; f.coded && f.dict == id {
			return f
		}
		if f := findDict(fields[j].children, id); f != nil {
			return f
		}
	}
	return nil
}

func (r *arrowReader) schema() ([]field, bool) {
	fields := make([]field, len(r.fields))
	for j := range fields {
		fields[j] = r.fields[j].field
	}
	return fields, true
}

func (r *arrowReader) finish(t *Table) { t.Notes = append(t.Notes, r.notes...) }
func (r *arrowReader) close()          {}
