// Command sweeps measures exact and robust transport of many points, with the
// sweeps on the processor or on a GPU:
//
//	go run ./bench/sweeps -n 100000 -dim 16 -rho 0.05 -backend xla
//
// It prints the certified answer, the seconds of each phase, what the device
// did in them, and the largest memory of the process. Points are normal; with
// -far a part of the sources lies 20 away, with -rank all lie near a subspace.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"time"

	"rot.example/rot/chisq"
	"rot.example/rot/engine"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/ot"
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 10_000, "points a side")
	dim := flag.Int("dim", 16, "dimensions")
	rho := flag.Float64("rho", 0, "radius of the ball around the source weights")
	rho2 := flag.Float64("rho2", 0, "radius of the ball around the target weights")
	rank := flag.Int("rank", 0, "dimension of a subspace near which points lie; 0: none")
	far := flag.Float64("far", 0, "part of the sources that are outliers")
	weights := flag.Bool("weights", false, "give every point a random weight")
	single := flag.Bool("single", false, "keep points in single precision")
	metric := flag.String("metric", "sqeuclidean", "cost")
	backend := flag.String("backend", "cpu", "where sweeps run: cpu, xla, or device:NAME for another backend of package engine")
	tf32 := flag.Bool("tf32", false, "round factors to TF32")
	limit := flag.Duration("limit", 10*time.Minute, "stop with the bounds reached by then")
	least := flag.Float64("least", 0, "work from which on the device is used; 0: its default")
	trace := flag.Bool("trace", false, "print a line for every sweep of the device")
	rawOnly := flag.Bool("raw", false, "measure the device alone")
	profile := flag.String("profile", "", "write a CPU profile to a file")
	flag.Parse()
	if err := run(options{*n, *dim, *rank, *rho, *rho2, *far, *weights, *single, *metric, *backend, *tf32, *rawOnly, *trace, *limit, *least, *profile}); err != nil {
		log.Fatal(err)
	}
}

type options struct {
	n, dim    int
	rank      int
	rho, rho2 float64
	far       float64
	weights   bool
	single    bool
	metric    string
	backend   string
	tf32, raw bool
	trace     bool
	limit     time.Duration
	least     float64
	profile   string
}

func run(o options) error {
	fmt.Printf("n=%d d=%d rank=%d ρ=%g,%g far=%g %s, %s, %d cores\n", o.n, o.dim, o.rank, o.rho, o.rho2, o.far, o.metric, o.backend, runtime.GOMAXPROCS(0))
	var timed *timedSweeper
	if o.backend != "cpu" {
		start := time.Now()
		b, err := engine.Open(strings.TrimPrefix(o.backend, "device:"), &engine.Options{FullFloat32: !o.tf32})
		if err != nil {
			return err
		}
		defer b.Close()
		fmt.Printf("  opened %s in %.1f s\n", b, time.Since(start).Seconds())
		if o.raw {
			return raw(b, o.n, o.dim)
		}
		s := engine.NewSweeper(b, &engine.SweeperOptions{Least: o.least})
		defer s.Close()
		timed = &timedSweeper{Sweeper: s, trace: o.trace, start: time.Now()}
	}
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return solve(o, timed)
}

// solve prints how a solve goes, with the help of a device unless it is nil.
func solve(o options, device *timedSweeper) error {
	metric, err := ot.ParseMetric(o.metric)
	if err != nil {
		return err
	}
	x, y := points(1, o.n, o.dim, o.rank, o.far, o.single), points(2, o.n, o.dim, o.rank, 0, o.single)
	if o.weights {
		r := rand.New(rand.NewPCG(3, 3))
		for _, p := range []*ot.Points{x, y} {
			for range p.Len() {
				p.Weights = append(p.Weights, r.Float64())
			}
		}
	}
	p, err := ot.NewProblem(x, y, metric)
	if err != nil {
		return err
	}
	ask := ot.RobustOptions{Source: chisq.Ball{Rho: o.rho}, Target: chisq.Ball{Rho: o.rho2}}
	if device != nil {
		ask.Sweeper = device
	}
	if 2*o.n*o.dim > 1<<27 {
		debug.SetGCPercent(25) // as rot dist does
	}
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	start := time.Now()
	stage, since, iters := "", start, 0
	report := func(next string, now int) {
		if stage != "" {
			fmt.Printf("  %-10s %8.2f s, %d pivots; %s\n", stage, time.Since(since).Seconds(), now-iters, device)
		}
		stage, since, iters = next, time.Now(), now
	}
	ask.Progress = func(q ot.Progress) {
		if q.Stage != stage {
			report(q.Stage, q.Iters)
		}
	}
	r, err := ot.Robust(ctx, p, &ask)
	seconds := time.Since(start).Seconds()
	if r == nil {
		return fmt.Errorf("after %.1f s: %w", seconds, err)
	}
	report("", r.Iters)
	fmt.Printf("  value %.10g, relative gap %.1e, %.2f s in all, %d pivots, %.2f GB, %.2f of them Go's; error %v, sweeper %v\n",
		r.Value, r.RelGap(), seconds, r.Iters, peak(), taken(), err, r.SweeperFailed)
	return nil
}

// points are normal; the first of them, a part far, are 20 away. With a rank
// they lie near a subspace of that dimension, as features of images do.
func points(seed uint64, n, dim, rank int, far float64, single bool) *ot.Points {
	p := &ot.Points{Dim: dim}
	if single {
		p.Single = make([]float32, n*dim)
	} else {
		p.Coords = make([]float64, n*dim)
	}
	axes := make([]float64, rank*dim)
	common := rand.New(rand.NewPCG(0, 7))
	for k := range axes {
		axes[k] = common.NormFloat64()
	}
	const part = 1000
	parallel.For((n+part-1)/part, func(q int) {
		r := rand.New(rand.NewPCG(seed, uint64(q)))
		row := make([]float64, dim)
		for i := q * part; i < min((q+1)*part, n); i++ {
			if !single {
				row = p.Coords[i*dim : (i+1)*dim]
			}
			size := 1.0
			if rank > 0 {
				size = 0.1
			}
			for k := range row {
				row[k] = size * r.NormFloat64()
			}
			for a := range rank {
				z := r.NormFloat64() / math.Sqrt(float64(rank))
				for k, v := range axes[a*dim : (a+1)*dim] {
					row[k] += z * v
				}
			}
			if i < int(far*float64(n)) {
				row[0] += 20
			}
			for k := range p.Single[:len(p.Single)/n] {
				p.Single[i*dim+k] = float32(row[k])
			}
		}
	})
	return p
}

// peak is the largest resident memory so far, in GB.
func peak() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) * 1024 / 1e9
}

// taken is what Go's own memory takes of it, in GB.
func taken() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys-m.HeapReleased) / 1e9
}

// A timedSweeper counts what a Sweeper does.
type timedSweeper struct {
	ot.Sweeper
	trace           bool
	start           time.Time
	mu              sync.Mutex
	loads, sweeps   int
	load, all, call time.Duration // all: from the prices to the last minima
	targets         int
}

func (s *timedSweeper) Load(p *ot.SweepPoints) (ot.SweepSession, error) {
	start := time.Now()
	t, err := s.Sweeper.Load(p)
	s.loads++
	s.load += time.Since(start)
	return &timedSession{SweepSession: t, s: s}, err
}

func (s *timedSweeper) String() string {
	if s == nil {
		return "no device"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("so far %d loads %.2f s, %d sweeps of %d targets %.2f s (calls %.2f s)",
		s.loads, s.load.Seconds(), s.sweeps, s.targets, s.all.Seconds(), s.call.Seconds())
}

type timedSession struct {
	ot.SweepSession
	s    *timedSweeper
	last time.Time
}

func (t *timedSession) SetPrices(u []float32) error {
	t.last = time.Now()
	t.s.sweeps++
	if t.s.trace {
		fmt.Printf("    %7.2f s: %s\n", time.Since(t.s.start).Seconds(), t.s)
	}
	return t.SweepSession.SetPrices(u)
}

func (t *timedSession) Minima(dst []float32, targets []int32) error {
	start := time.Now()
	err := t.SweepSession.Minima(dst, targets)
	now := time.Now()
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.call += now.Sub(start)
	t.s.targets += len(targets)
	if now.After(t.last) {
		t.s.all += now.Sub(t.last)
		t.last = now
	}
	return err
}
