package table

import (
	"encoding/binary"
	"errors"
	"math"
)

// An arrowBatch steps through the nodes and buffers of a record batch, which
// lie in the order of the fields, depth first.
type arrowBatch struct {
	r        *arrowReader
	f        flat
	body     []byte
	length   int64
	nodes    int // place of the next node
	nodesEnd int
	buffers  int
	bufEnd   int
	views    int // place of the next count of view buffers
	viewsEnd int
	codec    codec
	held     int64 // in the budget for decompressed buffers
}

var errBatch = errors.New("a record batch does not match the schema")

func (r *arrowReader) newBatch(f flat, body []byte) (*arrowBatch, error) {
	b := &arrowBatch{r: r, f: f, body: body, length: f.integer(0, 8, 0)}
	var n int
	b.nodes, n = f.vector(1, 16)
	b.nodesEnd = b.nodes + 16*n
	b.buffers, n = f.vector(2, 16)
	b.bufEnd = b.buffers + 16*n
	b.views, n = f.vector(4, 8)
	b.viewsEnd = b.views + 8*n
	if c := f.table(3); c.pos != 0 {
		switch c.integer(0, 1, 0) {
		case 0:
			b.codec = codecLZ4Frame
		case 1:
			b.codec = codecZstd
		default:
			return nil, errors.New("compressed in a way that is not read")
		}
	}
	if *f.bad || b.length < 0 || b.length > math.MaxInt32 {
		return nil, errFlat
	}
	return b, nil
}

func (b *arrowBatch) release() { b.r.budget.free(b.held) }

// node returns the length of the next field.
func (b *arrowBatch) node() (int, error) {
	if b.nodes+16 > b.nodesEnd {
		return 0, errBatch
	}
	n := b.f.i64(b.nodes)
	b.nodes += 16
	if n < 0 || n > math.MaxInt32 {
		return 0, errBatch
	}
	return int(n), nil
}

// buffer returns the next buffer, decompressed.
func (b *arrowBatch) buffer() ([]byte, error) {
	if b.buffers+16 > b.bufEnd {
		return nil, errBatch
	}
	at, n := b.f.i64(b.buffers), b.f.i64(b.buffers+8)
	b.buffers += 16
	if at < 0 || n < 0 || n > int64(len(b.body)) || at > int64(len(b.body))-n {
		return nil, errBatch
	}
	data := b.body[at : at+n]
	if b.codec == codecNone || n == 0 {
		return data, nil
	}
	if n < 8 {
		return nil, errBatch
	}
	size := int64(binary.LittleEndian.Uint64(data))
	if size == -1 {
		return data[8:], nil
	}
	if size < 0 {
		return nil, errBatch
	}
	if err := b.r.budget.take(size); err != nil {
		return nil, err
	}
	b.held += size
	return b.codec.unpack(data[8:], int(size))
}

// skip steps over a field that is not read.
func (b *arrowBatch) skip(f *arrowField) error {
	if _, err := b.node(); err != nil {
		return err
	}
	buffers := map[int]int{
		arrowNull: 0, arrowRunEnd: 0, arrowStruct: 1, arrowFixedList: 1, arrowUnion: 1,
		arrowUtf8: 3, arrowBinary: 3, arrowLargeUtf8: 3, arrowLargeBinary: 3, arrowListView: 3, arrowLargeListView: 3,
	}
	n, ok := buffers[f.typ]
	if !ok || f.coded {
		n = 2
	}
	if (f.typ == arrowUtf8View || f.typ == arrowBinaryView) && !f.coded {
		extra, err := b.viewBuffers()
		if err != nil {
			return err
		}
		n += extra
	}
	if b.buffers += 16 * n; b.buffers > b.bufEnd {
		return errBatch
	}
	if f.coded {
		return nil
	}
	for k := range f.children {
		if err := b.skip(&f.children[k]); err != nil {
			return err
		}
	}
	return nil
}

func (b *arrowBatch) viewBuffers() (int, error) {
	if b.views+8 > b.viewsEnd {
		return 0, errBatch
	}
	n := b.f.i64(b.views)
	b.views += 8
	if n < 0 || n > int64(b.bufEnd-b.buffers)/16 {
		return 0, errBatch
	}
	return int(n), nil
}

// column decodes the next field and returns its cost in the budget.
func (b *arrowBatch) column(f *arrowField) (Column, int64, error) {
	out := builder{field: f.field}
	if f.kind == Other {
		return out.column(), 0, b.skip(f)
	}
	n, err := b.node()
	if err != nil {
		return Column{}, 0, err
	}
	cost := int64(8 * n * max(f.width, 1))
	if err := b.r.budget.take(cost); err != nil {
		return Column{}, 0, err
	}
	if f.typ == arrowNull && !f.coded {
		for range n {
			out.addMissing()
		}
		return out.column(), cost, nil
	}
	valid, err := b.buffer()
	if err != nil {
		return Column{}, 0, err
	}
	if len(valid) > 0 && len(valid) < (n+7)/8 {
		return Column{}, 0, errBatch
	}
	if f.kind == Vector {
		err = b.vectors(f, &out, n, valid)
		return out.column(), cost, err
	}
	if out.kind.numeric() {
		out.numbers = make([]float64, 0, n)
	} else {
		out.codes = make([]int32, 0, n)
	}
	if f.plainNumbers() && out.kind.numeric() {
		out.numbers = out.numbers[:n]
		return out.column(), cost, b.numbers(f, out.numbers, valid)
	}
	add, err := b.cells(f, &out, n)
	if err != nil {
		return Column{}, 0, err
	}
	for i := range n {
		if len(valid) > 0 && valid[i/8]>>(i%8)&1 == 0 {
			out.addMissing()
			continue
		}
		if err := add(i); err != nil {
			return Column{}, 0, err
		}
	}
	if err := b.r.budget.take(out.cost); err != nil {
		return Column{}, 0, err
	}
	return out.column(), cost + out.cost, nil
}

// plainNumbers reports whether the cells lie one after the other as numbers.
func (f *arrowField) plainNumbers() bool {
	switch f.typ {
	case arrowInt, arrowFloat, arrowDecimal, arrowDate, arrowTime, arrowTimestamp, arrowDuration:
		return !f.coded && f.size > 0
	}
	return false
}

// numbers decodes the next buffer into dst.
func (b *arrowBatch) numbers(f *arrowField, dst []float64, valid []byte) error {
	data, err := b.buffer()
	if err != nil {
		return err
	}
	if len(data)/f.size < len(dst) {
		return errBatch
	}
	if f.typ == arrowFloat && f.size == 8 {
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
	} else {
		for i := range dst {
			dst[i] = f.number(data[i*f.size : (i+1)*f.size])
		}
	}
	if len(valid) > 0 {
		for i := range dst {
			if valid[i/8]>>(i%8)&1 == 0 {
				dst[i] = math.NaN()
			}
		}
	}
	return nil
}
