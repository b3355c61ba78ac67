package dashboard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

var (
	shots  = flag.String("screenshots", "", "folder for pictures of the pages")
	folder = flag.String("folder", "", "folder of runs to take pictures of, instead of a made-up one")
)

// A browser is a headless Chromium with one tab, spoken to by the DevTools
// protocol over a pair of pipes.
type browser struct {
	t       *testing.T
	in      *os.File
	session string

	mu      sync.Mutex
	next    int
	answers map[int]chan reply
	faults  []string // errors and warnings of the console, exceptions
}

type reply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is not short")
	}
	if runtime.GOOS == "windows" {
		t.Skip("no pipes to speak to a browser by")
	}
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("Chromium is not installed: the pages were not looked at")
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: helpers of the browser write into it for a moment after
	// it has ended.
	profile, err := os.MkdirTemp("", "dashboard")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile,
		"--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-dev-shm-usage", "--mute-audio", "about:blank"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // its own sandbox refuses root
	}
	cmd := exec.Command(program, args...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, in: in, answers: map[int]chan reply{}}
	t.Cleanup(func() {
		in.Close() // which ends it
		timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		out.Close()
		_ = os.RemoveAll(profile)
		if t.Failed() {
			t.Logf("the browser said: %s", stderr.String())
		}
	})
	go b.listen(out)

	var target struct {
		TargetID string `json:"targetId"`
	}
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct {
		SessionID string `json:"sessionId"`
	}
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// listen hands answers to who waits for them and keeps what went wrong.
func (b *browser) listen(out *os.File) {
	in := bufio.NewReader(out)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var r reply
		if json.Unmarshal(text[:len(text)-1], &r) != nil {
			continue
		}
		b.mu.Lock()
		if answer := b.answers[r.ID]; answer != nil {
			answer <- r
			delete(b.answers, r.ID)
		}
		b.faults = append(b.faults, fault(r)...)
		b.mu.Unlock()
	}
}

func fault(r reply) []string {
	var p struct {
		Type  string
		Entry struct{ Level, Text, URL string }
	}
	_ = json.Unmarshal(r.Params, &p)
	switch {
	case bytes.Contains(r.Params, []byte("willReadFrequently")): // it is the test that reads the charts
	case r.Method == "Runtime.exceptionThrown",
		r.Method == "Runtime.consoleAPICalled" && (p.Type == "error" || p.Type == "warning" || p.Type == "assert"),
		r.Method == "Log.entryAdded" && (p.Entry.Level == "error" || p.Entry.Level == "warning"):
		return []string{r.Method + " " + string(r.Params)}
	}
	return nil
}

func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.mu.Lock()
	b.next++
	id := b.next
	answer := make(chan reply, 1)
	b.answers[id] = answer
	b.mu.Unlock()
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: the browser is gone: %v", method, err)
	}
	select {
	case r := <-answer:
		if r.Error != nil {
			b.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(r.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
	case <-time.After(time.Minute):
		b.t.Fatalf("%s: no answer", method)
	}
}

// eval runs an expression in the page and returns its value.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if e := r.ExceptionDetails; e != nil {
		b.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	return r.Result.Value
}

// until waits for an expression to become true.
func (b *browser) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if b.eval(expression) == true {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("never came true: %s\nthe page is: %v\nfaults: %s", expression, b.eval("document.body.innerText"), b.faults)
		}
	}
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": url}, nil)
}

// sound fails the test if anything went wrong in the page so far.
func (b *browser) sound() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		b.t.Errorf("the console: %s", f)
	}
	b.faults = nil
}

func (b *browser) size(width, height int, phone bool) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}, nil)
}

func (b *browser) scheme(name string) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": name}}}, nil)
}

// shot saves a picture of the whole page when asked to by a flag.
func (b *browser) shot(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	time.Sleep(300 * time.Millisecond) // pictures are decoded
	var r struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &r)
	if err := os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s.png", name)), r.Data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
