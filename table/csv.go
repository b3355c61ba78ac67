package table

import (
	"bytes"
	"errors"
	"io"
	"runtime"
)

// A csvReader yields the blocks of a text file: chunks are parsed on all
// processors and handed out in the order of the file.
type csvReader struct {
	layout
	file   string
	chunks *chunker
	first  *chunk // without the header
	budget *account
	size   int64 // bytes of text to expect, or negative
	queue  chan chan parsed
	stop   chan struct{}
	notes  []string
	rows   int // handed out so far
	blanks int // lines skipped between records
	tail   int // and after the last record so far
	spread bool
}

// A layout is what the beginning of a text file tells about it.
type layout struct {
	delim  byte
	point  byte
	fields []field
	named  bool
	line   int // of the first record
}

// parsed is a block, or why there is none.
type parsed struct {
	table        *Table
	blanks, tail int
	spread       bool
	err          error
}

// openCSV looks at the beginning of the text and starts to parse it. delim 0
// means to find it out. kinds overrides what the beginning suggests.
func openCSV(src *source, delim byte, opts *Options, kinds map[int]Kind) (*csvReader, error) {
	text, notes, err := textReader(src.name, src.r)
	if err != nil {
		return nil, err
	}
	r := &csvReader{
		file: src.name, budget: src.budget, notes: notes, size: src.size,
		chunks: &chunker{r: text, file: src.name, budget: src.budget, stdin: src.size < 0 && !src.packed, line: 1},
		stop:   make(chan struct{}),
	}
	if err := r.begin(delim, opts, kinds); err != nil {
		return nil, err
	}
	r.queue = make(chan chan parsed, min(2*runtime.GOMAXPROCS(0), mostChunks))
	go r.feed()
	return r, nil
}

// begin settles the layout by the first chunk.
func (r *csvReader) begin(delim byte, opts *Options, kinds map[int]Kind) error {
	if opts.Delimiter != 0 {
		delim = opts.Delimiter
	}
	if err := r.chunks.fill(chunkBytes); err != nil {
		return err
	}
	text, line := skipEmpty(r.chunks.rest)
	if len(text) == 0 {
		return failure(r.file, "the file is empty")
	}
	if rest, sep, ok := cutSeparatorLine(text); ok {
		text, delim = rest, sep
		line++
	}
	if delim == 0 {
		delim = findDelimiter(text)
	}
	r.delim, r.chunks.delim = delim, delim
	r.chunks.rest, r.chunks.line = text, 1+line
	first, err := r.chunks.next()
	if err != nil {
		return err
	}
	if err := r.budget.takeProduct(fieldCost, 1+int64(bytes.Count(firstLine(first.text), []byte{delim}))); err != nil {
		return err
	}
	used, notes, err := r.settleColumns(r.file, first, opts, kinds)
	if err != nil {
		return err
	}
	r.notes = append(r.notes, notes...)
	r.first = &chunk{text: first.text[used.size:], line: first.line + used.lines}
	return nil
}

// mostChunks bounds the chunks in flight on machines with many processors.
const mostChunks = 16

// fieldCost is what a column takes in memory before it has any cells: a
// builder and a block of a few chunks in flight, its name, its place in maps.
const fieldCost = 1 << 10

func firstLine(text []byte) []byte {
	if k := bytes.IndexByte(text, '\n'); k >= 0 {
		return text[:k]
	}
	return text
}

// skipEmpty cuts blank lines at the beginning and counts them.
func skipEmpty(text []byte) ([]byte, int) {
	lines := 0
	for {
		line := firstLine(text)
		if len(bytes.TrimSpace(line)) > 0 || len(line) == len(text) {
			if len(bytes.TrimSpace(line)) == 0 {
				return nil, lines
			}
			return text, lines
		}
		text = text[len(line)+1:]
		lines++
	}
}

// cutSeparatorLine takes off the line sep=; that tells Excel the separator.
func cutSeparatorLine(text []byte) (rest []byte, sep byte, ok bool) {
	line := bytes.TrimRight(firstLine(text), "\r")
	if len(line) != 5 || !bytes.HasPrefix(line, []byte("sep=")) {
		return text, 0, false
	}
	return text[min(len(firstLine(text))+1, len(text)):], line[4], true
}

// findDelimiter is the first of tab, semicolon, bar and comma that occurs
// outside quotes equally often on each of the first lines; without any, the
// first of tab, semicolon, comma and bar on the first line. The comma comes
// late because it may be a decimal mark.
func findDelimiter(text []byte) byte {
	const lines = 20
	candidates := []byte("\t;|,")
	var counts [lines][4]int
	n, quoted := 0, false
	for i := 0; i < len(text) && n < lines; i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			n++
		case !quoted:
			if k := bytes.IndexByte(candidates, c); k >= 0 {
				counts[n][k]++
			}
		}
	}
	if n < lines && len(text) > 0 && text[len(text)-1] != '\n' {
		n++ // a last line without an end
	}
	for k, c := range candidates {
		even := counts[0][k] > 0
		for _, line := range counts[:n] {
			even = even && line[k] == counts[0][k]
		}
		if even {
			return c
		}
	}
	for _, k := range []int{0, 1, 3, 2} {
		if counts[0][k] > 0 {
			return candidates[k]
		}
	}
	return ','
}

// feed cuts chunks and has them parsed, a few ahead of the reader.
func (r *csvReader) feed() {
	defer close(r.queue)
	perByte := 0.0 // rows
	for k := r.first; ; {
		if len(k.text) > 0 {
			done := make(chan parsed, 1)
			select {
			case r.queue <- done:
			case <-r.stop:
				return
			}
			go func(k *chunk, perByte float64) { done <- r.parse(k, perByte) }(k, perByte)
			if perByte == 0 {
				perByte = float64(1+bytes.Count(k.text, []byte{'\n'})) / float64(len(k.text))
			}
		}
		var err error
		if k, err = r.chunks.next(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			done := make(chan parsed, 1)
			done <- parsed{err: err}
			select {
			case r.queue <- done:
			case <-r.stop:
			}
			return
		}
	}
}

// parse turns a chunk into a block; perByte helps to set room aside.
func (r *csvReader) parse(k *chunk, perByte float64) parsed {
	p := csvParser{file: r.file, delim: r.delim, point: r.point, head: r.line, cells: make([]*builder, len(r.fields))}
	room := int(perByte*float64(len(k.text))*1.02) + 1
	builders := make([]builder, len(r.fields))
	for j := range r.fields {
		b := &builders[j]
		b.field, b.point = r.fields[j], r.point
		if perByte > 0 && b.kind.numeric() {
			b.numbers = make([]float64, 0, room)
		}
		p.cells[j] = b
	}
	if err := p.parse(k); err != nil {
		return parsed{err: err}
	}
	t := &Table{Rows: p.rows, Columns: make([]Column, len(p.cells))}
	var cost int64
	for j, b := range p.cells {
		t.Columns[j] = b.column()
		cost += b.cost + int64(8*cap(b.numbers)+4*cap(b.codes))
	}
	if err := r.budget.take(cost); err != nil {
		return parsed{err: err}
	}
	t.cost = cost
	return parsed{table: t, blanks: p.blanks, tail: p.tail, spread: p.spread}
}

// next returns the next block.
func (r *csvReader) next() (*Table, error) {
	for {
		done, ok := <-r.queue
		if !ok {
			if r.rows == 0 {
				return nil, failure(r.file, "no rows follow the header")
			}
			return nil, io.EOF
		}
		p := <-done
		if p.err != nil {
			return nil, p.err
		}
		if p.table.Rows > 0 {
			r.blanks += r.tail + p.blanks
			r.tail = 0
		}
		r.tail += p.tail
		r.spread = r.spread || p.spread
		if p.table.Rows == 0 {
			continue
		}
		for j := range p.table.Columns {
			p.table.Columns[j].Bad.Row += r.rows
		}
		if !r.spread && r.blanks == 0 {
			p.table.line = r.line + r.rows
		}
		r.rows += p.table.Rows
		return p.table, nil
	}
}

// finish adds what only the end of the file tells.
func (r *csvReader) finish(t *Table) {
	t.Notes = append(t.Notes, r.notes...)
	if r.blanks > 0 {
		t.Notes = append(t.Notes, count(r.blanks, "blank line")+" skipped")
	}
	if t.line = r.line; r.spread || r.blanks > 0 {
		t.line = 0
	}
}

func (r *csvReader) schema() ([]field, bool) { return r.fields, r.named }

// close stops the reading.
func (r *csvReader) close() {
	close(r.stop)
	for done := range r.queue {
		<-done
	}
}
