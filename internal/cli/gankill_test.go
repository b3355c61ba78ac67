package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"rot.example/rot/runs"
)

// trains skips a test that trains in short runs: the race detector, which they
// are for, brings checks of pointers with it that GoMLX does not pass.
func trains(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it trains, which takes too long with -short and under the race detector")
	}
}

// rotCommand is this test as the command line of a process of its own.
func rotCommand(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: append([]string{"rot"}, args...), Dir: dir, Env: append(os.Environ(), "GORACE=atexit_sleep_ms=0")}
	t.Cleanup(func() {
		if cmd.Process != nil {
			cmd.Process.Kill()
		}
	})
	return cmd
}

// ganRunArgs is a run of about a second, with a checkpoint every 50 ms.
func ganRunArgs(name string, steps int) []string {
	return []string{
		"gan", "train", "--data", "synth:eight,n=100", "--outliers", "synth:far@0.1", "--steps", fmt.Sprint(steps), "--batch", "8",
		"--warm-up", "100", "--ema", "0.9", "--decay", "--log-every", "20", "--sample-every", "300", "--checkpoint", "50ms",
		"--backend", "go", "--name", name,
	}
}

// TestGANKill kills training at ten random moments, with kill -9, and resumes
// it each time. In the end everything is as after a run that nobody touched, to
// the bit.
func TestGANKill(t *testing.T) {
	trains(t)
	const steps = 1000
	kills := 10
	dir := t.TempDir()
	start := time.Now()
	if out, err := rotCommand(t, dir, ganRunArgs("whole", steps)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(start)
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d; unbroken it takes %v", seed, whole)

	for round := 1; kills > 0; round++ {
		name := fmt.Sprintf("broken%d", round)
		path := filepath.Join(dir, "runs", name)
		for alive := true; alive; {
			// Short enough for several kills a run, long enough to get on.
			wait := time.Duration(rng.Float64() * 0.5 * float64(whole))
			if kills == 0 {
				wait = 10 * time.Minute
			}
			args := ganRunArgs(name, steps)
			if _, err := os.Stat(path); err == nil {
				args = []string{"gan", "resume", path, "--checkpoint", "50ms", "--backend", "go"}
			}
			cmd := rotCommand(t, dir, args...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
			err := cmd.Wait()
			timer.Stop()
			var exit *exec.ExitError
			switch {
			case err == nil:
				alive = false
			case errors.As(err, &exit) && exit.ExitCode() == -1: // by a signal
				kills--
				t.Logf("killed after %v of %s, at step %d", wait.Round(time.Millisecond), args[1], lastStep(t, path))
			default:
				t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out.String())
			}
		}
		wantSameRun(t, path, filepath.Join(dir, "runs", "whole"))
	}
}

// lastStep is that of the newest checkpoint; −1 where there is none.
func lastStep(t *testing.T, path string) int {
	t.Helper()
	run, err := runs.Open(path)
	if err != nil {
		return -1
	}
	steps, err := run.List()
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) == 0 {
		return -1
	}
	return steps[len(steps)-1]
}

// wantSameRun compares all that does not depend on the clock in two runs.
func wantSameRun(t *testing.T, got, want string) {
	t.Helper()
	a, b := finalRun(t, got), finalRun(t, want)
	if a.Step != b.Step || len(a.Tensors) != len(b.Tensors) || len(a.Tensors) == 0 {
		t.Fatalf("%s: step %d with %d arrays, want step %d with %d", got, a.Step, len(a.Tensors), b.Step, len(b.Tensors))
	}
	for k := range b.Tensors {
		if !reflect.DeepEqual(a.Tensors[k], b.Tensors[k]) {
			t.Errorf("%s: the array %s differs", got, b.Tensors[k].Name)
		}
	}
	if x, y := records(t, got), records(t, want); !reflect.DeepEqual(x, y) {
		t.Errorf("%s: %d records, not the %d of the other", got, len(x), len(y))
	}
	pictures, err := filepath.Glob(filepath.Join(want, "samples", "*"))
	if err != nil || len(pictures) == 0 {
		t.Fatalf("%d pictures, %v", len(pictures), err)
	}
	for _, file := range append(pictures, filepath.Join(want, "weights.csv")) {
		rel, err := filepath.Rel(want, file)
		if err != nil {
			t.Fatal(err)
		}
		x, errX := os.ReadFile(filepath.Join(got, rel))
		y, errY := os.ReadFile(file)
		if err := errors.Join(errX, errY); err != nil || !bytes.Equal(x, y) {
			t.Errorf("%s: %s differs, %v", got, rel, err)
		}
	}
}

func finalRun(t *testing.T, path string) *runs.Checkpoint {
	t.Helper()
	run, err := runs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := run.Latest()
	if err != nil || len(run.Warnings()) > 0 {
		t.Fatalf("%v, warnings %v", err, run.Warnings())
	}
	return c
}

func records(t *testing.T, path string) []map[string]any {
	t.Helper()
	run, err := runs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out {
		delete(r, "seconds")
		delete(r, "images_per_second")
	}
	return out
}

// TestGANSignal: while a process trains a run, no other one can; an interrupt
// leaves a checkpoint and says how to go on, and that works.
func TestGANSignal(t *testing.T) {
	trains(t)
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts")
	}
	dir := t.TempDir()
	args := append(ganRunArgs("a", 2500), "--checkpoint", "1h")
	cmd := rotCommand(t, dir, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The first step is reported at once.
	var seen bytes.Buffer
	for line := make([]byte, 1); !strings.Contains(seen.String(), "step 1 of 2500"); {
		if _, err := stderr.Read(line); err != nil {
			t.Fatalf("%v after %q", err, seen.String())
		}
		seen.Write(line)
	}
	t.Chdir(dir)
	var locked bytes.Buffer
	code := run(t.Context(), []string{"gan", "resume", "runs/a"}, IO{Out: io.Discard, Err: &locked})
	if want := fmt.Sprintf("(process %d)\n", cmd.Process.Pid); code != ExitFailed || !strings.HasPrefix(locked.String(), "rot: runs/a: ") || !strings.HasSuffix(locked.String(), want) {
		t.Errorf("a second trainer: exit code %d, %q", code, locked.String())
	}

	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != ExitFailed {
		t.Fatalf("got %v, want exit code %d: %s", err, ExitFailed, rest)
	}
	step := finalRun(t, "runs/a").Step
	if step < 1 || step >= 2500 {
		t.Fatalf("stopped at step %d", step)
	}
	want := fmt.Sprintf("rot: stopped at step %s; go on with: rot gan resume runs/a\nrot: interrupted\n", count(step))
	if !strings.HasSuffix(string(rest), want) {
		t.Errorf("stderr ends with %q, want %q", rest, want)
	}

	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"gan", "resume", "runs/a", "--json"}, IO{Out: &out, Err: &log}); code != ExitOK {
		t.Fatalf("resume: exit code %d, %s", code, log.String())
	}
	if want := fmt.Sprintf("rot: going on after step %s of 2500\n", count(step)); !strings.HasPrefix(log.String(), want) {
		t.Errorf("stderr %q, want %q", log.String(), want)
	}
	var report struct {
		Run     string  `json:"run"`
		Steps   int     `json:"steps"`
		Seconds float64 `json:"seconds"`
		Rate    float64 `json:"images_per_second"`
		Backend string  `json:"backend"`
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || report.Run != "runs/a" || report.Steps != 2500 || report.Seconds <= 0 || report.Rate <= 0 || report.Backend != "go" {
		t.Errorf("%v: report %s", err, out.String())
	}
	if finalRun(t, "runs/a").Step != 2500 {
		t.Error("it did not come to its end")
	}
}
