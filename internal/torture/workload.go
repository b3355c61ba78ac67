package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"rot.example/rot/runs"
)

// patience is how long any command may take, on a machine that is busy.
const patience = 3 * time.Minute

// trainArgs is a training of a second or less, with a checkpoint every few
// milliseconds. It is the same to the last bit each time.
func trainArgs(name string) []string {
	return []string{
		"gan", "train", "--data", "synth:eight,n=100", "--outliers", "synth:far@0.1", "--steps", "300", "--batch", "8",
		"--warm-up", "100", "--ema", "0.9", "--log-every", "20", "--sample-every", "100", "--checkpoint", "20ms",
		"--backend", "go", "--name", name,
	}
}

func resumeArgs(path string) []string {
	return []string{"gan", "resume", path, "--checkpoint", "20ms", "--backend", "go"}
}

// An outcome is how a command ended.
type outcome struct {
	code   int // −1 by a signal
	output string
	late   bool // it was still running when patience ended
	memory int64
}

// command runs rot in dir.
func (t *torture) command(ctx context.Context, dir string, args ...string) outcome {
	return t.limited(ctx, dir, patience, args...)
}

func (t *torture) limited(ctx context.Context, dir string, most time.Duration, args ...string) outcome {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.rot, args...)
	cmd.Dir = dir
	return outcomeOf(ctx, cmd)
}

func outcomeOf(ctx context.Context, cmd *exec.Cmd) outcome {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	o := outcome{output: out.String(), late: errors.Is(ctx.Err(), context.DeadlineExceeded)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		o.code = exit.ExitCode()
	} else if err != nil {
		o.code, o.output = -1, o.output+err.Error()
	}
	if cmd.ProcessState != nil {
		o.memory = peak(cmd.ProcessState)
	}
	return o
}

// crashed says in words that a command did what it never may: hang, panic or
// die. A failure with a message is none.
func (o outcome) crashed() string {
	switch {
	case o.late:
		return "it does not end"
	case o.code == -1:
		return "it died: " + tail(o.output)
	case strings.Contains(o.output, "internal error") || strings.Contains(o.output, "goroutine ") || strings.Contains(o.output, "fatal error"):
		return "it panicked: " + tail(o.output)
	case o.code > 3:
		return fmt.Sprintf("exit code %d: %s", o.code, tail(o.output))
	case o.code != 0 && !strings.Contains(o.output, "rot: "):
		return fmt.Sprintf("exit code %d without a word", o.code)
	}
	return ""
}

func tail(s string) string { return s[max(0, len(s)-600):] }

// whole is the folder of a run that nobody touches, made once.
func (t *torture) whole(ctx context.Context) (string, error) {
	wholeOnce.Do(func() {
		dir := filepath.Join(t.dir, "whole")
		if wholeErr = os.Mkdir(dir, 0o777); wholeErr != nil {
			return
		}
		if o := t.command(ctx, dir, trainArgs("run")...); o.code != 0 {
			wholeErr = fmt.Errorf("training: %s", o.output)
		}
	})
	return filepath.Join(t.dir, "whole", "runs", "run"), wholeErr
}

var (
	wholeOnce sync.Once
	wholeErr  error
)

// made is a run that the tries need; where there is an error they are off.
func (p *tally) made(path string, err error) (string, bool) {
	if err != nil {
		p.fail("%v", err)
	}
	return path, err == nil
}

// fresh makes a folder for one try.
func (t *torture) fresh() (dir string, remove func()) {
	dir, err := os.MkdirTemp(t.dir, "try")
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

// finish resumes the run in dir, or starts it where there is none yet, until it
// is at its end.
func (t *torture) finish(ctx context.Context, dir string) (path string, err error) {
	path = filepath.Join(dir, "runs", "run")
	args := trainArgs("run")
	if _, err := os.Stat(path); err == nil {
		args = resumeArgs(path)
	}
	if o := t.command(ctx, dir, args...); o.code != 0 {
		return path, fmt.Errorf("%s: exit code %d: %s", args[1], o.code, tail(o.output))
	}
	return path, nil
}

// different says where two runs are not the same in something that does not
// depend on the clock; "" means nowhere.
func different(got, want string) string {
	a, errA := final(got)
	b, errB := final(want)
	if err := errors.Join(errA, errB); err != nil {
		return err.Error()
	}
	if a.checkpoint.Step != b.checkpoint.Step || !reflect.DeepEqual(a.checkpoint.Tensors, b.checkpoint.Tensors) {
		return fmt.Sprintf("the arrays of step %d differ from those of step %d", a.checkpoint.Step, b.checkpoint.Step)
	}
	if !reflect.DeepEqual(a.records, b.records) {
		return fmt.Sprintf("%d records differ from %d", len(a.records), len(b.records))
	}
	files, err := filepath.Glob(filepath.Join(want, "samples", "*"))
	if err != nil || len(files) == 0 {
		return "there are no pictures to compare"
	}
	for _, file := range append(files, filepath.Join(want, "weights.csv")) {
		rel, _ := filepath.Rel(want, file)
		x, errX := os.ReadFile(filepath.Join(got, rel))
		y, errY := os.ReadFile(file)
		if err := errors.Join(errX, errY); err != nil || !bytes.Equal(x, y) {
			return fmt.Sprintf("%s differs (%v)", rel, err)
		}
	}
	if left := temporaries(got); len(left) > 0 {
		return fmt.Sprintf("temporary files are left: %v", left)
	}
	return ""
}

type finalState struct {
	checkpoint *runs.Checkpoint
	records    []map[string]any
}

func final(path string) (*finalState, error) {
	run, err := runs.Open(path)
	if err != nil {
		return nil, err
	}
	s := &finalState{}
	if s.checkpoint, err = run.Latest(); err != nil {
		return nil, err
	}
	if s.records, err = run.Metrics(); err != nil {
		return nil, err
	}
	for _, r := range s.records {
		delete(r, "seconds")
		delete(r, "images_per_second")
	}
	return s, nil
}

// temporaries are the files that a finished run must not have.
func temporaries(path string) []string {
	var out []string
	filepath.WalkDir(path, func(name string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".tmp") {
			out = append(out, filepath.Base(name))
		}
		return nil
	})
	slices.Sort(out)
	return out
}
