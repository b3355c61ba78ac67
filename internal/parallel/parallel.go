// Package parallel calls a function for many numbers on all cores.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls do for 0 to n−1, on at most GOMAXPROCS goroutines, and returns when
// all calls have.
func For(n int, do func(i int)) {
	// The error of Try is nil, for no call returns one.
	_ = Try(n, func(i int) error { do(i); return nil })
}

// Try is For with calls that can fail. It returns the error of the lowest number
// that fails, whatever the timing; numbers above it may not be called.
func Try(n int, do func(i int) error) error {
	var next, stop atomic.Int64 // numbers from stop on are not begun
	stop.Store(int64(n))
	var mu sync.Mutex
	var first error
	work := func() {
		for {
			i := next.Add(1) - 1
			if i >= stop.Load() {
				return
			}
			if err := do(int(i)); err != nil {
				mu.Lock()
				if i < stop.Load() {
					first = err
					stop.Store(i)
				}
				mu.Unlock()
			}
		}
	}
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(work)
	}
	wg.Wait()
	return first
}
