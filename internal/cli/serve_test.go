package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestServe serves until it is interrupted, which is no failure.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll(filepath.Join("runs", "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("runs", "a", "config.json"), []byte(`{"steps": 1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	var stderr bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"serve", "--addr", ":0"}, IO{Out: in, Err: &stderr})
		in.Close()
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !regexp.MustCompile(`^http://127\.0\.0\.1:[1-9]\d+/\n$`).MatchString(url) {
		t.Fatalf("it printed %q, %v", url, err)
	}
	url = strings.TrimSpace(url)
	res, err := http.Get(url + "api/runs")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || !strings.Contains(string(text), `"name":"a"`) {
		t.Errorf("%s, %v", text, err)
	}

	// The port is taken now.
	var second bytes.Buffer
	addr := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	code := run(t.Context(), []string{"serve", "--addr", addr}, IO{Out: io.Discard, Err: &second})
	if want := "rot: --addr " + addr + ": another program listens there"; code != ExitFailed || runtime.GOOS != "windows" && !strings.HasPrefix(second.String(), want) {
		t.Errorf("exit code %d, stderr %q", code, second.String())
	}

	cancel()
	select {
	case code := <-done:
		if code != ExitOK || stderr.String() != "rot: showing runs; Ctrl-C ends it\n" {
			t.Errorf("exit code %d, stderr %q", code, stderr.String())
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

// TestServeSignal sends the process what Ctrl-C sends.
func TestServeSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: []string{"rot", "serve", "--addr", "localhost:0", "--runs", "."}, Dir: t.TempDir()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "http://") {
		t.Errorf("it printed %q, %v", url, err)
	}
	stream, err := http.Get(strings.TrimSpace(url) + "api/events")
	if err != nil {
		t.Error(err)
	} else {
		defer stream.Body.Close()
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		t.Errorf("exit code %d", exit.ExitCode())
	} else if err != nil {
		t.Error(err)
	}
}

// TestServeAnywhere listens on all addresses when it is told to.
func TestServeAnywhere(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var stderr bytes.Buffer
	done := make(chan int, 1)
	dir := t.TempDir()
	go func() {
		done <- run(ctx, []string{"serve", "--addr", "0.0.0.0:0", "--listen-anywhere", "--host", "lab.example.org", "--runs", dir}, IO{Out: in, Err: &stderr})
		in.Close()
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.TrimSpace(url)
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{"lab.example.org": http.StatusOK, name: http.StatusOK, "evil.example": http.StatusForbidden} {
		req, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("host %s: status %d, want %d", host, res.StatusCode, want)
		}
	}
	cancel()
	if code := <-done; code != ExitOK || !strings.Contains(stderr.String(), "other machines can reach this page") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}
