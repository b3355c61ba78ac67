package ot

import "math"

// coords are the rows of one side of an instance: numbers of their own, or
// rows of a sample in single precision, which nobody copies. Costs are those of
// float64 either way, since that holds every float32.
type coords struct {
	d      int
	double []float64 // a row after the other
	single []float32 // instead of double
	rows   []int32   // which rows of single
}

// singleFrom is the number of dimensions from which on points in single
// precision stay so: with fewer there is little to save, and prepared copies of
// them are faster.
const singleFrom = 32

// none says that there are no points: costs are a given matrix.
func (c *coords) none() bool { return c.double == nil && c.single == nil }

func (c *coords) len() int {
	if c.single != nil {
		return len(c.rows)
	}
	return len(c.double) / max(1, c.d)
}

// at is coordinate k of row i.
func (c *coords) at(i, k int) float64 {
	if c.single != nil {
		return float64(c.single[int(c.rows[i])*c.d+k])
	}
	return c.double[i*c.d+k]
}

// row32 is row i in single precision.
func (c *coords) row32(i int) []float32 {
	at := int(c.rows[i]) * c.d
	return c.single[at : at+c.d]
}

// pick are some of the rows.
func (c *coords) pick(idx []int32) coords {
	if c.single != nil {
		rows := make([]int32, len(idx))
		for k, i := range idx {
			rows[k] = c.rows[i]
		}
		return coords{d: c.d, single: c.single, rows: rows}
	}
	out := coords{d: c.d, double: make([]float64, 0, len(idx)*c.d)}
	for _, i := range idx {
		out.double = append(out.double, c.double[int(i)*c.d:int(i+1)*c.d]...)
	}
	return out
}

// withFirst are the rows and the first of them once more.
func (c *coords) withFirst() coords {
	if c.single != nil {
		return coords{d: c.d, single: c.single, rows: append(append(make([]int32, 0, len(c.rows)+1), c.rows...), c.rows[0])}
	}
	return coords{d: c.d, double: append(append(make([]float64, 0, len(c.double)+c.d), c.double...), c.double[:c.d]...)}
}

// between is the cost of a pair of rows.
func (c *coords) between(metric Metric, i int, y *coords, j int) float64 {
	if c.single != nil {
		return pointCost32(metric, c.row32(i), y.row32(j))
	}
	d := c.d
	return pointCost(metric, c.double[i*d:i*d+d], y.double[j*d:j*d+d])
}

// pointCost32 is pointCost of the same numbers in single precision, to the bit.
func pointCost32(metric Metric, x, y []float32) float64 {
	y = y[:len(x)]
	var s0, s1 float64
	k := 0
	if metric == Cityblock {
		for ; k+1 < len(x); k += 2 {
			s0 += math.Abs(float64(x[k]) - float64(y[k]))
			s1 += math.Abs(float64(x[k+1]) - float64(y[k+1]))
		}
		if k < len(x) {
			s0 += math.Abs(float64(x[k]) - float64(y[k]))
		}
		return s0 + s1
	}
	for ; k+1 < len(x); k += 2 {
		t0, t1 := float64(x[k])-float64(y[k]), float64(x[k+1])-float64(y[k+1])
		s0 += t0 * t0
		s1 += t1 * t1
	}
	if k < len(x) {
		t := float64(x[k]) - float64(y[k])
		s0 += t * t
	}
	if metric == Euclidean {
		return math.Sqrt(s0 + s1)
	}
	return s0 + s1
}

// rowDistancesGo adds to out[k] the squared, or absolute, differences between
// y[from:to] and the same part of row rows[k] of x.
func rowDistancesGo(x []float32, rows []int32, y, out []float32, from, to int, city bool) {
	d := len(y)
	for k, i := range rows {
		row := x[int(i)*d : int(i)*d+d]
		s := out[k]
		for c := from; c < to; c++ {
			t := row[c] - y[c]
			switch {
			case !city:
				s += t * t
			case t < 0:
				s -= t
			default:
				s += t
			}
		}
		out[k] = s
	}
}
