package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// A jsonReader yields the blocks of JSON lines: one object a line, its keys
// the columns.
type jsonReader struct {
	file   string
	chunks *chunker
	first  *chunk
	budget *account
	fields []field
	place  map[string]int
	notes  []string
	rows   int
	extra  map[string]int // keys that the beginning does not have, and how often
	parsed []jsonBlock    // chunks that have been parsed and not returned yet
}

// A jsonBlock is a chunk that has been parsed.
type jsonBlock struct {
	table *Table
	extra map[string]int
	err   error
}

func openJSON(src *source, opts *Options, kinds map[int]Kind) (*jsonReader, error) {
	text, notes, err := textReader(src.name, src.r)
	if err != nil {
		return nil, err
	}
	r := &jsonReader{
		file: src.name, budget: src.budget, notes: notes, place: map[string]int{}, extra: map[string]int{},
		chunks: &chunker{r: text, file: src.name, budget: src.budget, plain: true, stdin: src.size < 0 && !src.packed, line: 1},
	}
	if r.first, err = r.chunks.next(); errors.Is(err, io.EOF) {
		return nil, failure(src.name, "the file is empty")
	} else if err != nil {
		return nil, err
	}
	return r, r.settleColumns(opts, kinds)
}

// settleColumns settles names and kinds by the first chunk.
func (r *jsonReader) settleColumns(opts *Options, kinds map[int]Kind) error {
	type cells struct{ numbers, truths, times, words, vectors, other, width int }
	var seen []cells
	line := r.first.line
	rows := 0
	for text := r.first.text; len(text) > 0 && rows < sampleRows; line++ {
		record := firstLine(text)
		text = text[min(len(record)+1, len(text)):]
		if len(bytes.TrimSpace(record)) == 0 {
			continue
		}
		rows++
		err := scanObject(record, func(key, value []byte) error {
			j, ok := r.place[string(key)]
			if !ok {
				if !utf8.Valid(key) {
					return errors.New(notUTF8)
				}
				if err := r.budget.take(fieldCost); err != nil {
					return err
				}
				j = len(seen)
				r.place[string(key)] = j
				seen = append(seen, cells{})
				r.fields = append(r.fields, field{name: string(key), index: isIndexName(string(key), j, 2) && string(key) != ""})
			}
			c := &seen[j]
			switch value[0] {
			case 'n':
			case 't', 'f':
				c.truths++
			case '"':
				if s, err := unquoteJSON(value); err != nil {
					return err
				} else if _, ok := parseTime(s); ok {
					c.times++
				} else {
					c.words++
				}
			case '[':
				if v, ok := vectorOf(value); ok && len(v) > 0 && (c.width == 0 || c.width == len(v)) {
					c.vectors++
					c.width = len(v)
				} else {
					c.other++
				}
			case '{':
				c.other++
			default:
				c.numbers++
			}
			return nil
		})
		if err != nil {
			return r.fail(line, err)
		}
	}
	if len(r.fields) == 0 {
		return failure(r.file, "no columns: the objects have no keys")
	}
	for j, c := range seen {
		f := &r.fields[j]
		all := c.numbers + c.truths + c.times + c.words + c.vectors + c.other
		f.whole = isWhole(f, j, opts)
		switch {
		case kinds != nil && hasKind(kinds, j):
			f.kind = kinds[j]
		case f.whole:
			f.kind = Text
		case c.other > 0:
			f.kind, f.why = Other, "lists or objects"
		case c.vectors > 0 && c.vectors == all:
			f.kind, f.width = Vector, c.width
		case 10*c.numbers >= 9*all:
			f.kind = Number
		case 10*c.times >= 9*all:
			f.kind = Time
		case 10*c.truths >= 9*all:
			f.kind = Boolean
		default:
			f.kind = Text
		}
	}
	return nil
}

func hasKind(kinds map[int]Kind, j int) bool { _, ok := kinds[j]; return ok }

func (r *jsonReader) fail(line int, err error) error {
	var have *Error
	if errors.As(err, &have) {
		return have
	}
	return &Error{File: r.file, Line: line, Msg: err.Error()}
}

// next returns the next block that has rows.
func (r *jsonReader) next() (*Table, error) {
	for {
		if len(r.parsed) == 0 {
			if err := r.parseMore(); err != nil {
				return nil, err
			}
		}
		b := r.parsed[0]
		r.parsed = r.parsed[1:]
		if b.err != nil {
			return nil, b.err
		}
		for key, n := range b.extra {
			if len(r.extra) < 1000 {
				r.extra[key] += n
			}
		}
		if b.table.Rows > 0 {
			for j := range b.table.Columns {
				b.table.Columns[j].Bad.Row += r.rows
			}
			r.rows += b.table.Rows
			return b.table, nil
		}
	}
}

// parseMore reads a few chunks and parses them at once.
func (r *jsonReader) parseMore() error {
	var chunks []*chunk
	var failed error
	for len(chunks) < 2*parallelism() && failed == nil {
		k := r.first
		if r.first = nil; k == nil {
			if k, failed = r.chunks.next(); failed != nil {
				break
			}
		}
		chunks = append(chunks, k)
	}
	if len(chunks) == 0 {
		if errors.Is(failed, io.EOF) && r.rows == 0 {
			return failure(r.file, "the file is empty")
		}
		return failed
	}
	r.parsed = make([]jsonBlock, len(chunks))
	_ = eachInParallel(len(chunks), func(k int) error {
		b := &r.parsed[k]
		b.extra = map[string]int{}
		b.table, b.err = r.parse(chunks[k], b.extra)
		return nil
	})
	if failed != nil && !errors.Is(failed, io.EOF) {
		r.parsed = append(r.parsed, jsonBlock{err: failed})
	}
	return nil
}

func (r *jsonReader) parse(k *chunk, extra map[string]int) (*Table, error) {
	builders := make([]builder, len(r.fields))
	filled := make([]int, len(r.fields)) // rows up to which a column has cells
	for j := range builders {
		builders[j].field, builders[j].point = r.fields[j], '.'
	}
	rows, line := 0, k.line
	t := &Table{Columns: make([]Column, len(builders))}
	for text := k.text; len(text) > 0; line++ {
		record := firstLine(text)
		text = text[min(len(record)+1, len(text)):]
		if len(bytes.TrimSpace(record)) == 0 {
			continue
		}
		// A short line has a cell in each column, too.
		t.cost += int64(12 * len(builders))
		if err := r.budget.take(int64(12 * len(builders))); err != nil {
			return nil, err
		}
		err := scanObject(record, func(key, value []byte) error {
			j, ok := r.place[string(key)]
			if !ok {
				if len(extra) < 1000 {
					extra[string(key)]++
				}
				return nil
			}
			if filled[j] > rows {
				return fmt.Errorf("key %s occurs twice", quote(string(key)))
			}
			filled[j] = rows + 1
			return builders[j].addJSON(value, line)
		})
		if err != nil {
			return nil, r.fail(line, err)
		}
		rows++
		for j := range builders {
			if filled[j] < rows {
				builders[j].addMissing()
				filled[j] = rows
			}
		}
	}
	t.Rows = rows
	var words int64
	for j := range builders {
		b := &builders[j]
		t.Columns[j] = b.column()
		words += b.cost + int64(8*max(b.width-1, 0)*rows)
	}
	t.cost += words
	return t, r.budget.take(words)
}

func (r *jsonReader) schema() ([]field, bool) { return r.fields, true }

func (r *jsonReader) finish(t *Table) {
	t.Notes = append(t.Notes, r.notes...)
	if len(r.extra) > 0 {
		most := ""
		for key := range r.extra {
			if most == "" || key < most {
				most = key
			}
		}
		t.Notes = append(t.Notes, "keys that the first "+strconv.Itoa(sampleRows)+" lines do not have are left out: "+printable(most)+more(len(r.extra)-1))
	}
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

func (r *jsonReader) close() {}
