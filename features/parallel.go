package features

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel calls do for 0 to n−1, on at most GOMAXPROCS goroutines.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	wg.Wait()
}
