package table

import (
	"archive/zip"
	"io"
	"strings"
)

// An npzReader yields the arrays of a NumPy archive side by side: each is a
// column of numbers, or of vectors.
type npzReader struct {
	file    string
	arrays  []*npyReader // nil for arrays that are not read
	fields  []field
	entries []io.Closer
	rows    int
	done    int
}

// openNPZ opens an archive. One array, chosen or alone, is read as a .npy file
// is; of several, each is a column.
func openNPZ(src *source, opts *Options) (blockReader, error) {
	z, err := zip.NewReader(src.at, src.size)
	if err != nil {
		return nil, failure(src.name, "is not a NumPy archive (%v)", err)
	}
	var names []string
	var files []*zip.File
	for _, f := range z.File {
		if name, ok := strings.CutSuffix(f.Name, ".npy"); ok {
			if opts.Array == "" || opts.Array == name {
				files = append(files, f)
			}
			names = append(names, name)
		}
	}
	switch {
	case len(names) == 0:
		return nil, failure(src.name, "the archive has no array to read")
	case len(files) == 0:
		return nil, failure(src.name, "has no array %s; the archive has %s", quote(opts.Array), listed(names))
	}
	r := &npzReader{file: src.name}
	for _, f := range files {
		if err := r.add(src, f, opts); err != nil {
			r.close()
			return nil, err
		}
	}
	if len(files) == 1 {
		one := r.arrays[0]
		if why := one.h.fields[0].why; why != "" {
			r.close()
			return nil, failure(one.file, "%s", why)
		}
		if err := one.spreadColumns(opts); err != nil {
			r.close()
			return nil, err
		}
		return &npzOne{one, r}, nil
	}
	r.settle(opts)
	return r, nil
}

// add opens one array.
func (r *npzReader) add(src *source, f *zip.File, opts *Options) error {
	file := src.name + ":" + strings.TrimSuffix(f.Name, ".npy")
	// Deflate cannot shrink data below 1/1032 of its size.
	most := f.CompressedSize64
	if f.Method != zip.Store {
		most = most*1032 + 1024
	}
	if f.CompressedSize64 > uint64(src.size) || f.UncompressedSize64 > most {
		return failure(file, "the archive is damaged: it claims %d bytes in %d", f.UncompressedSize64, f.CompressedSize64)
	}
	if err := src.budget.take(64 << 10); err != nil { // a decompressor
		return err
	}
	e, err := f.Open()
	if err != nil {
		return readFailure(file, err)
	}
	r.entries = append(r.entries, e)
	n, err := newNPYReader(file, e, int64(f.UncompressedSize64), src.budget, opts)
	if err != nil {
		return err
	}
	r.arrays = append(r.arrays, n)
	return nil
}

// settle makes each array a column. The number of rows is that of the first
// array with rows of several numbers, or of the first of all.
func (r *npzReader) settle(opts *Options) {
	r.rows = r.arrays[0].h.rows
	for _, n := range r.arrays {
		if len(n.h.shape) > 1 {
			r.rows = n.h.rows
			break
		}
	}
	block := 1 << 16
	for _, n := range r.arrays {
		block = min(block, n.block)
	}
	for _, n := range r.arrays {
		if n.h.fortran && len(n.h.shape) > 1 {
			block = r.rows // which is read at once
		}
	}
	for j, n := range r.arrays {
		name := n.file[len(r.file)+1:]
		n.named, n.block = true, block
		f := n.field(n.h.fields[0], name, j, opts)
		if n.h.fields[0].name != "" {
			f.kind, f.why = Other, "a structured array"
		}
		if n.h.rows != r.rows {
			f.kind, f.why = Other, "an array of shape "+shapeText(n.h.shape)
		}
		n.fields = []field{f}
		r.fields = append(r.fields, f)
	}
	uniqueNames(len(r.fields), func(j int) *string { return &r.fields[j].name }, nil)
}

func (r *npzReader) next() (*Table, error) {
	t := &Table{}
	for j, n := range r.arrays {
		if r.fields[j].kind == Other {
			t.Columns = append(t.Columns, Column{Name: r.fields[j].name, Kind: Other, Why: r.fields[j].why})
			continue
		}
		part, err := n.next()
		if err != nil {
			return nil, err
		}
		t.Rows = part.Rows
		t.cost += part.cost
		part.Columns[0].Name = r.fields[j].name
		t.Columns = append(t.Columns, part.Columns[0])
	}
	if t.Rows == 0 {
		if r.done > 0 {
			return nil, io.EOF
		}
		return nil, failure(r.file, "none of its arrays can be read")
	}
	r.done += t.Rows
	return t, nil
}

func (r *npzReader) schema() ([]field, bool) { return r.fields, true }
func (r *npzReader) finish(*Table)           {}

func (r *npzReader) close() {
	for _, e := range r.entries {
		e.Close()
	}
}

// An npzOne is one array of an archive.
type npzOne struct {
	*npyReader
	all *npzReader
}

func (o *npzOne) close() { o.all.close() }
