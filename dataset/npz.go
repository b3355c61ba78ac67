package dataset

import (
	"archive/zip"
	"errors"
	"io"
	"slices"
	"strings"

	"rot.example/rot/internal/openfile"
)

// loadNPZ reads the arrays of a NumPy archive that tail, the spec behind the
// path, and opts name.
func loadNPZ(path, tail string, opts *Options) (*Table, error) {
	f, info, err := openfile.Open(path)
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close()
	z, err := zip.NewReader(f, info.Size())
	if errors.Is(err, zip.ErrFormat) {
		return nil, fileError(path, "is not an .npz archive, or is cut short")
	} else if err != nil {
		return nil, readError(path, err)
	}
	a := &archive{path: path, size: uint64(info.Size()), zip: z}
	s, err := a.parse(tail)
	if err != nil {
		return nil, err
	}
	return a.load(s, opts)
}

// An archive is an open .npz file.
type archive struct {
	path string
	size uint64
	zip  *zip.Reader
}

func (a *archive) load(s arraySpec, opts *Options) (*Table, error) {
	if s.points == "" {
		var err error
		if s.points, err = a.only(s.scale, s.labels, opts.IDColumn, opts.LabelColumn); err != nil {
			return nil, err
		}
	}
	t, err := a.table(s.points)
	if err != nil {
		return nil, err
	}
	if s.scale != "" {
		if err := a.multiply(t, s); err != nil {
			return nil, err
		}
	}
	if t.Points.IDs, err = a.declared("id", opts.IDColumn, t.Points.Len()); err != nil {
		return nil, err
	}
	if t.Labels, err = a.declared("label", opts.LabelColumn, t.Points.Len()); err != nil {
		return nil, err
	}
	if s.labels != "" {
		if t.Labels != nil && opts.LabelColumn != s.labels {
			return nil, fileError(a.path+":"+s.points+","+s.labels, "names other labels than the label column %s", opts.LabelColumn)
		}
		if t.Labels, err = a.texts(s.labels, t.Points.Len()); err != nil {
			return nil, err
		}
	}
	return a.choose(t, s)
}

// choose is the part of t that a selection by arrays picks. Where no array is
// called label, that means the labels.
func (a *archive) choose(t *Table, s arraySpec) (*Table, error) {
	n := t.Points.Len()
	return t.choose(a.path+":"+s.points, s.rows, func(s *step) (func(i int) bool, error) {
		if s.name == "label" && !a.has(s.name) && t.Labels != nil {
			return s.match(a.path, "label", t.Labels)
		}
		texts, err := a.texts(s.name, n)
		if err != nil {
			return nil, err
		}
		return s.match(a.path+":"+s.name, "value", texts)
	})
}

// multiply scales each column of t by its factor.
func (a *archive) multiply(t *Table, s arraySpec) error {
	f, err := a.table(s.scale)
	if err != nil {
		return err
	}
	p := &t.Points
	if f.Points.Dim != 1 || f.Points.Len() != p.Dim {
		return fileError(a.path+":"+s.scale, "has shape %s; one factor for each of %d columns was expected", shapeText(f.shape), p.Dim)
	}
	for i := range p.Len() {
		row := p.Row(i)
		for j, v := range f.Points.Coords {
			row[j] *= v
		}
	}
	if i := firstNotFinite(p.Coords); i >= 0 {
		return notFinite(a.path+":"+s.points+"*"+s.scale, i, p.Dim, nil, p.Coords[i])
	}
	return nil
}

// only is the name of the one array that is not used for something else.
func (a *archive) only(used ...string) (string, error) {
	names := slices.DeleteFunc(a.names(), func(s string) bool { return slices.Contains(used, s) })
	switch len(names) {
	case 0:
		return "", fileError(a.path, "the archive has no array to read")
	case 1:
		return names[0], nil
	}
	return "", fileError(a.path, "the archive has several arrays (%s); choose one, as in %s:%s", list(names), a.path, names[0])
}

func (a *archive) names() []string {
	var names []string
	for _, f := range a.zip.File {
		if s, ok := strings.CutSuffix(f.Name, ".npy"); ok {
			names = append(names, s)
		}
	}
	return names
}

func (a *archive) has(name string) bool { return slices.Contains(a.names(), name) }

// declared reads the array that a flag names as n labels; no name, no labels.
func (a *archive) declared(role, name string, n int) ([]string, error) {
	if name == "" {
		return nil, nil
	}
	if !a.has(name) {
		return nil, columnError(a.path, role, name, "no such array; the archive has %s", list(a.names()))
	}
	return a.texts(name, n)
}

// table reads the array called name as rows of numbers.
func (a *archive) table(name string) (t *Table, err error) {
	err = a.read(name, func(file string, r io.Reader, size int64) error {
		t, err = readArrayTable(file, r, size, headerReader(readNPYHeader).within(int64(a.size)))
		return err
	})
	return t, err
}

// texts reads the array called name as n labels.
func (a *archive) texts(name string, n int) (texts []string, err error) {
	err = a.read(name, func(file string, r io.Reader, size int64) error {
		texts, err = readArrayLabels(file, r, size, n, readNPYHeader)
		return err
	})
	return texts, err
}

// read opens the array called name for fn.
func (a *archive) read(name string, fn func(file string, r io.Reader, size int64) error) error {
	file := a.path + ":" + name
	k := slices.IndexFunc(a.zip.File, func(f *zip.File) bool { return f.Name == name+".npy" })
	if k < 0 {
		return fileError(file, "no such array; the archive has %s", list(a.names()))
	}
	entry := a.zip.File[k]
	// Deflate cannot shrink data below 1/1032 of its size, so a header that
	// claims more lies, and memory must not be set aside on its word.
	most := entry.CompressedSize64
	if entry.Method != zip.Store {
		most = most*1032 + 1024
	}
	if entry.CompressedSize64 > a.size || entry.UncompressedSize64 > most {
		return fileError(file, "the archive is damaged: it claims %d bytes in %d", entry.UncompressedSize64, entry.CompressedSize64)
	}
	r, err := entry.Open()
	if err != nil {
		return readError(file, err)
	}
	defer r.Close()
	return fn(file, r, int64(entry.UncompressedSize64))
}
