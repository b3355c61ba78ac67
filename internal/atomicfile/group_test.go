package atomicfile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func writeText(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// content is the text of a file, "" when it is not there.
func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// entries is the number of files in a folder.
func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestGroupAppearTogether(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(a, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	var out Group
	for _, path := range []string{a, b, ""} {
		if err := out.Add("--x", path, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := entries(t, dir); n != 1 {
		t.Fatalf("checking left %d files, want 1", n)
	}
	for path, text := range map[string]string{a: "new", b: "other", "": "none"} {
		if err := out.Stage(path, writeText(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, a) + content(t, b); got != "old" {
		t.Fatalf("before commit the files hold %q", got)
	}
	if err := out.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	out.Discard()
	if got := content(t, a) + content(t, b); got != "newother" {
		t.Errorf("after commit the files hold %q", got)
	}
	if n := entries(t, dir); n != 2 {
		t.Errorf("%d files, want 2", n)
	}
	if info, err := os.Stat(a); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v; want those of the file before", info.Mode(), err)
	}
}

func TestGroupFailClean(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		run  func(ctx context.Context, out *Group, path string) error
		want error
	}{
		{"writer fails", func(_ context.Context, out *Group, path string) error {
			return out.Stage(path, func(w io.Writer) error {
				io.WriteString(w, "half")
				return broken
			})
		}, broken},
		{"cancelled", func(ctx context.Context, out *Group, path string) error {
			if err := out.Stage(path, writeText("whole")); err != nil {
				return err
			}
			return out.Commit(ctx)
		}, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a")
			if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var out Group
			if err := out.Add("--x", path, nil); err != nil {
				t.Fatal(err)
			}
			if err := tt.run(ctx, &out, path); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			out.Discard()
			if content(t, path) != "old" || entries(t, dir) != 1 {
				t.Errorf("the file holds %q among %d, want old, alone", content(t, path), entries(t, dir))
			}
		})
	}
}

func TestGroupFollowLinks(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	var out Group
	if err := out.Add("--x", link, nil); err != nil {
		t.Fatal(err)
	}
	var same *SameFileError
	if err := out.Add("--y", real, nil); !errors.As(err, &same) || same.First != "--x" || same.Second != "--y" {
		t.Errorf("the same file twice: got %v, want an error that says so", err)
	}
	if err := out.Stage(link, writeText("new")); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || content(t, real) != "new" {
		t.Errorf("the link became %v, %v; its file holds %q", info.Mode(), err, content(t, real))
	}
}

func TestGroupReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes anywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	var out Group
	if err := out.Add("--x", filepath.Join(dir, "a"), nil); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v, want a permission error", err)
	}
}
