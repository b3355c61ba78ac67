package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"rot.example/rot/table"
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

// stored is the element as package table knows it.
func (e elem) stored() table.Element { return table.Element{Kind: e.kind, Size: e.size, Big: e.big} }

// label is the element b as a label or an id.
func (e elem) label(b []byte) string {
	if e.kind == 'f' {
		var v [1]float64
		e.stored().Numbers(v[:], b)
		return numberText(v[0])
	}
	return e.stored().Text(b)
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
		e.stored().Numbers(out[len(out):len(out)+k], buf)
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
