package parallel

import (
	"fmt"
	"sync/atomic"
	"testing"
)

func TestTry(t *testing.T) {
	var sum atomic.Int64
	if err := Try(1000, func(i int) error { sum.Add(int64(i)); return nil }); err != nil || sum.Load() != 499_500 {
		t.Errorf("sum %d, %v", sum.Load(), err)
	}
	For(1000, func(i int) { sum.Add(int64(i)) })
	if sum.Load() != 999_000 {
		t.Errorf("For: sum %d", sum.Load())
	}
	for range 50 {
		err := Try(1000, func(i int) error {
			if i%7 == 6 {
				return fmt.Errorf("failed at %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "failed at 6" {
			t.Fatalf("got %v, want the first failure", err)
		}
	}
	if err := Try(0, func(int) error { return fmt.Errorf("called") }); err != nil {
		t.Error(err)
	}
}
