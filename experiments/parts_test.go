package experiments

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A madeCell is one of the experiment that the processes of TestParts share.
type madeCell struct {
	Number int `json:"number"`
	origin
}

const madeCells = 32

// madeExperiment returns an experiment whose cells take some time and write down in a log when
// they begin and end.
func madeExperiment(log string, pause time.Duration) Experiment {
	return Experiment{Name: "made", Parts: []string{"all"}, once: true, study: func(o *Options, _ string) (*study, error) {
		st := &study{title: "made"}
		for i := range madeCells {
			k, err := newKey(fmt.Sprintf("cell %d", i), i)
			if err != nil {
				return nil, err
			}
			st.batches = append(st.batches, batch{jobs: []*job{{key: k, now: expectation{algorithm: "made 1"}, run: func(ctx context.Context, l *lab) (any, string, error) {
				if err := note(log, "begin %d %d", i, o.Part); err != nil {
					return nil, "", err
				}
				time.Sleep(pause)
				return madeCell{Number: i}, "made", note(log, "end %d %d", i, o.Part)
			}}}})
		}
		st.show = func(_ context.Context, f *finder) (*section, error) {
			cells, err := found[madeCell](f, st.batches, func(c *madeCell, o origin) string {
				c.origin = o
				return fmt.Sprint(c.Number)
			})
			s := &section{Numbers: cells, Markdown: fmt.Sprintf("%d cells\n", len(cells))}
			s.close(origins(cells))
			return s, err
		}
		return st, nil
	}}
}

// note appends a line to a file that several processes write to.
func note(path, format string, args ...any) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, format+"\n", args...)
	return errors.Join(err, f.Close())
}

// partEnv tells a process of this test which part it does of the experiment in
// which folder.
const partEnv = "ROT_TEST_PART"

// TestPartProcess is not a test but one of the processes of TestParts.
func TestPartProcess(t *testing.T) {
	part, dir, ok := strings.Cut(os.Getenv(partEnv), " ")
	if !ok {
		t.Skip("for TestParts")
	}
	o := partOptions(t, dir)
	var err error
	if o.Part, err = strconv.Atoi(part); err != nil {
		t.Fatal(err)
	}
	o.PartOf, o.host = 4, "machine "+part
	e := madeExperiment(filepath.Join(dir, "log"), 100*time.Millisecond)
	res, err := e.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := note(filepath.Join(dir, "log"), "done %d %s", res.Done, part); err != nil {
		t.Fatal(err)
	}
}

func partOptions(t *testing.T, dir string) Options {
	o := options(t)
	o.Out, o.Lease = filepath.Join(dir, "out"), 4*time.Second
	return o
}

// partKills are the processes that TestParts kills, and in which of its cells.
var partKills = []struct{ part, in int }{{3, 3}, {2, 5}}

// TestParts lets four processes, each as if on a machine of its own, share an
// experiment, kills two of them in the middle of a cell, and finds every cell
// made, none twice, and those of the killed ones by the others.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	processes := make([]*exec.Cmd, 4)
	for part := range processes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPartProcess$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", partEnv, part, dir))
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes[part] = cmd
	}
	for _, kill := range partKills {
		part := strconv.Itoa(kill.part)
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if began, _ := countLog(t, log, part); len(began) >= kill.in {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the process does not begin")
			}
		}
		if err := processes[kill.part].Process.Kill(); err != nil {
			t.Fatal(err)
		}
		processes[kill.part].Wait()
		if _, ended := countLog(t, log, part); len(ended) < kill.in-1 || len(ended) > kill.in {
			t.Errorf("the killed process %s had done %v", part, ended)
		}
	}
	for part, cmd := range processes {
		if !isKilled(part) {
			if err := cmd.Wait(); err != nil {
				t.Errorf("a process that was not killed: %v", err)
			}
		}
	}

	// All are there, and nothing is run to show them.
	o := partOptions(t, dir)
	o.Show = true
	e := madeExperiment(log, 0)
	res, err := e.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	cells := res.Sections[0].Numbers.([]madeCell)
	if len(cells) != madeCells || len(res.Sections[0].Notes) > 0 {
		t.Errorf("%d cells, notes %v", len(cells), res.Sections[0].Notes)
	}
	for i, c := range cells {
		if c.Number != i || c.old != "" {
			t.Errorf("cell %d: %+v", i, c)
		}
	}
	// Each was recorded once and run once, but for those that were cut short.
	lines := 0
	files, err := filepath.Glob(filepath.Join(o.Out, "made", "cells*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	began, all := countLog(t, log, "")
	if lines != madeCells || len(files) != 4 || len(all) != madeCells || len(began) > madeCells+len(partKills) {
		t.Errorf("%d lines in %d files; %d cells began, %d ended", lines, len(files), len(began), len(all))
	}
	if left, err := os.ReadDir(filepath.Join(o.Out, "locks")); err == nil && len(left) > 0 {
		t.Errorf("locks are left: %v", left)
	}
	checkShares(t, log)
}

// countLog returns the cells that a part's process began and ended; part "" is
// all of them.
func countLog(t *testing.T, path, part string) (began, ended []string) {
	t.Helper()
	for _, f := range readLog(t, path) {
		switch {
		case part != "" && f[2] != part:
		case f[0] == "begin":
			began = append(began, f[1])
		case f[0] == "end":
			ended = append(ended, f[1])
		}
	}
	return began, ended
}

func readLog(t *testing.T, path string) (lines [][]string) {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		lines = append(lines, strings.Fields(s.Text()))
	}
	return lines
}

func isKilled(part int) bool {
	return slices.ContainsFunc(partKills, func(k struct{ part, in int }) bool { return k.part == part })
}

// checkShares: processes did their own cells, and of others only those of killed
// ones, all that these had not begun.
func checkShares(t *testing.T, log string) {
	t.Helper()
	taken := map[int]int{}
	for _, f := range readLog(t, log) {
		if f[0] != "begin" {
			continue
		}
		number, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		owner := number % 4
		switch {
		case strconv.Itoa(owner) == f[2]:
		case isKilled(owner):
			taken[owner]++
		default:
			t.Errorf("part %s did cell %d", f[2], number)
		}
	}
	for _, kill := range partKills {
		if taken[kill.part] < madeCells/4-kill.in {
			t.Errorf("%d cells of the killed process %d were taken over", taken[kill.part], kill.part)
		}
	}
}

// TestOnly checks that the runs that are asked for are done, and the others later.
func TestOnly(t *testing.T) {
	dir := t.TempDir()
	e := madeExperiment(filepath.Join(dir, "log"), 0)
	o := partOptions(t, dir)
	o.PartOf = 0
	for _, test := range []struct {
		only string
		done int
	}{{"cell 3", 3}, {"cell 3", 0}, {"1", 12}, {"", madeCells - 15}} { // 3, 30, 31; those with a 1 without 31
		o.Only = test.only
		res, err := e.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if res.Done != test.done {
			t.Errorf("only %q: %d runs, want %d", test.only, res.Done, test.done)
		}
	}
	o.Only = "call"
	if _, err := e.Run(context.Background(), o); !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), `no run has "call" in its name, as in "cell 0"`) {
		t.Errorf("a name that no run has: %v", err)
	}
	if _, err := fig1.Run(context.Background(), o); !errors.Is(err, errNoNames) {
		t.Errorf("an experiment without runs: %v", err)
	}
}

// TestBusy: two processes do not run the same part; the second is told who does.
func TestBusy(t *testing.T) {
	dir := t.TempDir()
	o := partOptions(t, dir)
	b := testBench(t, o, filepath.Join(o.Out, "made"))
	e := madeExperiment(filepath.Join(dir, "log"), 0)
	var busy *BusyError
	if _, err := e.Run(t.Context(), o); !errors.As(err, &busy) || busy.Process != os.Getpid() {
		t.Errorf("got %v", err)
	}
	b.close()
	b.lab.locks, b.store = nil, nil // closed
	res, err := e.Run(t.Context(), o)
	if err != nil || res.Done != madeCells {
		t.Errorf("%+v, %v", res, err)
	}
	text, err := json.Marshal(res)
	if err != nil || !strings.Contains(string(text), `"made_by":"Made by: revision unknown; algorithm made 1; data `) {
		t.Errorf("%s, %v", text, err)
	}
}
