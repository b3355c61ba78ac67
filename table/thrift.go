package table

import "encoding/binary"

// The types of Thrift's compact protocol that skip tells apart
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// maxThriftDepth is far above the nesting of Parquet's metadata.
const maxThriftDepth = 16

// A thriftText steps over encoded values to check that every length in them
// is covered by bytes that are there.
type thriftText struct {
	b       []byte
	i       int
	structs int // stepped over so far
}

// skip steps over a value of the given type and reports whether it is whole.
func (t *thriftText) skip(kind byte, depth int) bool {
	if depth > maxThriftDepth {
		return false
	}
	switch kind {
	case thriftTrue, thriftFalse, thriftByte: // as an element; a bool field has no bytes
		return t.advance(1)
	case thriftI16, thriftI32, thriftI64:
		_, ok := t.uvarint()
		return ok
	case thriftDouble:
		return t.advance(8)
	case thriftUUID:
		return t.advance(16)
	case thriftBinary:
		n, ok := t.uvarint()
		return ok && t.advance(n)
	case thriftList, thriftSet:
		return t.skipList(depth)
	case thriftMap:
		return t.skipMap(depth)
	case thriftStruct:
		return t.skipStruct(depth)
	}
	return false
}

func (t *thriftText) skipStruct(depth int) bool {
	t.structs++
	for {
		b, ok := t.byte()
		if !ok || b == 0 {
			return ok
		}
		if b>>4 == 0 { // the field number follows in full
			if _, ok := t.uvarint(); !ok {
				return false
			}
		}
		if kind := b & 0xF; kind != thriftTrue && kind != thriftFalse && !t.skip(kind, depth+1) {
			return false
		}
	}
}

func (t *thriftText) skipList(depth int) bool {
	b, ok := t.byte()
	if !ok {
		return false
	}
	n := uint64(b >> 4)
	if n == 0xF {
		if n, ok = t.uvarint(); !ok {
			return false
		}
	}
	// Every element takes at least one byte.
	if n > uint64(len(t.b)-t.i) {
		return false
	}
	for range n {
		if !t.skip(b&0xF, depth+1) {
			return false
		}
	}
	return true
}

func (t *thriftText) skipMap(depth int) bool {
	n, ok := t.uvarint()
	if !ok || n == 0 {
		return ok
	}
	b, ok := t.byte()
	if !ok || n > uint64(len(t.b)-t.i) {
		return false
	}
	for range n {
		if !t.skip(b>>4, depth+1) || !t.skip(b&0xF, depth+1) {
			return false
		}
	}
	return true
}

func (t *thriftText) byte() (byte, bool) {
	if t.i >= len(t.b) {
		return 0, false
	}
	t.i++
	return t.b[t.i-1], true
}

func (t *thriftText) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(t.b[t.i:])
	if n <= 0 {
		return 0, false
	}
	t.i += n
	return v, true
}

func (t *thriftText) advance(n uint64) bool {
	if n > uint64(len(t.b)-t.i) {
		return false
	}
	t.i += int(n)
	return true
}
