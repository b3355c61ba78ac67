package ot

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// lists holds for every target its k best sources: least cost + price under
// the prices of the sweep that found them, best first. Pivots look for arcs in
// the lists only; sweeps, the one O(mn) operation, keep them fresh.
type lists struct {
	k    int
	src  []int32   // n×k
	cost []float64 // n×k
	top  []float64 // per target: no source outside its list had cost + price below this
	fine bool      // filled by a sweep before

	at    []*pricesAt // the prices of the latest sweeps
	swept []int8      // per target: which of them its top belongs to, −1 for none
	rare  *rareArcs   // more arcs to sources that few lists have, or nil
}

// arcs is the list of target j.
func (l *lists) arcs(j int) ([]int32, []float64) {
	return l.src[j*l.k : (j+1)*l.k], l.cost[j*l.k : (j+1)*l.k]
}

// best is the least cost + price of every target, right after a sweep.
func (l *lists) best(u []float64) []float64 {
	v := make([]float64, len(l.top))
	for j := range v {
		v[j] = l.cost[j*l.k] + u[l.src[j*l.k]]
	}
	return v
}

func newLists(in *instance, k int) *lists {
	k = min(k, in.m)
	l := &lists{k: k, src: make([]int32, in.n*k), cost: make([]float64, in.n*k), top: make([]float64, in.n), swept: make([]int8, in.n)}
	l.forget()
	return l
}

const tile = 32 // targets swept together against a chunk of sources that stays in L1

// sweep refreshes the lists of targets lo to hi under prices u. Where prices
// moved little since they were last swept, a list may keep entries that are not
// among the best any more; its top tells how far it can be trusted.
func (in *instance) sweep(ctx context.Context, l *lists, u []float64, lo, hi int) error {
	err := in.sweepTiles(ctx, l, u, hi-lo, func(k int) int { return lo + k }, l.fine)
	if err == nil && lo == 0 && hi == in.n {
		l.fine = true
	}
	return err
}

// sweepSome fills the lists of the targets named with their best sources.
func (in *instance) sweepSome(ctx context.Context, l *lists, u []float64, targets []int32) error {
	return in.sweepTiles(ctx, l, u, len(targets), func(k int) int { return int(targets[k]) }, false)
}

// sweepTiles refreshes the lists of n targets; lazy: no more than needed.
func (in *instance) sweepTiles(ctx context.Context, l *lists, u []float64, n int, target func(k int) int, lazy bool) (err error) {
	var low []int32
	if !math.IsInf(in.most, 1) {
		low = lowest(u, l.k)
	}
	defer func(n int, target func(k int) int) {
		if err != nil {
			l.forget()
		} else {
			l.remember(u, n, target)
		}
	}(n, target)
	if lazy && n >= leastLazy {
		rest, err := in.sweepLazily(ctx, l, u, n, target, low)
		if err != nil {
			return err
		}
		n, target = len(rest), func(k int) int { return int(rest[k]) }
	}
	if in.device != nil && in.sweepOnDevice(ctx, l, u, n, target, low) {
		return ctx.Err()
	}
	if n == 0 {
		return ctx.Err()
	}
	var prices *prices32
	screen := in.screened() // before the workers ask for it at the same time
	if in.matrix == nil {
		prices = screen.prices(u, in.depots)
	}
	byColumn := in.rowPrices(u)
	return in.eachTile(ctx, n, target, func(size int) *tileSweep {
		s := newTileSweep(in, l, u, prices, l.fine, size)
		s.low, s.byColumn = low, byColumn
		return s
	})
}

// eachTile splits n targets among the cores, a tile at a time; every core has a
// worker, which is told how many targets a tile has.
func (in *instance) eachTile(ctx context.Context, n int, target func(k int) int, worker func(size int) *tileSweep) error {
	size := in.tileSize(n)
	var next atomic.Int64
	work := func() {
		s := worker(size)
		for ctx.Err() == nil {
			k := int(next.Add(int64(size))) - size
			if k >= n {
				return
			}
			s.jj = s.jj[:0]
			for ; len(s.jj) < size && k < n; k++ {
				s.jj = append(s.jj, target(k))
			}
			s.tile()
		}
	}
	workers := min(runtime.GOMAXPROCS(0), (n+size-1)/size)
	if in.matrix != nil && n*in.m < fewPairs {
		workers = 1
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return ctx.Err()
}

// fewPairs is how many entries of a matrix one core looks at before another one
// has woken up.
const fewPairs = 1 << 16

// nearest finds for every target its best source under prices u.
func (in *instance) nearest(ctx context.Context, u []float64) (*lists, error) {
	l := newLists(in, 1)
	return l, in.sweep(ctx, l, u, 0, in.n)
}
