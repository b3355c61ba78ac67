package table

import (
	"encoding/binary"
	"errors"
)

var errFlat = errors.New("its metadata cannot be read")

// A flat is a table of a FlatBuffers message, the form of Arrow's metadata
// (https://flatbuffers.dev/internals). Reading beyond the message yields zeros
// and sets bad, so that one check at the end is enough.
type flat struct {
	b   []byte
	pos int
	bad *bool
}

// flatRoot returns the table that a message begins with.
func flatRoot(b []byte) flat {
	f := flat{b: b, bad: new(bool)}
	f.pos = f.u32(0)
	return f
}

func (f flat) in(at, n int) bool {
	if at < 0 || n < 0 || at > len(f.b)-n {
		*f.bad = true
		return false
	}
	return true
}

func (f flat) u32(at int) int {
	if !f.in(at, 4) {
		return 0
	}
	return int(binary.LittleEndian.Uint32(f.b[at:]))
}

func (f flat) i64(at int) int64 {
	if !f.in(at, 8) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(f.b[at:]))
}

// field returns the place of the i-th field, 0 when it is absent.
func (f flat) field(i int) int {
	if f.pos == 0 {
		return 0
	}
	back := int(int32(f.u32(f.pos)))
	v := f.pos - back
	if !f.in(v, 4) {
		return 0
	}
	size := int(binary.LittleEndian.Uint16(f.b[v:]))
	at := 4 + 2*i
	if at+2 > size || !f.in(v+at, 2) {
		return 0
	}
	off := int(binary.LittleEndian.Uint16(f.b[v+at:]))
	if off == 0 {
		return 0
	}
	return f.pos + off
}

// integer returns the i-th field, a number of so many bytes.
func (f flat) integer(i, size int, otherwise int64) int64 {
	at := f.field(i)
	if at == 0 || !f.in(at, size) {
		return otherwise
	}
	switch size {
	case 1:
		return int64(int8(f.b[at]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(f.b[at:])))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(f.b[at:])))
	}
	return int64(binary.LittleEndian.Uint64(f.b[at:]))
}

// table returns the i-th field, a table; its pos is 0 when it is absent.
func (f flat) table(i int) flat {
	at := f.field(i)
	if at == 0 {
		return flat{b: f.b, bad: f.bad}
	}
	return flat{b: f.b, pos: at + f.u32(at), bad: f.bad}
}

// vector returns the place and length of the i-th field, a vector of elements
// of so many bytes.
func (f flat) vector(i, size int) (at, n int) {
	at = f.field(i)
	if at == 0 {
		return 0, 0
	}
	at += f.u32(at)
	n = f.u32(at)
	if n > len(f.b)/size || !f.in(at+4, n*size) {
		*f.bad = true
		return 0, 0
	}
	return at + 4, n
}

// element returns the k-th table of a vector.
func (f flat) element(at, k int) flat {
	at += 4 * k
	return flat{b: f.b, pos: at + f.u32(at), bad: f.bad}
}

// text returns the i-th field, a string.
func (f flat) text(i int) string {
	at, n := f.vector(i, 1)
	if n == 0 {
		return ""
	}
	return string(f.b[at : at+n])
}
