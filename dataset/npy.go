package dataset

import (
	"encoding/binary"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// The parts of a .npy header, which is the text of a Python dict:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*(?:'([^']*)'|(\[))`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([^)]*)\)`)
	npyType    = regexp.MustCompile(`^[<>=|]?([a-zA-Z?])(\d{0,9})(?:\[.*\])?$`)
)

// readNPYHeader reads a .npy file up to its data.
func readNPYHeader(file string, r io.Reader) (*arrayHeader, error) {
	var b [12]byte
	if _, err := io.ReadFull(r, b[:8]); err != nil || string(b[:6]) != "\x93NUMPY" {
		return nil, fileError(file, "is not a .npy file: it does not start with the NUMPY mark")
	}
	var n int64
	switch b[6] {
	case 1:
		if _, err := io.ReadFull(r, b[8:10]); err != nil {
			return nil, readError(file, err)
		}
		n = int64(binary.LittleEndian.Uint16(b[8:]))
	case 2, 3:
		if _, err := io.ReadFull(r, b[8:12]); err != nil {
			return nil, readError(file, err)
		}
		n = int64(binary.LittleEndian.Uint32(b[8:]))
	default:
		return nil, fileError(file, "is a .npy file of version %d; versions 1 to 3 are read", b[6])
	}
	// NumPy itself refuses headers over 10 000 bytes.
	if n > 1<<16 {
		return nil, fileError(file, "its header claims %d bytes; the file is damaged", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, readError(file, err)
	}
	h, err := parseNPYHeader(file, string(text))
	if err != nil {
		return nil, err
	}
	h.bytes = 10 + n
	if b[6] > 1 {
		h.bytes += 2
	}
	return h, nil
}

func parseNPYHeader(file, text string) (*arrayHeader, error) {
	descr := npyDescr.FindStringSubmatch(text)
	order := npyFortran.FindStringSubmatch(text)
	shape := npyShape.FindStringSubmatch(text)
	if descr == nil || order == nil || shape == nil {
		return nil, fileError(file, "its header is not a description of an array: %s", quote(strings.TrimSpace(text)))
	}
	if descr[2] != "" {
		return nil, fileError(file, "is a structured array; save its columns as one plain array")
	}
	h := &arrayHeader{fortran: order[1] == "True"}
	var err error
	if h.elem, err = parseDescr(file, descr[1]); err != nil {
		return nil, err
	}
	for _, s := range strings.Split(shape[1], ",") {
		if s = strings.TrimSuffix(strings.TrimSpace(s), "L"); s == "" {
			continue // the comma of a one-tuple, or no sizes at all
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return nil, fileError(file, "its header declares shape (%s)", shape[1])
		}
		h.shape = append(h.shape, n)
	}
	return h, h.setRows(file)
}

func parseDescr(file, descr string) (elem, error) {
	m := npyType.FindStringSubmatch(descr)
	if m == nil {
		return elem{}, fileError(file, "has elements of unknown type %s", quote(descr))
	}
	size, _ := strconv.Atoi(m[2])
	e := elem{kind: m[1][0], size: size, big: descr[0] == '>'}
	switch {
	case e.kind == 'b' && size == 1, e.kind == '?':
		// NumPy writes |b1 for bool; its int8 is |i1.
		return elem{kind: 'b', size: 1}, nil
	case e.kind == 'f' && (size == 2 || size == 4 || size == 8),
		(e.kind == 'i' || e.kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8):
		return e, nil
	case e.kind == 'U' && size > 0:
		e.size *= 4
		return e, nil
	case e.kind == 'S' && size > 0:
		return e, nil
	case e.kind == 'O':
		return elem{}, fileError(file, "holds Python objects; save it with a numeric type")
	case e.kind == 'c':
		return elem{}, fileError(file, "holds complex numbers; save the real and imaginary parts as columns")
	case e.kind == 'M', e.kind == 'm':
		return elem{}, fileError(file, "holds dates or times; save them as numbers")
	}
	return elem{}, fileError(file, "has elements of type %s; floats of 2, 4 and 8 bytes, integers and bool are read", quote(descr))
}
