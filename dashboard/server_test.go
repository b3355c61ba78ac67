package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// read asks for a JSON document.
func read(t *testing.T, web *httptest.Server, target string, into any) int {
	t.Helper()
	res := ask(t, web, "GET", target, "")
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %s: %v", target, text, err)
	}
	return res.StatusCode
}

func TestAPI(t *testing.T) {
	dir := t.TempDir()
	a := makeRun(t, dir, "a", config{Data: "x", Preset: "mlp", Rho: 0.1, Steps: 100}, 10)
	makeRun(t, dir, "b", config{Data: "x", Preset: "mlp", Steps: 900}, 5)
	write(t, "{", dir, "broken", "config.json")
	write(t, "", dir, "other", "notes.txt")
	write(t, `{}`, dir, ".hidden", "config.json")
	write(t, "x", dir, "a", "samples", "step-00000020.png")
	write(t, "x", dir, "a", "samples", "step-00000100.png")
	write(t, "x", dir, "a", "samples", "step-00000003.csv")
	write(t, "x", dir, "a", "samples", ".step-00000004.png")
	if err := a.WriteWeights(nil, []float64{0, 2, 1, 1}, []bool{true, false, false, false}, nil); err != nil {
		t.Fatal(err)
	}
	web := start(t, dir)

	var list struct {
		Runs []struct {
			Name, Kind, State, Data string
			Step, Steps             int
			Config                  map[string]any
			Last                    map[string]float64
		}
		Problems []string
	}
	read(t, web, "/api/runs", &list)
	if len(list.Runs) != 2 || list.Runs[0].Name != "a" || list.Runs[0].State != "finished" || list.Runs[1].State != "training" ||
		list.Runs[1].Step != 50 || list.Runs[1].Steps != 900 || list.Runs[0].Kind != "gan" || list.Runs[0].Last["ess"] != 50 || list.Runs[0].Config != nil {
		t.Errorf("runs are %+v", list.Runs)
	}
	if len(list.Problems) != 1 || !strings.Contains(list.Problems[0], "broken: config.json") {
		t.Errorf("problems are %q", list.Problems)
	}

	var run struct {
		Name    string
		Config  map[string]any
		Samples []sample
		Files   []file
		Weights bool
	}
	read(t, web, "/api/runs/a", &run)
	if run.Name != "a" || run.Config["rho"] != 0.1 || !run.Weights || len(run.Files) != 3 || len(run.Samples) != 2 || run.Samples[0].Step != 20 || run.Samples[1].Name != "step-00000100.png" {
		t.Errorf("the run is %+v", run)
	}

	var h struct {
		N, Outliers int
		Max         float64
		In, Out     []int
		MeanIn      float64 `json:"mean_in"`
		MeanOut     float64 `json:"mean_out"`
	}
	read(t, web, "/api/runs/a/weights", &h)
	if h.N != 4 || h.Outliers != 1 || h.Max != 2 || h.Out[0] != 1 || h.In[bins/2] != 2 || h.In[bins-1] != 1 || h.MeanOut != 0 || h.MeanIn != 4./3 && h.MeanIn != 1.333333 {
		t.Errorf("the histogram is %+v", h)
	}
	if err := a.WriteWeights(nil, []float64{1, 1}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if read(t, web, "/api/runs/a/weights", &h); h.N != 2 || h.Out != nil {
		t.Errorf("new weights are not read: %+v", h)
	}

	var c struct {
		Runs        []struct{ Name string }
		Differences []struct {
			Key    string
			Values []any
		}
	}
	read(t, web, "/api/compare?run=b&run=a", &c)
	if len(c.Runs) != 2 || c.Runs[0].Name != "b" || fmt.Sprint(c.Differences) != "[{rho [0 0.1]} {steps [900 100]}]" {
		t.Errorf("the comparison is %+v", c)
	}

	for target, want := range map[string]int{
		"/api/runs/none":                               http.StatusNotFound,
		"/api/runs/other":                              http.StatusNotFound,
		"/api/runs/.hidden":                            http.StatusNotFound,
		"/api/runs/none/metrics":                       http.StatusNotFound,
		"/api/runs/b/weights":                          http.StatusNotFound,
		"/api/runs/broken":                             http.StatusInternalServerError,
		"/api/compare":                                 http.StatusBadRequest,
		"/api/compare?run=a&run=../":                   http.StatusNotFound,
		"/api/compare?" + strings.Repeat("run=a&", 20): http.StatusBadRequest,
		"/api/runs/a/metrics?from=-1":                  http.StatusBadRequest,
		"/api/runs/a/metrics?from=x":                   http.StatusBadRequest,
	} {
		var e struct{ Error string }
		if got := read(t, web, target, &e); got != want || e.Error == "" {
			t.Errorf("%s: status %d and %q, want %d", target, got, e.Error, want)
		}
		if strings.Contains(e.Error, dir) {
			t.Errorf("%s tells where the folder is: %s", target, e.Error)
		}
	}
}

func TestReports(t *testing.T) {
	dir := t.TempDir()
	write(t, "<h1>r</h1>", dir, "clean", "report.html")
	write(t, "# T\n\n<script>x</script>\n\n![p](p.png)\n", dir, "a", "b", "results.md")
	write(t, "\x89PNG", dir, "a", "b", "p.png")
	write(t, "# T\n\n![p](../../../secret.png)\n", dir, "bad", "results.md")
	write(t, "# T\n", dir, "both", "results.md")
	write(t, "<p>", dir, "both", "results.html")
	write(t, "<p>", dir, "monday.html")
	write(t, "", dir, ".git", "report.html")
	write(t, "", dir, "a", "samples", "report.html")
	write(t, "", dir, "1/2/3/4/5/6/report.html")
	write(t, "", dir, "a", "readme.txt")
	web := start(t, dir)
	var list struct{ Reports []struct{ Path string } }
	read(t, web, "/api/reports", &list)
	got := map[string]bool{}
	for _, r := range list.Reports {
		got[r.Path] = true
	}
	if len(got) != 5 || !got["monday.html"] || !got["clean/report.html"] || !got["a/b/results.md"] || !got["bad/results.md"] || !got["both/results.html"] {
		t.Errorf("reports are %v", got)
	}
	for _, tt := range []struct{ target, kind, has, hasnot string }{
		{"/reports/clean/report.html", "text/html", "<h1>r</h1>", ""},
		{"/reports/a/b/results.md", "text/html", "data:image/png;base64,", "<script>x"},
		{"/reports/bad/results.md", "text/plain", "../../../secret.png", "<html"}, // as it is
	} {
		res := ask(t, web, "GET", tt.target, "")
		text, _ := io.ReadAll(res.Body)
		if !strings.HasPrefix(res.Header.Get("Content-Type"), tt.kind) || !strings.Contains(string(text), tt.has) || tt.hasnot != "" && strings.Contains(string(text), tt.hasnot) {
			t.Errorf("%s: %s %s", tt.target, res.Header.Get("Content-Type"), text)
		}
		if p := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "sandbox") || strings.Contains(p, "allow-same-origin") {
			t.Errorf("%s: policy %q", tt.target, p)
		}
	}
}

func TestPage(t *testing.T) {
	web := start(t, t.TempDir())
	for target, kind := range map[string]string{
		"/": "text/html", "/assets/app.js": "text/javascript", "/assets/style.css": "text/css", "/assets/icon.svg": "image/svg+xml",
		"/assets/uplot/uPlot.iife.min.js": "text/javascript", "/assets/uplot/uPlot.min.css": "text/css", "/favicon.ico": "image/svg+xml",
	} {
		res := ask(t, web, "GET", target, "")
		if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), kind) {
			t.Errorf("%s: %d %s", target, res.StatusCode, res.Header.Get("Content-Type"))
		}
	}
	// Nothing in the page needs a network or an inline script.
	page, err := assets.ReadFile("assets/index.html")
	if err != nil || strings.Contains(string(page), "://") || strings.Contains(string(page), "<script>") || strings.Contains(string(page), "style=") {
		t.Errorf("%v, %s", err, page)
	}
}

// TestServe ends with an open event stream and a request under way.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	s, err := New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	res, err := http.Get("http://" + l.Addr().String() + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("cancelled: %v", err)
		}
	case <-time.After(4 * time.Second): // less than it waits for a download
		t.Fatal("the event stream keeps it alive")
	}
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Errorf("the event stream was cut off: %v", err)
	}

	// Who does not say what they want is hung up on; who listens is not.
	if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	s.poll = 10 * time.Millisecond
	go func() { done <- serve(ctx, l, &http.Server{Handler: s, ReadHeaderTimeout: 100 * time.Millisecond}) }()
	stream := events(t, "http://"+l.Addr().String())
	next(t, stream)
	mute, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	_ = mute.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := mute.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("it waits for a mute client: %v", err)
	}
	makeRun(t, dir, "a", config{}, 1)
	if got := next(t, stream); got != `change {"runs":["a"]}` {
		t.Errorf("got %s", got)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}

	if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := s.Serve(t.Context(), l); err == nil {
		t.Error("a closed listener was served")
	}
	if _, err := New(filepath.Join(dir, "none"), nil); !os.IsNotExist(unwrapped(err)) {
		t.Errorf("no folder: %v", err)
	}
	write(t, "", dir, "file")
	if _, err := New(filepath.Join(dir, "file"), nil); err == nil {
		t.Error("a file was served as a folder")
	}
}

func unwrapped(err error) error {
	if w, ok := err.(interface{ Unwrap() error }); ok {
		return w.Unwrap()
	}
	return err
}
