package table

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strconv"
)

// An npyReader yields the rows of a NumPy array in blocks.
type npyReader struct {
	file   string
	r      io.Reader
	budget *account
	h      *npyHeader
	block  int // rows a block
	done   int // rows so far
	fields []field
	named  bool
	spread bool // the components of a plain array are columns of their own
}

// openNPY opens a .npy file: the components of its rows are columns without
// names, the parts of a structured array have theirs.
func openNPY(src *source, opts *Options) (*npyReader, error) {
	size := int64(-1)
	if src.at != nil {
		size = src.size
	}
	n, err := newNPYReader(src.name, bufio.NewReaderSize(src.r, 256<<10), size, src.budget, opts)
	if err != nil {
		return nil, err
	}
	return n, n.spreadColumns(opts)
}

// newNPYReader reads the header of an array. size is the length of the file,
// or negative when unknown.
func newNPYReader(file string, r io.Reader, size int64, b *account, opts *Options) (*npyReader, error) {
	h, err := readNPYHeader(file, r)
	if err != nil {
		return nil, err
	}
	if why := h.fields[0].why; why != "" && h.fields[0].name == "" {
		return nil, failure(file, "%s", why)
	}
	if need := int64(h.rows) * int64(h.size); size >= 0 && need != size-h.bytes {
		if need > size-h.bytes {
			return nil, failure(file, "the file is cut short: its header declares %d bytes, and %d bytes follow", need, max(size-h.bytes, 0))
		}
		return nil, failure(file, "%d bytes follow the data that the header declares", size-h.bytes-need)
	}
	n := &npyReader{file: file, r: r, budget: b, h: h, block: opts.BlockRows}
	if n.block <= 0 {
		n.block = max(1, min(1<<16, (8<<20)/max(h.size, 1)))
	}
	return n, nil
}

// spreadColumns makes a column of each component of a plain array.
func (n *npyReader) spreadColumns(opts *Options) error {
	first := n.h.fields[0]
	if first.name != "" {
		n.named = true
		for j, f := range n.h.fields {
			n.fields = append(n.fields, n.field(f, f.name, j, opts))
		}
		uniqueNames(len(n.fields), func(j int) *string { return &n.fields[j].name }, nil)
		return nil
	}
	n.spread = true
	if err := n.budget.takeProduct(int64(first.width), fieldCost); err != nil {
		return err
	}
	single := first
	single.width = 1
	for j := range first.width {
		n.fields = append(n.fields, n.field(single, strconv.Itoa(j+1), j, opts))
	}
	return nil
}

// field describes the column of f.
func (n *npyReader) field(f npyField, name string, j int, opts *Options) field {
	out := field{name: name, kind: f.elem.column(), width: f.width}
	out.index = f.name == "index" && j == 0 // of pandas' to_records, which puts it first
	out.whole = isWhole(&out, j, opts)
	switch {
	case f.why != "":
		out.kind, out.why = Other, f.why
	case f.width > 1 && f.elem.text():
		out.kind, out.why = Other, "lists of words"
	case f.width > 1 && f.elem.kind == 'M':
		out.kind, out.why = Other, "lists of times"
	case f.width > 1:
		out.kind = Vector
	case out.whole:
		out.kind = Text
	}
	return out
}

func (n *npyReader) next() (*Table, error) {
	if n.done == n.h.rows {
		return nil, n.atEnd()
	}
	if n.h.fortran && len(n.h.shape) > 1 {
		return n.readFortran()
	}
	rows := min(n.block, n.h.rows-n.done)
	buf, err := n.read(rows * n.h.size)
	if err != nil {
		return nil, err
	}
	t := &Table{Rows: rows, Columns: make([]Column, len(n.fields))}
	for j := range n.fields {
		part := n.h.fields[0]
		if !n.spread {
			part = n.h.fields[j]
		} else {
			part.offset, part.width = j*part.elem.size, 1
		}
		c, cost, err := n.column(n.fields[j], part, buf, rows, n.h.size)
		if err != nil {
			return nil, err
		}
		t.Columns[j] = c
		t.cost += cost
	}
	n.done += rows
	return t, nil
}

// column decodes the part of each row that f tells of.
func (n *npyReader) column(to field, f npyField, buf []byte, rows, stride int) (Column, int64, error) {
	b := builder{field: to}
	cost := int64(8 * rows * max(f.width, 1))
	if err := n.budget.take(cost); err != nil {
		return Column{}, 0, err
	}
	switch {
	case to.kind == Other:
	case to.kind.words():
		for i := range rows {
			at := i*stride + f.offset
			word := f.elem.word(buf[at : at+f.elem.size])
			if word == "" || !b.addWord([]byte(word)) {
				b.addMissing()
			}
		}
		if err := n.budget.take(b.cost); err != nil {
			return Column{}, 0, err
		}
		cost += b.cost
	case f.width == 1:
		b.numbers = make([]float64, rows)
		f.elem.numbers(b.numbers, buf[f.offset:], stride)
	default:
		b.numbers = make([]float64, 0, rows*f.width)
		for i := range rows {
			k := len(b.numbers)
			b.numbers = b.numbers[:k+f.width]
			f.elem.numbers(b.numbers[k:], buf[i*stride+f.offset:], f.elem.size)
		}
	}
	return b.column(), cost, nil
}

// readFortran reads an array whose first index runs fastest: all of it, column
// by column.
func (n *npyReader) readFortran() (*Table, error) {
	f := n.h.fields[0]
	f.width = 1
	cols := make([]Column, n.h.fields[0].width)
	t := &Table{Rows: n.h.rows}
	for k := range cols {
		buf, err := n.read(n.h.rows * f.elem.size)
		if err != nil {
			return nil, err
		}
		to := field{kind: f.elem.column(), width: 1}
		if n.spread {
			to = n.fields[n.place(k)]
		}
		c, cost, err := n.column(to, f, buf, n.h.rows, f.elem.size)
		if err != nil {
			return nil, err
		}
		cols[n.place(k)] = c
		t.cost += cost
	}
	n.done = n.h.rows
	if n.spread {
		t.Columns = cols
		return t, nil
	}
	if err := n.budget.take(t.cost); err != nil {
		return nil, err
	}
	c := builder{field: n.fields[0]}
	for i := range t.Rows {
		for k := range cols {
			if n.fields[0].kind == Vector {
				c.numbers = append(c.numbers, cols[k].Numbers[i])
			}
		}
	}
	t.Columns = []Column{c.column()}
	return t, nil
}

// place is the place in a row of the k-th column in file order.
func (n *npyReader) place(k int) int {
	rest, place, stride := k, 0, n.h.fields[0].width
	for _, size := range n.h.shape[1:] {
		stride /= size
		place += rest % size * stride
		rest /= size
	}
	return place
}

// read reads so many bytes, setting room aside only for what is there.
func (n *npyReader) read(size int) ([]byte, error) {
	var buf []byte
	for len(buf) < size {
		k := min(size-len(buf), 4<<20)
		if err := n.budget.take(int64(k)); err != nil {
			return nil, err
		}
		buf = slices.Grow(buf, k)
		part := buf[len(buf) : len(buf)+k]
		if _, err := io.ReadFull(n.r, part); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, failure(n.file, "the file is cut short: its header declares %d rows, about %d are there", n.h.rows, n.done+len(buf)/max(n.h.size, 1))
			}
			return nil, readFailure(n.file, err)
		}
		buf = buf[:len(buf)+k]
	}
	n.budget.free(int64(size)) // the buffer lives only until it is decoded
	return buf, nil
}

// atEnd checks that no more bytes follow. Reading up to the end also makes
// decompressors verify their checksums.
func (n *npyReader) atEnd() error {
	var b [1]byte
	_, err := io.ReadFull(n.r, b[:])
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		return readFailure(n.file, err)
	}
	return failure(n.file, "more bytes follow the data that the header declares")
}

func (n *npyReader) schema() ([]field, bool) { return n.fields, n.named }
func (n *npyReader) finish(t *Table)         { t.Shape = n.h.shape }
func (n *npyReader) close()                  {}
