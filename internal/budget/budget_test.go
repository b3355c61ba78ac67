package budget

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	defer SetLimit(0)
	for _, tt := range []struct {
		limit, size, need int64
		ok                bool
	}{
		{0, 1000, Unfolded, true},
		{0, 1000, Unfolded + PerByte*1000, true},
		{0, 1000, Unfolded + PerByte*1000 + 1, false},
		{0, 1000, -1, false},
		{1 << 20, 10, 1 << 20, true}, // a limit that was set trusts the file
		{1 << 20, 1 << 20, 1<<20 + 1, false},
		{1 << 40, 10, 1 << 39, true},
	} {
		SetLimit(tt.limit)
		err := Check(tt.size, tt.need)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrMemory) {
			t.Errorf("limit %d, file of %d, need %d: %v", tt.limit, tt.size, tt.need, err)
		}
	}
}

// TestTakeShares starts many files that unfold far: together they hold no more
// than one may.
func TestTakeShares(t *testing.T) {
	var now, most atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			free, err := Take(context.Background(), 10, Unfolded/2)
			if err != nil {
				t.Error(err)
				return
			}
			n := now.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			time.Sleep(time.Millisecond)
			now.Add(-1)
			free()
			free() // a second time does nothing
		})
	}
	wg.Wait()
	if most.Load() > 2 {
		t.Errorf("%d at once, want at most 2", most.Load())
	}
	if account.whole != 0 || account.pool != 0 {
		t.Errorf("left in the account: %d, %d", account.whole, account.pool)
	}
}

func TestTakeEnds(t *testing.T) {
	free, err := Take(context.Background(), 0, Unfolded)
	if err != nil {
		t.Fatal(err)
	}
	defer free()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := Take(ctx, 0, Unfolded); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestMeasure(t *testing.T) {
	files := map[string]string{"/proc/meminfo": "MemFree: 1 kB\nMemTotal:        2048 kB\n"}
	read := func(name string) ([]byte, error) {
		if s, ok := files[name]; ok {
			return []byte(s), nil
		}
		return nil, os.ErrNotExist
	}
	for _, tt := range []struct {
		file, text string
		want       int64
	}{
		{"/sys/fs/cgroup/memory.max", "max\n", 2 << 20},
		{"/sys/fs/cgroup/memory.max", "1048576\n", 1 << 20},
		{"/proc/meminfo", "garbage", 1 << 20},
		{"/sys/fs/cgroup/memory.max", "max\n", unknown},
	} {
		files[tt.file] = tt.text
		if got := measure(read); got != tt.want {
			t.Errorf("%v: %d, want %d", files, got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	for s, want := range map[string]int64{
		"1": 1, "500M": 500 << 20, "2GiB": 2 << 30, "1.5g": 3 << 29, "10 KB": 10 << 10, "1T": 1 << 40,
		"": 0, "-1": 0, "G": 0, "x": 0, "nan": 0, "1e30": 0, "0": 0,
	} {
		got, ok := Parse(s)
		if got != want || ok != (want > 0) {
			t.Errorf("%q: %d, %v", s, got, ok)
		}
	}
}

func TestProduct(t *testing.T) {
	if got := Product(3, 4, 5); got != 60 {
		t.Error(got)
	}
	if got := Product(1<<31, 1<<31, 4); got != -1 {
		t.Error(got)
	}
}
