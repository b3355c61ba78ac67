// Package openfile opens regular files and nothing else: opening a pipe waits
// for its other end, and devices never end.
package openfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrIrregular reports something that is not a regular file.
var ErrIrregular = errors.New("not a regular file")

// Open opens the regular file path for reading. The error wraps ErrIrregular
// for anything else, and never comes late.
func Open(path string) (*os.File, fs.FileInfo, error) {
	if info, err := os.Stat(path); err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			failed.Op = "open" // which is what the caller does
		}
		return nil, nil, err
	} else if err := check(path, info); err != nil {
		return nil, nil, err // opening a device can already do something
	}
	// Somebody may put a pipe there in between.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = check(path, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Read returns the content of a regular file of at most the given bytes.
func Read(path string, most int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has %d bytes, and %d are the most that is read", info.Size(), most)}
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it grew beyond %d bytes while it was read", most)}
	}
	return text, err
}

func check(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: &irregular{Kind(info.Mode())}}
}

type irregular struct{ kind string }

func (e *irregular) Error() string      { return "is " + e.kind + ", not a regular file" }
func (*irregular) Is(target error) bool { return target == ErrIrregular }

// Kind names what a mode stands for.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a regular file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	}
	return "something else"
}
