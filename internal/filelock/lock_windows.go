package filelock

import (
	"os"

	"golang.org/x/sys/windows"
)

// Lock takes an exclusive lock on f without waiting. The system gives it back
// when f is closed, at the latest when the process ends. The locked byte lies
// far behind the text, which others may then read.
func Lock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if err == windows.ERROR_LOCK_VIOLATION {
		return ErrLocked
	}
	return err
}
