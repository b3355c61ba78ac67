package dashboard

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// events reads a stream; each one is its name and its data.
func events(t *testing.T, url string) <-chan string {
	t.Helper()
	res, err := http.Get(url + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("it is %s", kind)
	}
	out := make(chan string, 100)
	go func() {
		defer close(out)
		var name string
		for in := bufio.NewScanner(res.Body); in.Scan(); {
			if v, ok := strings.CutPrefix(in.Text(), "event: "); ok {
				name = v
			} else if v, ok := strings.CutPrefix(in.Text(), "data: "); ok {
				out <- name + " " + v
			}
		}
	}()
	return out
}

func next(t *testing.T, stream <-chan string) string {
	t.Helper()
	select {
	case e := <-stream:
		return e
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
		return ""
	}
}

func TestEvents(t *testing.T) {
	dir := t.TempDir()
	a := makeRun(t, dir, "a", config{Steps: 1000}, 3)
	makeRun(t, dir, "b", config{Steps: 1000}, 3)
	web := start(t, dir)
	stream := events(t, web.URL)
	if got := next(t, stream); got != "hello {}" {
		t.Fatalf("got %s", got)
	}
	for _, tt := range []struct {
		name string
		do   func()
	}{
		{"a", func() { a.train(t, 1) }},
		{"a", func() { write(t, "x", a.Path(), "samples", "step-00000001.png") }},
		{"a", func() { write(t, "id,index,weight\n", a.Path(), "weights.csv") }},
		{"a", func() { write(t, "<p>", a.Path(), "report.html") }},
		{"c", func() { // complete at once, as runs.Create does it
			write(t, "{}", dir, ".c.tmp", "config.json")
			if err := os.Rename(filepath.Join(dir, ".c.tmp"), filepath.Join(dir, "c")); err != nil {
				t.Fatal(err)
			}
		}},
		{"c", func() { os.RemoveAll(filepath.Join(dir, "c")) }},
	} {
		tt.do()
		// A change may be seen in two halves, such as a folder and its file.
		want := `change {"runs":["` + tt.name + `"]}`
		if got := next(t, stream); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		for quiet := false; !quiet; {
			select {
			case got := <-stream:
				if got != want {
					t.Fatalf("got %s, want %s", got, want)
				}
			case <-time.After(100 * time.Millisecond):
				quiet = true
			}
		}
	}
}

// TestEventsMany: pages that watch are not many, or something is wrong.
func TestEventsMany(t *testing.T) {
	web := start(t, t.TempDir())
	for range mostStreams {
		next(t, events(t, web.URL))
	}
	if res := ask(t, web, "GET", "/api/events", ""); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("status %d", res.StatusCode)
	}
}
