//go:build unix

package filelock

import (
	"os"

	"golang.org/x/sys/unix"
)

// Lock takes an exclusive lock on f without waiting. The kernel gives it back
// when f is closed, at the latest when the process ends.
func Lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch err {
		case unix.EINTR:
			continue
		case unix.EWOULDBLOCK:
			return ErrLocked
		}
		return err
	}
}
