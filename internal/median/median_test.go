package median

import (
	"math"
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{3}, 3},
		{[]float64{4, 1}, 2.5},
		{[]float64{9, -1, 4}, 4},
		{[]float64{1, 8, 2, 3}, 2.5},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
	} {
		x := slices.Clone(tt.x)
		if got := Of(x); got != tt.want || !slices.Equal(x, tt.x) {
			t.Errorf("of %v: %v, want %v; then x is %v", tt.x, got, tt.want, x)
		}
	}
}
