package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"rot.example/rot/chisq"
)

// A longRun is a solve that takes a second or more on any machine.
type longRun struct {
	name string
	run  func(ctx context.Context, progress func(Progress)) error
}

func longRuns(t testing.TB) []longRun {
	r := rand.New(rand.NewPCG(14, 14))
	big := problem(t, normal(r, 20000, 8, 1000), normal(r, 20000, 8, 0), SqEuclidean)
	plane := problem(t, normal(r, 10000, 2, 500), normal(r, 10000, 2, 0), Euclidean)
	medium := cloud(t, 3000, SqEuclidean)
	line := problem(t, normal(r, 3_000_000, 1, 0), normal(r, 3_000_000, 1, 0), Euclidean)
	robust := func(p *Problem, rho1, rho2 float64) func(context.Context, func(Progress)) error {
		return func(ctx context.Context, progress func(Progress)) error {
			_, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: rho1}, Target: chisq.Ball{Rho: rho2}, Progress: progress})
			return err
		}
	}
	return []longRun{
		{"Exact", robust(big, 0, 0)},
		{"Exact in the plane", robust(plane, 0, 0)},
		{"Robust soft", robust(big, 0.05, 0)},
		{"Robust stiff", robust(big, 0.005, 0)},
		{"Robust stiff in the plane", robust(plane, 0.005, 0)},
		{"Robust target", robust(big, 0, 0.001)},
		{"Robust two-sided soft", robust(big, 0.05, 0.05)},
		{"Robust two-sided stiff", robust(big, 0.001, 0.001)},
		{"Robust two-sided stiff in the plane", robust(plane, 0.001, 0.001)},
		{"Curve", func(ctx context.Context, progress func(Progress)) error {
			_, err := Curve(ctx, big, nil, &CurveOptions{Progress: progress})
			return err
		}},
		{"Theorem2", func(ctx context.Context, _ func(Progress)) error {
			marks := make([]bool, 10000)
			for i := range 500 {
				marks[i] = true
			}
			_, err := Theorem2(ctx, plane, marks)
			return err
		}},
		{"Entropic", func(ctx context.Context, progress func(Progress)) error {
			_, err := Entropic(ctx, medium, &EntropicOptions{Epsilon: 1e-4, Tol: 1e-12, Progress: progress})
			return err
		}},
		{"Unbalanced", func(ctx context.Context, progress func(Progress)) error {
			_, err := Unbalanced(ctx, medium, &UnbalancedOptions{Penalty: 1e4, Progress: progress})
			return err
		}},
		{"Partial", func(ctx context.Context, progress func(Progress)) error {
			_, err := Partial(ctx, medium, &PartialOptions{Mass: 0.9, Progress: progress})
			return err
		}},
		{"OneD", func(ctx context.Context, _ func(Progress)) error {
			_, err := OneD(ctx, line, nil)
			return err
		}},
	}
}

// TestCancel asserts that every solver notices at once that its caller has
// lost interest, and says so.
func TestCancel(t *testing.T) {
	const patience = 3 * time.Second // 60 ms at most on an idle machine; the rest is for the race detector
	for _, c := range longRuns(t) {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			start := time.Now()
			if err := c.run(ctx, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled before the start: %v", err)
			}
			if d := time.Since(start); d > patience {
				t.Errorf("cancelled before the start: took %v", d)
			}

			ctx, cancel = context.WithCancel(context.Background())
			var at atomic.Int64
			start = time.Now()
			time.AfterFunc(50*time.Millisecond, func() {
				at.Store(int64(time.Since(start)))
				cancel()
			})
			err := c.run(ctx, nil)
			late := time.Since(start) - time.Duration(at.Load())
			if !errors.Is(err, context.Canceled) || late > patience {
				t.Errorf("cancelled: %v, %v later", err, late)
			}
			t.Logf("returned %v after being cancelled", late)

			ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			start = time.Now()
			err = c.run(ctx, nil)
			if late := time.Since(start) - 50*time.Millisecond; !errors.Is(err, context.DeadlineExceeded) || late > patience {
				t.Errorf("deadline: %v, %v later", err, late)
			}
		})
	}
}

// TestProgress asserts that reports come, make sense, and end with the solve.
func TestProgress(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	n := 1500
	if testing.Short() {
		n = 600
	}
	p := problem(t, normal(r, n, 4, n/20), normal(r, n, 4, 0), SqEuclidean)
	ctx := context.Background()
	for name, run := range map[string]func(func(Progress)) error{
		"exact": func(f func(Progress)) error {
			_, err := Exact(ctx, p, &ExactOptions{Progress: f})
			return err
		},
		"robust": func(f func(Progress)) error {
			_, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: 0.01}, Progress: f})
			return err
		},
		"two-sided": func(f func(Progress)) error {
			_, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: 0.01}, Target: chisq.Ball{Rho: 0.01}, Progress: f})
			return err
		},
		"curve": func(f func(Progress)) error {
			_, err := Curve(ctx, p, nil, &CurveOptions{Progress: f})
			return err
		},
		"entropic": func(f func(Progress)) error {
			_, err := Entropic(ctx, p, &EntropicOptions{Progress: f})
			return err
		},
		"unbalanced": func(f func(Progress)) error {
			_, err := Unbalanced(ctx, p, &UnbalancedOptions{Penalty: 100, Progress: f})
			return err
		},
		"partial": func(f func(Progress)) error {
			_, err := Partial(ctx, p, &PartialOptions{Mass: 0.9, Progress: f})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var over atomic.Bool
			var calls, iters int
			err := run(func(q Progress) {
				if over.Load() {
					t.Error("report after the end")
				}
				calls++
				if !math.IsNaN(q.Done) && !(q.Done >= 0 && q.Done <= 1) || q.Solver == "" || q.Iters < 0 {
					t.Errorf("report %+v", q)
				}
				iters = q.Iters
			})
			over.Store(true)
			if err != nil {
				t.Fatal(err)
			}
			if calls == 0 {
				t.Error("no report")
			}
			t.Logf("%d reports, the last at %d iterations", calls, iters)
		})
	}
	time.Sleep(20 * time.Millisecond) // a late report would come now
}

// TestMaxIters asserts that a solver that runs out of iterations says so, and
// still returns a feasible plan with bounds that hold.
func TestMaxIters(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 16))
	for _, n := range []int{300, 600} { // from 512 on, solvers start from smaller versions
		x, y := normal(r, n+50, 3, 20), normal(r, n, 3, 0)
		y.Weights = randomWeights(r, n)
		p := problem(t, x, y, SqEuclidean)
		for _, rho := range [][2]float64{{0, 0}, {0.001, 0}, {0.02, 0}, {0, 0.05}, {0.01, 0.01}, {0.05, 0.002}} {
			best := certified(t, p, rho[0], rho[1])
			for _, limit := range []int{1, 2, 5} {
				t.Run(fmt.Sprint(n, rho, limit), func(t *testing.T) {
					got, err := Robust(context.Background(), p, &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}, MaxIters: limit})
					if err == nil && best.Iters > limit || got == nil {
						t.Fatalf("result %v, error %v after %d iterations, the full solve takes %d", got, err, limit, best.Iters)
					}
					verify(t, p, got, rho[0], rho[1], math.Inf(1))
					agree(t, "bounds", got, best, 1, best.Value)
					if late := (*ConvergenceError)(nil); err != nil && (!errors.As(err, &late) || late.Tol != 1e-9 || !(late.Gap > late.Tol)) {
						t.Error(err)
					}
				})
			}
		}
	}
}

// TestTol asserts that a loose tolerance is met and a senseless one reported.
func TestTol(t *testing.T) {
	p := cloud(t, 100, Euclidean)
	for _, rho := range [][2]float64{{0, 0}, {0.02, 0}, {0.02, 0.02}} {
		o := &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}, Tol: 0.1}
		got, err := Robust(context.Background(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, got, rho[0], rho[1], 0.1)
		o.Tol = 1e-30
		got, err = Robust(context.Background(), p, o)
		if late := (*ConvergenceError)(nil); err != nil && !errors.As(err, &late) || got == nil {
			t.Fatalf("result %v, error %v", got, err)
		}
		verify(t, p, got, rho[0], rho[1], 1e-9) // exact all the same
	}
}

// A countdown is cancelled after so many looks at it.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelAnywhere cancels at every stage of a solve: wherever that happens,
// the error comes back, with bounds that hold if there are any.
func TestCancelAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 17))
	for _, d := range []int{2, 8} {
		if testing.Short() && d == 8 {
			continue
		}
		p := problem(t, normal(r, 600, d, 30), normal(r, 600, d, 0), SqEuclidean)
		for _, rho := range [][2]float64{{0, 0}, {0.001, 0}, {0.02, 0}, {0.05, 0}, {0.001, 0.001}, {0.03, 0.03}} {
			t.Run(fmt.Sprint(d, rho), func(t *testing.T) {
				solve := func(left int64) (looks int64, r *Result, err error) {
					ctx := &countdown{Context: context.Background()}
					ctx.left.Store(left)
					r, err = Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}})
					return left - ctx.left.Load(), r, err
				}
				looks, full, err := solve(math.MaxInt64)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d looks", looks)
				for left := int64(0); left < looks; left += 1 + looks/12 {
					_, r, err := solve(left)
					if !errors.Is(err, context.Canceled) {
						t.Errorf("cancelled at look %d of %d: %v", left, looks, err)
					}
					if r == nil {
						continue
					}
					verify(t, p, r, rho[0], rho[1], math.Inf(1))
					if r.Lower > full.Value || r.Value < full.Lower {
						t.Errorf("cancelled at look %d of %d: between %g and %g, the answer is %g", left, looks, r.Lower, r.Value, full.Value)
					}
				}
			})
		}
	}
}
