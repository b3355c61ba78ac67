package cpu

import (
	"math/bits"
	"slices"
	"sync"
)

// memory keeps pieces that are free for use again, by the power of two of
// their size: training asks for the same ones at every step.
type memory struct {
	mu     sync.Mutex
	free   [64][][]uint64
	arenas [][]uint64 // by length
}

// keep is the number of bytes of free pieces of one size class that are kept.
const keep = 1 << 28

// get returns a piece of at least n bytes, and 64 more that kernels may read
// past the end. Its content is arbitrary.
func (m *memory) get(n int) []uint64 {
	words := (n+7)/8 + align/8
	class := bits.Len(uint(words - 1))
	m.mu.Lock()
	free := m.free[class]
	for i := len(free) - 1; i >= 0; i-- {
		if w := free[i]; cap(w) >= words && cap(w) <= words+words/4+64 {
			free[i] = free[len(free)-1]
			m.free[class] = free[:len(free)-1]
			m.mu.Unlock()
			return w[:words]
		}
	}
	m.mu.Unlock()
	return make([]uint64, words)
}

func (m *memory) put(w []uint64) {
	class := bits.Len(uint(len(w) - 1))
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.free[class])*8<<class < keep || len(m.free[class]) < 2 {
		m.free[class] = append(m.free[class], w)
	}
}

func (m *memory) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free = [64][][]uint64{}
	m.arenas = nil
}

// arena returns memory for a run. The graphs of a program run in turn, so that
// what serves the largest of them serves all: where nothing that is free is
// long enough, something shorter goes.
func (m *memory) arena(bytes int) []uint64 {
	words := bytes/8 + 1
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, a := range m.arenas {
		if len(a) >= words {
			m.arenas = slices.Delete(m.arenas, i, i+1)
			return a
		}
	}
	if n := len(m.arenas); n > 0 {
		m.arenas[n-1] = nil
		m.arenas = m.arenas[:n-1]
	}
	return make([]uint64, words)
}

func (m *memory) putArena(a []uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, _ := slices.BinarySearchFunc(m.arenas, len(a), func(x []uint64, n int) int { return len(x) - n })
	m.arenas = slices.Insert(m.arenas, i, a)
	if len(m.arenas) > 2 { // more than two graphs at a time are rare
		m.arenas = slices.Delete(m.arenas, 0, 1)
	}
}
