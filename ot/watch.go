package ot

import (
	"context"
	"math"
	"time"
)

// A watch is what a solver looks at from time to time: has the caller lost
// interest, has a limit been reached, is it time to report?
type watch struct {
	solver   string
	stage    string
	iters    int
	max      int // 0: no limit
	progress func(Progress)
	done     float64 // estimate, NaN when unknown
	last     time.Time
	ticks    int
}

// errLimit says that MaxIters ran out; it never leaves the package.
type errLimit struct{}

func (errLimit) Error() string { return "ot: iteration limit" }

func newWatch(solver string, maxIters int, progress func(Progress)) *watch {
	return &watch{solver: solver, max: maxIters, progress: progress, done: math.NaN(), last: time.Now()}
}

// tick counts iterations, and polls the context every 64 calls.
func (w *watch) tick(ctx context.Context, iters int) error {
	w.iters += iters
	if w.max > 0 && w.iters >= w.max {
		return errLimit{}
	}
	if w.ticks++; w.ticks&63 == 0 {
		return w.poll(ctx)
	}
	return nil
}

// poll checks the context and reports progress, at most ten times a second.
func (w *watch) poll(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.progress != nil {
		if now := time.Now(); now.Sub(w.last) >= 100*time.Millisecond {
			w.last = now
			w.report()
		}
	}
	return nil
}

func (w *watch) report() {
	if w.progress != nil {
		w.progress(Progress{Solver: w.solver, Stage: w.stage, Iters: w.iters, Done: w.done})
	}
}

// enter names the stage that begins.
func (w *watch) enter(ctx context.Context, stage string) error {
	w.stage = stage
	w.report()
	w.last = time.Now()
	return ctx.Err()
}
