package runs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childTask names what a test binary does when a test starts it again as
// another process, in the run that childRun names.
const (
	childTask = "ROT_RUNS_TEST_TASK"
	childRun  = "ROT_RUNS_TEST_RUN"
)

func TestMain(m *testing.M) {
	task := map[string]func(*Run) error{"hold": holdLock, "train": train}[os.Getenv(childTask)]
	if task == nil {
		os.Exit(m.Run())
	}
	r, err := Open(os.Getenv(childRun))
	if err == nil {
		err = task(r)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// start runs a task in another process, which lives until it is killed or the
// test ends, and returns it with the first line that it prints.
func start(t *testing.T, task string, r *Run) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childTask+"="+task, childRun+"="+r.Path())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(line)
}

// kill ends a process as kill -9 does.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}

func holdLock(r *Run) error {
	if _, err := r.Lock(); err != nil {
		return err
	}
	fmt.Println("locked")
	_, err := io.ReadAll(os.Stdin) // until the other side ends
	return err
}

func TestLock(t *testing.T) {
	r := newRun(t)
	cmd, line := start(t, "hold", r)
	if line != "locked" {
		t.Fatal(line)
	}
	_, err := r.Lock()
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", cmd.Process.Pid)) {
		t.Errorf("held by another process: error %v", err)
	}
	if _, line := start(t, "hold", r); !strings.Contains(line, ErrLocked.Error()) {
		t.Errorf("a third process: %s", line)
	}
	kill(t, cmd)

	unlock, err := r.Lock()
	if err != nil {
		t.Fatalf("after the kill: %v", err)
	}
	if _, err := r.Lock(); !errors.Is(err, ErrLocked) {
		t.Errorf("twice: error %v", err)
	}
	if _, line := start(t, "hold", r); !strings.Contains(line, ErrLocked.Error()) {
		t.Errorf("another process while we hold it: %s", line)
	}
	unlock()
	unlock()
	again, err := r.Lock()
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	unlock() // does not give back the second lock
	if _, err := r.Lock(); !errors.Is(err, ErrLocked) {
		t.Errorf("after a late unlock: error %v", err)
	}
	again()
}

// train goes on where the run stopped, as a trainer does, until it is killed.
func train(r *Run) error {
	unlock, err := r.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	last, err := r.Latest()
	if errors.Is(err, ErrNoCheckpoint) {
		last = state(0)
	} else if err != nil {
		return err
	}
	if len(r.Warnings()) > 0 {
		return errors.Join(r.Warnings()...)
	}
	log, err := r.OpenMetrics(last.Step)
	if err != nil {
		return err
	}
	fmt.Println("training")
	for step := last.Step + 1; ; step++ {
		if err := log.Append(map[string]any{"step": step, "loss": 1 / float64(step)}); err != nil {
			return err
		}
		if step%3 == 0 {
			if err := r.Save(state(step)); err != nil {
				return err
			}
		}
	}
}

// TestKill kills a trainer again and again, at any moment. Each time the log
// has every step up to the checkpoint once, and nothing is broken.
func TestKill(t *testing.T) {
	r := newRun(t)
	rng := rand.New(rand.NewPCG(1, 2))
	done := 0
	for range 12 {
		cmd, line := start(t, "train", r)
		if line != "training" {
			t.Fatal(line)
		}
		time.Sleep(time.Duration(rng.IntN(40)) * time.Millisecond)
		kill(t, cmd)

		c, err := r.Latest()
		if errors.Is(err, ErrNoCheckpoint) && done == 0 {
			continue
		}
		if err != nil || len(r.Warnings()) > 0 || c.Step < done {
			t.Fatalf("after step %d: checkpoint %v, error %v, warnings %v", done, c, err, r.Warnings())
		}
		done = c.Step
		wantLatest(t, r, done, 0)
		records, err := r.Metrics()
		if err != nil || len(records) < done {
			t.Fatalf("%d records at step %d, %v", len(records), done, err)
		}
		for k, record := range records {
			if record["step"] != float64(k+1) {
				t.Fatalf("record %d is %v", k, record)
			}
		}
	}
	if done == 0 {
		t.Error("no step was ever saved")
	}
}

// TestLatestWhileTraining reads a run whose checkpoints come and go.
func TestLatestWhileTraining(t *testing.T) {
	r := saved(t, 0)
	cmd, line := start(t, "train", r)
	if line != "training" {
		t.Fatal(line)
	}
	for range 50 {
		if c, err := r.Latest(); err != nil || len(r.Warnings()) > 0 {
			t.Fatalf("%v, %v, %v", c, err, r.Warnings())
		}
	}
	kill(t, cmd)
}
