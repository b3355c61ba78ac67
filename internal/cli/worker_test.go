package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func TestWorker(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"worker"}, IO{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code != ExitOK || !strings.Contains(out.String(), `"op":"hello"`) || errs.Len() > 0 {
		t.Errorf("code %d, out %q, err %q", code, out.String(), errs.String())
	}
	code = run(t.Context(), []string{"worker"}, IO{In: strings.NewReader("rot dist a.csv b.csv\n"), Out: &out, Err: &errs})
	if code != ExitFailed || !strings.Contains(errs.String(), "not a message") {
		t.Errorf("text on stdin: code %d, err %q", code, errs.String())
	}
}

// TestWorkerEndsWithParent has a parent that is gone already, and a stdin that
// stays open.
func TestWorkerEndsWithParent(t *testing.T) {
	in, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	defer in.Close()
	var out, errs bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), []string{"worker", "--parent", "1073741824"}, IO{In: in, Out: &out, Err: &errs})
	}()
	select {
	case code := <-done:
		if code != ExitFailed {
			t.Errorf("code %d", code)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it outlives its parent")
	}
}

func TestWatchParent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	watchParent(ctx, os.Getppid(), time.Hour, func() { t.Error("the parent is there") })
}
