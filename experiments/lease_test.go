package experiments

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// openTestLeases opens the locks of a machine of that name.
func openTestLeases(t *testing.T, dir, host string, length time.Duration) *leases {
	t.Helper()
	l, err := openLeases(dir, length, host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	return l
}

// silence makes the owner of a lock look as if it had not been heard of for an
// hour.
func silence(t *testing.T, h *lease) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(h.path(), past, past); err != nil {
		t.Fatal(err)
	}
}

// TestLease: a lock has one owner; it passes on when it is released, and when
// its owner is silent, who then knows that it is no longer his.
func TestLease(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "locks")
	a, b := openTestLeases(t, dir, "a", time.Hour), openTestLeases(t, dir, "b", time.Hour)
	first, err := a.take("cell")
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if _, err := b.take("cell"); !errors.As(err, &busy) || busy.Host != "a" || busy.Process != os.Getpid() {
		t.Fatalf("the second got %v", err)
	}
	if _, err := b.take("cell-2"); err != nil {
		t.Errorf("another lock: %v", err)
	}
	first.release()
	second, err := b.take("cell")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.take("cell"); !errors.As(err, &busy) {
		t.Fatalf("a released lock: %v", err)
	}
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(second.path(), past, past); err != nil {
		t.Fatal(err)
	}
	third, err := a.take("cell")
	if err != nil {
		t.Fatal(err)
	}
	if second.holds() || !third.holds() {
		t.Errorf("after it was taken over: old owner %v, new owner %v", second.holds(), third.holds())
	}
	second.release() // what is left of it; not the new owner's
	if !third.holds() {
		t.Error("the old owner took the lock away")
	}
	if _, err := b.take("cell"); !errors.As(err, &busy) {
		t.Errorf("the new owner's lock: %v", err)
	}
	third.release()
	if _, high, err := a.generations("cell"); err != nil || high != 0 {
		t.Errorf("generation %d is left, %v", high, err)
	}
}

// TestLeaseRenewed: a process that lives keeps its lock for longer than a lease.
func TestLeaseRenewed(t *testing.T) {
	dir := t.TempDir()
	a, b := openTestLeases(t, dir, "a", 400*time.Millisecond), openTestLeases(t, dir, "b", 400*time.Millisecond)
	if _, err := a.take("cell"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1200 * time.Millisecond)
	if _, err := b.take("cell"); !errors.As(err, new(*BusyError)) {
		t.Errorf("after three leases: %v", err)
	}
}

// TestLeaseDead: on one machine a process that has ended is known at once.
func TestLeaseDead(t *testing.T) {
	dir := t.TempDir()
	l := openTestLeases(t, dir, "", time.Hour)
	for _, tt := range []struct {
		name  string
		owner leaseOwner
		dead  bool
	}{
		{"this process", l.owner, false},
		{"an earlier one of this number", leaseOwner{l.owner.Host, os.Getpid(), "other"}, true},
		{"one that lives", leaseOwner{l.owner.Host, os.Getppid(), "other"}, false},
		{"one that there is not", leaseOwner{l.owner.Host, 1 << 30, "other"}, true},
		{"one on another machine", leaseOwner{"elsewhere", 1 << 30, "other"}, false},
	} {
		if got := l.dead(tt.owner); got != tt.dead {
			t.Errorf("%s: dead is %v", tt.name, got)
		}
	}
}

// TestLeaseRace: of many that want a lock whose owner is silent, one gets it.
func TestLeaseRace(t *testing.T) {
	dir := t.TempDir()
	owner := openTestLeases(t, dir, "owner", time.Minute)
	h, err := owner.take("cell")
	if err != nil {
		t.Fatal(err)
	}
	silence(t, h)
	var wait sync.WaitGroup
	var mu sync.Mutex
	got := 0
	for i := range 16 {
		l := openTestLeases(t, dir, string(rune('a'+i)), time.Minute)
		wait.Go(func() {
			_, err := l.take("cell")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				got++
			case !errors.As(err, new(*BusyError)):
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got != 1 {
		t.Errorf("%d got the lock", got)
	}
}
