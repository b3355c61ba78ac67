package clean

import (
	"cmp"
	"math"
	"slices"

	"rot.example/rot/internal/median"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/ot"
)

// A Cause is a column in which a row is unusual.
type Cause struct {
	Column int
	Value  float64
	Z      float64 // deviations from the median, below 0 for a low value
}

// A column is its middle and how far from that values usually lie.
type column struct{ median, deviation float64 }

// usual is the columns of x: the median and the median absolute deviation,
// scaled to that of a normal distribution; where more than half of the values
// are the same, the mean absolute deviation instead.
func usual(x *ot.Points, order []int) []column {
	out := make([]column, x.Dim)
	parallel.For(x.Dim, func(j int) {
		values := make([]float64, x.Len())
		unit := load(values, x, order, j)
		middle, mean := spread(values)
		for k := range values {
			values[k] = math.Abs(values[k] - middle)
		}
		deviation := 1.4826 * median.Of(values)
		if deviation <= rounding*math.Abs(middle) {
			deviation = math.Sqrt(math.Pi/2) * mean
		}
		out[j] = column{middle * unit, deviation * unit}
	})
	return out
}

// Causes are the columns in which row is most unusual, the worst first, at most
// limit of them, each by more than two deviations. They say where a row
// stands out by itself; one that is odd only in how its columns go together has
// none.
func (r *Result) Causes(row []float64, limit int) []Cause {
	var out []Cause
	for j, v := range row {
		c := r.columns[j]
		z := (v - c.median) / c.deviation
		switch {
		case v == c.median:
			continue
		case c.deviation == 0:
			z = math.Inf(cmp.Compare(v, c.median))
		}
		if math.Abs(z) > 2 {
			out = append(out, Cause{j, v, z})
		}
	}
	slices.SortStableFunc(out, func(a, b Cause) int { return cmp.Compare(math.Abs(b.Z), math.Abs(a.Z)) })
	return out[:min(len(out), limit)]
}
