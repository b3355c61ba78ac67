package figure

import (
	"math"
	"testing"
	"time"
)

// TestTicksEnd tries axes of every size, down to those on which the step of the
// ticks is no number that moves them on.
func TestTicksEnd(t *testing.T) {
	sizes := []float64{0, 5e-324, 1.5e-323, 1e-310, 2e-308, 1e-290, 1e-100, 1, 1e100, math.MaxFloat64 / 4, math.Inf(1), math.NaN()}
	places := []float64{0, 5e-324, 1e-308, 1, -3, 1e16, 1e100, math.NaN()}
	done := make(chan int)
	go func() {
		most := 0
		for _, size := range sizes {
			for _, at := range places {
				for _, n := range []int{5, 6, 7} {
					most = max(most, len(niceTicks(n).Ticks(at, at+size)))
					most = max(most, len(stepTicks(niceStep(size/float64(n))).Ticks(at, at+10*size)))
				}
			}
		}
		done <- most
	}()
	select {
	case most := <-done:
		if most > mostTicks {
			t.Errorf("%d ticks on an axis", most)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the ticks of some axis never end")
	}
	if got := len(niceTicks(6).Ticks(0, 1)); got != 6 {
		t.Errorf("an axis from 0 to 1 has %d ticks, want 6", got)
	}
}

// TestDenormalFigures draws numbers whose differences underflow.
func TestDenormalFigures(t *testing.T) {
	tiny := []float64{0, 5e-324, 1e-323, 1.5e-323}
	for name, s := range map[string]span{"padded": span{0, 1.5e-323}.padded(0.05), "flat": span{5e-324, 5e-324}.padded(0.05)} {
		if !(s.length() > tooSmall) || s.min > 0 || s.max < 1.5e-323 {
			t.Errorf("%s: the axis goes from %g to %g", name, s.min, s.max)
		}
	}
	if _, err := (&Histogram{Weights: tiny}).count(); err != nil {
		t.Error(err)
	}
}
