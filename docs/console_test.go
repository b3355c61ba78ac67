// Package docs holds the documents, and tests that keep them true.
package docs

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var demoFolder = flag.String("demo", "", "`folder` to keep what rot demo leaves and prints in, so that the next run need not wait for it")

// A block is a fenced piece of a page, such as a console session.
type block struct {
	language string
	line     int // of its first line of text
	text     []string
}

// TestConsole runs the commands of README.md and of the guide, and compares
// what they print with what the pages say. A page's commands run in one folder,
// in which "rot demo" ran before. In a block marked
//
//	console   a line "$ command" is run by sh, and the lines below it are its
//	          output; a line … stands for any lines, … in a line for any text
//	sh        every line is run, and what it prints is not shown
//	go        the statements are run as a program, and the next block marked
//	          output is what they print
//
// Commands have to exit with 0. Commands that need files of the reader's own, a
// network or a GPU stand in blocks of other kinds.
func TestConsole(t *testing.T) {
	if testing.Short() {
		t.Skip("rot demo takes half a minute")
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "rot"), "../cmd/rot").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	demo := sync.OnceValues(func() (string, error) { return runDemo(t) })
	for _, page := range pages(t) {
		blocks := fenced(t, page)
		if !runs(blocks) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			dir, err := demo()
			if err != nil {
				t.Fatal(err)
			}
			s := &session{page: page, dir: t.TempDir(), demo: filepath.Join(dir, "stdout")}
			if err := os.CopyFS(filepath.Join(s.dir, "rot-demo"), os.DirFS(filepath.Join(dir, "rot-demo"))); err != nil {
				t.Fatal(err)
			}
			for k, b := range blocks {
				switch b.language {
				case "console":
					s.console(t, b)
				case "sh":
					for n, line := range b.text {
						if _, err := s.run(line); err != nil {
							t.Errorf("%s:%d: %s: %v", page, b.line+n, line, err)
						}
					}
				case "go":
					if k+1 < len(blocks) && blocks[k+1].language == "output" {
						s.statements(t, b, blocks[k+1])
					}
				}
			}
		})
	}
}

// pages lists README.md and the guide.
func pages(t *testing.T) []string {
	guide, err := filepath.Glob("guide/*.md")
	if err != nil || len(guide) == 0 {
		t.Fatalf("no guide: %v", err)
	}
	return append([]string{"../README.md"}, guide...)
}

// runs reports whether a block is to be run.
func runs(blocks []block) bool {
	for _, b := range blocks {
		if b.language == "console" || b.language == "sh" || b.language == "go" {
			return true
		}
	}
	return false
}

// fenced returns the blocks of a page. Those of a list are indented.
func fenced(t *testing.T, page string) []block {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	var indent string
	inside := false
	for n, line := range strings.Split(string(text), "\n") {
		trimmed := strings.TrimLeft(line, " ")
		language, fence := strings.CutPrefix(trimmed, "```")
		switch {
		case fence && !inside:
			indent = line[:len(line)-len(trimmed)]
			out = append(out, block{language: language, line: n + 2})
			inside = true
		case fence:
			inside = false
		case inside:
			b := &out[len(out)-1]
			b.text = append(b.text, strings.TrimPrefix(line, indent))
		}
	}
	if inside {
		t.Fatalf("%s: a block does not end", page)
	}
	return out
}

// runDemo returns a folder with rot-demo in it, and what rot demo printed in
// the file stdout.
func runDemo(t *testing.T) (string, error) {
	dir := *demoFolder
	if dir == "" {
		dir = t.TempDir()
	} else if abs, err := filepath.Abs(dir); err != nil {
		return "", err
	} else if dir = abs; exists(filepath.Join(dir, "stdout")) {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	out, err := shell(dir, "rot demo")
	if err != nil {
		return "", fmt.Errorf("rot demo: %w", err)
	}
	return dir, os.WriteFile(filepath.Join(dir, "stdout"), []byte(out), 0o666)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// A session is the commands of one page.
type session struct {
	page string
	dir  string
	demo string // file with what rot demo printed
}

// run returns the standard output of a command.
func (s *session) run(command string) (string, error) {
	if command == "rot demo" {
		out, err := os.ReadFile(s.demo)
		return string(out), err
	}
	return shell(s.dir, command)
}

// shell runs a command in a folder. What it writes to standard error is part of
// the error that it returns.
func shell(dir, command string) (string, error) {
	var out, problems bytes.Buffer
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &problems
	cmd.WaitDelay = time.Second // a process left in the background may hold the pipe
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, problems.String())
	}
	return out.String(), nil
}

// console runs a block of commands with their output.
func (s *session) console(t *testing.T, b block) {
	for k := 0; k < len(b.text); {
		command, ok := strings.CutPrefix(b.text[k], "$ ")
		if !ok {
			t.Errorf("%s:%d: output without a command: %s", s.page, b.line+k, b.text[k])
			return
		}
		line := b.line + k
		k++
		var want []string
		for ; k < len(b.text) && !strings.HasPrefix(b.text[k], "$ "); k++ {
			want = append(want, b.text[k])
		}
		got, err := s.run(command)
		if err != nil {
			t.Errorf("%s:%d: %s: %v", s.page, line, command, err)
		} else if !match(want, got) {
			t.Errorf("%s:%d: %s prints\n%s\nand the page says\n%s", s.page, line, command, got, strings.Join(want, "\n"))
		}
	}
}

// match reports whether got consists of the wanted lines, spaces at their ends
// aside.
func match(want []string, got string) bool {
	var p strings.Builder
	p.WriteString(`\A`)
	for _, line := range want {
		if line = strings.TrimRight(line, " "); line == "…" {
			p.WriteString(`(?:.*\n)*?`)
			continue
		}
		for k, part := range strings.Split(line, "…") {
			if k > 0 {
				p.WriteString(`.*`)
			}
			p.WriteString(regexp.QuoteMeta(part))
		}
		p.WriteString(` *\n`)
	}
	p.WriteString(`\n*\z`)
	return regexp.MustCompile(p.String()).MatchString(got)
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		want, got string
		ok        bool
	}{
		{"a\nb", "a\nb\n", true},
		{"a\nb", "a\nc\n", false},
		{"a\nb", "a\nb\nc\n", false},
		{"a", "b\na\n", false},
		{"…\nb\n…", "a\nb\nc\n", true},
		{"…\nb", "a\nb\nc\n", false},
		{"in … s", "in 0.3 s\n", true},
		{"in … s", "in 0.3 min\n", false},
		{"(a.c)", "(abc)\n", false},
		{"a", "a  \n\n", true},
		{"", "a\n", false},
	} {
		if got := match(strings.Split(tt.want, "\n"), tt.got); got != tt.ok {
			t.Errorf("%q and %q: %v, want %v", tt.want, tt.got, got, tt.ok)
		}
	}
}

// imports are the packages that statements may use.
var imports = map[string]string{
	"chisq": "rot.example/rot/chisq", "clean": "rot.example/rot/clean", "dataset": "rot.example/rot/dataset",
	"gan": "rot.example/rot/gan", "ot": "rot.example/rot/ot", "page": "rot.example/rot/page",
	"context": "context", "fmt": "fmt", "log": "log",
}

// statements runs a block of Go and compares what it prints with output. A
// function check ends the program when it is given an error.
func (s *session) statements(t *testing.T, b, output block) {
	var program strings.Builder
	program.WriteString("package main\n\n")
	text := "\tctx := context.Background()\n\tcheck := func(err error) {\n\t\tif err != nil {\n\t\t\tlog.Fatal(err)\n\t\t}\n\t}\n\t_, _ = ctx, check\n" + strings.Join(b.text, "\n")
	for name, path := range imports {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(text) {
			fmt.Fprintf(&program, "import %q\n", path)
		}
	}
	fmt.Fprintf(&program, "\nfunc main() {\n%s\n}\n", text)
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	bin := strings.TrimSuffix(file, ".go")
	if out, err := exec.Command("go", "build", "-o", bin, file).CombinedOutput(); err != nil {
		t.Errorf("%s:%d: %v\n%s", s.page, b.line, err, out)
		return
	}
	got, err := shell(s.dir, "'"+bin+"'")
	if err != nil {
		t.Errorf("%s:%d: %v", s.page, b.line, err)
	} else if !match(output.text, got) {
		t.Errorf("%s:%d: the statements print\n%s\nand the page says\n%s", s.page, b.line, got, strings.Join(output.text, "\n"))
	}
}
