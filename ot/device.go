package ot

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// A device is a Sweeper in use by one solve.
type device struct {
	sweeper Sweeper
	open    []SweepSession
	failed  error // why it is no longer in use
}

// withSweeper is the problem with a device for its sweeps; s may be nil.
func (p *Problem) withSweeper(s Sweeper) *Problem {
	if p == nil || s == nil {
		return p
	}
	q := *p
	q.device = &device{sweeper: s}
	return &q
}

// release frees what the solve has left on the device and tells r how it went.
func (p *Problem) release(r *Result) {
	if p == nil || p.device == nil {
		return
	}
	for _, s := range p.device.open {
		s.Close()
	}
	p.device.open = nil
	if r != nil {
		r.SweeperFailed = p.device.failed
	}
}

// session is the instance on its device; nil where it is not worth it.
func (in *instance) session() SweepSession {
	d, sc := in.device, in.screened()
	if d == nil || d.failed != nil || in.matrix != nil || sc.wide || !d.sweeper.Pays(in.m, in.n, in.d) {
		return nil
	}
	if sc.session != nil {
		return sc.session
	}
	sc.onDevice = SweepPoints{
		Metric: in.metric, M: in.m, N: in.n, Dim: in.d, Block: sweepBlock(in.m, in.d), Products: in.d >= deviceProducts && sc.mode != modeCity,
		Sources: func(dst []float32, first int) { sc.rounded(dst, &in.x, first) },
		Targets: func(dst []float32, first int) { sc.rounded(dst, &in.y, first) },
	}
	s, err := d.sweeper.Load(&sc.onDevice)
	if err != nil {
		d.failed = fmt.Errorf("ot: loading points: %w", err)
		return nil
	}
	if r := s.Rounding(); !(r.Sum >= eps32 && r.Sum < 1e-3 && r.Product >= 0 && r.Product < 0.1) || s.Batch() < 1 {
		s.Close()
		d.failed = fmt.Errorf("ot: a sweeper with rounding errors %g and %g, %d targets at a time", r.Sum, r.Product, s.Batch())
		return nil
	}
	sc.session = s
	d.open = append(d.open, s)
	return s
}

// leave frees what the instance has on its device.
func (in *instance) leave() {
	if in.screen == nil || in.screen.session == nil {
		return
	}
	s := in.screen.session
	in.screen.session, in.screen.jobs = nil, nil
	for k, o := range in.device.open {
		if o == s {
			in.device.open = append(in.device.open[:k], in.device.open[k+1:]...)
			break
		}
	}
	s.Close()
}

// deviceProducts is the number of dimensions from which on a device is asked for
// inner products.
const deviceProducts = 8

// sweepBlock is the size of blocks that balances what it costs to hear of all
// of them, which grows with m over the size, with what it costs to look at some
// dozen of them again, which grows with d times the size; the factor was
// measured on a machine with 16 cores and an H200.
func sweepBlock(m, d int) int {
	size := 4 * lanes
	for size < 2048 && float64(size)*float64(size)*2 < 6*float64(m)/float64(d) {
		size *= 2
	}
	return size
}

// rounded shifts, scales and rounds points from first on, as screened does.
func (s *screen) rounded(dst []float32, pts *coords, first int) {
	d := len(s.center)
	inParts(len(dst)/d, d, func(from, to int) {
		for i := from; i < to; i++ {
			for k, c := range s.center {
				dst[i*d+k] = float32((pts.at(first+i, k) - c) * s.scale)
			}
		}
	})
}

// A deviceJob is what the device found out about some targets.
type deviceJob struct {
	jj     []int32
	minima []float32 // len(jj) × blocks
	left   atomic.Int32
}

// errSweepNaN says that a device returned NaN.
var errSweepNaN = errors.New("ot: the device returned NaN")

// errSweepBound says that a device broke its promise.
var errSweepBound = errors.New("ot: the device is less precise than it says")

// sweepOnDevice is sweepTiles with the help of the instance's device. It says
// whether it could do that; what it left undone is as it was, or swept.
func (in *instance) sweepOnDevice(ctx context.Context, l *lists, u []float64, n int, target func(k int) int, low []int32) bool {
	if in.device == nil || in.device.failed != nil || !in.device.sweeper.Pays(in.m, n, in.d) {
		return false
	}
	dev := in.session()
	if dev == nil {
		return false
	}
	sc := in.screened()
	prices := sc.prices(u, in.depots)
	if err := dev.SetPrices(prices.u[:in.m]); err != nil {
		in.device.failed = fmt.Errorf("ot: setting prices: %w", err)
		return false
	}
	blocks, batch := sc.onDevice.Blocks(), min(dev.Batch(), n)
	var failed atomic.Pointer[error]
	fail := func(err error) { failed.CompareAndSwap(nil, &err) }
	free, pieces := make(chan *deviceJob, ahead), make(chan devicePiece, ahead*(batch/tile+1))
	for len(sc.jobs) < ahead {
		sc.jobs = append(sc.jobs, &deviceJob{})
	}
	for _, job := range sc.jobs { // they are large, and kept
		if cap(job.minima) < batch*blocks {
			job.jj, job.minima = make([]int32, 0, batch), make([]float32, batch*blocks)
		}
		free <- job
	}
	var next atomic.Int64
	var asking, looking sync.WaitGroup
	for range callers {
		asking.Go(func() {
			for ctx.Err() == nil && failed.Load() == nil {
				k := int(next.Add(int64(batch))) - batch
				if k >= n {
					return
				}
				job := <-free
				job.jj = job.jj[:0]
				for ; len(job.jj) < batch && k < n; k++ {
					job.jj = append(job.jj, int32(target(k)))
				}
				if err := dev.Minima(job.minima[:len(job.jj)*blocks], job.jj); err != nil {
					fail(fmt.Errorf("ot: sweeping: %w", err))
					free <- job
					return
				}
				job.left.Store(int32((len(job.jj) + tile - 1) / tile))
				for at := 0; at < len(job.jj); at += tile {
					pieces <- devicePiece{job, at, min(at+tile, len(job.jj))}
				}
			}
		})
	}
	check := !sc.checked
	sc.checked = true
	var first atomic.Bool
	for range runtime.GOMAXPROCS(0) {
		looking.Go(func() {
			s := newTileSweep(in, l, u, prices, l.fine, tile)
			s.low, s.rounding = low, dev.Rounding()
			for p := range pieces {
				if failed.Load() == nil {
					minima := p.job.minima[p.from*blocks : p.to*blocks]
					s.jj = s.jj[:0]
					for _, j := range p.job.jj[p.from:p.to] {
						s.jj = append(s.jj, int(j))
					}
					if check && first.CompareAndSwap(false, true) && !s.promised(minima, blocks) {
						fail(errSweepBound)
					} else if !s.tileOnDevice(minima, blocks) {
						fail(errSweepNaN)
					}
				}
				if p.job.left.Add(-1) == 0 {
					free <- p.job
				}
			}
		})
	}
	asking.Wait()
	close(pieces)
	looking.Wait()
	if err := failed.Load(); err != nil {
		in.device.failed = *err
		return false
	}
	return true
}

// A devicePiece is a tile of a job.
type devicePiece struct {
	job      *deviceJob
	from, to int
}

const (
	// callers is how many batches the device has at a time: while one is
	// computed, others are on their way back.
	callers = 3
	// ahead is how many may be under way in all.
	ahead = 6
)
