package table

import (
	"encoding/binary"
	"errors"
)

var errCoding = errors.New("the coded values are damaged")

// runs decodes n values of the given width in bits from Parquet's hybrid of
// run lengths and bit packing, and calls do with each. Runs beyond n are cut.
func runs(src []byte, width, n int, do func(i int, v uint32)) error {
	if width > 32 {
		return errCoding
	}
	if width == 0 {
		for i := range n {
			do(i, 0)
		}
		return nil
	}
	for i := 0; i < n; {
		head, k := binary.Uvarint(src)
		if k <= 0 {
			return errCoding
		}
		src = src[k:]
		if head&1 == 0 { // a run
			size := (width + 7) / 8
			if len(src) < size || head>>1 == 0 {
				return errCoding
			}
			var v uint32
			for j := range size {
				v |= uint32(src[j]) << (8 * j)
			}
			src = src[size:]
			for end := i + int(min(head>>1, uint64(n-i))); i < end; i++ {
				do(i, v)
			}
			continue
		}
		groups := head >> 1
		if groups == 0 || groups > uint64(len(src)/width)+1 {
			return errCoding
		}
		var buf uint64
		have := 0
		mask := uint64(1)<<width - 1
		used := 0
		for range groups * 8 {
			if i == n {
				break
			}
			for have < width {
				if used == len(src) {
					return errCoding
				}
				buf |= uint64(src[used]) << have
				used++
				have += 8
			}
			do(i, uint32(buf&mask))
			buf >>= width
			have -= width
			i++
		}
		src = src[min(int(groups)*width, len(src)):]
	}
	return nil
}

// deltas decodes n integers of Parquet's DELTA_BINARY_PACKED and returns how
// many bytes they take.
func deltas(src []byte, n int) (out []int64, used int, err error) {
	all := len(src)
	next := func() uint64 {
		v, k := binary.Uvarint(src)
		if k <= 0 {
			err = errCoding
			return 0
		}
		src = src[k:]
		return v
	}
	zigzag := func() int64 { v := next(); return int64(v>>1) ^ -int64(v&1) }
	block, parts, total := next(), next(), next()
	first := zigzag()
	if err != nil || total != uint64(n) || parts == 0 || parts > 512 || block == 0 || block > 1<<20 || block%parts != 0 {
		return nil, 0, errCoding
	}
	out = make([]int64, 0, n)
	if n > 0 {
		out = append(out, first)
	}
	each := int(block / parts)
	for len(out) < n {
		least := zigzag()
		if err != nil || len(src) < int(parts) {
			return nil, 0, errCoding
		}
		widths := src[:parts]
		src = src[parts:]
		for _, width := range widths {
			if len(out) == n {
				break // what is left of the block has no data
			}
			size := (each*int(width) + 7) / 8
			if width > 64 || size > len(src) {
				return nil, 0, errCoding
			}
			for k := 0; k < each && len(out) < n; k++ {
				out = append(out, out[len(out)-1]+least+int64(bitsAt(src, k*int(width), int(width))))
			}
			src = src[size:]
		}
	}
	return out, all - len(src), nil
}

// bitsAt returns width bits from bit at on, the lowest first.
func bitsAt(src []byte, at, width int) uint64 {
	var v uint64
	for have := 0; have < width; {
		b := uint64(src[at/8]) >> (at % 8)
		take := min(8-at%8, width-have)
		v |= (b & (1<<take - 1)) << have
		have += take
		at += take
	}
	return v
}
