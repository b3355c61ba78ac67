package arch

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTree(t *testing.T) {
	got, err := check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got {
		t.Error(v)
	}
}

// TestRulesAreUsed keeps the table of rules free of packages that are gone.
func TestRulesAreUsed(t *testing.T) {
	for _, r := range rules {
		if r.dir == "bench/..." {
			continue // Python so far
		}
		if _, err := os.Stat("../../" + strings.TrimSuffix(r.dir, "/...")); err != nil {
			t.Errorf("rule for a package that is not there: %v", err)
		}
	}
}

// TestCheck breaks each rule once, on a small tree that keeps all of them.
func TestCheck(t *testing.T) {
	good := map[string]string{
		"go.mod":                  "module rot.example/rot\n\ngo 1.26\n",
		"chisq/ball.go":           "package chisq\n\nimport \"math\"\n\nvar _ = math.Pi\n",
		"chisq/ball_test.go":      "package chisq\n\nimport (\n\t\"log\"\n\t\"os\"\n\n\t_ \"rot.example/rot/ot\"\n)\n\nfunc init() { log.Print(os.Getenv(\"X\")) }\n",
		"ot/cost.go":              "package ot\n\nimport (\n\t\"fmt\"\n\n\t_ \"golang.org/x/sys/cpu\"\n\t_ \"gonum.org/v1/gonum/mat\"\n\n\t_ \"rot.example/rot/chisq\"\n)\n\nvar _ = fmt.Errorf\n",
		"dataset/load.go":         "package dataset\n\nimport (\n\t\"os\"\n\n\t_ \"golang.org/x/image/draw\"\n)\n\nvar _ = os.Open\n",
		"figure/save.go":          "package figure\n\nimport _ \"gonum.org/v1/plot/vg\"\n",
		"internal/cli/cli.go":     "package cli\n\nimport (\n\t\"fmt\"\n\n\t_ \"github.com/spf13/cobra\"\n\n\t_ \"rot.example/rot/figure\"\n)\n\nfunc init() { fmt.Println() }\n",
		"cmd/rot/main.go":         "package main\n\nimport (\n\t_ \"os\"\n\n\t_ \"rot.example/rot/internal/cli\"\n)\n\nfunc main() {}\n",
		"examples/one/main.go":    "package main\n\nimport (\n\t_ \"rot.example/rot/dataset\"\n\t_ \"rot.example/rot/ot\"\n)\n\nfunc main() {}\n",
		"ot/testdata/bad.go":      "not Go at all",
		".hidden/util/bad.go":     "package util\n",
		"bench/own/go.mod":        "module own\n",
		"bench/own/types/bad.go":  "package types\n",
		"docs/decisions/001-a.md": "",
	}
	tests := []struct {
		name string
		file string
		text string
		want string // part of the one violation; empty: none
	}{
		{name: "nothing wrong", file: "chisq/empty.go", text: "package chisq\n"},
		{"upwards", "chisq/up.go", "package chisq\n\nimport _ \"rot.example/rot/ot\"\n", "chisq/up.go:3: chisq must not import rot.example/rot/ot"},
		{"chisq is standard library only", "chisq/mat.go", "package chisq\n\nimport _ \"gonum.org/v1/gonum/mat\"\n", "chisq must not import gonum.org/v1/gonum/mat"},
		{"a prefix is whole path elements", "ot/plot.go", "package ot\n\nimport _ \"gonum.org/v1/gonumplot\"\n", "ot must not import gonum.org/v1/gonumplot"},
		{"sideways", "dataset/draw.go", "package dataset\n\nimport _ \"rot.example/rot/figure\"\n", "dataset must not import rot.example/rot/figure"},
		{"file names do not hide a platform", "ot/cost_plan9.go", "//go:build plan9\n\npackage ot\n\nimport _ \"rot.example/rot/dataset\"\n", "ot must not import rot.example/rot/dataset"},
		{"main past the command line", "cmd/rot/ot.go", "package main\n\nimport _ \"rot.example/rot/ot\"\n", "cmd/rot must not import rot.example/rot/ot"},
		{"an example inside", "examples/one/in.go", "package main\n\nimport _ \"rot.example/rot/internal/cli\"\n", "examples/one must not import rot.example/rot/internal/cli"},
		{"command line with a plot library", "internal/cli/plot.go", "package cli\n\nimport _ \"gonum.org/v1/plot\"\n", "internal/cli must not import gonum.org/v1/plot"},
		{name: "anybody on the ground", file: "chisq/many.go", text: "package chisq\n\nimport _ \"rot.example/rot/internal/parallel\"\n"},
		{"files in a solver", "ot/files.go", "package ot\n\nimport _ \"rot.example/rot/internal/atomicfile\"\n", "ot must not import rot.example/rot/internal/atomicfile"},
		{"no rule", "oracle/net.go", "package oracle\n", "oracle has no import rule"},
		{"os in a solver", "ot/os.go", "package ot\n\nimport _ \"os\"\n", "ot must not import os"},
		{"os/exec in a solver", "chisq/exec.go", "package chisq\n\nimport _ \"os/exec\"\n", "chisq must not import os/exec"},
		{"log", "figure/log.go", "package figure\n\nimport _ \"log\"\n", "figure must not import log"},
		{"slog", "dataset/log.go", "package dataset\n\nimport _ \"log/slog\"\n", "dataset must not import log/slog"},
		{"printing", "ot/print.go", "package ot\n\nimport \"fmt\"\n\nfunc f() { fmt.Println() }\n", "ot/print.go:5: ot must not use fmt.Println"},
		{"printing under another name", "ot/print.go", "package ot\n\nimport f \"fmt\"\n\nvar p = f.Printf\n", "ot must not use fmt.Printf"},
		{"printing without a name", "ot/print.go", "package ot\n\nimport . \"fmt\"\n\nfunc f() { Println() }\n", "ot must not dot-import fmt"},
		{"built-in printing", "chisq/print.go", "package chisq\n\nfunc f() { println(1) }\n", "chisq must not use println"},
		{"standard output", "figure/out.go", "package figure\n\nimport \"os\"\n\nvar w = os.Stdout\n", "figure must not use os.Stdout"},
		{"environment", "dataset/env.go", "package dataset\n\nimport \"os\"\n\nvar home = os.Getenv(\"HOME\")\n", "dataset must not use os.Getenv"},
		{"a flag", "ot/flag.go", "package ot\n\nconst hint = \"a larger --tol helps\"\n", "ot/flag.go:3: ot must not name a flag"},
		{"a flag at the start", "dataset/flag.go", "package dataset\n\nconst hint = \"--size\"\n", "dataset must not name a flag"},
		{name: "no flag", file: "ot/dash.go", text: "package ot\n\nconst dash = \"a--b -- --\"\n"},
		{"exit", "dataset/exit.go", "package dataset\n\nimport \"os\"\n\nfunc f() { os.Exit(1) }\n", "dataset must not use os.Exit"},
		{"folder called util", "examples/util/main.go", "package main\n", "called util"},
		{"package called helpers", "ot/h/h.go", "package helpers\n", "called helpers"},
		{"a long main", "cmd/rot/main.go", "package main\n" + strings.Repeat("\n", 20), "21 lines"},
		{"syntax", "ot/bad.go", "package ot\n\nfunc {\n", "ot/bad.go:3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{tt.file: {Data: []byte(tt.text)}}
			for name, text := range good {
				if name != tt.file {
					tree[name] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			got, err := check(tree)
			if err != nil {
				got = append(got, err.Error())
			}
			if tt.want == "" {
				if len(got) > 0 {
					t.Fatalf("got %q, want nothing", got)
				}
				return
			}
			if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, tt.want) }) {
				t.Fatalf("got %q, want %q among them", got, tt.want)
			}
		})
	}
}
