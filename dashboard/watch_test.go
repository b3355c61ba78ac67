package dashboard

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestManyWatchers: with as many pages as may watch and two thousand runs, the
// list comes fast, and with it what has changed.
func TestManyWatchers(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 200
	}
	dir := t.TempDir()
	for k := range n {
		at := filepath.Join(dir, fmt.Sprintf("run-%04d", k))
		if err := os.Mkdir(at, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, `{"steps": 10, "preset": "tiny", "data": "x.csv"}`, at, "config.json")
		write(t, `{"step":10,"seconds":1}`+"\n", at, "metrics.jsonl")
	}
	web := start(t, dir)
	streams := make([]<-chan string, mostStreams)
	for k := range streams {
		streams[k] = events(t, web.URL)
		next(t, streams[k])
	}
	list := func() (names []string, took time.Duration) {
		t.Helper()
		began := time.Now()
		res, err := http.Get(web.URL + "/api/runs")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		took = time.Since(began)
		var got struct{ Runs []struct{ Name string } }
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Runs {
			names = append(names, r.Name)
		}
		return names, took
	}
	fastest := time.Hour
	for range 10 {
		names, took := list()
		if len(names) != n {
			t.Fatalf("%d runs", len(names))
		}
		fastest = min(fastest, took)
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("fastest list of %d runs: %v", n, fastest)
	if fastest > 200*time.Millisecond {
		t.Errorf("the list took %v at best", fastest)
	}
	write(t, "{}", dir, ".new", "config.json")
	if err := os.Rename(filepath.Join(dir, ".new"), filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if got := next(t, s); got != `change {"runs":["new"]}` {
			t.Fatalf("got %s", got)
		}
	}
	if names, _ := list(); len(names) != n+1 {
		t.Errorf("%d runs after the change", len(names))
	}
}

// TestBodiesAreRefused: a request that announces a body is answered at once,
// before anything of it has come, and its connection is closed.
func TestBodiesAreRefused(t *testing.T) {
	web := start(t, t.TempDir())
	for _, head := range []string{
		"GET /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
		"GET /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000000\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
		"HEAD / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(web.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		io.WriteString(c, head)
		c.SetDeadline(began.Add(10 * time.Second))
		in := bufio.NewReader(c)
		line, err := in.ReadString('\n')
		want := "413"
		if strings.HasPrefix(head, "POST") {
			want = "405"
		}
		if err != nil || !strings.Contains(line, want) {
			t.Errorf("%q: %q, %v", head, line, err)
		}
		io.Copy(io.Discard, in)
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("%q: the connection stays open for %v", head, took)
		}
		c.Close()
	}
}
