package table

import (
	"fmt"
	"sync/atomic"

	memory "rot.example/rot/internal/budget"
)

// How much a reader may hold without a limit of the caller's: enough for text
// that packs well, and far less than what a bomb unfolds to.
const (
	freeMemory  = 64 << 20 // for any file
	perFileByte = 100      // for each byte of the file on disk
)

// A budget is the account of the memory that one reader holds. Its methods may
// be called from several goroutines.
type budget struct {
	file  string
	limit atomic.Int64
	fixed bool // the caller set the limit
	used  atomic.Int64
}

// newBudget opens the account of a file of so many bytes on disk.
func newBudget(file string, most, size int64) *budget {
	if most == 0 {
		if n, set := memory.Limit(); set {
			most = n
		}
	}
	b := &budget{file: file, fixed: most > 0}
	if !b.fixed {
		most = freeMemory + perFileByte*min(max(size, 0), 1<<50)
	}
	b.limit.Store(most)
	return b
}

// grow raises the limit for n more bytes of input of unknown length.
func (b *budget) grow(n int64) {
	if !b.fixed {
		b.limit.Add(perFileByte * n)
	}
}

// take books n bytes, or fails when they would go beyond the limit.
func (b *budget) take(n int64) error {
	if n < 0 || b.used.Add(n) > b.limit.Load() {
		return b.over()
	}
	return nil
}

// takeProduct books a×b bytes.
func (b *budget) takeProduct(x, y int64) error {
	if x < 0 || y < 0 || (y > 0 && x > (1<<62)/y) {
		return b.over()
	}
	return b.take(x * y)
}

// free gives n bytes back.
func (b *budget) free(n int64) { b.used.Add(-n) }

func (b *budget) over() error {
	e := failure(b.file, "needs more than the memory limit of %s", memoryText(b.limit.Load()))
	if !b.fixed {
		e.Msg = fmt.Sprintf("unfolds to more than %s, the memory limit for a file of its size (raise the limit if the file is to be trusted)", memoryText(b.limit.Load()))
	}
	e.Err = ErrMemory
	return e
}

// memoryText writes a number of bytes.
func memoryText(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
