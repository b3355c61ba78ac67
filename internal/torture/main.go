// Command torture attacks rot: it kills it, lets its disk fail, damages its
// files, feeds it hostile ones and attacks its dashboard, and checks that every
// promise of docs/reliability.md holds. It prints a table of tries and failures
// and ends with 1 when there is a failure.
//
// It needs the go command, and no network. The short form takes about two
// minutes on two cores, the long one about an hour.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A torture is one call of the program.
type torture struct {
	rot     string // the program under attack
	dir     string // for all files, emptied in the end
	seed    uint64
	workers int
	scale   scale
	log     sync.Mutex
}

// A scale is how much is tried.
type scale struct {
	kills, errors, damages int
	signals                int
	connections            int
	fuzzRuns               int // of all targets together
}

var (
	short = scale{kills: 12, errors: 12, damages: 16, signals: 3, connections: 60}
	long  = scale{kills: 300, errors: 150, damages: 200, signals: 30, connections: 880, fuzzRuns: 10_000_000}
)

// A part is one kind of attack.
type part struct {
	name string
	run  func(ctx context.Context, p *tally)
}

// A tally counts what a part tried.
type tally struct {
	t               *torture
	name            string
	tries, failures atomic.Int64
	note            string // why tries are missing
}

// fail counts and reports a failure.
func (p *tally) fail(format string, args ...any) {
	p.failures.Add(1)
	p.t.log.Lock()
	defer p.t.log.Unlock()
	fmt.Fprintf(os.Stderr, "torture: %s: %s\n", p.name, fmt.Sprintf(format, args...))
}

// each calls do for 0 to n−1, on several goroutines, and counts them as tries.
func (p *tally) each(ctx context.Context, n int, do func(k int)) {
	next := atomic.Int64{}
	var wg sync.WaitGroup
	for range p.t.workers {
		wg.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= n || ctx.Err() != nil {
					return
				}
				do(k)
				p.tries.Add(1)
			}
		})
	}
	wg.Wait()
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == traceVerb {
		os.Exit(traceMain(os.Args[2:]))
	}
	if len(os.Args) > 2 && os.Args[1] == corpusVerb {
		os.Exit(corpusMain(os.Args[2:]))
	}
	t := &torture{}
	isShort := flag.Bool("short", false, "about two minutes instead of an hour")
	only := flag.String("only", "", "run the parts whose names `contain` this")
	flag.StringVar(&t.rot, "rot", "", "`program` to attack (default: built from this module)")
	flag.Uint64Var(&t.seed, "seed", 1, "of what is random")
	flag.IntVar(&t.workers, "workers", runtime.NumCPU(), "attacks at the same time")
	flag.Parse()
	t.scale = long
	if *isShort {
		t.scale = short
	}
	failures, err := t.run(context.Background(), *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
	if failures > 0 {
		os.Exit(1)
	}
}

func (t *torture) run(ctx context.Context, only string) (failures int64, err error) {
	if t.dir, err = os.MkdirTemp("", "torture"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(t.dir)
	if t.rot == "" {
		t.rot = filepath.Join(t.dir, "rot")
		build := exec.CommandContext(ctx, "go", "build", "-o", t.rot, "./cmd/rot")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("go build: %w: %s", err, out)
		}
	}
	if t.rot, err = filepath.Abs(t.rot); err != nil {
		return 0, err
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-46s %9s %9s %8s\n", "attack", "tries", "failures", "seconds")
	for _, part := range t.parts() {
		if !strings.Contains(part.name, only) {
			continue
		}
		p := &tally{t: t, name: part.name}
		began := time.Now()
		part.run(ctx, p)
		if p.tries.Load() == 0 && p.note == "" {
			p.fail("nothing was tried")
		}
		failures += p.failures.Load()
		line := fmt.Sprintf("%-46s %9d %9d %8.0f  %s", p.name, p.tries.Load(), p.failures.Load(), time.Since(began).Seconds(), p.note)
		fmt.Fprintln(&table, strings.TrimSpace(line))
		fmt.Fprintf(os.Stderr, "torture: %s\n", strings.Join(strings.Fields(line), " "))
	}
	fmt.Print(table.String())
	return failures, nil
}

func (t *torture) parts() []part {
	return []part{
		{"kill -9 at system calls", t.killAtCalls},
		{"kill -9 by the clock", t.killByClock},
		{"signals leave a checkpoint", t.signals},
		{"I/O errors at system calls", t.failCalls},
		{"full disk", t.fullDisk},
		{"damaged checkpoints, metrics, configurations", t.damage},
		{"three resumes at once", t.resumeAtOnce},
		{"hostile files: memory, time, exit code", t.hostileFiles},
		{"what is no file", t.irregular},
		{"dashboard: traversal, hosts, bodies", t.dashboard},
		{"dashboard: held connections", t.heldConnections},
		{"fuzz runs", t.fuzz},
	}
}
