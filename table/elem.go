package table

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An elem is how NumPy stores one element of an array.
type elem struct {
	kind byte    // f, i, u or b (bool) for numbers, U (UTF-32) or S (bytes) for text, M for instants
	size int     // bytes
	big  bool    // big endian
	unit float64 // of instants, in seconds
}

// An Element is how NumPy's files, and others like them, store one element of an
// array: Kind is f, i, u or b (bool) for numbers, U (UTF-32) or S (bytes) for
// text.
type Element struct {
	Kind byte
	Size int  // bytes
	Big  bool // big endian
}

// Numbers decodes elements that lie one after the other.
func (e Element) Numbers(dst []float64, src []byte) { e.elem().numbers(dst, src, e.Size) }

// Text returns the element b as text: integers in full, text without the zeros
// that it is padded with.
func (e Element) Text(b []byte) string { return e.elem().word(b) }

func (e Element) elem() elem { return elem{kind: e.Kind, size: e.Size, big: e.Big} }

func (e elem) text() bool { return e.kind == 'U' || e.kind == 'S' }

// column is the kind of a column of such elements.
func (e elem) column() Kind {
	switch e.kind {
	case 'b':
		return Boolean
	case 'M':
		return Time
	case 'U', 'S':
		return Text
	}
	return Number
}

// number decodes the element at the start of b.
func (e elem) number(b []byte) float64 {
	u := e.bits(b)
	switch e.kind {
	case 'f':
		switch e.size {
		case 8:
			return math.Float64frombits(u)
		case 4:
			return float64(math.Float32frombits(uint32(u)))
		}
		return half(uint16(u))
	case 'b':
		if u != 0 {
			return 1
		}
		return 0
	case 'u':
		return float64(u)
	case 'M':
		if u == 1<<63 { // not a time
			return math.NaN()
		}
		return float64(int64(u)) * e.unit
	}
	return float64(e.signed(b))
}

// bits is the integer at the start of b, zero-extended.
func (e elem) bits(b []byte) uint64 {
	var order binary.ByteOrder = binary.LittleEndian
	if e.big {
		order = binary.BigEndian
	}
	switch e.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

func (e elem) signed(b []byte) int64 {
	shift := 64 - 8*e.size
	return int64(e.bits(b)<<shift) >> shift
}

// numbers decodes elements that lie stride bytes apart.
func (e elem) numbers(dst []float64, src []byte, stride int) {
	if e.kind == 'f' && e.size == 8 && !e.big {
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[i*stride:]))
		}
		return
	}
	if e.kind == 'f' && e.size == 4 && !e.big {
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(src[i*stride:])))
		}
		return
	}
	if e.kind == 'u' && e.size == 1 {
		for i := range dst {
			dst[i] = float64(src[i*stride])
		}
		return
	}
	for i := range dst {
		dst[i] = e.number(src[i*stride:])
	}
}

// word is the element b as text: integers in full, text without the zeros that
// it is padded with.
func (e elem) word(b []byte) string {
	switch e.kind {
	case 'S':
		return strings.TrimRight(string(b), "\x00")
	case 'U':
		return e.utf32(b)
	case 'u':
		return strconv.FormatUint(e.bits(b), 10)
	case 'i':
		return strconv.FormatInt(e.signed(b), 10)
	case 'b':
		return strconv.FormatBool(b[0] != 0)
	case 'M':
		return timeText(e.number(b))
	}
	return numberText(e.number(b))
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

// timeUnits are NumPy's units of time in seconds; years and months have no
// fixed length and are not read.
var timeUnits = map[string]float64{
	"W": 604800, "D": 86400, "h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9,
}

var knownKinds = "fiub"

// fits reports whether elements of this kind and size are read.
func (e elem) fits() bool {
	switch e.kind {
	case 'f':
		return e.size == 2 || e.size == 4 || e.size == 8
	case 'b':
		return e.size == 1
	case 'M':
		return e.size == 8 && e.unit > 0
	case 'U', 'S':
		return e.size > 0 && e.size <= 64<<10
	}
	return strings.IndexByte(knownKinds, e.kind) >= 0 && slices.Contains([]int{1, 2, 4, 8}, e.size)
}
