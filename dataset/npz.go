package dataset

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
)

// loadNPZ reads the array called name, or the only one, from a NumPy archive,
// and its ids and labels from the arrays that opts names.
func loadNPZ(path, name string, opts *Options) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, readError(path, err)
	}
	z, err := zip.NewReader(f, info.Size())
	if errors.Is(err, zip.ErrFormat) {
		return nil, fileError(path, "is not an .npz archive, or is cut short")
	} else if err != nil {
		return nil, readError(path, err)
	}
	a := &archive{path: path, size: uint64(info.Size()), zip: z}
	return a.load(name, opts)
}

// An archive is an open .npz file.
type archive struct {
	path string
	size uint64
	zip  *zip.Reader
}

func (a *archive) load(name string, opts *Options) (t *Table, err error) {
	if name == "" {
		if name, err = a.only(opts); err != nil {
			return nil, err
		}
	}
	err = a.read(name, func(file string, r io.Reader, size int64) error {
		t, err = readArrayTable(file, r, size, readNPYHeader)
		return err
	})
	if err != nil {
		return nil, err
	}
	if t.Points.IDs, err = a.labels("--id-column", opts.IDColumn, t.Points.Len()); err != nil {
		return nil, err
	}
	if t.Labels, err = a.labels("--label-column", opts.LabelColumn, t.Points.Len()); err != nil {
		return nil, err
	}
	return t, nil
}

// only is the name of the one array that is neither ids nor labels.
func (a *archive) only(opts *Options) (string, error) {
	names := slices.DeleteFunc(a.names(), func(s string) bool { return s == opts.IDColumn || s == opts.LabelColumn })
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

// labels reads the array called name as n labels; no name, no labels.
func (a *archive) labels(flag, name string, n int) (labels []string, err error) {
	if name == "" {
		return nil, nil
	}
	if !slices.Contains(a.names(), name) {
		return nil, fileError(a.path, "%s %s: no such array; the archive has %s", flag, name, list(a.names()))
	}
	err = a.read(name, func(file string, r io.Reader, size int64) error {
		labels, err = readArrayLabels(file, r, size, n, readNPYHeader)
		return err
	})
	return labels, err
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
