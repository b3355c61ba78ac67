package runs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	write := func(s string) error {
		return WriteFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		})
	}
	for _, s := range []string{"first", "second, over the first", ""} {
		if err := write(s); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != s {
			t.Errorf("file has %q, %v", got, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWriteFileFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk is full")
	half := func(w io.Writer) error {
		if _, err := io.WriteString(w, "half of it"); err != nil {
			return err
		}
		return full
	}
	if err := WriteFile(path, half); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() { recover() }()
		_ = WriteFile(path, func(io.Writer) error { panic("bug") })
	}()
	if err := os.MkdirAll(filepath.Join(dir, "folder", "full"), 0o755); err != nil { // the rename fails
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "folder"), func(io.Writer) error { return nil }); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("file has %q, %v", got, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("folder has %v", left)
	}
}
