// Package store reads and writes files on disk and on what Beam's file systems
// reach (gs://, s3://).
package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // s3://

	"rot.example/rot/internal/atomicfile"
)

// IsRemote reports whether a name is not a path on disk.
func IsRemote(name string) bool { return strings.Contains(name, "://") }

// Join joins a folder and a name.
func Join(dir, name string) string {
	if IsRemote(dir) {
		return strings.TrimRight(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

// Absolute makes a path on disk mean the same file for every process of a host.
func Absolute(name string) (string, error) {
	if IsRemote(name) {
		return name, nil
	}
	return filepath.Abs(name)
}

// List returns the files that patterns stand for, each once, in the order of
// their names. A pattern that stands for none is an error.
func List(ctx context.Context, patterns ...string) ([]string, error) {
	var all []string
	for _, p := range patterns {
		var files []string
		var err error
		if IsRemote(p) {
			var f filesystem.Interface
			if f, err = filesystem.New(ctx, p); err == nil {
				files, err = f.List(ctx, p)
				f.Close()
			}
		} else if _, statErr := os.Stat(p); statErr == nil {
			files = []string{p} // a name may hold what else is a pattern
		} else {
			files, err = filepath.Glob(p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: there is no such file", p)
		}
		all = append(all, files...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Size returns the size of a file.
func Size(ctx context.Context, name string) (int64, error) {
	if !IsRemote(name) {
		info, err := os.Stat(name)
		if err != nil {
			return 0, err
		}
		if !info.Mode().IsRegular() {
			return 0, fmt.Errorf("%s: is not a regular file", name)
		}
		return info.Size(), nil
	}
	f, err := filesystem.New(ctx, name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.Size(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// OpenRange reads n bytes of a file from start on; fewer where it ends.
func OpenRange(ctx context.Context, name string, start, n int64) (io.ReadCloser, error) {
	if !IsRemote(name) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		return limited{io.NewSectionReader(f, start, n), f.Close}, nil
	}
	if open := ranged[scheme(name)]; open != nil {
		return open(ctx, name, start, n)
	}
	f, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	r, err := f.OpenRead(ctx, name)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	closeBoth := func() error { return errors.Join(r.Close(), f.Close()) }
	if _, err := io.CopyN(io.Discard, r, start); err != nil && !errors.Is(err, io.EOF) {
		closeBoth()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return limited{io.LimitReader(r, n), closeBoth}, nil
}

type limited struct {
	io.Reader
	close func() error
}

func (l limited) Close() error { return l.close() }

// ReadRange returns n bytes of a file from start on; fewer where it ends.
func ReadRange(ctx context.Context, name string, start, n int64) ([]byte, error) {
	r, err := OpenRange(ctx, name, start, n)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b bytes.Buffer
	b.Grow(int(min(n, 64<<20)) + bytes.MinRead)
	if _, err := b.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b.Bytes(), nil
}

// Read returns a whole file.
func Read(ctx context.Context, name string) ([]byte, error) {
	if !IsRemote(name) {
		return os.ReadFile(name)
	}
	n, err := Size(ctx, name)
	if err != nil {
		return nil, err
	}
	return ReadRange(ctx, name, 0, n)
}

// At reads a file at any place.
type At struct {
	Ctx  context.Context
	Name string
}

// ReadAt implements io.ReaderAt.
func (a At) ReadAt(p []byte, off int64) (int, error) {
	r, err := OpenRange(a.Ctx, a.Name, off, int64(len(p)))
	if err != nil {
		return 0, err
	}
	defer r.Close()
	n, err := io.ReadFull(r, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// Exists reports whether there is a file of this name.
func Exists(ctx context.Context, name string) (bool, error) {
	if !IsRemote(name) {
		_, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	f, err := filesystem.New(ctx, name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	files, err := f.List(ctx, name)
	return len(files) > 0, err
}

// Write writes a file that appears whole or not at all. On disk its folder is
// made if it is not there.
func Write(ctx context.Context, name string, write func(io.Writer) error) error {
	if !IsRemote(name) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return atomicfile.Write(name, write)
	}
	var b bytes.Buffer // so that nothing is sent that cannot be finished
	if err := write(&b); err != nil {
		return err
	}
	f, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := f.OpenWrite(ctx, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		w.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// WriteBytes writes a file of these bytes.
func WriteBytes(ctx context.Context, name string, data []byte) error {
	return Write(ctx, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Remove removes a file; that it is not there is no error.
func Remove(ctx context.Context, name string) error {
	if !IsRemote(name) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	f, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, ok := f.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("%s: files cannot be removed there", name)
	}
	return r.Remove(ctx, name)
}

func scheme(name string) string {
	s, _, _ := strings.Cut(name, "://")
	return s
}
