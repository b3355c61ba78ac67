package table

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// A csvParser turns the records of a chunk into cells.
type csvParser struct {
	file   string
	delim  byte
	point  byte
	cells  []*builder
	head   int // line that settled the number of fields, for messages
	rows   int
	line   int  // of the current record
	spread bool // some record runs over several lines
	blanks int  // blank lines before a record
	tail   int  // blank lines after the last record
	text   []byte
	pos    int
	quoted []byte // a field with quotes in it, unquoted
}

// parse reads all records of k.
func (p *csvParser) parse(k *chunk) error {
	p.text, p.pos, p.line = k.text, 0, k.line
	for p.pos < len(p.text) {
		if p.skipBlank() {
			continue
		}
		p.blanks += p.tail
		p.tail = 0
		if err := p.record(); err != nil {
			return err
		}
		p.rows++
	}
	return nil
}

// skipBlank steps over a line of blanks.
func (p *csvParser) skipBlank() bool {
	switch c := p.text[p.pos]; {
	case c > ' ', c == p.delim:
		return false
	}
	end := bytes.IndexByte(p.text[p.pos:], '\n')
	next := p.pos + end + 1
	if end < 0 {
		next = len(p.text)
	}
	for _, c := range p.text[p.pos:next] {
		if c > ' ' || c == p.delim {
			return false
		}
	}
	p.pos = next
	p.line++
	p.tail++
	return true
}

// record reads the record at pos.
func (p *csvParser) record() error {
	start := p.line
	for j := 0; ; j++ {
		if j == len(p.cells) {
			return p.ragged(start, j)
		}
		b := p.cells[j]
		if b.kind == Number && p.number(b) {
			if p.text[p.pos-1] == p.delim {
				continue
			}
		} else {
			cell, more, err := p.field()
			if err != nil {
				return err
			}
			if !b.add(cell, start) {
				return &Error{File: p.file, Line: start, Column: b.name, Msg: notUTF8}
			}
			if more {
				continue
			}
		}
		if j+1 < len(p.cells) {
			return p.ragged(start, j+1)
		}
		return nil
	}
}

const notUTF8 = "is not UTF-8 text (save the file as UTF-8; from Windows: iconv -f WINDOWS-1252 -t UTF-8)"

// number reads the number at pos and what ends it, if that is all there is.
func (p *csvParser) number(b *builder) bool {
	text, i := p.text, p.pos
	negative := i < len(text) && text[i] == '-'
	if negative {
		i++
	}
	var mantissa uint64
	begin := i
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		mantissa = mantissa*10 + uint64(text[i]-'0')
	}
	digits, exponent := i-begin, 0
	if i < len(text) && text[i] == p.point {
		i++
		begin = i
		for ; i < len(text) && text[i]-'0' <= 9; i++ {
			mantissa = mantissa*10 + uint64(text[i]-'0')
		}
		exponent = i - begin
		digits += exponent
	}
	if digits == 0 || digits > mostDigits || i >= len(text) {
		return false
	}
	v, ok := decimalNumber(mantissa, -exponent)
	if !ok {
		return false
	}
	switch text[i] {
	case p.delim:
	case '\n':
		p.line++
	case '\r':
		if i++; i >= len(text) || text[i] != '\n' {
			return false
		}
		p.line++
	default:
		return false
	}
	if negative {
		v = -v
	}
	b.numbers = append(b.numbers, v)
	b.good++
	p.pos = i + 1
	return true
}

// field returns the field at pos, valid until the next, and whether another
// follows in the record.
func (p *csvParser) field() (cell []byte, more bool, err error) {
	text := p.text[p.pos:]
	first := 0
	for first < len(text) && text[first] == ' ' && p.delim != ' ' {
		first++
	}
	if first < len(text) && text[first] == '"' {
		return p.quotedField(first + 1)
	}
	for i, c := range text {
		if c == p.delim {
			p.pos += i + 1
			return text[:i], true, nil
		}
		if c == '\n' {
			p.pos += i + 1
			p.line++
			return bytes.TrimSuffix(text[:i], []byte{'\r'}), false, nil
		}
	}
	p.pos = len(p.text)
	return bytes.TrimSuffix(text, []byte{'\r'}), false, nil
}

// quotedField returns the field whose text begins so many bytes after pos,
// behind the opening quote.
func (p *csvParser) quotedField(skip int) (cell []byte, more bool, err error) {
	at := p.line
	begin := p.pos + skip
	end := closeQuote(p.text[begin:])
	if end < 0 {
		return nil, false, &Error{File: p.file, Line: at, Msg: "a quote opens here and is never closed"}
	}
	cell = p.text[begin : begin+end-1]
	if n := bytes.Count(cell, []byte{'\n'}); n > 0 {
		p.line += n
		p.spread = true
	}
	if bytes.IndexByte(cell, '"') >= 0 {
		p.quoted = append(p.quoted[:0], cell...)
		cell = bytes.ReplaceAll(p.quoted, []byte(`""`), []byte(`"`))
	}
	p.pos = begin + end
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\r') {
		p.pos++
	}
	if p.pos == len(p.text) {
		return cell, false, nil
	}
	switch p.text[p.pos] {
	case p.delim:
		p.pos++
		return cell, true, nil
	case '\n':
		p.pos++
		p.line++
		return cell, false, nil
	}
	return nil, false, &Error{File: p.file, Line: p.line, Msg: "text follows a closing quote (write a quote inside quotes twice)"}
}

// ragged is the error for a record with another number of fields; have of them
// have been read.
func (p *csvParser) ragged(start, have int) error {
	if have == len(p.cells) {
		for {
			have++
			_, more, err := p.field()
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
	}
	msg := fmt.Sprintf("the line has %s, line %d has %d", count(have, "field"), p.head, len(p.cells))
	if p.delim == ',' && have > len(p.cells) {
		msg += " (quote cells that contain commas)"
	}
	return &Error{File: p.file, Line: start, Msg: msg}
}

// splitRecord returns the fields of the first record of text, copied, and how
// many bytes and lines it takes.
func splitRecord(file string, text []byte, line int, delim byte) (fields []string, size, lines int, err error) {
	p := csvParser{file: file, delim: delim, text: text, line: line}
	for {
		cell, more, err := p.field()
		if err != nil {
			return nil, 0, 0, err
		}
		if !utf8.Valid(cell) {
			return nil, 0, 0, &Error{File: file, Line: line, Msg: notUTF8}
		}
		fields = append(fields, string(trim(cell)))
		if !more {
			return fields, p.pos, p.line - line, nil
		}
	}
}
