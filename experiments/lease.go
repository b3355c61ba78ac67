package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// defaultLease is how long a lock counts after its process was last heard of. A
// process says four times in that time that it is alive.
const defaultLease = time.Minute

// leases are locks in a folder that many processes share, on one machine or on
// several. A lock is a file, NAME.GENERATION.lock; it belongs to whoever made
// the file of the highest generation, as long as that file is written to again
// and again. When its owner has been silent for the length of a lease, anyone
// may make the file of the next generation, which only one can do. So nobody
// removes a file that may be another's, and nobody takes the same lock twice.
//
// The age of a file is taken by the clock of the file system, from a file that
// is written for it, so that machines need not agree on the time.
type leases struct {
	dir    string
	owner  leaseOwner
	length time.Duration

	mu   sync.Mutex
	held map[*lease]bool
	stop chan struct{}
	wait sync.WaitGroup
}

// A lease is a lock that this process holds.
type lease struct {
	of         *leases
	name       string
	generation int
}

// openLeases makes the folder of locks and starts to renew those that are held.
// Host is "" for this machine.
func openLeases(dir string, length time.Duration, host string) (*leases, error) {
	if length <= 0 {
		length = defaultLease
	}
	if host == "" {
		host = hostName()
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	l := &leases{
		dir: dir, length: length, owner: leaseOwner{host, os.Getpid(), processToken()},
		held: map[*lease]bool{}, stop: make(chan struct{}),
	}
	l.wait.Go(l.renewUntilClosed)
	return l, nil
}

// close releases what is held and takes the folder away if it is empty.
func (l *leases) close() {
	close(l.stop)
	l.wait.Wait()
	l.mu.Lock()
	held := l.held
	l.held = map[*lease]bool{}
	l.mu.Unlock()
	for h := range held {
		h.remove()
	}
	os.Remove(l.dir)
}

func (l *leases) renewUntilClosed() {
	tick := time.NewTicker(l.length / 4)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		l.mu.Lock()
		for h := range l.held {
			// A failure shows in holds: others see a lock that is not renewed.
			_ = l.write(h.path(), os.O_WRONLY)
		}
		l.mu.Unlock()
	}
}

// write puts the owner into a file, opened with flags, so that its time is now.
func (l *leases) write(path string, flags int) error {
	text, err := json.Marshal(l.owner)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 0)
	return errors.Join(err, f.Close())
}

const lockSuffix = ".lock"

func (l *leases) path(name string, generation int) string {
	return filepath.Join(l.dir, fmt.Sprintf("%s.%d%s", name, generation, lockSuffix))
}

func (h *lease) path() string { return h.of.path(h.name, h.generation) }

// generations returns the lowest and the highest generation of a lock that has
// a file; 0 where there is none.
func (l *leases) generations(name string) (low, high int, err error) {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return 0, 0, err
	}
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), name+".")
		if !ok {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSuffix(number, lockSuffix))
		if err != nil || n < 1 {
			continue
		}
		if low == 0 || n < low {
			low = n
		}
		high = max(high, n)
	}
	return low, high, nil
}

// take takes a lock. The error is a BusyError while another process has it.
func (l *leases) take(name string) (*lease, error) {
	_, high, err := l.generations(name)
	if err != nil {
		return nil, err
	}
	if high > 0 {
		owner, state, _, err := l.ownerOf(name, high)
		if err != nil {
			return nil, err
		}
		if state == leaseAlive {
			return nil, l.busy(name, owner)
		}
	}
	h := &lease{l, name, high + 1}
	err = l.write(h.path(), os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	if errors.Is(err, fs.ErrExist) {
		return nil, l.busy(name, leaseOwner{}) // it was faster
	}
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.held[h] = true
	l.mu.Unlock()
	return h, nil
}

// waitFor takes a lock as soon as it is free.
func (l *leases) waitFor(ctx context.Context, name string) (*lease, error) {
	for {
		h, err := l.take(name)
		var busy *BusyError
		if !errors.As(err, &busy) {
			return h, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(l.pause()):
		}
	}
}

// pause returns how long to wait before looking at a lock again.
func (l *leases) pause() time.Duration { return min(l.length/4, time.Second) }

func (l *leases) busy(name string, owner leaseOwner) error {
	host, _, _ := strings.Cut(owner.Host, " ")
	return &BusyError{Path: filepath.Join(l.dir, name), Host: host, Process: owner.Process}
}

// holds says whether the lock is still this process's: it is not when it was
// stopped for longer than a lease and another process took over.
func (h *lease) holds() bool {
	_, high, err := h.of.generations(h.name)
	return err != nil || high <= h.generation
}

// release gives the lock up.
func (h *lease) release() {
	h.of.mu.Lock()
	delete(h.of.held, h)
	h.of.mu.Unlock()
	h.remove()
}

// remove takes the files of the lock away, this process's last.
func (h *lease) remove() {
	low, high, err := h.of.generations(h.name)
	if err != nil || high > h.generation {
		os.Remove(h.path())
		return
	}
	for g := max(1, low); g <= h.generation; g++ {
		os.Remove(h.of.path(h.name, g))
	}
}

// forget takes away the file of a lock whose owner is silent.
func (l *leases) forget(name string) {
	_, high, err := l.generations(name)
	if err != nil || high == 0 {
		return
	}
	if _, state, _, err := l.ownerOf(name, high); err == nil && state == leaseExpired {
		os.Remove(l.path(name, high))
	}
}
