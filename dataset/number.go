package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An elem is how a binary format stores one element of an array.
type elem struct {
	kind byte // f, i, u or b (bool) for numbers, U (UTF-32) or S (bytes) for text
	size int  // bytes
	big  bool // big endian
}

// name is how messages call elements of this kind.
func (e elem) name() string {
	kinds := map[byte]string{'f': "floats", 'i': "signed integers", 'u': "unsigned integers", 'b': "marks"}
	if e.text() {
		return "texts"
	}
	return fmt.Sprintf("%s of %d bytes", kinds[e.kind], e.size)
}

func (e elem) text() bool { return e.kind == 'U' || e.kind == 'S' }

// numbers decodes src, whose elements it may reorder in place, into dst.
func (e elem) numbers(dst []float64, src []byte) {
	if e.big && e.size > 1 {
		e.swap(src)
	}
	le := binary.LittleEndian
	switch {
	case e.kind == 'f' && e.size == 8:
		for i := range dst {
			dst[i] = math.Float64frombits(le.Uint64(src[8*i:]))
		}
	case e.kind == 'f' && e.size == 4:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(le.Uint32(src[4*i:])))
		}
	case e.kind == 'f':
		for i := range dst {
			dst[i] = half(le.Uint16(src[2*i:]))
		}
	case e.kind == 'b':
		for i := range dst {
			dst[i] = 0
			if src[i] != 0 {
				dst[i] = 1
			}
		}
	case e.kind == 'u':
		for i := range dst {
			dst[i] = float64(e.bits(src[i*e.size:]))
		}
	default:
		for i := range dst {
			dst[i] = float64(e.signed(src[i*e.size:]))
		}
	}
}

// swap turns each element around.
func (e elem) swap(b []byte) {
	for ; len(b) >= e.size; b = b[e.size:] {
		slices.Reverse(b[:e.size])
	}
}

// bits is the little-endian integer at the start of b, zero-extended.
func (e elem) bits(b []byte) uint64 {
	switch e.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (e elem) signed(b []byte) int64 {
	shift := 64 - 8*e.size
	return int64(e.bits(b)<<shift) >> shift
}

// half is the IEEE 754 half-precision number with these bits.
func half(h uint16) float64 {
	sign, exp, frac := uint32(h>>15), uint32(h>>10&0x1F), uint32(h&0x3FF)
	switch exp {
	case 0: // zero or subnormal
		return (1 - 2*float64(sign)) * float64(frac) * 0x1p-24
	case 31: // infinite or NaN
		exp = 255
	default:
		exp += 127 - 15 // the biases of single and half precision
	}
	return float64(math.Float32frombits(sign<<31 | exp<<23 | frac<<13))
}

// label is the element b as a label or an id: integers in full, text without
// the zeros it is padded with.
func (e elem) label(b []byte) string {
	switch e.kind {
	case 'S':
		return strings.TrimRight(string(b), "\x00")
	case 'U':
		return e.utf32(b)
	}
	if e.big {
		b = slices.Clone(b)
		e.swap(b)
	}
	switch e.kind {
	case 'u':
		return strconv.FormatUint(e.bits(b), 10)
	case 'i':
		return strconv.FormatInt(e.signed(b), 10)
	case 'b':
		return strconv.FormatBool(b[0] != 0)
	}
	var v [1]float64
	elem{kind: e.kind, size: e.size}.numbers(v[:], b)
	return numberText(v[0])
}

func (e elem) utf32(b []byte) string {
	var out []byte
	for ; len(b) >= 4; b = b[4:] {
		c := binary.LittleEndian.Uint32(b)
		if e.big {
			c = binary.BigEndian.Uint32(b)
		}
		out = utf8.AppendRune(out, rune(c))
	}
	return strings.TrimRight(string(out), "\x00")
}

const chunkBytes = 64 << 10

// readArray reads exactly n numbers. size is how many bytes r has, or
// negative when unknown; nothing is allocated for data that is not there.
func (e elem) readArray(file string, r io.Reader, size int64, n int) ([]float64, error) {
	if err := e.checkSize(file, size, n); err != nil {
		return nil, err
	}
	room := n
	if size < 0 {
		room = min(n, chunkBytes)
	}
	out := make([]float64, 0, room)
	buf := make([]byte, min(chunkBytes, n*e.size))
	for len(out) < n {
		k := min(n-len(out), len(buf)/e.size)
		if _, err := io.ReadFull(r, buf[:k*e.size]); err != nil {
			return nil, e.short(file, err, len(out), n)
		}
		out = slices.Grow(out, k)
		e.numbers(out[len(out):len(out)+k], buf)
		out = out[:len(out)+k]
	}
	return out, atEnd(file, r)
}

// readLabels reads exactly n elements as labels.
func (e elem) readLabels(file string, r io.Reader, size int64, n int) ([]string, error) {
	if err := e.checkSize(file, size, n); err != nil {
		return nil, err
	}
	if e.size > chunkBytes {
		return nil, fileError(file, "holds text of %d bytes an element; at most %d are read", e.size, chunkBytes)
	}
	seen := make(map[string]string) // equal labels share their memory
	var out []string
	buf := make([]byte, e.size)
	for len(out) < n {
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, e.short(file, err, len(out), n)
		}
		s, ok := seen[string(buf)]
		if !ok {
			s = e.label(buf)
			seen[string(buf)] = s
		}
		out = append(out, s)
	}
	return out, atEnd(file, r)
}

func (e elem) checkSize(file string, size int64, n int) error {
	need, ok := mulFits(n, e.size)
	switch {
	case !ok || (size >= 0 && int64(need) > size):
		return fileError(file, "the file is cut short: its header declares %d values of %d bytes, and %d bytes follow", n, e.size, size)
	case size >= 0 && int64(need) < size:
		return fileError(file, "%d bytes follow the data that the header declares", size-int64(need))
	}
	return nil
}

func (e elem) short(file string, err error, have, n int) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fileError(file, "the file is cut short: its header declares %d values, about %d are there", n, have)
	}
	return readError(file, err)
}

// atEnd checks that r has no more bytes. Reading up to the end also makes
// decompressors verify their checksums.
func atEnd(file string, r io.Reader) error {
	var b [1]byte
	_, err := io.ReadFull(r, b[:])
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return readError(file, err)
	}
	return fileError(file, "more bytes follow the data that the header declares")
}
