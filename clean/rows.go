package clean

import (
	"cmp"
	"context"
	"math"

	"rot.example/rot/internal/median"
	"rot.example/rot/internal/parallel"
)

// rows are n points of d coordinates, one after the other.
type rows struct {
	n, d int
	v    []float64
}

func (r *rows) row(i int) []float64 { return r.v[i*r.d : (i+1)*r.d : (i+1)*r.d] }

// pick copies the rows with the given numbers.
func (r *rows) pick(numbers []int) *rows {
	out := &rows{n: len(numbers), d: r.d, v: make([]float64, 0, len(numbers)*r.d)}
	for _, i := range numbers {
		out.v = append(out.v, r.row(i)...)
	}
	return out
}

// distance is the Euclidean one.
func distance(x, y []float64) float64 { return math.Sqrt(squared(x, y)) }

// squared is the square of the distance. Four sums keep the processor busy
// where one would wait for itself.
func squared(x, y []float64) float64 {
	var a, b, c, d float64
	for len(x) >= 4 && len(y) >= 4 {
		s, t, u, v := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		a += s * s
		b += t * t
		c += u * u
		d += v * v
		x, y = x[4:], y[4:]
	}
	for i, t := range x {
		t -= y[i]
		a += t * t
	}
	return (a + b) + (c + d)
}

// squaresOneByOne is squares on any machine.
func (r *rows) squaresOneByOne(out, x []float64, first int) {
	for k := range out {
		out[k] = squared(x, r.row(first+k))
	}
}

// each calls f with parts of 0…n−1, several at once, until ctx ends. What f
// does with a part must not depend on the others.
func each(ctx context.Context, n int, f func(lo, hi int)) error {
	return eachPart(ctx, n, 64, f) // rows; a moment's work
}

// eachPart is each with parts of a given size.
func eachPart(ctx context.Context, n, part int, f func(lo, hi int)) error {
	parallel.For((n+part-1)/part, func(i int) {
		if ctx.Err() == nil {
			f(i*part, min((i+1)*part, n))
		}
	})
	return ctx.Err()
}

// A near is a point and how far away it is.
type near struct {
	far   float64
	place int
}

func byDistance(a, b near) int {
	return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.place, b.place))
}

// spread is the middle of v and the mean distance from it.
func spread(v []float64) (middle, mean float64) {
	middle = median.Of(v)
	for _, t := range v {
		mean += math.Abs(t - middle)
	}
	return middle, mean / float64(len(v))
}

// addStandard adds h to sum, with the middle of like at 0 and its mean distance
// from there as the unit, times share. Where like is constant, so is what is
// added, except for values that differ from it.
func addStandard(sum, h, like []float64, share float64) {
	middle, unit := spread(like)
	if unit == 0 {
		if _, unit = spread(h); unit == 0 {
			return
		}
	}
	for i, t := range h {
		sum[i] += share * (t - middle) / unit
	}
}
