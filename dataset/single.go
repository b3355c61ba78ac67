package dataset

import (
	"io"

	"rot.example/rot/table"
)

// singleFrom is the number of columns from which on rows stay in single
// precision; with fewer there is little to save.
const singleFrom = 32

// exactInSingle reports whether single precision holds every number of the
// kind.
func (e elem) exactInSingle() bool {
	return e.kind == 'f' && e.size <= 4 || (e.kind == 'i' || e.kind == 'u') && e.size <= 2
}

// loadSingle reads an array that opts want in single precision, as rows without
// names. It is not ok, and nothing is lost, where the file holds something
// else, or numbers that are missing.
func (p *part) loadSingle(path string, sel selection, opts *Options) (ok bool, err error) {
	plain := len(sel) == 0 && opts.Sample == 0 && len(opts.Columns)+len(opts.Ignore) == 0 && opts.IDColumn+opts.LabelColumn == "" &&
		opts.Encoding == nil && (opts.Scale == "" || opts.Scale == table.ScaleNone)
	if !opts.Single || !plain {
		return false, nil
	}
	in, err := open(path)
	if err != nil {
		return false, err
	}
	defer in.Close()
	h, err := readNPYHeader(path, in)
	if err != nil || in.size < 0 || h.fortran || len(h.shape) != 2 || h.dim < singleFrom || !h.elem.exactInSingle() {
		return false, nil // the reader of tables knows more, and says what is wrong
	}
	data, err := h.elem.readSingle(path, in, h.rest(in.size), h.rows*h.dim)
	if err != nil || data == nil {
		return false, err
	}
	p.rows = &Table{shape: h.shape}
	p.rows.Points.Dim, p.rows.Points.Single = h.dim, data
	return true, nil
}

// readSingle is readArray in single precision; nil where a number is not
// finite.
func (e elem) readSingle(file string, r io.Reader, size int64, n int) ([]float32, error) {
	if err := e.checkSize(file, size, n); err != nil {
		return nil, err
	}
	out := make([]float32, 0, n)
	buf := make([]byte, min(chunkBytes, n*e.size))
	numbers := make([]float64, len(buf)/e.size)
	for len(out) < n {
		k := min(n-len(out), len(numbers))
		if _, err := io.ReadFull(r, buf[:k*e.size]); err != nil {
			return nil, e.short(file, err, len(out), n)
		}
		e.stored().Numbers(numbers[:k], buf)
		if firstNotFinite(numbers[:k]) >= 0 {
			return nil, nil
		}
		for _, v := range numbers[:k] {
			out = append(out, float32(v))
		}
	}
	return out, atEnd(file, r)
}
