package runs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

const tmpSuffix = ".tmp"

// WriteFile makes or replaces the file path by what write writes. The file
// appears complete or not at all, also when the machine stops: it is written
// under another name, brought to disk and then renamed.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*"+tmpSuffix)
	if err != nil {
		return fmt.Errorf("runs: write %s: %w", path, err)
	}
	placed := false
	defer func() { // also when write panics
		if !placed {
			f.Close()
			os.Remove(f.Name())
		}
		if err != nil {
			err = fmt.Errorf("runs: write %s: %w", path, err)
		}
	}()
	// Large pieces pass through the buffer without a copy.
	buf := bufio.NewWriterSize(f, 1<<16)
	if err := write(buf); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil { // CreateTemp hides its file from others.
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	placed = true
	return syncDir(dir)
}

// isTemporary says that a file is what a killed WriteFile leaves behind.
func isTemporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, tmpSuffix)
}

// syncDir brings the names in a folder to disk, where the system can do that.
func syncDir(dir string) error {
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
