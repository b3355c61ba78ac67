package metrics

import (
	"fmt"
	"math"
)

// Vectors are feature vectors of one dimension, one after the other.
type Vectors struct {
	Dim    int
	Values []float32 // n×Dim, row-major
}

// Len returns the number of vectors.
func (v Vectors) Len() int {
	if v.Dim <= 0 {
		return 0
	}
	return len(v.Values) / v.Dim
}

// at is the i-th vector.
func (v Vectors) at(i int) []float32 { return v.Values[i*v.Dim : (i+1)*v.Dim] }

// check finds what makes v unusable: ErrShape, or ErrValue for a number that
// is not finite.
func (v Vectors) check() error {
	if v.Dim <= 0 || len(v.Values)%v.Dim != 0 {
		return fmt.Errorf("%d values in vectors of dimension %d: %w", len(v.Values), v.Dim, ErrShape)
	}
	for i, x := range v.Values {
		if !(math.Abs(float64(x)) <= math.MaxFloat32) {
			return fmt.Errorf("vector %d has %g in column %d: %w", i/v.Dim, x, i%v.Dim, ErrValue)
		}
	}
	return nil
}

// checkPair checks two sets that are to be compared, with at least n vectors
// each.
func checkPair(x, y Vectors, n int) error {
	if err := x.check(); err != nil {
		return fmt.Errorf("first set: %w", err)
	}
	if err := y.check(); err != nil {
		return fmt.Errorf("second set: %w", err)
	}
	if x.Dim != y.Dim {
		return fmt.Errorf("vectors of dimension %d and of %d: %w", x.Dim, y.Dim, ErrShape)
	}
	if few := min(x.Len(), y.Len()); few < n {
		return fmt.Errorf("%d and %d vectors, and %d of each are needed: %w", x.Len(), y.Len(), n, ErrFew)
	}
	return nil
}

// wide copies the given rows of v, all of them for nil, to float64.
func (v Vectors) wide(rows []int) []float64 {
	if rows == nil {
		out := make([]float64, len(v.Values))
		for i, x := range v.Values {
			out[i] = float64(x)
		}
		return out
	}
	out := make([]float64, 0, len(rows)*v.Dim)
	for _, i := range rows {
		for _, x := range v.at(i) {
			out = append(out, float64(x))
		}
	}
	return out
}

// An Estimate is the mean of a statistic over several parts of the data, and
// how much the parts differ.
type Estimate struct {
	Mean float64
	SD   float64 // standard deviation over the parts, 0 for a single one
	N    int     // number of parts
}

// StdErr returns the standard error of the mean as if the parts were independent,
// NaN for a single one.
func (e Estimate) StdErr() float64 {
	if e.N < 2 {
		return math.NaN()
	}
	return e.SD / math.Sqrt(float64(e.N-1))
}

// estimate summarizes the values of all parts.
func estimate(parts []float64) Estimate {
	e := Estimate{N: len(parts)}
	for _, v := range parts {
		e.Mean += v
	}
	e.Mean /= float64(e.N)
	for _, v := range parts {
		e.SD += (v - e.Mean) * (v - e.Mean) / float64(e.N)
	}
	e.SD = math.Sqrt(e.SD)
	return e
}
