package table

import (
	"bytes"
	"errors"
	"io"
)

// chunkBytes is how much text is read and parsed at a time: large enough that
// handing it over costs nothing, small enough for bounded memory.
const chunkBytes = 1 << 20

// A chunk is whole records of a text file.
type chunk struct {
	text []byte
	line int // of its first byte, counted from 1
}

// A chunker cuts text into chunks.
type chunker struct {
	r      io.Reader
	file   string
	budget *account
	stdin  bool // the length of the input is not known before
	delim  byte
	plain  bool // a quote has no meaning, as in JSON lines
	rest   []byte
	line   int
	done   bool
}

// next returns the next chunk, and io.EOF after the last.
func (c *chunker) next() (*chunk, error) {
	size := chunkBytes
	for {
		if err := c.fill(size); err != nil {
			return nil, err
		}
		if c.done {
			if len(c.rest) == 0 {
				return nil, io.EOF
			}
			return c.cut(len(c.rest)), nil
		}
		if end := c.lastRecord(); end > 0 {
			return c.cut(end), nil
		}
		// A record longer than a chunk: a wide table, or no table at all.
		if err := c.budget.take(int64(size)); err != nil {
			return nil, err
		}
		size *= 2
	}
}

// fill reads until rest has size bytes or the input ends.
func (c *chunker) fill(size int) error {
	for len(c.rest) < size && !c.done {
		if cap(c.rest) < size {
			c.rest = append(make([]byte, 0, size), c.rest...)
		}
		n, err := c.r.Read(c.rest[len(c.rest):size])
		c.rest = c.rest[:len(c.rest)+n]
		if c.stdin {
			c.budget.grow(int64(n))
		}
		if errors.Is(err, io.EOF) {
			c.done = true
		} else if err != nil {
			return readFailure(c.file, err)
		}
	}
	return nil
}

// cut hands over the first n bytes of rest.
func (c *chunker) cut(n int) *chunk {
	k := &chunk{text: c.rest[:n:n], line: c.line}
	rest := c.rest[n:]
	c.rest = append(make([]byte, 0, max(chunkBytes, len(rest))), rest...)
	c.line += bytes.Count(k.text, []byte{'\n'})
	return k
}

// lastRecord returns the end of the last whole record of rest, or 0.
func (c *chunker) lastRecord() int {
	text := c.rest
	end, pos := 0, 0
	for {
		q := -1
		if !c.plain {
			q = bytes.IndexByte(text[pos:], '"')
		}
		if q < 0 {
			if k := bytes.LastIndexByte(text[pos:], '\n'); k >= 0 {
				end = pos + k + 1
			}
			return end
		}
		q += pos
		if k := bytes.LastIndexByte(text[pos:q], '\n'); k >= 0 {
			end = pos + k + 1
		}
		if !opensQuote(text[:q], c.delim) {
			pos = q + 1
			continue
		}
		after := closeQuote(text[q+1:])
		if after < 0 {
			return end
		}
		pos = q + 1 + after
	}
}

// opensQuote reports whether a quote after this text opens a field.
func opensQuote(before []byte, delim byte) bool {
	for k := len(before) - 1; k >= 0; k-- {
		switch before[k] {
		case ' ':
			if delim == ' ' {
				return true
			}
		case delim, '\n':
			return true
		default:
			return false
		}
	}
	return true
}

// closeQuote returns the place after the quote that closes the field, or -1.
func closeQuote(text []byte) int {
	pos := 0
	for {
		q := bytes.IndexByte(text[pos:], '"')
		if q < 0 {
			return -1
		}
		pos += q + 1
		if pos >= len(text) || text[pos] != '"' {
			return pos
		}
		pos++
	}
}
