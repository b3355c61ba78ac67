package ot

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// costRows evaluates a cost row by row, for the passes over all m×n pairs.
type costRows struct {
	c  *Cost
	yt []float64 // targets transposed: coordinate k of target j at k*n+j
}

func newCostRows(c *Cost) *costRows {
	c = c.doubled() // all pairs are looked at several times
	r := &costRows{c: c}
	if c.metric == Given {
		return r
	}
	r.yt = make([]float64, len(c.y))
	for j := range c.n {
		for k := range c.dim {
			r.yt[k*c.n+j] = c.y[j*c.dim+k]
		}
	}
	return r
}

// row returns the costs from source i to every target. The slice is buf, which
// has length n, or a row of the caller's matrix: read it, do not write to it.
func (r *costRows) row(i int, buf []float64) []float64 {
	c := r.c
	if c.metric == Given {
		return c.matrix[i*c.n : (i+1)*c.n]
	}
	clear(buf)
	for k, xk := range c.x[i*c.dim : (i+1)*c.dim] {
		y := r.yt[k*c.n : (k+1)*c.n]
		y = y[:len(buf)]
		if c.metric == Cityblock {
			for j := range buf {
				buf[j] += math.Abs(xk - y[j])
			}
			continue
		}
		for j := range buf {
			t := xk - y[j]
			buf[j] += t * t
		}
	}
	switch c.metric {
	case Euclidean:
		for j, v := range buf {
			buf[j] = math.Sqrt(v)
		}
	case Cosine: // ‖x−y‖² = 2 − 2 x·y for unit rows
		for j := range buf {
			buf[j] /= 2
		}
	}
	if c.most > 0 {
		for j, v := range buf {
			buf[j] = math.Min(v, c.most)
		}
	}
	return buf
}

// rowBlocks is the number of blocks that eachRow splits the rows into. It is
// fixed, so that sums over blocks do not depend on the number of processors.
const rowBlocks = 16

// eachRow calls f once for every row below m, on all processors. Rows of one
// block come in order from one goroutine; n is the work per row, which sets how
// often the context is looked at.
func eachRow(ctx context.Context, m, n int, f func(block, i int)) error {
	every := max(1, (1<<16)/max(1, n))
	var next atomic.Int64
	work := func() {
		for {
			b := int(next.Add(1)) - 1
			if b >= rowBlocks {
				return
			}
			for k, i := 0, b*m/rowBlocks; i < (b+1)*m/rowBlocks; i++ {
				if k++; k%every == 0 && ctx.Err() != nil {
					return
				}
				f(b, i)
			}
		}
	}
	workers := min(runtime.GOMAXPROCS(0), rowBlocks)
	if m*n < 1<<14 {
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

// blockRows is rowBlocks rows of n numbers, scratch space for eachRow.
func blockRows(n int) [rowBlocks][]float64 {
	var out [rowBlocks][]float64
	for b := range out {
		out[b] = make([]float64, n)
	}
	return out
}

// stats is the mean cost under a⊗b, the least and the largest cost.
func (r *costRows) stats(ctx context.Context, a, b []float64) (mean, low, high float64, err error) {
	m, n := r.c.Dims()
	buf := blockRows(n)
	var sums [rowBlocks]sum
	lows, highs := blockRows(1), blockRows(1)
	for k := range rowBlocks {
		lows[k][0], highs[k][0] = math.Inf(1), math.Inf(-1)
	}
	err = eachRow(ctx, m, n, func(k, i int) {
		c := r.row(i, buf[k])
		var s float64
		lo, hi := lows[k][0], highs[k][0]
		for j, v := range c {
			s += b[j] * v
			lo, hi = min(lo, v), max(hi, v)
		}
		lows[k][0], highs[k][0] = lo, hi
		sums[k].add(a[i] * s)
	})
	var total sum
	low, high = math.Inf(1), math.Inf(-1)
	for k := range rowBlocks {
		total.add(sums[k].total())
		low, high = min(low, lows[k][0]), max(high, highs[k][0])
	}
	return total.total(), low, high, err
}

func fillWith(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

func allOnes(n int) []float64 {
	out := make([]float64, n)
	fillWith(out, 1)
	return out
}
