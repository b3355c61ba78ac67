package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const traceVerb = "trace"

// traced runs rot under the tracer.
func (t *torture) traced(ctx context.Context, dir string, at, errno int, args ...string) outcome {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return outcome{code: -1, output: err.Error()}
	}
	cmd := exec.CommandContext(ctx, self, append([]string{traceVerb, "-at", fmt.Sprint(at), "-errno", fmt.Sprint(errno), t.rot}, args...)...)
	cmd.Dir = dir
	return outcomeOf(ctx, cmd)
}

func (p *tally) traceable() bool {
	self, err := os.Executable()
	if err == nil && canTrace && traceable(self) {
		return true
	}
	p.note = "left out: tracing is not possible here"
	return false
}

// killAtCalls kills training, and resuming, at system calls that change files.
// However often that happens, the end is that of a run that nobody touched.
func (t *torture) killAtCalls(ctx context.Context, p *tally) {
	whole, ok := p.made(t.whole(ctx))
	if !ok {
		return
	}
	if !p.traceable() {
		return
	}
	var kills atomic.Int64
	for round := 0; kills.Load() < int64(t.scale.kills); round++ {
		p.each(ctx, t.workers, func(k int) {
			rng := rand.New(rand.NewPCG(t.seed, uint64(1000*round+k)))
			dir, remove := t.fresh()
			defer remove()
			path := filepath.Join(dir, "runs", "run")
			for range 4 {
				args := trainArgs("run")
				if _, err := os.Stat(path); err == nil {
					args = resumeArgs(path)
				}
				o := t.traced(ctx, dir, callNumber(rng), 0, args...)
				if o.code == 3 {
					break // it came to its end
				}
				if o.code != 0 {
					p.fail("%s: %s", args[1], tail(o.output))
					return
				}
				kills.Add(1)
			}
			path, err := t.finish(ctx, dir)
			if err != nil {
				p.fail("%v", err)
			} else if d := different(path, whole); d != "" {
				p.fail("%s", d)
			}
		})
		if p.failures.Load() > 20 {
			break
		}
	}
	p.note = fmt.Sprintf("in %d runs", p.tries.Swap(kills.Load()))
}

// killByClock kills training, clean and dist at random moments. A file that is
// there is complete.
func (t *torture) killByClock(ctx context.Context, p *tally) {
	whole, ok := p.made(t.whole(ctx))
	if !ok {
		return
	}
	p.each(ctx, max(4, t.scale.kills/4), func(k int) {
		rng := rand.New(rand.NewPCG(t.seed, uint64(5_000_000+k)))
		dir, remove := t.fresh()
		defer remove()
		if k%2 == 0 {
			t.limited(ctx, dir, time.Duration(rng.IntN(1000))*time.Millisecond, trainArgs("run")...)
			path, err := t.finish(ctx, dir)
			if err != nil {
				p.fail("%v", err)
			} else if d := different(path, whole); d != "" {
				p.fail("%s", d)
			}
			return
		}
		t.limited(ctx, dir, time.Duration(rng.IntN(300))*time.Millisecond, "dist", "synth:eight,n=400", "synth:moons,n=400", "--weights", "w.csv", "--plan", "plan.csv", "--plot", "p.png")
		for name, end := range map[string]string{"w.csv": "\n", "plan.csv": "\n", "p.png": "IEND\xaeB`\x82"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil && !bytes.HasSuffix(text, []byte(end)) {
				p.fail("%s is not complete", name)
			}
		}
	})
}

// signals interrupts training in every way that asks for an end: a checkpoint
// is left, and the run goes on from it.
func (t *torture) signals(ctx context.Context, p *tally) {
	whole, ok := p.made(t.whole(ctx))
	if !ok {
		return
	}
	all := append([]os.Signal{os.Interrupt}, moreSignals...)
	p.each(ctx, t.scale.signals, func(k int) {
		signal := all[k%len(all)]
		dir, remove := t.fresh()
		defer remove()
		// The only checkpoint is the one that the signal leaves.
		args := append(trainArgs("run"), "--checkpoint", "1h")
		cmd := exec.CommandContext(ctx, t.rot, args...)
		cmd.Dir = dir
		log := &waiter{want: "step 1 of", seen: make(chan struct{})}
		cmd.Stderr = log
		if err := cmd.Start(); err != nil {
			p.fail("%v", err)
			return
		}
		select {
		case <-log.seen:
		case <-time.After(patience):
		}
		_ = cmd.Process.Signal(signal)
		err := cmd.Wait()
		var exit *exec.ExitError
		if err == nil {
			return // it was faster
		}
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			p.fail("%v: %v: %s", signal, err, log.text.String())
			return
		}
		if c, err := final(filepath.Join(dir, "runs", "run")); err != nil || c.checkpoint.Step < 1 {
			p.fail("%v: no checkpoint: %v", signal, err)
			return
		}
		path, err := t.finish(ctx, dir)
		if err != nil {
			p.fail("%v", err)
		} else if d := different(path, whole); d != "" {
			p.fail("%v: %s", signal, d)
		}
	})
}

// A waiter is closed when it has seen a text.
type waiter struct {
	text bytes.Buffer
	want string
	seen chan struct{}
	done bool
}

func (w *waiter) Write(p []byte) (int, error) {
	w.text.Write(p)
	if !w.done && strings.Contains(w.text.String(), w.want) {
		w.done = true
		close(w.seen)
	}
	return len(p), nil
}

// failCalls lets one system call fail as a disk does. The command then fails
// with a message, or copes; once the disk is well again, the run ends as if
// nothing had happened.
func (t *torture) failCalls(ctx context.Context, p *tally) {
	whole, ok := p.made(t.whole(ctx))
	if !ok {
		return
	}
	if !p.traceable() {
		return
	}
	var hit, failed atomic.Int64
	errnos := []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS}
	p.each(ctx, t.scale.errors, func(k int) {
		rng := rand.New(rand.NewPCG(t.seed, uint64(9_000_000+k)))
		errno := errnos[k%len(errnos)]
		dir, remove := t.fresh()
		defer remove()
		at := rng.IntN(200)
		o := t.traced(ctx, dir, at, int(errno), trainArgs("run")...)
		if o.code == 2 || o.late {
			p.fail("%v at call %d: %s", errno, at, tail(o.output))
			return
		}
		switch {
		case o.code >= 10:
			o.code -= 10
			hit.Add(1)
			if o.code != 0 {
				failed.Add(1)
			}
		case o.code == 3:
			o.code = 0 // it made fewer calls than that
		}
		if c := o.crashed(); c != "" {
			p.fail("%v at call %d: %s", errno, at, c)
			return
		}
		path, err := t.finish(ctx, dir)
		if err != nil {
			p.fail("%v at call %d: %v", errno, at, err)
		} else if d := different(path, whole); d != "" {
			p.fail("%v at call %d: %s", errno, at, d)
		}
	})
	p.note = fmt.Sprintf("%d errors were met, %d commands failed by them", hit.Load(), failed.Load())
	if hit.Load() == 0 {
		p.fail("no error was met")
	}
}
