package ot

import (
	"fmt"
	"math"
)

// A Cost prices the move of one unit of mass from source i to target j. It is
// either a metric between points, evaluated as needed, or a given matrix.
type Cost struct {
	metric Metric
	m, n   int
	dim    int       // 0 for a matrix
	x, y   []float64 // coordinates; unit rows when the metric is Cosine
	x32    []float32 // instead of x and y: coordinates in single precision
	y32    []float32
	matrix []float64 // m×n, row-major
	most   float64   // no pair of points costs more; 0: no limit
}

// NewCost returns the cost between the rows of x and the rows of y. It keeps a
// reference to the coordinates, so they must not change while it is in use.
func NewCost(x, y *Points, metric Metric) (*Cost, error) {
	if err := x.check("source"); err != nil {
		return nil, err
	}
	if err := y.check("target"); err != nil {
		return nil, err
	}
	if x.Dim != y.Dim {
		return nil, fmt.Errorf("ot: source has %d columns, target has %d: %w", x.Dim, y.Dim, ErrShape)
	}
	if x.Single != nil && y.Single != nil && metric != Cosine && x.Dim >= singleFrom && ordinary(x.Single) && ordinary(y.Single) {
		if metric > Cityblock {
			return nil, fmt.Errorf("ot: %v is not a metric of points: %w", metric, ErrOption)
		}
		return &Cost{metric: metric, m: x.Len(), n: y.Len(), dim: x.Dim, x32: x.Single, y32: y.Single}, nil
	}
	x, y = x.Double(), y.Double()
	if metric != Cosine {
		if err := sizes(x, y, metric); err != nil {
			return nil, err
		}
	}
	c := &Cost{metric: metric, m: x.Len(), n: y.Len(), dim: x.Dim, x: x.Coords, y: y.Coords}
	switch metric {
	case Euclidean, SqEuclidean, Cityblock:
	case Cosine:
		var err error
		if c.x, err = unitRows(x, "source"); err != nil {
			return nil, err
		}
		if c.y, err = unitRows(y, "target"); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("ot: %v is not a metric of points: %w", metric, ErrOption)
	}
	return c, nil
}

// ordinary reports whether squares of differences are well within the range of
// float32.
func ordinary(v []float32) bool {
	var top float32
	for _, x := range v {
		top = max(top, x, -x)
	}
	return top < 1e12 && top > 1e-6
}

// coordsOf are the sources, side 0, or the targets.
func (c *Cost) coordsOf(side int) coords {
	double, single, n := c.x, c.x32, c.m
	if side == 1 {
		double, single, n = c.y, c.y32, c.n
	}
	out := coords{d: c.dim, double: double, single: single}
	if single != nil {
		out.rows = upTo(n)
	}
	return out
}

// doubled is the cost with coordinates in double precision.
func (c *Cost) doubled() *Cost {
	if c.x32 == nil {
		return c
	}
	q := *c
	q.x, q.y, q.x32, q.y32 = doubled(c.x32), doubled(c.y32), nil, nil
	return &q
}

// sizes refuses coordinates whose costs leave the range of float64.
func sizes(x, y *Points, metric Metric) error {
	most, least := 1e150, 1e-140 // of coordinates whose squares are added up
	if metric == Cityblock {
		most, least = 1e300, 1e-280
	}
	var top float64
	for _, side := range []struct {
		name string
		p    *Points
	}{{"source", x}, {"target", y}} {
		for k, v := range side.p.Coords {
			if !(math.Abs(v) < most/float64(x.Dim)) {
				return &SideError{Side: side.name, Row: k / x.Dim, Column: k % x.Dim, Problem: fmt.Sprintf("is %v: costs would overflow", v), Err: ErrValue}
			}
			top = math.Max(top, math.Abs(v))
		}
	}
	if top > 0 && top < least {
		return fmt.Errorf("ot: no coordinate is larger than %v: costs would underflow, scale the columns up: %w", top, ErrValue)
	}
	return nil
}

// NewMatrixCost returns the cost of a given m×n matrix, row-major. Entries may be
// negative; +Inf forbids a pair. NaN and −Inf are refused.
func NewMatrixCost(m, n int, matrix []float64) (*Cost, error) {
	if m <= 0 || n <= 0 || len(matrix) != m*n {
		return nil, fmt.Errorf("ot: %d entries for a %d×%d cost matrix: %w", len(matrix), m, n, ErrShape)
	}
	if _, high := extremes(matrix); !(high <= math.MaxFloat64) {
		for k, v := range matrix {
			if math.IsNaN(v) || math.IsInf(v, -1) {
				return nil, fmt.Errorf("ot: cost matrix row %d column %d is %v: %w", k/n, k%n, v, ErrValue)
			}
		}
	}
	return &Cost{metric: Given, m: m, n: n, matrix: matrix}, nil
}

// Truncated returns the cost min(c, most). Nothing is worth moving further than
// a pair at that price, so that far rows count as rows in the wrong place, no
// matter how far (Mukherjee et al. 2021). It returns ErrOption for a limit that
// is not above zero.
func (c *Cost) Truncated(most float64) (*Cost, error) {
	if !(most > 0) || math.IsInf(most, 1) {
		return nil, fmt.Errorf("ot: costs truncated at %v, want a number above 0: %w", most, ErrOption)
	}
	t := *c
	if c.metric != Given {
		if t.most = most; c.most > 0 {
			t.most = math.Min(most, c.most)
		}
		return &t, nil
	}
	t.matrix = make([]float64, len(c.matrix))
	for k, v := range c.matrix {
		t.matrix[k] = math.Min(v, most)
	}
	return &t, nil
}

// Dims returns the number of sources and of targets.
func (c *Cost) Dims() (m, n int) { return c.m, c.n }

// Dim returns the number of coordinates of a point, 0 for a given matrix.
func (c *Cost) Dim() int { return c.dim }

// Most returns the price at which the costs of points are truncated, 0 if they
// are not.
func (c *Cost) Most() float64 { return c.most }

// Metric returns the metric between points, or Given.
func (c *Cost) Metric() Metric { return c.metric }

// At returns the cost from source i to target j.
func (c *Cost) At(i, j int) float64 {
	if c.metric == Given {
		return c.matrix[i*c.n+j]
	}
	d := c.dim
	var v float64
	if c.x32 != nil {
		v = pointCost32(c.metric, c.x32[i*d:i*d+d], c.y32[j*d:j*d+d])
	} else {
		v = pointCost(c.metric, c.x[i*d:i*d+d], c.y[j*d:j*d+d])
	}
	if v > c.most && c.most > 0 {
		return c.most
	}
	return v
}

// pointCost is the metric between two rows; for Cosine both have length one.
func pointCost(metric Metric, x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1 float64
	k := 0
	if metric == Cityblock {
		for ; k+1 < len(x); k += 2 {
			s0 += math.Abs(x[k] - y[k])
			s1 += math.Abs(x[k+1] - y[k+1])
		}
		if k < len(x) {
			s0 += math.Abs(x[k] - y[k])
		}
		return s0 + s1
	}
	for ; k+1 < len(x); k += 2 {
		t0, t1 := x[k]-y[k], x[k+1]-y[k+1]
		s0 += t0 * t0
		s1 += t1 * t1
	}
	if k < len(x) {
		t := x[k] - y[k]
		s0 += t * t
	}
	switch metric {
	case Euclidean:
		return math.Sqrt(s0 + s1)
	case Cosine: // ‖x−y‖² = 2 − 2 x·y for unit rows
		return (s0 + s1) / 2
	}
	return s0 + s1
}

// unitRows scales every row to length one.
func unitRows(p *Points, side string) ([]float64, error) {
	out := make([]float64, len(p.Coords))
	for i := range p.Len() {
		row, dst := p.Row(i), out[i*p.Dim:(i+1)*p.Dim]
		var top float64
		for _, v := range row {
			top = math.Max(top, math.Abs(v))
		}
		if top == 0 {
			return nil, &SideError{Side: side, Row: i, Column: -1, Problem: "is zero and has no cosine", Err: ErrValue}
		}
		var s float64
		for _, v := range row {
			s += (v / top) * (v / top)
		}
		for k, v := range row {
			dst[k] = v / top / math.Sqrt(s)
		}
	}
	return out, nil
}
