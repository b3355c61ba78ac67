// Package budget bounds the memory that readers of files hold together.
//
// Two things bound it. The limit is for the process: by default half of the
// machine's memory, so that a file that is too large ends in an error and not
// in the death of the process. And what a file may unfold to is bounded by its
// size: a small one that claims to be huge is damaged or hostile, and those
// that unfold far share one small pool, so that many of them together take no
// more than one.
package budget

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// ErrMemory reports a file that would take more memory than it may.
var ErrMemory = errors.New("more memory than allowed")

const (
	// Unfolded is how many bytes any file may unfold to beyond PerByte for
	// each of its own: a blank picture of eight million pixels.
	Unfolded = 64 << 20
	// PerByte is how far the bytes of honest files unfold: photographs and
	// tables stay far below it.
	PerByte = 64
)

// limit is what SetLimit was given; 0 means none.
var limit atomic.Int64

// SetLimit sets the most that readers of this process hold together, in bytes.
// It also takes away the bound by the size of a file: whoever sets it says that
// files up to it are to be trusted. 0 restores the default.
func SetLimit(bytes int64) { limit.Store(max(bytes, 0)) }

// Limit returns the most that readers hold together, and whether it was set.
func Limit() (bytes int64, set bool) {
	if n := limit.Load(); n > 0 {
		return n, true
	}
	return machine() / 2, false
}

// Most returns the most that a file of size bytes may unfold to.
func Most(size int64) int64 {
	whole, set := Limit()
	if set {
		return whole
	}
	return min(whole, Unfolded+PerByte*min(max(size, 0), 1<<50))
}

// Check fails when a file of size bytes may not take need bytes.
func Check(size, need int64) error {
	most := Most(size)
	if need >= 0 && need <= most {
		return nil
	}
	whole, set := Limit()
	switch {
	case set:
		return fmt.Errorf("needs %s, %w: the limit is %s", text(need), ErrMemory, Text(whole))
	case most == whole:
		return fmt.Errorf("needs %s, %w: the limit is %s, half of this machine's memory (raise it with more memory or take a part of the data)", text(need), ErrMemory, Text(whole))
	}
	return fmt.Errorf("has %s and would unfold to %s, %w: the limit for a file of its size is %s (raise the memory limit if the file is to be trusted)",
		Text(size), text(need), ErrMemory, Text(most))
}

// The account of what is held, and who waits for it.
var account = struct {
	sync.Mutex
	whole, pool int64         // bytes taken
	freed       chan struct{} // closed when some come back
}{freed: make(chan struct{})}

// Take waits until need bytes for a while are there, for a file of size bytes,
// and books them until free is called. It fails at once where Check does, and
// when ctx ends. Whoever waits must hold nothing.
func Take(ctx context.Context, size, need int64) (free func(), err error) {
	if err := Check(size, need); err != nil {
		return nil, err
	}
	whole, set := Limit()
	var beyond int64
	if !set {
		beyond = max(0, need-PerByte*size)
	}
	for {
		account.Lock()
		// Somebody who is alone has passed Check.
		if account.whole == 0 || account.whole+need <= whole && (beyond == 0 || account.pool+beyond <= Unfolded) {
			account.whole += need
			account.pool += beyond
			account.Unlock()
			return sync.OnceFunc(func() { giveBack(need, beyond) }), nil
		}
		freed := account.freed
		account.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func giveBack(need, beyond int64) {
	account.Lock()
	defer account.Unlock()
	account.whole -= need
	account.pool -= beyond
	close(account.freed)
	account.freed = make(chan struct{})
}

// Product multiplies counts that a file gives; it is -1 where that is more than
// any memory, which Check refuses.
func Product(counts ...int64) int64 {
	p := int64(1)
	for _, n := range counts {
		if n < 0 || n > 0 && p > (1<<60)/n {
			return -1
		}
		p *= n
	}
	return p
}

func text(n int64) string {
	if n < 0 {
		return "more than any machine has"
	}
	return Text(n)
}

// Text writes a number of bytes.
func Text(n int64) string {
	switch {
	case n >= 10<<30 || n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
