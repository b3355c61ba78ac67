package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"rot.example/rot/engine"
	"rot.example/rot/ot"
)

// raw measures what the device alone takes for a sweep of all pairs, for some
// sizes of blocks and batches and numbers of calls at a time.
func raw(b *engine.Backend, n, dim int) error {
	x, y := points(1, n, dim, 0, 0, false), points(2, n, dim, 0, 0, false)
	round := func(p *ot.Points) func(dst []float32, first int) {
		return func(dst []float32, first int) {
			for k, v := range p.Coords[first*dim:][:len(dst)] {
				dst[k] = float32(v)
			}
		}
	}
	for _, pairs := range []int{1 << 27, 1 << 29, 1 << 31} {
		for _, block := range []int{128, 1024} {
			s := engine.NewSweeper(b, &engine.SweeperOptions{Pairs: pairs})
			start := time.Now()
			p := &ot.SweepPoints{Metric: ot.SqEuclidean, M: n, N: n, Dim: dim, Block: block, Products: dim >= 8, Sources: round(x), Targets: round(y)}
			t, err := s.Load(p)
			if err != nil {
				return err
			}
			if err := t.SetPrices(make([]float32, n)); err != nil {
				return err
			}
			fmt.Printf("  raw n=%d d=%d: pairs 2^%.0f, block %d, batch %d: loaded in %.2f s", n, dim, float64(len(fmt.Sprintf("%b", pairs))-1), block, t.Batch(), time.Since(start).Seconds())
			for _, workers := range []int{1, 2, 3} {
				start = time.Now()
				var next atomic.Int64
				var wg sync.WaitGroup
				errs := make([]error, workers)
				done := atomic.Int64{}
				for w := range workers {
					wg.Go(func() {
						dst, jj := make([]float32, t.Batch()*p.Blocks()), make([]int32, t.Batch())
						for errs[w] == nil && time.Since(start) < time.Second {
							k := int(next.Add(int64(len(jj)))) - len(jj)
							for q := range jj {
								jj[q] = int32((k + q) % n)
							}
							errs[w] = t.Minima(dst, jj)
							done.Add(int64(len(jj)))
						}
					})
				}
				wg.Wait()
				for _, err := range errs {
					if err != nil {
						return err
					}
				}
				fmt.Printf("; %d at a time %.2f s a sweep", workers, time.Since(start).Seconds()*float64(n)/float64(done.Load()))
			}
			fmt.Println()
			t.Close()
			s.Close()
		}
	}
	return nil
}
