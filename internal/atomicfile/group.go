package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Group is files that appear together or not at all. They are checked before
// the work starts, staged beside their places as they are made, and put in place
// at the end. The zero value is an empty group.
type Group struct{ files []*member }

type member struct {
	asked  string // what asked for it, for errors
	path   string // as it was given
	real   string // with symbolic links followed
	staged string // complete temporary file; "" when there is none
}

// A SameFileError is two members of a group that are one file.
type SameFileError struct {
	First, Second string // what asked for them
	Path          string
}

func (e *SameFileError) Error() string {
	return fmt.Sprintf("%s and %s name the same file %s", e.First, e.Second, e.Path)
}

// Add checks that path, which asked stands for in errors, can be written and is
// none of the inputs. An empty path is no file. It returns a *SameFileError
// where the group has the file already.
func (g *Group) Add(asked, path string, inputs []string) error {
	if path == "" {
		return nil
	}
	f := &member{asked: asked, path: path, real: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return f.fail(err)
	case info.IsDir():
		return fmt.Errorf("%s %s: is a folder, not a file", asked, path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s %s: is not a regular file", asked, path)
	default:
		for _, in := range inputs {
			if other, err := os.Stat(in); err == nil && os.SameFile(info, other) {
				return fmt.Errorf("%s %s: would overwrite the input %s", asked, path, in)
			}
		}
		if f.real, err = filepath.EvalSymlinks(path); err != nil {
			return f.fail(err)
		}
	}
	for _, other := range g.files {
		if filepath.Clean(f.real) == filepath.Clean(other.real) {
			return &SameFileError{other.asked, asked, path}
		}
	}
	if err := f.probe(); err != nil {
		return err
	}
	g.files = append(g.files, f)
	return nil
}

// fail is err about f, without the path that err would repeat.
func (f *member) fail(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s %s: %w", f.asked, f.path, err)
}

// probe finds out whether the folder takes a file.
func (f *member) probe() error {
	dir := filepath.Dir(f.real)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s: there is no folder %s", f.asked, f.path, dir)
	case err != nil:
		return f.fail(err)
	case !info.IsDir():
		return fmt.Errorf("%s %s: %s is not a folder", f.asked, f.path, dir)
	}
	t, err := Create(f.real)
	if err != nil {
		return fmt.Errorf("%s %s: cannot write to the folder %s: %w", f.asked, f.path, dir, errors.Unwrap(err))
	}
	t.Close()
	return os.Remove(t.Name())
}

// Stage writes the file for path, complete and on disk, but not yet in place.
// A path that was not added, such as the empty one, is skipped.
func (g *Group) Stage(path string, write func(io.Writer) error) error {
	for _, f := range g.files {
		if f.path != path {
			continue
		}
		name, err := Stage(f.real, write)
		if err != nil {
			return f.fail(err)
		}
		f.staged = name
		return nil
	}
	return nil
}

// Staged returns where the finished file for path lies before it is put in
// place; "" where there is none.
func (g *Group) Staged(path string) string {
	for _, f := range g.files {
		if f.path == path {
			return f.staged
		}
	}
	return ""
}

// Commit puts the staged files in place, unless ctx has been cancelled.
func (g *Group) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, f := range g.files {
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

// Discard removes what has been staged and not put in place.
func (g *Group) Discard() {
	for _, f := range g.files {
		if f.staged != "" {
			os.Remove(f.staged)
			f.staged = ""
		}
	}
}
