package table

import (
	"encoding/binary"
	"math"
	"runtime"

	"github.com/parquet-go/parquet-go/format"
)

func parallelism() int { return runtime.GOMAXPROCS(0) }

// plain reads n values that stand one after the other.
func (c *parquetCursor) plain(data []byte, n int) (parquetValues, error) {
	v := parquetValues{n: n}
	switch {
	case c.column.physical == format.Boolean:
		if len(data) < (n+7)/8 {
			return v, errCoding
		}
		v.fixed = make([]byte, n)
		for i := range v.fixed {
			v.fixed[i] = data[i/8] >> (i % 8) & 1
		}
	case c.column.size > 0:
		if len(data)/c.column.size < n {
			return v, errCoding
		}
		v.fixed = data[:n*c.column.size]
	default:
		v.words = make([][]byte, n)
		for i := range v.words {
			if len(data) < 4 {
				return v, errCoding
			}
			size := int(binary.LittleEndian.Uint32(data))
			if size > len(data)-4 {
				return v, errCoding
			}
			v.words[i] = data[4 : 4+size]
			data = data[4+size:]
		}
	}
	return v, nil
}

// indexes reads n numbers of entries of the dictionary.
func (c *parquetCursor) indexes(data []byte, n int) (parquetValues, error) {
	v := parquetValues{n: n, indexes: make([]uint32, n)}
	if n == 0 {
		return v, nil
	}
	if c.dict == nil || len(data) < 1 {
		return v, errCoding
	}
	most := uint32(c.dict.n)
	out := false
	err := runs(data[1:], int(data[0]), n, func(i int, k uint32) {
		v.indexes[i] = k
		out = out || k >= most
	})
	if out {
		err = errCoding
	}
	return v, err
}

// deltaInts reads n integers stored as differences.
func (c *parquetCursor) deltaInts(data []byte, n int) (parquetValues, error) {
	ints, _, err := deltas(data, n)
	if err != nil || (c.column.physical != format.Int32 && c.column.physical != format.Int64) {
		return parquetValues{}, errCoding
	}
	v := parquetValues{n: n, fixed: make([]byte, 0, n*c.column.size)}
	for _, x := range ints {
		if c.column.size == 4 {
			v.fixed = binary.LittleEndian.AppendUint32(v.fixed, uint32(x))
		} else {
			v.fixed = binary.LittleEndian.AppendUint64(v.fixed, uint64(x))
		}
	}
	return v, nil
}

// deltaWords reads n byte arrays: first all lengths, then all bytes.
func deltaWords(data []byte, n int) (parquetValues, error) {
	lengths, used, err := deltas(data, n)
	if err != nil {
		return parquetValues{}, err
	}
	data = data[used:]
	v := parquetValues{n: n, words: make([][]byte, n)}
	for i, size := range lengths {
		if size < 0 || size > int64(len(data)) {
			return v, errCoding
		}
		v.words[i] = data[:size]
		data = data[size:]
	}
	return v, nil
}

// deltaPrefixes reads n byte arrays that share a beginning with the one before.
func (c *parquetCursor) deltaPrefixes(data []byte, n int) (parquetValues, error) {
	prefixes, used, err := deltas(data, n)
	if err != nil {
		return parquetValues{}, err
	}
	v, err := deltaWords(data[used:], n)
	if err != nil {
		return v, err
	}
	var last []byte
	for i, size := range prefixes {
		if size < 0 || size > int64(len(last)) {
			return v, errCoding
		}
		if size > 0 {
			// Long prefixes can unfold a few bytes to many.
			if err := c.r.budget.take(size + int64(len(v.words[i]))); err != nil {
				return v, err
			}
			c.held += size + int64(len(v.words[i]))
			v.words[i] = append(last[:size:size], v.words[i]...)
		}
		last = v.words[i]
	}
	if c.column.size > 0 { // of fixed length
		for _, w := range v.words {
			if len(w) != c.column.size {
				return v, errCoding
			}
			v.fixed = append(v.fixed, w...)
		}
		v.words = nil
	}
	return v, nil
}

// split reads n values stored as streams of their first bytes, second bytes
// and so on.
func (c *parquetCursor) split(data []byte, n int) (parquetValues, error) {
	size := c.column.size
	if size == 0 || len(data) != n*size {
		return parquetValues{}, errCoding
	}
	v := parquetValues{n: n, fixed: make([]byte, n*size)}
	for k := range size {
		for i, b := range data[k*n : (k+1)*n] {
			v.fixed[i*size+k] = b
		}
	}
	return v, nil
}

// numbers converts values that are not indexes.
func (c *parquetCursor) numbers(dst []float64, v *parquetValues) {
	switch {
	case v.words != nil:
		for i, w := range v.words {
			dst[i] = c.column.number(w)
		}
	case c.column.physical == format.Double:
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(v.fixed[8*i:]))
		}
	default:
		size := c.column.size
		for i := range dst {
			dst[i] = c.column.number(v.fixed[i*size : (i+1)*size])
		}
	}
}

// at returns value k as bytes.
func (c *parquetCursor) bytesAt(k int) []byte {
	v := &c.page.values
	if v.indexes != nil {
		k = int(v.indexes[k])
		v = c.dict
	}
	if v.words != nil {
		return v.words[k]
	}
	return v.fixed[k*c.column.size : (k+1)*c.column.size]
}

// read returns the next rows of the column and their cost in the budget.
func (c *parquetCursor) read(rows int) (Column, int64, error) {
	b := builder{field: c.column.field}
	if b.kind == Other {
		return b.column(), 0, nil
	}
	cost := int64(rows) * 8 * int64(max(b.width, 1))
	if err := c.r.budget.takeProduct(int64(rows), 8*int64(max(b.width, 1))); err != nil {
		return Column{}, 0, err
	}
	if b.kind.numeric() {
		b.numbers = make([]float64, 0, rows*b.width)
	} else {
		b.codes = make([]int32, 0, rows)
	}
	var err error
	if b.kind == Vector {
		err = c.readVectors(&b, rows)
	} else {
		err = c.readFlat(&b, rows)
	}
	if err == nil {
		err = c.r.budget.take(b.cost)
	}
	return b.column(), cost + b.cost, err
}

func (c *parquetCursor) readFlat(b *builder, rows int) error {
	for got := 0; got < rows; {
		p := &c.page
		if p.pos == p.n {
			ok, err := c.nextPage()
			if err != nil {
				return err
			}
			if !ok {
				return c.fail(errRows)
			}
		}
		n := min(rows-got, p.n-p.pos)
		if b.kind.numeric() {
			c.addNumbers(b, n)
		} else {
			c.addWords(b, n)
		}
		got += n
	}
	return nil
}

var errRows = errorString("fewer values than rows")

type errorString string

func (e errorString) Error() string { return string(e) }

// addNumbers appends the next n cells of the page.
func (c *parquetCursor) addNumbers(b *builder, n int) {
	p := &c.page
	present := n
	if p.def != nil {
		present = 0
		for _, d := range p.def[p.pos : p.pos+n] {
			if int(d) == c.column.maxDef {
				present++
			}
		}
	}
	at := len(b.numbers)
	b.numbers = b.numbers[:at+n]
	// The values that are there go to the end of their room, then to their
	// places, from the front.
	dense := b.numbers[at+n-present:]
	if p.values.indexes != nil {
		for i, k := range p.values.indexes[p.value : p.value+present] {
			dense[i] = c.dictNum[k]
		}
	} else {
		part := parquetValues{n: present}
		if p.values.words != nil {
			part.words = p.values.words[p.value : p.value+present]
		} else {
			part.fixed = p.values.fixed[p.value*c.column.size:]
		}
		c.numbers(dense, &part)
	}
	p.value += present
	if present < n {
		k := 0
		for i, d := range p.def[p.pos : p.pos+n] {
			v := math.NaN()
			if int(d) == c.column.maxDef {
				v = dense[k]
				k++
			}
			b.numbers[at+i] = v
		}
	}
	p.pos += n
	b.good += present
}

// addWords appends the next n cells of the page as words.
func (c *parquetCursor) addWords(b *builder, n int) {
	p := &c.page
	var codes []int32 // of dictionary entries in b, plus one
	if p.values.indexes != nil && c.dict.n <= 4*n {
		codes = make([]int32, c.dict.n)
	}
	for range n {
		if p.def != nil && int(p.def[p.pos]) < c.column.maxDef {
			b.codes = append(b.codes, -1)
			p.pos++
			continue
		}
		if codes != nil {
			if k := p.values.indexes[p.value]; codes[k] > 0 {
				b.codes = append(b.codes, codes[k]-1)
				b.good++
				p.value++
				p.pos++
				continue
			}
		}
		w := c.column.word(c.bytesAt(p.value))
		switch {
		case isMissing(w):
			b.codes = append(b.codes, -1)
		case !b.addWord(w):
			b.addWord([]byte(quote(string(w)))) // bytes that are no text
		}
		if codes != nil {
			codes[p.values.indexes[p.value]] = b.codes[len(b.codes)-1] + 1
		}
		p.value++
		p.pos++
	}
}

// readVectors appends rows of lists. A list of another length is bad.
func (c *parquetCursor) readVectors(b *builder, rows int) error {
	row := make([]float64, 0, b.width)
	var number [1]float64
	for range rows {
		row = row[:0]
		missing, length := false, 0
		for first := true; ; first = false {
			if c.page.pos == c.page.n {
				ok, err := c.nextPage()
				if err != nil {
					return err
				}
				if !ok {
					if first {
						return c.fail(errRows)
					}
					break
				}
			}
			p := &c.page
			if (p.rep[p.pos] == 0) != first {
				if first {
					return c.fail(errCoding)
				}
				break
			}
			v := math.NaN()
			switch def := int(p.def[p.pos]); {
			case def == c.column.maxDef:
				if p.values.indexes != nil {
					v = c.dictNum[p.values.indexes[p.value]]
				} else {
					b := c.bytesAt(p.value)
					number[0] = c.column.number(b)
					v = number[0]
				}
				p.value++
				length++
			case def >= c.column.element:
				length++
			default:
				missing = true
			}
			if len(row) < b.width {
				row = append(row, v)
			}
			p.pos++
		}
		switch {
		case missing:
			b.addMissing()
		case length != b.width:
			b.addBadVector([]byte(lengthText(length)), 0)
		default:
			b.numbers = append(b.numbers, row...)
			b.good++
		}
	}
	return nil
}

func lengthText(n int) string { return "a list of " + count(n, "number") }
