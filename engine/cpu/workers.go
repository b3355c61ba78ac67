package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// workers share out loops. The goroutine that asks takes part, so that there
// are n−1 others; a loop that comes while another one runs is done by the one
// who asks, alone, so that there are never more than n at work for one graph
// and little more for several.
//
// A graph is many short loops, and to wake a goroutine may take longer than
// one of them. So who waits, for the next loop or for the end of one, looks
// out for it for a while before it sleeps, and nobody waits for a worker that
// has not begun.
type workers struct {
	n      int
	busy   sync.Mutex
	loop   loop
	turns  uint64
	gate   atomic.Uint64 // the turn of the loop that may be entered, or 0
	inside atomic.Int64  // workers that have entered, or try to
	asleep atomic.Int64  // workers that wait for a call, and have not got it
	call   chan struct{}
	wait   atomic.Bool // who asked waits for done
	done   chan struct{}
}

// patience is how long one looks out: longer than what a graph does between
// two loops on one core, and than what happens between two steps of training.
const patience = 100 * time.Microsecond

// A loop is pieces 0…count−1, taken one after the other by whoever is free.
type loop struct {
	next  atomic.Int64
	count int64
	body  func(worker, piece int)
}

func newWorkers(n int) *workers {
	w := &workers{n: n, call: make(chan struct{}, n), done: make(chan struct{}, 1)}
	for i := 1; i < n; i++ {
		go w.serve(i)
	}
	return w
}

// stop ends the goroutines; loops are then done alone.
func (w *workers) stop() {
	w.busy.Lock() // for ever
	close(w.call)
}

func (w *workers) serve(i int) {
	served := uint64(0)
	news := func() bool {
		turn := w.gate.Load()
		return turn != 0 && turn != served
	}
	for {
		if !lookOut(news) && !w.sleep(news) {
			return
		}
		w.inside.Add(1)
		// The loop cannot end while we are inside, unless it has by now.
		if turn := w.gate.Load(); turn != 0 {
			served = turn
			w.loop.run(i)
		}
		if w.inside.Add(-1) == 0 && w.wait.CompareAndSwap(true, false) {
			w.done <- struct{}{}
		}
	}
}

// lookOut waits for a condition, but not for long.
func lookOut(is func() bool) bool {
	for range 100 {
		if is() {
			return true
		}
	}
	for begin := time.Now(); time.Since(begin) < patience; runtime.Gosched() {
		for range 20 {
			if is() {
				return true
			}
		}
	}
	return false
}

// sleep waits for a call; false means that there will be none.
func (w *workers) sleep(news func() bool) bool {
	w.asleep.Add(1)
	if news() && w.take() {
		return true // it came just now, and nobody calls
	}
	_, ok := <-w.call
	return ok
}

// take counts one less asleep, if there is one.
func (w *workers) take() bool {
	for {
		n := w.asleep.Load()
		if n == 0 {
			return false
		}
		if w.asleep.CompareAndSwap(n, n-1) {
			return true
		}
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
	w.turns++
	w.loop.next.Store(0)
	w.loop.count, w.loop.body = int64(count), body
	w.gate.Store(w.turns)
	for i := 1; i < min(w.n, count) && w.take(); i++ {
		w.call <- struct{}{}
	}
	w.loop.run(0)
	w.gate.Store(0)
	if empty := func() bool { return w.inside.Load() == 0 }; !lookOut(empty) {
		w.wait.Store(true)
		if !empty() || !w.wait.CompareAndSwap(true, false) {
			<-w.done
		}
	}
	w.loop.body = nil
}
