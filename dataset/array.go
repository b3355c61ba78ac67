package dataset

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"rot.example/rot/internal/budget"
)

// An arrayHeader is what a file says about the array it holds.
type arrayHeader struct {
	elem    elem
	fortran bool // first index fastest
	shape   []int
	rows    int
	dim     int   // values a row: the product of the other sizes
	bytes   int64 // of the file before the data
}

// A headerReader reads a file up to the data of its array.
type headerReader func(file string, r io.Reader) (*arrayHeader, error)

// within is read, and refuses an array that a file of packed bytes on disk may
// not unfold to.
func (read headerReader) within(packed int64) headerReader {
	return func(file string, r io.Reader) (*arrayHeader, error) {
		h, err := read(file, r)
		if err != nil {
			return nil, err
		}
		need := budget.Product(int64(h.rows), int64(h.dim), 8)
		if h.fortran {
			need = budget.Product(need, 2)
		}
		if err := budget.Check(packed, need); err != nil {
			return nil, memoryError(file, err)
		}
		return h, nil
	}
}

// readArrayTable reads an array of numbers as rows. size is the length of the
// file, or negative when unknown.
func readArrayTable(file string, r io.Reader, size int64, readHeader headerReader) (*Table, error) {
	h, err := readHeader(file, r)
	if err != nil {
		return nil, err
	}
	if h.elem.text() {
		return nil, fileError(file, "holds text, not numbers")
	}
	data, err := h.elem.readArray(file, r, h.rest(size), h.rows*h.dim)
	if err != nil {
		return nil, err
	}
	if h.fortran {
		data = h.transpose(data)
	}
	if i := firstNotFinite(data); i >= 0 {
		return nil, notFinite(file, i, h.dim, nil, data[i])
	}
	t := &Table{shape: h.shape}
	t.Points.Dim, t.Points.Coords = h.dim, data
	return t, nil
}

// readArrayLabels reads an array of n labels.
func readArrayLabels(file string, r io.Reader, size int64, n int, readHeader headerReader) ([]string, error) {
	h, err := readHeader(file, r)
	if err != nil {
		return nil, err
	}
	if h.dim != 1 || h.rows != n {
		return nil, fileError(file, "has shape %s; one value for each of %d rows was expected", shapeText(h.shape), n)
	}
	return h.elem.readLabels(file, r, h.rest(size), n)
}

// rest is how many bytes of a file of this size follow the header.
func (h *arrayHeader) rest(size int64) int64 {
	if size < 0 {
		return size
	}
	return max(size-h.bytes, 0)
}

// setRows works out rows and dim from the shape.
func (h *arrayHeader) setRows(file string) error {
	if len(h.shape) == 0 {
		return fileError(file, "is a single value; rows were expected")
	}
	fits := true
	h.rows, h.dim = h.shape[0], 1
	for _, n := range h.shape[1:] {
		var ok bool
		h.dim, ok = mulFits(h.dim, n)
		fits = fits && ok
	}
	values, ok := mulFits(h.rows, h.dim)
	if _, ok2 := mulFits(values, h.elem.size); !fits || !ok || !ok2 {
		return fileError(file, "declares shape %s, more than memory can hold; the file is damaged", shapeText(h.shape))
	}
	if values == 0 {
		return fileError(file, "has no values: its shape is %s", shapeText(h.shape))
	}
	return nil
}

// transpose turns values stored with the first index fastest into rows whose
// last index runs fastest.
func (h *arrayHeader) transpose(in []float64) []float64 {
	if len(h.shape) == 1 {
		return in
	}
	// to[j] is the place in the row of the j-th column in file order.
	to := make([]int, h.dim)
	for j := range to {
		rest, place, stride := j, 0, h.dim
		for _, n := range h.shape[1:] {
			stride /= n
			place += rest % n * stride
			rest /= n
		}
		to[j] = place
	}
	out := make([]float64, len(in))
	for j, place := range to {
		for i, v := range in[j*h.rows : (j+1)*h.rows] {
			out[i*h.dim+place] = v
		}
	}
	return out
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
