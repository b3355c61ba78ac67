//go:build unix

package dashboard

import (
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipe: opening a pipe would wait for a writer that never comes.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, dir, "a", config{Steps: 10}, 1)
	write(t, `{}`, dir, "b", "config.json")
	for _, name := range []string{"a/pipe.png", "a/weights.csv", "b/metrics.jsonl", "c.json", "a/samples/step-1.png"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	write(t, "![p](pipe.png)", dir, "a", "results.md")
	web := start(t, dir)
	for target, want := range map[string]int{
		"/runs/a/files/pipe.png": http.StatusNotFound,
		"/files/c.json":          http.StatusNotFound,
		"/api/runs/a/weights":    http.StatusNotFound,
		"/api/runs/b/metrics":    http.StatusNotFound,
		"/api/runs":              http.StatusOK,
		"/api/runs/a":            http.StatusOK,
		"/api/runs/b":            http.StatusOK,
		"/reports/a/results.md":  http.StatusOK, // as text
	} {
		if res := ask(t, web, "GET", target, ""); res.StatusCode != want {
			t.Errorf("%s: status %d, want %d", target, res.StatusCode, want)
		}
	}
}
