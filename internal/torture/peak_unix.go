//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory that a process has held, in bytes.
func peak(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return u.Maxrss
	}
	return u.Maxrss << 10
}

// moreSignals are the signals that leave a checkpoint besides the interrupt.
var moreSignals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}

// makePipe makes a named pipe.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o666) }
