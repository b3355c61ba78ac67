package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"rot.example/rot/internal/oracle"
)

// A job is one instance.
type job struct {
	Family string
	Seed   uint64
}

// An outcome is what became of it.
type outcome struct {
	Job      job
	Method   oracle.Method
	Cells    int  // size of the cost matrix
	Solved   bool // an intermediate report: the solver is done, the check is not
	Failures []oracle.Failure
	Stopped  bool
	Excused  bool // stopping short is all that float64 allows
	Tame     bool
	Refused  bool
	TooSlow  bool
	Panic    string
	Seconds  float64
}

// work solves jobs from in, one JSON object a line, and reports to out.
func work(in io.Reader, out io.Writer, limit time.Duration) {
	signal.Ignore(os.Interrupt) // meant for the campaign, which lets its workers finish
	jobs, reports := json.NewDecoder(in), json.NewEncoder(out)
	report := func(o outcome) {
		if err := reports.Encode(o); err != nil {
			panic(err)
		}
	}
	for {
		var j job
		if jobs.Decode(&j) != nil {
			return
		}
		report(solve(j, limit, report))
	}
}

func solve(j job, limit time.Duration, solved func(outcome)) (o outcome) {
	o = outcome{Job: j}
	defer func() {
		if r := recover(); r != nil {
			o.Panic = fmt.Sprintf("%v\n%s", r, debug.Stack())
		}
	}()
	in, err := oracle.Generate(j.Family, j.Seed)
	if err != nil {
		o.Panic = err.Error()
		return o
	}
	o.Method, o.Cells = in.Method, in.M*in.N
	ctx, cancel := limited(limit)
	defer cancel()
	start := processorTime()
	a := oracle.Run(ctx, in)
	o.Seconds = (processorTime() - start).Seconds()
	o.Solved = true
	solved(o)
	o.Solved = false
	o.TooSlow = errors.Is(a.Err(), context.Canceled)
	if o.TooSlow && a.Result() == nil {
		return o
	}
	v := a.Check(context.Background()) // bounds that an interrupted solver returns have to hold as well
	o.Failures, o.Stopped, o.Refused, o.Tame, o.Excused = v.Failures, v.Stopped, v.Refused, in.Tame(), in.MayStop
	return o
}

var started = time.Now()

// limited is a context that ends after so much time of the processors, so that
// a busy machine does not make a solver slow.
func limited(limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	end := processorTime() + limit
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if <-tick.C; processorTime() > end {
				cancel()
			}
		}
	}()
	return ctx, cancel
}

// A worker is a process that solves jobs.
type worker struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	reports chan outcome
	errors  tail
}

// startWorker starts a process with its share of the processors.
func startWorker(o options) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &worker{cmd: exec.Command(self, "-worker", "-limit", o.limit.String()), reports: make(chan outcome, 4)}
	w.cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/o.workers)))
	w.cmd.Stderr = &w.errors
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		d := json.NewDecoder(bufio.NewReader(out))
		for {
			var o outcome
			if d.Decode(&o) != nil {
				close(w.reports)
				return
			}
			w.reports <- o
		}
	}()
	return w, nil
}

// A process that does not answer is ended: after so many times the limit, for
// the machine may be busy, and after checkLimit when only the judgement is left.
const (
	patience   = 10
	checkLimit = 10 * time.Minute
)

// do solves one job; false means that the process is gone.
func (w *worker) do(j job, limit time.Duration) (o outcome, alive bool) {
	o = outcome{Job: j}
	if in, err := oracle.Generate(j.Family, j.Seed); err == nil {
		o.Method, o.Cells = in.Method, in.M*in.N
	}
	if err := json.NewEncoder(w.in).Encode(j); err != nil {
		o.Panic = err.Error()
		return o, false
	}
	wait := patience * limit
	for {
		select {
		case report, ok := <-w.reports:
			if !ok {
				w.cmd.Wait()
				o.Panic = w.errors.String()
				return o, false
			}
			if !report.Solved {
				return report, true
			}
			o.Seconds = report.Seconds
			wait = checkLimit
		case <-time.After(wait):
			w.stop()
			o.TooSlow = true
			return o, false
		}
	}
}

func (w *worker) stop() {
	w.in.Close()
	w.cmd.Process.Kill()
	w.cmd.Wait()
}

// A tail keeps the beginning of what is written to it.
type tail struct {
	mu   sync.Mutex
	text strings.Builder
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 4000 - t.text.Len(); room > 0 {
		t.text.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
