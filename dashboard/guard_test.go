package dashboard

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestHost(t *testing.T) {
	web := start(t, t.TempDir())
	for host, ok := range map[string]bool{
		"":                       true, // 127.0.0.1 and the port
		"127.0.0.1":              true,
		"localhost:8080":         true,
		"LOCALHOST":              true,
		"localhost.":             true,
		"[::1]:8080":             true,
		"[::1]":                  true,
		"192.168.1.5:80":         true, // an address cannot be made to point elsewhere
		"lab.example.org":        true,
		"LAB.example.org:1":      true,
		"evil.example":           false,
		"evil.example:8080":      false,
		"localhost.evil.example": false,
		"127.0.0.1.evil.example": false,
		"lab.example.org.evil":   false,
		"127.0.0.1x":             false,
	} {
		for _, target := range []string{"/", "/api/runs", "/api/events", "/files/x", "/assets/app.js"} {
			if target == "/api/events" && ok {
				continue // it does not end
			}
			res := ask(t, web, "GET", target, host)
			if (res.StatusCode != http.StatusForbidden) != ok {
				t.Errorf("host %q, %s: status %d", host, target, res.StatusCode)
			}
		}
	}
}

func TestMethods(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, dir, "a", config{Steps: 10}, 1)
	web := start(t, dir)
	for _, target := range []string{"/", "/api/runs", "/api/runs/a", "/api/events", "/runs/a/files/config.json", "/assets/app.js"} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			res := ask(t, web, method, target, "")
			if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: status %d, allow %q", method, target, res.StatusCode, res.Header.Get("Allow"))
			}
		}
		res := ask(t, web, "HEAD", target, "")
		if body, err := io.ReadAll(res.Body); res.StatusCode != http.StatusOK || len(body) > 0 || err != nil {
			t.Errorf("HEAD %s: status %d, %q, %v", target, res.StatusCode, body, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a", "config.json")); err != nil {
		t.Error(err)
	}
}

func TestHeaders(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, dir, "a", config{Steps: 10}, 1)
	for _, name := range []string{"x.html", "x.HTML", "x.svg", "x.png", "x.safetensors", "x.js", "x.xml", "x", "x.htm"} {
		write(t, "<script>alert(1)</script>", dir, "a", name)
	}
	web := start(t, dir)
	for target, want := range map[string]struct{ kind, policy, disposition string }{
		"/":                              {"text/html; charset=utf-8", pagePolicy, ""},
		"/api/runs":                      {"application/json", pagePolicy, ""},
		"/nothing":                       {"text/plain; charset=utf-8", pagePolicy, ""},
		"/runs/a/files/config.json":      {"application/json", filePolicy, ""},
		"/runs/a/files/metrics.jsonl":    {"text/plain; charset=utf-8", filePolicy, ""},
		"/runs/a/files/x.html":           {"text/html; charset=utf-8", filePolicy, ""},
		"/files/a/x.HTML":                {"text/html; charset=utf-8", filePolicy, ""},
		"/runs/a/files/x.svg":            {"image/svg+xml", filePolicy, ""},
		"/runs/a/files/x.png":            {"image/png", filePolicy, ""},
		"/runs/a/files/x.safetensors":    {"application/octet-stream", filePolicy, "attachment; filename=x.safetensors"},
		"/runs/a/files/x.js":             {"application/octet-stream", filePolicy, "attachment; filename=x.js"},
		"/runs/a/files/x.xml":            {"application/octet-stream", filePolicy, "attachment; filename=x.xml"},
		"/runs/a/files/x":                {"application/octet-stream", filePolicy, "attachment; filename=x"},
		"/runs/a/files/x.htm":            {"application/octet-stream", filePolicy, "attachment; filename=x.htm"},
		"/runs/a/files/samples/none.png": {"text/plain; charset=utf-8", pagePolicy, ""},
	} {
		h := ask(t, web, "GET", target, "").Header
		for key, want := range map[string]string{
			"Content-Type": want.kind, "Content-Security-Policy": want.policy, "Content-Disposition": want.disposition,
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin", "Access-Control-Allow-Origin": "",
		} {
			if h.Get(key) != want {
				t.Errorf("%s: %s is %q, want %q", target, key, h.Get(key), want)
			}
		}
	}
}

// TestOutside asks for a file outside of the folder in every way.
func TestOutside(t *testing.T) {
	const secret = "the secret"
	top := t.TempDir()
	dir := filepath.Join(top, "runs")
	makeRun(t, dir, "a", config{Steps: 10}, 1)
	write(t, secret, top, "secret.txt")
	write(t, secret, top, "elsewhere", "config.json")
	write(t, secret, dir, ".hidden")
	write(t, secret, dir, ".git", "config")
	write(t, secret, dir, "a", ".config.json.123.tmp")
	link := func(to string, at ...string) {
		if err := os.Symlink(to, filepath.Join(append([]string{dir}, at...)...)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	link(filepath.Join(top, "secret.txt"), "a", "absolute.txt")
	link("../../secret.txt", "a", "relative.txt")
	link("relative.txt", "a", "twice.txt")
	link("../..", "a", "up")
	link(filepath.Join(top, "elsewhere"), "linked")
	link("loop", "a", "loop")
	link("config.json", "a", "inside.json")
	link("a", "alias")
	makeRun(t, dir, "sly", config{Steps: 10}, 0)
	link("../../secret.txt", "sly", "weights.csv")
	link("../../elsewhere", "sly", "failure")
	if err := os.Remove(filepath.Join(dir, "sly", "metrics.jsonl")); err != nil {
		t.Fatal(err)
	}
	link("../../secret.txt", "sly", "metrics.jsonl")
	write(t, "", dir, "slyer", "results.md")
	link("../../secret.txt", "slyer", "config.json")
	web := start(t, dir)

	for _, target := range []string{
		"/api/runs/sly/weights", "/api/runs/sly/metrics", "/runs/sly/files/failure/config.json", "/runs/slyer/files/config.json",
		"/files/../secret.txt", "/files/%2e%2e/secret.txt", "/files/..%2fsecret.txt", "/files/..%5csecret.txt",
		"/files/a/../../secret.txt", "/files//" + top + "/secret.txt", "/files/" + strings.ReplaceAll(top, "/", "%2f") + "/secret.txt",
		"/files/%252e%252e/secret.txt", "/files/./../secret.txt", "/files/a/..%00/secret.txt", "/files/secret.txt%00.png", "/files/..;/secret.txt",
		"/runs/../files/secret.txt", "/runs/..%2f/files/secret.txt", "/runs/%2e%2e/files/secret.txt", "/runs/a/files/../../../secret.txt",
		"/runs/a/files/%2e%2e/%2e%2e/secret.txt", "/runs/a/files/..%2f..%2fsecret.txt", "/runs/a%2f..%2f../files/secret.txt", "/runs/./files/secret.txt",
		"/runs/a/files/absolute.txt", "/runs/a/files/relative.txt", "/runs/a/files/twice.txt", "/runs/a/files/up/secret.txt", "/runs/a/files/loop",
		"/runs/linked/files/config.json", "/api/runs/linked", "/api/runs/..%2felsewhere", "/api/runs/%2e%2e", "/api/runs/%2e", "/api/runs/a%2f..",
		"/api/runs/..%2felsewhere/metrics", "/api/compare?run=linked", "/api/compare?run=../elsewhere",
		"/files/.hidden", "/files/.git/config", "/runs/a/files/.config.json.123.tmp", "/runs/.git/files/config", "/reports/../secret.txt", "/reports/..%2fsecret.txt",
		"/assets/../server.go", "/assets/%2e%2e/server.go", "/assets/README.md", "/assets/", "/assets/uplot",
		// No listings.
		"/files/", "/files/a", "/files/a/", "/runs/a/files/", "/runs/a/files/samples", "/runs/a/files/samples/", "/runs/a", "/runs/",
	} {
		// As written: a client would clean it first.
		conn, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(conn, "GET "+target+" HTTP/1.0\r\nHost: localhost\r\n\r\n")
		answer, readErr := io.ReadAll(conn)
		conn.Close()
		if err != nil || readErr != nil {
			t.Fatal(err, readErr)
		}
		if strings.Contains(string(answer), secret) || strings.HasPrefix(string(answer), "HTTP/1.0 200") {
			t.Errorf("%s: %s", target, answer)
		}
	}
	// Links that stay inside are fine.
	for _, target := range []string{"/runs/a/files/inside.json", "/runs/alias/files/config.json", "/api/runs/alias"} {
		if res := ask(t, web, "GET", target, ""); res.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", target, res.StatusCode)
		}
	}
	var list struct{ Runs []struct{ Name string } }
	if read(t, web, "/api/runs", &list); len(list.Runs) != 2 { // a and its alias
		t.Errorf("runs are %v", list.Runs)
	}
}

// TestStrangeNames: what a file system takes as a name, the dashboard shows.
func TestStrangeNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("takes none of these")
	}
	dir := t.TempDir()
	escaped := map[string]string{
		"with space": "with%20space", "ünï": "%C3%BCn%C3%AF", "per%cent%2f": "per%25cent%252f", "a?b#c": "a%3Fb%23c",
		`<b>"&'`: "%3Cb%3E%22%26%27", "new\nline": "new%0Aline", "..dots..": "", "semi;colon": "semi;colon", "plus+": "plus+",
	}
	for name := range escaped {
		write(t, `{"steps": 1}`, dir, name, "config.json")
		write(t, "fine", dir, name, "samples", name+"1.png")
	}
	write(t, "{}", dir, "\xff\xfe", "config.json") // JSON cannot name it
	web := start(t, dir)
	var list struct{ Runs []struct{ Name string } }
	if read(t, web, "/api/runs", &list); len(list.Runs) != len(escaped)-1 {
		t.Errorf("%d runs: %v", len(list.Runs), list.Runs)
	}
	for name, path := range escaped {
		var run struct{ Name string }
		if path == "" {
			if got := ask(t, web, "GET", "/api/runs/"+name, "").StatusCode; got != http.StatusNotFound {
				t.Errorf("%q: status %d", name, got)
			}
			continue
		}
		if got := read(t, web, "/api/runs/"+path, &run); got != http.StatusOK || run.Name != name {
			t.Errorf("%q: status %d, name %q", name, got, run.Name)
		}
		res := ask(t, web, "GET", "/runs/"+path+"/files/samples/"+path+"1.png", "")
		if text, _ := io.ReadAll(res.Body); string(text) != "fine" {
			t.Errorf("%q: status %d, %q", name, res.StatusCode, text)
		}
	}
}
