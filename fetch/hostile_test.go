package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func set(homes ...string) *Set {
	return &Set{Name: "x", files: []file{{name: "a", size: int64(len(payload)), sum: sha(payload), homes: homes}}}
}

func wantPayload(t *testing.T, dir string) {
	t.Helper()
	if got, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || !bytes.Equal(got, payload) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("in the folder: %v, %v", left, err)
	}
}

// TestOtherHome: what one home sent before it broke off is no beginning of what
// the next one has.
func TestOtherHome(t *testing.T) {
	page := []byte(strings.Repeat("<html>we are moving</html>", 4000))
	breaks := &home{data: page, cut: 50_000}
	right := &home{data: payload}
	dir := t.TempDir()
	if err := set(serve(t, breaks), serve(t, right)).Get(context.Background(), dir, nil); err != nil {
		t.Fatal(err)
	}
	wantPayload(t, dir)
	if len(right.asked) != 1 || right.asked[0] != "" {
		t.Errorf("the second home was asked for %q", right.asked)
	}
}

// TestWebPage: a home that answers every question with a page is passed over
// before the page is loaded.
func TestWebPage(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte("<html>log in first</html>"))
	})
	dir := t.TempDir()
	err := set(serve(t, page)).Get(context.Background(), dir, nil)
	if !errors.Is(err, errPage) {
		t.Errorf("got %v", err)
	}
	if err := set(serve(t, page), serve(t, &home{data: payload})).Get(context.Background(), dir, nil); err != nil {
		t.Fatal(err)
	}
	wantPayload(t, dir)
}

// TestWrongBeginning: a part that was spoilt is loaded afresh.
func TestWrongBeginning(t *testing.T) {
	h := &home{data: payload}
	url := serve(t, h)
	dir := t.TempDir()
	for name, text := range map[string]string{"a.part": strings.Repeat("x", 5000), "a.part.home": url} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := set(url).Get(context.Background(), dir, nil); err != nil {
		t.Fatal(err)
	}
	wantPayload(t, dir)
	if len(h.asked) != 2 || h.asked[0] != "bytes=5000-" || h.asked[1] != "" {
		t.Errorf("asked for %q", h.asked)
	}
}

// TestSilence: servers that say nothing, before or after the first bytes, are
// given up.
func TestSilence(t *testing.T) {
	mute := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	stalls := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(payload)))
		w.Write(payload[:1000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	for _, h := range []http.Handler{mute, stalls} {
		dir := t.TempDir()
		err := set(serve(t, h)).Get(context.Background(), dir, &Options{Silence: 50 * time.Millisecond})
		if !errors.Is(err, errSilent) {
			t.Errorf("got %v", err)
		}
		if err := set(serve(t, h), serve(t, &home{data: payload})).Get(context.Background(), dir, &Options{Silence: 50 * time.Millisecond}); err != nil {
			t.Error(err)
		}
	}
}

// TestEndless: a body without end is cut off at the size of the file.
func TestEndless(t *testing.T) {
	var sent atomic.Int64
	endless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			n, err := w.Write(payload)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	})
	dir := t.TempDir()
	err := set(serve(t, endless)).Get(context.Background(), dir, nil)
	if err == nil || !strings.Contains(err.Error(), "sends more than") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if sent.Load() > 64<<20 { // what is in the buffers on the way is sent, too
		t.Errorf("%d bytes were sent", sent.Load())
	}
	huge := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(int64(mostUnknown)+1))
		w.WriteHeader(http.StatusOK)
	})
	unknown := &Set{Name: "x", files: []file{{name: "a", sum: sha(payload), homes: []string{serve(t, huge)}}}}
	if err := unknown.Get(context.Background(), dir, nil); err == nil || !strings.Contains(err.Error(), "sends more than") {
		t.Errorf("got %v", err)
	}
}

// TestAtOnce: several downloads into one folder wait for each other, and all
// have it in the end.
func TestAtOnce(t *testing.T) {
	var asked atomic.Int64
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		time.Sleep(50 * time.Millisecond)
		w.Write(payload)
	}))
	dir := filepath.Join(t.TempDir(), "new")
	var wg sync.WaitGroup
	var waited atomic.Int64
	for range 4 {
		wg.Go(func() {
			if err := set(url).Get(context.Background(), dir, &Options{Waiting: func() { waited.Add(1) }}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantPayload(t, dir)
	if asked.Load() != 1 || waited.Load() == 0 {
		t.Errorf("asked %d times, %d waited", asked.Load(), waited.Load())
	}
}
