package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"rot.example/rot/internal/atomicfile"
)

// outputs are the files of one command. They are checked before the work
// starts, staged beside their places as they are made, and put in place
// together at the end.
type outputs struct{ files []*outputFile }

type outputFile struct {
	flag   string // what asked for it
	path   string // as the user gave it
	real   string // with symbolic links followed
	staged string // complete temporary file; "" when there is none
}

// add checks that path, which flag asks for, can be written and is none of the
// inputs. An empty path is no output.
func (o *outputs) add(flag, path string, inputs []string) error {
	if path == "" {
		return nil
	}
	f := &outputFile{flag: flag, path: path, real: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return f.fail(err)
	case info.IsDir():
		return fmt.Errorf("%s %s: is a folder, not a file", flag, path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s %s: is not a regular file", flag, path)
	default:
		for _, in := range inputs {
			if other, err := os.Stat(in); err == nil && os.SameFile(info, other) {
				return fmt.Errorf("%s %s: would overwrite the input %s", flag, path, in)
			}
		}
		if f.real, err = filepath.EvalSymlinks(path); err != nil {
			return f.fail(err)
		}
	}
	for _, g := range o.files {
		if filepath.Clean(f.real) == filepath.Clean(g.real) {
			return usagef("%s and %s name the same file %s", g.flag, flag, path)
		}
	}
	if err := f.probe(); err != nil {
		return err
	}
	o.files = append(o.files, f)
	return nil
}

// fail is err about f, without the path that err would repeat.
func (f *outputFile) fail(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s %s: %w", f.flag, f.path, err)
}

// probe finds out whether the folder takes a file.
func (f *outputFile) probe() error {
	dir := filepath.Dir(f.real)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s: there is no folder %s", f.flag, f.path, dir)
	case err != nil:
		return f.fail(err)
	case !info.IsDir():
		return fmt.Errorf("%s %s: %s is not a folder", f.flag, f.path, dir)
	}
	t, err := atomicfile.Create(f.real)
	if err != nil {
		return fmt.Errorf("%s %s: cannot write to the folder %s: %w", f.flag, f.path, dir, errors.Unwrap(err))
	}
	t.Close()
	return os.Remove(t.Name())
}

// stage writes the file for path, complete and on disk, but not yet in place.
// A path that was not added, such as the empty one, is skipped.
func (o *outputs) stage(path string, write func(io.Writer) error) error {
	for _, f := range o.files {
		if f.path == path {
			return f.stage(write)
		}
	}
	return nil
}

func (f *outputFile) stage(write func(io.Writer) error) error {
	name, err := atomicfile.Stage(f.real, write)
	if err != nil {
		return f.fail(err)
	}
	f.staged = name
	return nil
}

// commit puts the staged files in place, unless ctx has been cancelled.
func (o *outputs) commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, f := range o.files {
		if f.staged == "" {
			continue
		}
		if err := os.Rename(f.staged, f.real); err != nil {
			return f.fail(err)
		}
		f.staged = ""
	}
	return nil
}

// staged is where the finished file for path lies before it is put in place.
func (o *outputs) staged(path string) string {
	for _, f := range o.files {
		if f.path == path {
			return f.staged
		}
	}
	return ""
}

// discard removes what has been staged and not put in place.
func (o *outputs) discard() {
	for _, f := range o.files {
		if f.staged != "" {
			os.Remove(f.staged)
			f.staged = ""
		}
	}
}
