package runs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"rot.example/rot/internal/filelock"
	"rot.example/rot/internal/openfile"
)

// Lock makes this process the one that trains the run, until unlock is called
// or the process ends in whatever way. The error wraps ErrLocked when another
// one does, or this one already.
func (r *Run) Lock() (unlock func(), err error) {
	path := filepath.Join(r.path, lockFile)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("runs: lock: %s is %s, not a file", path, openfile.Kind(info.Mode()))
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("runs: lock: %w", err)
	}
	if err := filelock.Lock(f); err != nil {
		defer f.Close()
		if errors.Is(err, filelock.ErrLocked) {
			return nil, fmt.Errorf("runs: %s: %w%s", r.path, ErrLocked, holder(f))
		}
		return nil, fmt.Errorf("runs: lock %s: %w", path, err)
	}
	// The number only helps to find the process: what counts is the lock, and
	// a full disk must not stop a run from being looked after.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	// The file stays. If it were removed, two processes could each lock a file
	// of that name.
	r.locked = true
	r.removeStale()
	return sync.OnceFunc(func() {
		r.locked = false
		f.Close()
	}), nil
}

// removeStale removes what a killed process left of files that it was writing.
// Nobody else writes into a run that is locked, and what cannot be removed does
// no harm.
func (r *Run) removeStale() {
	for _, dir := range []string{".", checkpointsDir, samplesDir, failureDir} {
		_ = removeTemporaries(filepath.Join(r.path, dir))
	}
}

// holder names the process that holds the lock, where it has said so.
func holder(f *os.File) string {
	text, err := io.ReadAll(io.LimitReader(f, 20))
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}
