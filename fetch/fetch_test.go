package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A home is a server with one file, and its moods.
type home struct {
	data     []byte
	cut      int  // > 0: breaks off after so many bytes, the first time
	noRanges bool // answers with all of it, whatever is asked
	asked    []string
}

func (h *home) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.asked = append(h.asked, r.Header.Get("Range"))
	if h.cut > 0 {
		w.Header().Set("Content-Length", fmt.Sprint(len(h.data)))
		w.Write(h.data[:h.cut])
		h.cut = 0
		panic(http.ErrAbortHandler)
	}
	if h.noRanges {
		r.Header.Del("Range")
	}
	http.ServeContent(w, r, "file", time.Time{}, bytes.NewReader(h.data))
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

var payload = bytes.Repeat([]byte("robust transport "), 10_000)

func TestGet(t *testing.T) {
	h := &home{data: payload}
	dir := filepath.Join(t.TempDir(), "new", "folder")
	s := &Set{Name: "x", files: []file{{name: "a.bin", size: int64(len(payload)), sum: sha(payload), homes: []string{serve(t, h)}}}}
	var last int64
	for range 2 {
		err := s.Get(context.Background(), dir, &Options{Progress: func(_ string, done, total int64) {
			if last = done; total != int64(len(payload)) {
				t.Errorf("total %d", total)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "a.bin"))
	if err != nil || !bytes.Equal(got, payload) || last != int64(len(payload)) {
		t.Errorf("%d bytes, %v, progress %d", len(got), err, last)
	}
	if len(h.asked) != 1 {
		t.Errorf("asked %d times for a file that is there", len(h.asked))
	}
}

// TestResume breaks off in the middle, then goes on, with and without a server
// that knows ranges, with and without a known size.
func TestResume(t *testing.T) {
	for _, tt := range []struct {
		name     string
		noRanges bool
		size     int64
		want     string // the range asked for
	}{
		{"ranges", false, int64(len(payload)), "bytes=40000-"},
		{"ranges, unknown size", false, 0, "bytes=40000-"},
		{"no ranges", true, int64(len(payload)), "bytes=40000-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &home{data: payload, cut: 40_000, noRanges: tt.noRanges}
			dir := t.TempDir()
			sum := md5.Sum(payload)
			s := &Set{Name: "x", files: []file{{name: "a", size: tt.size, sum: "md5:" + hex.EncodeToString(sum[:]), homes: []string{serve(t, h)}}}}
			if err := s.Get(context.Background(), dir, nil); err == nil {
				t.Fatal("a download that broke off was taken")
			}
			if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
				t.Fatal("half a file has the name of a whole one")
			}
			if err := s.Get(context.Background(), dir, nil); err != nil {
				t.Fatal(err)
			}
			if len(h.asked) != 2 || h.asked[1] != tt.want {
				t.Errorf("asked for %q", h.asked)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || !bytes.Equal(got, payload) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

// TestMirrors: a home that is gone and one with a wrong file are followed by
// the next; without a good one all reasons are told, and nothing is left.
func TestMirrors(t *testing.T) {
	gone := serve(t, http.NotFoundHandler())
	wrong := serve(t, &home{data: bytes.ToUpper(payload)})
	long := serve(t, &home{data: append(bytes.Clone(payload), payload...)})
	right := serve(t, &home{data: payload})
	dir := t.TempDir()
	s := &Set{Name: "x", files: []file{{name: "a", size: int64(len(payload)), sum: sha(payload), homes: []string{gone, wrong, long}}}}
	err := s.Get(context.Background(), dir, nil)
	if !errors.Is(err, ErrSum) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{gone + ": the server answered 404", wrong + ": is not the file", "by hand", filepath.Join(dir, "a")} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s.files[0].homes = append(s.files[0].homes, right)
	if err := s.Get(context.Background(), dir, nil); err != nil {
		t.Error(err)
	}
}

func TestOffline(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	s := &Set{Name: "x", files: []file{{name: "a", sum: sha(payload), homes: []string{closed.URL}}}}
	dir := filepath.Join(t.TempDir(), "new")
	if err := s.Get(context.Background(), dir, nil); err == nil || !strings.Contains(err.Error(), "refused") || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("offline: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder without files is left: %v", err)
	}
}

// TestCancel: what came so far stays.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(payload)))
		w.Write(payload[:1000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	dir := t.TempDir()
	s := &Set{Name: "x", files: []file{{name: "a", size: int64(len(payload)), sum: sha(payload), homes: []string{serve(t, slow)}}}}
	err := s.Get(ctx, dir, &Options{Progress: func(_ string, done, _ int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.part")); err != nil || len(got) != 1000 {
		t.Errorf("%d bytes stay, %v", len(got), err)
	}
}

func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestUntar: files land in the folder and nowhere else, and the archive goes.
func TestUntar(t *testing.T) {
	data := archive(t, map[string]string{"cifar/data_batch_1.bin": "one", "../../evil.bin": "two", "cifar/.hidden": "three", "/etc/test_batch.bin": "four"})
	h := &home{data: data}
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b")
	s := &Set{Name: "x", Reads: []string{"data_batch_1.bin"}, unpack: untar, files: []file{{name: "x.tar.gz", sum: sha(data), homes: []string{serve(t, h)}}}}
	for range 2 {
		if err := s.Get(context.Background(), dir, nil); err != nil {
			t.Fatal(err)
		}
	}
	var found []string
	filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			rel, _ := filepath.Rel(root, path)
			found = append(found, filepath.ToSlash(rel))
		}
		return err
	})
	if got := strings.Join(found, " "); got != "a/b/data_batch_1.bin a/b/evil.bin a/b/test_batch.bin a/b/x.sha256" {
		t.Errorf("found %s", got)
	}
	if len(h.asked) != 1 {
		t.Errorf("asked %d times", len(h.asked))
	}
	// What was emptied is not taken for what was unpacked.
	if err := os.Truncate(filepath.Join(dir, "data_batch_1.bin"), 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Get(context.Background(), dir, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "data_batch_1.bin")); err != nil || string(got) != "one" || len(h.asked) != 2 {
		t.Errorf("%q, %v, asked %d times", got, err, len(h.asked))
	}
	cut := &Set{Name: "y", Reads: []string{"z"}, unpack: untar, files: []file{{name: "y.tar.gz", sum: sha(data[:len(data)/2]), homes: []string{serve(t, &home{data: data[:len(data)/2]})}}}}
	other := t.TempDir()
	if err := cut.Get(context.Background(), other, nil); err == nil || !strings.Contains(err.Error(), "y.tar.gz") {
		t.Errorf("half an archive: %v", err)
	}
}

func TestUSPS(t *testing.T) {
	images, labels, err := readUSPS(strings.NewReader("7 1:-1 2:1 256:0.5\n10 3:-0.2\n"))
	if err != nil || len(images) != 2*uspsPixels || labels[0] != 6 || labels[1] != 9 {
		t.Fatalf("%d pixels, labels %v, %v", len(images), labels, err)
	}
	if images[0] != 0 || images[1] != 255 || images[2] != 128 || images[255] != 191 || images[uspsPixels+2] != 102 {
		t.Errorf("pixels %v %v %v %v %v", images[0], images[1], images[2], images[255], images[uspsPixels+2])
	}
	for _, bad := range []string{"", "11 1:0\n", "1 0:0\n", "1 257:0\n", "1 1:7\n", "1 x\n", "1 1:NaN\n"} {
		if _, _, err := readUSPS(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// TestSets: every set has hashes and homes, and names that are its own.
func TestSets(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Sets() {
		if seen[s.Name] || len(s.files) == 0 || len(s.Reads) == 0 || s.Title == "" || s.Terms == "" {
			t.Errorf("set %+v", s)
		}
		seen[s.Name] = true
		for _, f := range s.files {
			want := 64
			if strings.HasPrefix(f.sum, "md5:") {
				want = 36
			}
			if len(f.sum) != want || len(f.homes) == 0 || !filepath.IsLocal(f.name) {
				t.Errorf("%s: %+v", s.Name, f)
			}
		}
	}
}
