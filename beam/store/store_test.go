package store

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRanges reads parts of a file on disk and of objects in buckets, which a
// server on this machine plays: only the bytes that are asked for are sent.
func TestRanges(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 1000)
	var mu sync.Mutex
	sent := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "bucket/some/file") {
			http.NotFound(w, r)
			return
		}
		c := &countingWriter{ResponseWriter: w}
		http.ServeContent(c, r, "file", time.Unix(0, 0), bytes.NewReader(data))
		mu.Lock()
		sent += c.n
		mu.Unlock()
	}))
	defer srv.Close()
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(srv.URL, "http://"))
	t.Setenv("AWS_ENDPOINT_URL", srv.URL)
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	local := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(local, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{local, "gs://bucket/some/file", "s3://bucket/some/file"} {
		sent = 0
		got, err := ReadRange(t.Context(), name, 4321, 17)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := data[4321 : 4321+17]; !bytes.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if IsRemote(name) && sent != 17 {
			t.Errorf("%s: %d bytes were sent for 17", name, sent)
		}
		if got, err := ReadRange(t.Context(), name, 9990, 1<<62); err != nil || string(got) != "0123456789" {
			t.Errorf("%s: to the end: %q, %v", name, got, err)
		}
		if _, err := ReadRange(t.Context(), name+"-none", 0, 10); err == nil || !strings.Contains(err.Error(), "none") {
			t.Errorf("%s: a file that is not there: error %v", name, err)
		}
	}
}

type countingWriter struct {
	http.ResponseWriter
	n int
}

func (c *countingWriter) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.ResponseWriter.Write(p)
}

func TestFiles(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	path := filepath.Join(dir, "sub", "a[1].txt")
	if err := WriteBytes(ctx, path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if files, err := List(ctx, path, path); err != nil || len(files) != 1 {
		t.Errorf("a name with brackets: %v, %v", files, err)
	}
	if there, err := Exists(ctx, path); err != nil || !there {
		t.Errorf("%v, %v", there, err)
	}
	if err := Remove(ctx, path); err != nil {
		t.Fatal(err)
	}
	if err := Remove(ctx, path); err != nil {
		t.Errorf("a file that is gone: %v", err)
	}
	if _, err := List(ctx, filepath.Join(dir, "*.csv")); err == nil {
		t.Error("a pattern without files is no error")
	}
	if _, err := Size(ctx, dir); err == nil {
		t.Error("a folder has a size")
	}
}
