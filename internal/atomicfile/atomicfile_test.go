package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := Write(path, text("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, text("two")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "two" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("a file that was replaced has permissions %v, %v; want those of the old one", info.Mode(), err)
	}
	fresh := filepath.Join(filepath.Dir(path), "fresh")
	f, err := os.Create(fresh) // with the user's mask
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	other := filepath.Join(filepath.Dir(path), "other")
	if err := Write(other, text("")); err != nil {
		t.Fatal(err)
	}
	want, _ := os.Stat(fresh)
	if info, err := os.Stat(other); err != nil || info.Mode() != want.Mode() {
		t.Errorf("a new file has permissions %v, %v; want %v", info.Mode(), err, want.Mode())
	}
}

// TestWriteFails: what fails leaves the old file and nothing else.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := Write(path, text("one")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	half := func(w io.Writer) error { io.WriteString(w, "half"); return broken }
	if err := Write(path, half); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = Write(path, func(io.Writer) error { panic("no") })
	}()
	if got, _ := os.ReadFile(path); string(got) != "one" {
		t.Errorf("the file holds %q", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if err := Write(filepath.Join(dir, "none", "a.txt"), text("")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into a folder that is not there: %v", err)
	}
}

func TestStage(t *testing.T) {
	dir := t.TempDir()
	name, err := Stage(filepath.Join(dir, "a.txt"), text("one"))
	if err != nil || !IsTemporary(filepath.Base(name)) || filepath.Dir(name) != dir {
		t.Fatalf("staged as %s, %v", name, err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "one" {
		t.Errorf("it holds %q, %v", got, err)
	}
}
