package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An entry is a file of an archive.
type entry struct {
	name string // inside
	path string // on disk
	mode fs.FileMode
}

// entries is what the archive of a system holds, in the order of the names.
func (r *release) entries(t target) ([]entry, error) {
	top := fmt.Sprintf("rot_%s_%s", r.version, t)
	out := []entry{
		{top + "/" + t.program(), r.path("build", t.String(), t.program()), 0o755},
		{top + "/README.md", "README.md", 0o644},
		{top + "/LICENSE", "LICENSE", 0o644},
		{top + "/NOTICES.txt", r.path("build", "NOTICES.txt"), 0o644},
	}
	for _, dir := range []string{"man", "completions"} {
		root := r.path("build", dir)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, path)
			out = append(out, entry{top + "/" + dir + "/" + filepath.ToSlash(rel), path, 0o644})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

func (r *release) archives() error {
	for _, t := range r.targets {
		entries, err := r.entries(t)
		if err != nil {
			return err
		}
		name := r.path(fmt.Sprintf("rot_%s_%s", r.version, t))
		if t.os == "windows" {
			err = r.zip(name+".zip", entries)
		} else {
			err = r.tar(name+".tar.gz", entries)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tar has no times but the release's, and no owner, so that it depends on the
// contents only.
func (r *release) tar(path string, entries []entry) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		text, err := os.ReadFile(e.path)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(text)), ModTime: r.date, Format: tar.FormatUSTAR}
		if len(e.name) > 100 {
			h.Format = tar.FormatPAX
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return z.Close()
}

func (r *release) zip(path string, entries []entry) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := zip.NewWriter(f)
	for _, e := range entries {
		text, err := os.ReadFile(e.path)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: r.date}
		h.SetMode(e.mode)
		part, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := part.Write(text); err != nil {
			return err
		}
	}
	return w.Close()
}

// checksums lists the files of the release as sha256sum -c reads them.
func (r *release) checksums() error {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, f := range files {
		if !f.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(r.path(f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(text), f.Name())
	}
	return os.WriteFile(r.path("SHA256SUMS"), []byte(b.String()), 0o644)
}
