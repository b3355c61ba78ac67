package cpu

import (
	"sync"
	"sync/atomic"
)

// workers share out loops. The goroutine that asks takes part, so that there
// are n−1 others; a loop that comes while another one runs is done by the one
// who asks, alone, so that there are never more than n at work for one graph
// and little more for several.
type workers struct {
	n    int
	busy sync.Mutex
	loop loop
	call []chan struct{}
	done chan struct{}
}

// A loop is pieces 0…count−1, taken one after the other by whoever is free.
type loop struct {
	next  atomic.Int64
	count int64
	body  func(worker, piece int)
}

func newWorkers(n int) *workers {
	w := &workers{n: n, done: make(chan struct{}, n)}
	for i := 1; i < n; i++ {
		call := make(chan struct{}, 1)
		w.call = append(w.call, call)
		go w.serve(i, call)
	}
	return w
}

// stop ends the goroutines; loops are then done alone.
func (w *workers) stop() {
	w.busy.Lock() // for ever
	for _, c := range w.call {
		close(c)
	}
}

func (w *workers) serve(i int, call chan struct{}) {
	for range call {
		w.loop.run(i)
		w.done <- struct{}{}
	}
}

func (l *loop) run(worker int) {
	for {
		i := l.next.Add(1) - 1
		if i >= l.count {
			return
		}
		l.body(worker, int(i))
	}
}

// each calls body for every piece, on several goroutines at once. The number
// of the worker is below n, and no two calls at the same time have the same
// one, but for loops of different graphs: those have different runs.
func (w *workers) each(count int, body func(worker, piece int)) {
	if count <= 1 || w.n == 1 || !w.busy.TryLock() {
		for i := range count {
			body(0, i)
		}
		return
	}
	defer w.busy.Unlock()
	w.loop.next.Store(0)
	w.loop.count, w.loop.body = int64(count), body
	others := min(len(w.call), count-1)
	for _, c := range w.call[:others] {
		c <- struct{}{}
	}
	w.loop.run(0)
	for range others {
		<-w.done
	}
	w.loop.body = nil
}
