package experiments

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A leaseOwner is the process that holds a lock.
type leaseOwner struct {
	Host    string `json:"host"` // with what tells containers on it apart
	Process int    `json:"process"`
	Token   string `json:"token"` // tells processes of the same number apart
}

// processToken returns what tells this process from an earlier one that had its
// number.
var processToken = sync.OnceValue(func() string {
	var token [8]byte
	rand.Read(token[:]) // never fails
	return hex.EncodeToString(token[:])
})

// hostName returns a name of this machine, or of this container on it.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	// Two containers may have one name, and each its own numbers of processes.
	for _, read := range []func() (string, error){
		func() (string, error) {
			text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
			return strings.TrimSpace(string(text)), err
		},
		func() (string, error) { return os.Readlink("/proc/self/ns/pid") },
	} {
		if id, err := read(); err == nil {
			name += " " + id
		}
	}
	return name
}

// dead says that an owner is known to have ended, because it ran on this machine
// and no process has its number, or this one has.
func (l *leases) dead(o leaseOwner) bool {
	if o.Host != l.owner.Host || o.Token == l.owner.Token {
		return false
	}
	if o.Process == l.owner.Process {
		return true // it had this process's number earlier
	}
	p, err := os.FindProcess(o.Process)
	if err != nil {
		return true
	}
	defer p.Release()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// A leaseState is what is known of the owner of a lock.
type leaseState int

const (
	leaseNone    leaseState = iota // nobody has it
	leaseAlive                     // its owner has been heard of within the length of a lease
	leaseExpired                   // its owner is silent, or known to be dead
)

// state returns the state of a lock and when its owner was last heard of.
func (l *leases) state(name string) (leaseState, time.Time, error) {
	_, high, err := l.generations(name)
	if err != nil || high == 0 {
		return leaseNone, time.Time{}, err
	}
	_, state, lastSeen, err := l.ownerOf(name, high)
	return state, lastSeen, err
}

// ownerOf returns who owns a generation of a lock, and its state.
func (l *leases) ownerOf(name string, generation int) (owner leaseOwner, state leaseState, lastSeen time.Time, err error) {
	f, err := os.Open(l.path(name, generation)) // opening asks a file server for the time anew
	if errors.Is(err, fs.ErrNotExist) {
		return owner, leaseNone, lastSeen, nil
	}
	if err != nil {
		return owner, 0, lastSeen, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return owner, 0, lastSeen, err
	}
	lastSeen = info.ModTime()
	text, err := io.ReadAll(io.LimitReader(f, 1<<12))
	if err != nil {
		return owner, 0, lastSeen, err
	}
	// The file of an owner that has made it and not yet written to it is empty.
	if json.Unmarshal(text, &owner) == nil && l.dead(owner) {
		return owner, leaseExpired, lastSeen, nil
	}
	now, err := l.now()
	if err != nil {
		return owner, 0, lastSeen, err
	}
	if now.Sub(lastSeen) > l.length {
		return owner, leaseExpired, lastSeen, nil
	}
	return owner, leaseAlive, lastSeen, nil
}

// now returns the time by the clock of the file system.
func (l *leases) now() (time.Time, error) {
	f, err := os.CreateTemp(l.dir, "clock-*")
	if err != nil {
		return time.Time{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.WriteString("\n"); err != nil {
		return time.Time{}, err
	}
	if err := f.Sync(); err != nil {
		return time.Time{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
