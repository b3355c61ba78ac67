package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mostMemory is what reading a hostile file of less than a megabyte may take,
// the program itself included.
const mostMemory = 256 << 20

const corpusVerb = "corpus"

// corpusMain writes the hostile files into a folder.
func corpusMain(args []string) int {
	for name, text := range hostileCorpus() {
		path := filepath.Join(args[0], name)
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = os.WriteFile(path, text, 0o666)
		}
		if err == nil && len(text) > 1<<20 {
			err = fmt.Errorf("%s has %d bytes", name, len(text))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// hostileFiles reads files of less than a megabyte that claim or unfold to much
// more. None may take much memory or time, and each that is refused is refused
// by name.
func (t *torture) hostileFiles(ctx context.Context, p *tally) {
	dir, remove := t.fresh()
	defer remove()
	// In a process of its own: what starts a command lends it its memory for a
	// moment, and that is counted as the command's.
	self, err := os.Executable()
	if err != nil {
		p.fail("%v", err)
		return
	}
	if out, err := exec.CommandContext(ctx, self, corpusVerb, dir).CombinedOutput(); err != nil {
		p.fail("%v: %s", err, out)
		return
	}
	corpus := map[string]bool{}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		corpus[filepath.ToSlash(rel)] = true
		return err
	})
	if err != nil {
		p.fail("%v", err)
		return
	}
	specs := map[string]bool{}
	for name := range corpus {
		switch top, _, folder := strings.Cut(name, "/"); {
		case folder:
			specs[top] = true
		case strings.HasSuffix(name, ".png"):
			specs["stack:"+name] = true
		case !strings.HasSuffix(name, ".safetensors"):
			specs[name] = true
		}
	}
	for spec := range specs {
		for _, args := range [][]string{{"data", "info", spec}, {"dist", spec, "synth:eight"}} {
			if args[0] == "dist" && (strings.HasPrefix(spec, "stack:") || !strings.Contains(spec, ".")) {
				args = []string{"clean", spec, "--out", "cleaned"}
			}
			o := t.limited(ctx, dir, patience, args...)
			if c := o.crashed(); c != "" {
				p.fail("rot %s: %s", strings.Join(args, " "), c)
			}
			if o.code == 1 && !strings.Contains(o.output, strings.TrimPrefix(spec, "stack:")) {
				p.fail("rot %s: the file is not named: %s", strings.Join(args, " "), tail(o.output))
			}
			if o.memory > mostMemory {
				p.fail("rot %s took %d MiB (exit code %d): %s", strings.Join(args, " "), o.memory>>20, o.code, tail(o.output))
			}
			p.tries.Add(1)
		}
	}
	for name := range corpus {
		if strings.HasSuffix(name, ".safetensors") {
			o := t.limited(ctx, dir, time.Minute, "gan", "eval", "run", "--reference", "synth:digits", "--features", name)
			if c := o.crashed(); c != "" {
				p.fail("%s: %s", name, c)
			}
			if o.memory > mostMemory {
				p.fail("%s took %d MiB", name, o.memory>>20)
			}
			p.tries.Add(1)
		}
	}
}
