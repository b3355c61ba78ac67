package summary

import "encoding/binary"

// A reader takes bytes apart; after the first that do not fit it is broken.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) count() int64 {
	v, n := binary.Varint(r.data)
	if n <= 0 || v < 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		r.bad = true
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *reader) uint64() uint64 {
	if len(r.data) < 8 {
		r.bad, r.data = true, nil
		return 0
	}
	v := binary.LittleEndian.Uint64(r.data)
	r.data = r.data[8:]
	return v
}

func (r *reader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.data)) {
		r.bad, r.data = true, nil
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) end() error {
	if r.bad || len(r.data) > 0 {
		return ErrBytes
	}
	return nil
}

func appendBytes(out, b []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(b))), b...)
}
