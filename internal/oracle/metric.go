package oracle

import (
	"math"

	"rot.example/rot/ot"
)

// cost is the cost from i to j, and false for a forbidden arc. It is exact for
// a matrix, SqEuclidean and Cityblock; Euclidean and Cosine are rounded down by
// less than 2^-rootBits of the largest number on the way.
func (in *Instance) cost(i, j int) (number, bool) {
	c, ok := in.fullCost(i, j)
	if most := exactly(in.Most); ok && in.Most > 0 && most.less(c) {
		return most, true
	}
	return c, ok
}

// fullCost is cost before it is truncated.
func (in *Instance) fullCost(i, j int) (number, bool) {
	if in.Metric == ot.Given {
		c := in.Matrix[i*in.N+j]
		if math.IsInf(c, 1) {
			return number{}, false
		}
		return exactly(c), true
	}
	x, y := in.X[i*in.Dim:(i+1)*in.Dim], in.Y[j*in.Dim:(j+1)*in.Dim]
	switch in.Metric {
	case ot.Cityblock:
		var s number
		for k := range x {
			s = s.plus(exactly(x[k]).minus(exactly(y[k])).abs())
		}
		return s, true
	case ot.Cosine:
		return cosine(x, y), true
	}
	var s number
	for k := range x {
		t := exactly(x[k]).minus(exactly(y[k]))
		s = s.plus(t.times(t))
	}
	if in.Metric == ot.Euclidean {
		s, _ = s.root()
	}
	return s, true
}

// cosine is 1 − x·y/(‖x‖‖y‖), rounded down and never negative.
func cosine(x, y []float64) number {
	var xy, xx, yy number
	for k := range x {
		a, b := exactly(x[k]), exactly(y[k])
		xy, xx, yy = xy.plus(a.times(b)), xx.plus(a.times(a)), yy.plus(b.times(b))
	}
	size := xx.times(yy)
	if xy.sign() > 0 && xy.times(xy).cmp(size) == 0 { // parallel
		return number{}
	}
	var q number
	if xy.sign() > 0 {
		low, _ := size.root()
		q = xy.overUp(low)
	} else {
		q = xy.overUp(size.rootUp())
	}
	if c := whole(1).minus(q); c.sign() > 0 {
		return c
	}
	return number{}
}

// roughCost is the cost in float64, +Inf for a forbidden arc.
func (in *Instance) roughCost(i, j int) float64 {
	c := in.roughFullCost(i, j)
	if in.Most > 0 && c > in.Most {
		return in.Most
	}
	return c
}

func (in *Instance) roughFullCost(i, j int) float64 {
	if in.Metric == ot.Given {
		return in.Matrix[i*in.N+j]
	}
	x, y := in.X[i*in.Dim:(i+1)*in.Dim], in.Y[j*in.Dim:(j+1)*in.Dim]
	var s, xx, yy float64
	switch in.Metric {
	case ot.Cityblock:
		for k := range x {
			s += math.Abs(x[k] - y[k])
		}
		return s
	case ot.Cosine:
		for k := range x {
			s, xx, yy = s+x[k]*y[k], xx+x[k]*x[k], yy+y[k]*y[k]
		}
		if math.Min(xx, yy) < 1e-250 { // squares may be lost
			return math.NaN()
		}
		return 1 - s/math.Sqrt(xx)/math.Sqrt(yy)
	}
	for k := range x {
		s += (x[k] - y[k]) * (x[k] - y[k])
	}
	if in.Metric == ot.Euclidean {
		return math.Sqrt(s)
	}
	return s
}

// roughError bounds the error of a roughCost c, generously.
func (in *Instance) roughError(c float64) float64 {
	if in.Metric == ot.Cosine {
		return 1e-12
	}
	if in.Metric == ot.Given {
		return 0
	}
	return 1e-12*c + 1e-150 // squares of less than 1e-150 may be lost
}

// transform is min over i of C_ij − f_i for every target j, over the sources
// that have weight, or nil for a target that no such source may reach. With
// bySource the sides change places.
func (in *Instance) transform(f []float64, weight []number, bySource bool) []*number {
	count := in.N
	if bySource {
		count = in.M
	}
	exact := make([]number, len(f))
	for i, v := range f {
		if weight[i].sign() > 0 {
			exact[i] = exactly(v)
		}
	}
	at := func(i, j int) (int, int) {
		if bySource {
			return j, i
		}
		return i, j
	}
	out := make([]*number, count)
	low := make([]float64, len(f))
	for j := range out {
		// Only those that rounding cannot rule out are computed exactly.
		least := math.Inf(1)
		for i, v := range f {
			low[i] = math.Inf(1)
			if weight[i].sign() == 0 {
				continue
			}
			c := in.roughCost(at(i, j))
			e := in.roughError(c) + 1e-15*(math.Abs(c)+math.Abs(v))
			if d := c - v; math.IsInf(c, 1) && in.Metric == ot.Given {
				continue
			} else if math.IsNaN(d-e) || math.IsInf(d, 0) {
				low[i] = math.Inf(-1)
			} else {
				low[i], least = d-e, math.Min(least, d+e)
			}
		}
		for i := range f {
			if low[i] > least || math.IsInf(low[i], 1) {
				continue
			}
			c, ok := in.cost(at(i, j))
			if !ok {
				continue
			}
			if v := c.minus(exact[i]); out[j] == nil || v.less(*out[j]) {
				out[j] = &v
			}
		}
	}
	return out
}
