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
