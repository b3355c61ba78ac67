//go:build unix

package openfile

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at("file"), []byte("text"), 0o600))
	must(os.Symlink("file", at("link")))
	must(os.Symlink("loop", at("loop")))
	must(syscall.Mkfifo(at("pipe"), 0o600))
	l, err := net.Listen("unix", at("socket"))
	must(err)
	defer l.Close()
	for name, want := range map[string]string{
		at("file"): "", at("link"): "", at("loop"): "too many", at("none"): "no such file",
		at("pipe"): "named pipe", at("socket"): "socket", dir: "folder", "/dev/zero": "device",
	} {
		done := make(chan error, 1)
		go func() {
			f, _, err := Open(name)
			if err == nil {
				f.Close()
			}
			done <- err
		}()
		select {
		case err := <-done:
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%s: opening it does not end", name)
		}
	}
	if _, _, err := Open(at("pipe")); !errors.Is(err, ErrIrregular) {
		t.Errorf("got %v", err)
	}
	if got, err := Read(at("link"), 4); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Read(at("link"), 3); err == nil {
		t.Error("a file above the limit was read")
	}
}
