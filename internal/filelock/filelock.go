// Package filelock locks files against other processes.
package filelock

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

// ErrLocked reports a file that another process has locked, or this one.
var ErrLocked = errors.New("locked by another process")

// Wait makes or opens the file path and waits until it is locked; waiting is
// called once when that is not at once, and may be nil. release removes the
// file.
func Wait(ctx context.Context, path string, waiting func()) (release func(), err error) {
	const pause = 100 * time.Millisecond
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err = Lock(f); err == nil && isAt(f, path) {
			return sync.OnceFunc(func() {
				os.Remove(path) // before the lock is given back: others see that their file is gone
				f.Close()
			}), nil
		}
		f.Close()
		if err != nil && !errors.Is(err, ErrLocked) {
			return nil, err
		}
		if err != nil && waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// isAt reports whether f is still the file path: whoever had it before removes
// it.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}
