package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// half makes a run that was killed somewhere in the middle, with at least two
// checkpoints.
func (t *torture) half(ctx context.Context) (string, error) {
	halfOnce.Do(func() {
		dir := filepath.Join(t.dir, "half")
		if halfErr = os.Mkdir(dir, 0o777); halfErr != nil {
			return
		}
		path := filepath.Join(dir, "runs", "run")
		cmd := exec.CommandContext(ctx, t.rot, trainArgs("run")...)
		cmd.Dir = dir
		if halfErr = cmd.Start(); halfErr != nil {
			return
		}
		for ctx.Err() == nil {
			if found, _ := filepath.Glob(filepath.Join(path, "checkpoints", "step-*.safetensors")); len(found) >= 2 {
				break
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return filepath.Join(t.dir, "half", "runs", "run"), halfErr
}

var (
	halfOnce sync.Once
	halfErr  error
)

// damages are ways in which a file goes bad.
var damages = []struct {
	name string
	do   func(rng *rand.Rand, b []byte) []byte
}{
	{"cut", func(rng *rand.Rand, b []byte) []byte { return b[:rng.IntN(len(b))] }},
	{"emptied", func(*rand.Rand, []byte) []byte { return nil }},
	{"a bit flipped", func(rng *rand.Rand, b []byte) []byte {
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		return b
	}},
	{"a block of zeros", func(rng *rand.Rand, b []byte) []byte {
		at := rng.IntN(len(b))
		clear(b[at:min(len(b), at+4096)])
		return b
	}},
	{"bytes added", func(_ *rand.Rand, b []byte) []byte { return append(b, "more"...) }},
	{"noise", func(rng *rand.Rand, b []byte) []byte {
		for k := range b {
			b[k] = byte(rng.Uint32())
		}
		return b
	}},
}

// damage spoils a file of a stopped run and resumes it. With the newest
// checkpoint or a line of the log spoilt the run ends as it would have; with
// all checkpoints spoilt it refuses and leaves the log alone; whatever else is
// spoilt, it fails with a message or comes to its end.
func (t *torture) damage(ctx context.Context, p *tally) {
	whole, ok := p.made(t.whole(ctx))
	if !ok {
		return
	}
	half, ok := p.made(t.half(ctx))
	if !ok {
		return
	}
	p.each(ctx, t.scale.damages, func(k int) {
		rng := rand.New(rand.NewPCG(t.seed, uint64(13_000_000+k)))
		d := damages[rng.IntN(len(damages))]
		dir, remove := t.fresh()
		defer remove()
		path := filepath.Join(dir, "runs", "run")
		if err := os.CopyFS(path, os.DirFS(half)); err != nil {
			p.fail("%v", err)
			return
		}
		checkpoints, _ := filepath.Glob(filepath.Join(path, "checkpoints", "*.safetensors"))
		log := filepath.Join(path, "metrics.jsonl")
		damaged := []string{"newest", "all", "log", "config"}[k%4]
		before, err := os.ReadFile(log)
		switch damaged {
		case "newest":
			err = spoil(rng, checkpoints[len(checkpoints)-1], d.do)
		case "all":
			for _, c := range checkpoints {
				err = spoil(rng, c, d.do)
			}
		case "log":
			err = spoilLine(rng, log)
		case "config":
			err = spoil(rng, filepath.Join(path, "config.json"), d.do)
		}
		if err != nil {
			p.fail("%v", err)
			return
		}
		o := t.command(ctx, dir, resumeArgs(path)...)
		fail := func(format string, args ...any) {
			p.fail("%s, %s: %s", damaged, d.name, fmt.Sprintf(format, args...))
		}
		if c := o.crashed(); c != "" {
			fail("%s", c)
			return
		}
		switch damaged {
		case "newest":
			if o.code != 0 || !strings.Contains(o.output, ".damaged") {
				fail("exit code %d: %s", o.code, tail(o.output))
			} else if s := different(path, whole); s != "" {
				fail("%s", s)
			}
		case "all":
			after, _ := os.ReadFile(log)
			if o.code != 1 || !strings.Contains(o.output, "--start-over") || !bytes.Equal(before, after) {
				fail("exit code %d, log %d bytes, was %d: %s", o.code, len(after), len(before), tail(o.output))
			}
			if over := t.command(ctx, dir, append(resumeArgs(path), "--start-over")...); over.code != 0 {
				fail("starting over: %s", tail(over.output))
			} else if s := different(path, whole); s != "" {
				fail("starting over: %s", s)
			}
		case "log":
			if o.code != 0 {
				fail("exit code %d: %s", o.code, tail(o.output))
			}
		}
	})
}

func spoil(rng *rand.Rand, path string, do func(*rand.Rand, []byte) []byte) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, do(rng, b), 0o666)
}

// spoilLine spoils a line of a log.
func spoilLine(rng *rand.Rand, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	line := lines[rng.IntN(max(1, len(lines)-1))]
	for k := range line[:max(0, len(line)-1)] {
		line[k] = 'x'
	}
	return os.WriteFile(path, bytes.Join(lines, nil), 0o666)
}

// resumeAtOnce starts three resumes of one run: one trains, the others say so.
func (t *torture) resumeAtOnce(ctx context.Context, p *tally) {
	whole, ok := p.made(t.whole(ctx))
	if !ok {
		return
	}
	half, ok := p.made(t.half(ctx))
	if !ok {
		return
	}
	for range max(1, t.scale.kills/30) {
		dir, remove := t.fresh()
		path := filepath.Join(dir, "runs", "run")
		if err := os.CopyFS(path, os.DirFS(half)); err != nil {
			p.fail("%v", err)
			return
		}
		var wg sync.WaitGroup
		outs := make([]outcome, 3)
		for k := range outs {
			wg.Go(func() { outs[k] = t.command(ctx, dir, resumeArgs(path)...) })
		}
		wg.Wait()
		good := 0
		for _, o := range outs {
			if c := o.crashed(); c != "" {
				p.fail("%s", c)
			} else if o.code == 0 {
				good++
			}
		}
		if good == 0 {
			p.fail("none came to its end")
		} else if d := different(path, whole); d != "" {
			p.fail("%s", d)
		}
		p.tries.Add(1)
		remove()
	}
}

// fullDisk trains on a disk of two megabytes, in memory, that others fill up.
func (t *torture) fullDisk(ctx context.Context, p *tally) {
	whole, ok := p.made(t.whole(ctx))
	if !ok {
		return
	}
	for k := range max(2, t.scale.errors/15) {
		dir, remove := t.fresh()
		size := 150 + 100*k // KiB; a run takes some hundred
		if runtime.GOOS != "linux" || exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk", size), "tmpfs", dir).Run() != nil {
			p.note = "left out: no small disk can be mounted here"
			remove()
			return
		}
		o := t.command(ctx, dir, trainArgs("run")...)
		if c := o.crashed(); c != "" {
			p.fail("%d KiB: %s", size, c)
		}
		_ = exec.Command("mount", "-o", "remount,size=64m", dir).Run() // room again
		path, err := t.finish(ctx, dir)
		if err != nil {
			p.fail("%d KiB: %v", size, err)
		} else if d := different(path, whole); d != "" {
			p.fail("%d KiB: %s", size, d)
		}
		p.tries.Add(1)
		if err := exec.Command("umount", dir).Run(); err != nil {
			p.fail("umount: %v", err)
		}
		remove()
	}
}

// irregular gives every verb what is no file: the answer is an error within a
// second, or a few on a machine that is busy.
func (t *torture) irregular(ctx context.Context, p *tally) {
	dir, remove := t.fresh()
	defer remove()
	names := map[string]func(path string) error{
		"pipe.csv": makePipe, "pipe.npy": makePipe, "pipe.png": makePipe, "pipe-idx3-ubyte": makePipe, "pipe.bin": makePipe, "pipe.parquet": makePipe, "pipe.npz": makePipe, "pipe.csv.gz": makePipe,
		"loop.csv":   func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"zero.csv":   func(path string) error { return os.Symlink("/dev/zero", path) },
		"folder.csv": func(path string) error { return os.Mkdir(path, 0o777) },
		"gone.csv":   func(path string) error { return os.Symlink("nothing", path) },
	}
	for name, make := range names {
		if err := make(filepath.Join(dir, name)); err != nil {
			p.note = "some left out: " + err.Error()
			continue
		}
		spec := name
		if strings.HasSuffix(name, ".png") {
			spec = "stack:" + name
		}
		for _, args := range [][]string{{"data", "info", spec}, {"dist", spec, "synth:eight"}, {"clean", spec}, {"gan", "train", "--data", spec, "--steps", "1"}} {
			o := t.limited(ctx, dir, patience/6, args...)
			if c := o.crashed(); c != "" {
				p.fail("rot %s: %s", strings.Join(args, " "), c)
			} else if o.code != 1 && o.code != 2 || !strings.Contains(o.output, name) {
				p.fail("rot %s: exit code %d: %s", strings.Join(args, " "), o.code, tail(o.output))
			}
			p.tries.Add(1)
		}
	}
	var left []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); err == nil && rel != "." && names[rel] == nil && rel != "runs" {
			left = append(left, rel)
		}
		return nil
	})
	if len(left) > 0 {
		p.fail("bad input left files: %v", left)
	}
}
