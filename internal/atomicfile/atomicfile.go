// Package atomicfile writes files that appear complete or not at all, also when
// the machine stops: they are written under another name, brought to disk and
// then renamed. A file that replaces another keeps its permissions; the others'
// follow from the user's mask.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

const suffix = ".tmp"

// Write makes or replaces the file path by what write writes.
func Write(path string, write func(io.Writer) error) error {
	name, err := Stage(path, write)
	if err != nil {
		return err
	}
	if err := os.Rename(name, path); err != nil {
		os.Remove(name)
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// Stage writes a file for path under a temporary name beside it, complete and on
// disk, and returns that name: renaming it to path puts it in place.
func Stage(path string, write func(io.Writer) error) (name string, err error) {
	f, err := Create(path)
	if err != nil {
		return "", err
	}
	complete := false
	defer func() { // also when write panics
		if !complete {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if old, err := os.Stat(path); err == nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return "", err
		}
	}
	// Large pieces pass through the buffer without a copy.
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return "", err
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	complete = true
	return f.Name(), nil
}

// Create opens a new file under a temporary name beside path. Unlike
// os.CreateTemp it leaves the permissions to the user's mask.
func Create(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strconv.FormatUint(rand.Uint64(), 36)+suffix)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// IsTemporary reports whether a file, by its name without a folder, is what a
// killed process can have left behind.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, suffix)
}

// SyncDir brings the names in a folder to disk, where the system can do that.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil // some network file systems
	}
	return err
}
