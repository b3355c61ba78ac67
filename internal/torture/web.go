package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const canary = "the canary that must not be seen"

// serve starts the dashboard on a folder of runs beside which a secret lies.
func (t *torture) serve(ctx context.Context) (address string, stop func(), err error) {
	dir, remove := t.fresh()
	folder := filepath.Join(dir, "runs")
	if whole, err := t.whole(ctx); err != nil {
		return "", nil, err
	} else if err := os.CopyFS(filepath.Join(folder, "run"), os.DirFS(whole)); err != nil {
		return "", nil, err
	}
	for path, text := range map[string]string{
		filepath.Join(dir, "secret.txt"):               canary,
		filepath.Join(folder, ".hidden", "secret"):     canary,
		filepath.Join(folder, "run", ".secret"):        canary,
		filepath.Join(dir, "runs2", "secret"):          canary,
		filepath.Join(folder, "bad", "config.json"):    "{",
		filepath.Join(folder, "<b>x", "config.json"):   "{}",
		filepath.Join(folder, "\u202e", "config.json"): "{}",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return "", nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return "", nil, err
		}
	}
	_ = os.Symlink("../../secret.txt", filepath.Join(folder, "run", "link.txt"))
	_ = os.Symlink("..", filepath.Join(folder, "up"))
	_ = makePipe(filepath.Join(folder, "run", "pipe.txt"))
	cmd := exec.CommandContext(ctx, t.rot, "serve", "--addr", "127.0.0.1:0", "--runs", folder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		remove()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, err
	}
	u, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		stop()
		return "", nil, err
	}
	return u.Host, stop, nil
}

// ups are ways to write "the folder above".
var ups = []string{
	"..", "%2e%2e", "%2E%2E", ".%2e", "%2e.", "..%2f", "..%5c", `..\`, "..;", "..%00", "%252e%252e", "..%c0%af", "%c0%ae%c0%ae", "....//", "..%2f..", "%2e%2e%2f%2e%2e",
	"..%ef%bc%8f", "%uff0e%uff0e", "..%09", "..%20", "up", "up/..",
}

// dashboard asks for what must not be seen in every way of a list.
func (t *torture) dashboard(ctx context.Context, p *tally) {
	address, stop, err := t.serve(ctx)
	if err != nil {
		p.fail("%v", err)
		return
	}
	defer stop()
	ask := func(head string) string {
		c, err := net.DialTimeout("tcp", address, 10*time.Second)
		if err != nil {
			p.fail("%v", err)
			return ""
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		began := time.Now()
		_, _ = io.WriteString(c, head)
		answer, err := io.ReadAll(io.LimitReader(c, 1<<22))
		p.tries.Add(1)
		if strings.Contains(string(answer), canary) {
			p.fail("leaked: %q", head)
		}
		if err != nil && len(answer) == 0 || time.Since(began) > 15*time.Second {
			p.fail("no answer to %q: %v", head, err)
		}
		status, _, _ := strings.Cut(string(answer), "\r\n")
		return status
	}
	get := func(path string) string {
		return ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	}
	for _, base := range []string{"/", "/files/", "/runs/run/files/", "/runs/", "/reports/", "/assets/", "/api/runs/", "/api/runs/run/"} {
		for _, up := range ups {
			for _, secret := range []string{"secret.txt", "runs/.hidden/secret", "runs2/secret", "etc/passwd"} {
				for depth := 1; depth <= 3; depth++ {
					get(base + strings.Repeat(up+"/", depth) + secret)
				}
			}
		}
		for _, name := range []string{".hidden/secret", "run/.secret", ".secret", "link.txt", "pipe.txt", "run/link.txt", "run/pipe.txt", "up/secret.txt", "con", "%00", "%ff", strings.Repeat("a", 5000), strings.Repeat("a/", 2000)} {
			get(base + name)
		}
	}
	for _, host := range []string{"evil.example", "evil.example:80", "localhost.evil.example", "", "127.0.0.1.evil.example", "@localhost"} {
		if s := ask("GET /api/runs HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"); strings.Contains(s, " 200 ") {
			p.fail("host %q is answered: %s", host, s)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"} {
		if s := ask(method + " /api/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); strings.Contains(s, " 200 ") {
			p.fail("%s is answered: %s", method, s)
		}
	}
	for _, body := range []string{"Content-Length: 10", "Content-Length: 99999999999", "Transfer-Encoding: chunked"} {
		if s := ask("GET /api/runs HTTP/1.1\r\nHost: localhost\r\n" + body + "\r\n\r\n"); !strings.Contains(s, " 413 ") {
			p.fail("a body is not refused: %s", s)
		}
	}
	if s := get("/api/runs"); !strings.Contains(s, " 200 ") {
		p.fail("in the end it does not answer: %s", s)
	}
}

// heldConnections opens many connections that say little or nothing, with as
// many pages watching as may: others are answered all the same.
func (t *torture) heldConnections(ctx context.Context, p *tally) {
	address, stop, err := t.serve(ctx)
	if err != nil {
		p.fail("%v", err)
		return
	}
	defer stop()
	var held []net.Conn
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	for k := range t.scale.connections {
		c, err := net.DialTimeout("tcp", address, 10*time.Second)
		if err != nil {
			p.fail("connection %d: %v", k, err)
			break
		}
		held = append(held, c)
		heads := []string{"", "G", "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /files/run/metrics.jsonl HTTP/1.1\r\nHost: localhost\r\n\r\n"}
		_, _ = io.WriteString(c, heads[k%len(heads)])
		p.tries.Add(1)
	}
	client := &http.Client{Timeout: 20 * time.Second}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			res, err := client.Get("http://" + address + "/api/runs")
			if err != nil {
				p.fail("%v", err)
				return
			}
			defer res.Body.Close()
			text, _ := io.ReadAll(res.Body)
			if res.StatusCode != http.StatusOK || !strings.Contains(string(text), `"run"`) {
				p.fail("%s: %s", res.Status, fmt.Sprintf("%.200s", text))
			}
		})
	}
	wg.Wait()
}
