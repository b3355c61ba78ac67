package table

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// An npyField is one value of each element of an array: all of it, or a named
// part of a structured one.
type npyField struct {
	name   string // "" for a plain array
	elem   elem
	width  int // how many elements
	offset int // in bytes
	why    string
}

// An npyHeader is what a .npy file says about its array.
type npyHeader struct {
	fields  []npyField
	size    int // bytes a row
	fortran bool
	shape   []int
	rows    int
	bytes   int64 // before the data
}

// The parts of a .npy header, which is the text of a Python dict:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*(?:'([^']*)'|\[(.*)\]\s*,\s*'fortran_order')`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([^)]*)\)`)
	npyType    = regexp.MustCompile(`^[<>=|]?([a-zA-Z?])(\d{0,9})(?:\[(\w*)\])?$`)
	npyPart    = regexp.MustCompile(`\(\s*'((?:[^'\\]|\\.)*)'\s*,\s*'([^']*)'\s*(?:,\s*\(([^)]*)\)\s*)?\)`)
)

// readNPYHeader reads a .npy file up to its data.
func readNPYHeader(file string, r io.Reader) (*npyHeader, error) {
	var b [12]byte
	if _, err := io.ReadFull(r, b[:8]); err != nil || string(b[:6]) != "\x93NUMPY" {
		return nil, failure(file, "is not a .npy file: it does not start with the NUMPY mark")
	}
	var n int64
	length := int64(10)
	switch b[6] {
	case 1:
		if _, err := io.ReadFull(r, b[8:10]); err != nil {
			return nil, readFailure(file, err)
		}
		n = int64(binary.LittleEndian.Uint16(b[8:]))
	case 2, 3:
		if _, err := io.ReadFull(r, b[8:12]); err != nil {
			return nil, readFailure(file, err)
		}
		n = int64(binary.LittleEndian.Uint32(b[8:]))
		length = 12
	default:
		return nil, failure(file, "is a .npy file of version %d; versions 1 to 3 are read", b[6])
	}
	if n > 1<<20 {
		return nil, failure(file, "its header claims %d bytes; the file is damaged", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, readFailure(file, err)
	}
	h, err := parseNPYHeader(file, string(text))
	if err != nil {
		return nil, err
	}
	h.bytes = length + n
	return h, nil
}

func parseNPYHeader(file, text string) (*npyHeader, error) {
	descr := npyDescr.FindStringSubmatch(text)
	order := npyFortran.FindStringSubmatch(text)
	shape := npyShape.FindStringSubmatch(text)
	if descr == nil || order == nil || shape == nil {
		return nil, failure(file, "its header is not a description of an array: %s", quote(strings.TrimSpace(text)))
	}
	h := &npyHeader{fortran: order[1] == "True"}
	var ok bool
	if h.shape, ok = parseShape(shape[1]); !ok {
		return nil, failure(file, "its header declares shape (%s)", shape[1])
	}
	if len(h.shape) == 0 {
		return nil, failure(file, "is a single value; rows were expected")
	}
	h.rows = h.shape[0]
	inner := 1
	for _, n := range h.shape[1:] {
		if inner, ok = mulFits(inner, n); !ok {
			return nil, failure(file, "declares shape %s; the file is damaged", shapeText(h.shape))
		}
	}
	if descr[2] == "" {
		e, why := parseDescr(descr[1])
		h.fields = []npyField{{elem: e, width: inner, why: why}}
	} else if err := h.parseParts(file, descr[2], inner); err != nil {
		return nil, err
	}
	for _, f := range h.fields {
		n, ok := mulFits(f.elem.size, f.width)
		if !ok || n > 1<<31 {
			return nil, failure(file, "declares shape %s; the file is damaged", shapeText(h.shape))
		}
		h.size += n
	}
	if _, ok := mulFits(h.rows, max(h.size, 1)); !ok {
		return nil, failure(file, "declares shape %s, more than memory can hold; the file is damaged", shapeText(h.shape))
	}
	if h.rows == 0 || inner == 0 {
		return nil, failure(file, "has no values: its shape is %s", shapeText(h.shape))
	}
	return h, nil
}

// parseParts reads the fields of a structured array.
func (h *npyHeader) parseParts(file, text string, inner int) error {
	if inner != 1 {
		return failure(file, "is a structured array of several dimensions; save its columns as plain arrays")
	}
	parts := npyPart.FindAllStringSubmatch(text, -1)
	rest := npyPart.ReplaceAllString(text, "")
	if len(parts) == 0 || strings.Trim(rest, ", ") != "" {
		return failure(file, "is a nested structured array; save its columns as plain arrays")
	}
	at := 0
	for _, p := range parts {
		e, why := parseDescr(p[2])
		if why != "" && e.size == 0 {
			return failure(file, "field %s %s", quote(p[1]), why)
		}
		shape, ok := parseShape(p[3])
		f := npyField{name: p[1], elem: e, width: 1, offset: at, why: why}
		for _, n := range shape {
			if f.width, ok = mulFits(f.width, n); !ok {
				break
			}
		}
		n, fits := mulFits(f.width, e.size)
		if !ok || !fits || n > 1<<31 {
			return failure(file, "field %s has shape (%s)", quote(p[1]), p[3])
		}
		at += n
		h.fields = append(h.fields, f)
	}
	return nil
}

func parseShape(text string) ([]int, bool) {
	var shape []int
	for s := range strings.SplitSeq(text, ",") {
		if s = strings.TrimSuffix(strings.TrimSpace(s), "L"); s == "" {
			continue // the comma of a one-tuple, or no sizes at all
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return nil, false
		}
		shape = append(shape, n)
	}
	return shape, true
}

// parseDescr reads a type; why says why elements of it are not read.
func parseDescr(descr string) (e elem, why string) {
	m := npyType.FindStringSubmatch(descr)
	if m == nil {
		return elem{}, fmt.Sprintf("has elements of unknown type %s", quote(descr))
	}
	size, _ := strconv.Atoi(m[2])
	e = elem{kind: m[1][0], size: size, big: descr[0] == '>'}
	switch e.kind {
	case '?':
		return elem{kind: 'b', size: 1}, ""
	case 'U':
		if e.size > 1<<20 {
			return elem{}, fmt.Sprintf("has texts of %d characters each", e.size)
		}
		e.size *= 4
	case 'M':
		e.unit = timeUnits[strings.TrimLeft(m[3], "0123456789")]
		if n, err := strconv.Atoi(strings.TrimRight(m[3], "Wmsunhd")); err == nil && n > 0 {
			e.unit *= float64(n)
		}
	case 'O':
		return e, "holds Python objects; save it with a numeric type"
	case 'c':
		return e, "holds complex numbers; save the real and imaginary parts as columns"
	}
	if !e.fits() {
		return e, fmt.Sprintf("has elements of type %s; floats of 2, 4 and 8 bytes, integers, bool, text and times are read", quote(descr))
	}
	return e, ""
}

func shapeText(shape []int) string {
	if len(shape) == 1 {
		return fmt.Sprintf("(%d,)", shape[0])
	}
	s := make([]string, len(shape))
	for i, n := range shape {
		s[i] = strconv.Itoa(n)
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// mulFits multiplies counts taken from a file and reports whether the product
// fits an int.
func mulFits(a, b int) (int, bool) {
	if a < 0 || b < 0 || (b > 0 && a > (1<<62)/b) {
		return 0, false
	}
	return a * b, true
}
