package table

import (
	"fmt"
	"sync/atomic"

	"rot.example/rot/internal/budget"
)

// An account is that of the memory which one reader holds. Its methods may
// be called from several goroutines.
type account struct {
	file  string
	limit atomic.Int64
	fixed bool // a caller set the limit
	used  atomic.Int64
}

// newAccount opens the account of a file of so many bytes on disk.
func newAccount(file string, most, size int64) *account {
	b := &account{file: file, fixed: most > 0}
	if !b.fixed {
		most = budget.Most(size)
		_, b.fixed = budget.Limit()
	}
	b.limit.Store(most)
	return b
}

// grow raises the limit for n more bytes of input of unknown length.
func (b *account) grow(n int64) {
	if !b.fixed {
		b.limit.Add(budget.PerByte * n)
	}
}

// take books n bytes, or fails when they would go beyond the limit.
func (b *account) take(n int64) error {
	if n < 0 || b.used.Add(n) > b.limit.Load() {
		return b.over()
	}
	return nil
}

// takeProduct books a×b bytes.
func (b *account) takeProduct(x, y int64) error {
	if x < 0 || y < 0 || (y > 0 && x > (1<<62)/y) {
		return b.over()
	}
	return b.take(x * y)
}

// free gives n bytes back.
func (b *account) free(n int64) { b.used.Add(-n) }

func (b *account) over() error {
	e := failure(b.file, "needs more than the memory limit of %s", budget.Text(b.limit.Load()))
	if !b.fixed {
		e.Msg = fmt.Sprintf("unfolds to more than %s, the memory limit for a file of its size (raise the limit if the file is to be trusted)", budget.Text(b.limit.Load()))
	}
	e.Err = ErrMemory
	return e
}
