package clean

import (
	"math"
	"slices"

	"rot.example/rot/ot"
)

const (
	// trim is the part of a column that is left out of its mean and deviation
	// at either end, so that a few absurd values do not hide all others.
	trim = 0.005
	// bend is where a scaled value begins to grow like its logarithm only. A
	// row 20 deviations away is found whatever the rest of it is; with values
	// of 10³⁰ no other column would count, nor would their squares be numbers.
	bend = 20
	// rounding is a spread, relative to the values, that may come from errors
	// of arithmetic.
	rounding = 1e-14
)

// A scaler brings columns to a common unit.
type scaler struct {
	unit   []float64 // a size of the values; what follows is in this unit
	centre []float64
	scale  []float64 // 0 for a constant column, which says nothing
}

// A Group is Width columns from First on.
type Group struct{ First, Width int }

// newScaler measures the columns of x, in the given order of its rows. Without
// scaling one unit serves all columns; the columns of a group share theirs.
func newScaler(x *ot.Points, order []int, unscaled bool, groups []Group) *scaler {
	d := x.Dim
	s := &scaler{unit: make([]float64, d), centre: make([]float64, d), scale: make([]float64, d)}
	if unscaled {
		s.common(x, order)
		return s
	}
	column := make([]float64, x.Len())
	for j := range d {
		for k, i := range order {
			column[k] = x.Coords[i*d+j]
		}
		slices.Sort(column)
		kept := column
		n := len(column)
		// A rare value, such as a flag that one row in a thousand has, must
		// not make its column a constant.
		cut := int(math.Ceil(trim * float64(n)))
		if 2*cut+1 < n && !constant(column[cut:n-cut]) {
			kept = column[cut : n-cut]
		}
		low, high := kept[0], kept[len(kept)-1]
		if s.unit[j] = max(math.Abs(low), math.Abs(high)); s.unit[j] == 0 {
			continue
		}
		for k, v := range column {
			column[k] = min(max(v, low), high) / s.unit[j]
		}
		if constant(column) {
			s.centre[j] = column[n/2]
			continue
		}
		s.centre[j], s.scale[j] = moments(column)
	}
	for _, g := range groups {
		s.share(g)
	}
	return s
}

// share gives the columns of a group one unit: the deviation of all of them
// together. Constant ones stay so.
func (s *scaler) share(g Group) {
	if g.First < 0 || g.Width < 0 || g.First+g.Width > len(s.unit) {
		return // no such columns
	}
	square := 0.0
	for j := g.First; j < g.First+g.Width; j++ {
		square += s.unit[j] * s.scale[j] * s.unit[j] * s.scale[j]
	}
	for j := g.First; j < g.First+g.Width; j++ {
		if s.scale[j] > 0 {
			s.scale[j] = math.Sqrt(square) / s.unit[j]
		}
	}
}

// constant says whether sorted values are all the same, up to rounding.
func constant(v []float64) bool {
	low, high := v[0], v[len(v)-1]
	return high-low <= rounding*max(math.Abs(low), math.Abs(high))
}

// common centres the columns and divides all of them by one number, for which
// the rows have a root mean square length of √Dim: that of scaled columns.
func (s *scaler) common(x *ot.Points, order []int) {
	unit := 0.0
	for _, v := range x.Coords {
		unit = max(unit, math.Abs(v))
	}
	if unit == 0 {
		return
	}
	column := make([]float64, x.Len())
	var total float64
	for j := range x.Dim {
		for k, i := range order {
			column[k] = x.Coords[i*x.Dim+j] / unit
		}
		var sd float64
		s.unit[j] = unit
		s.centre[j], sd = moments(column)
		total += sd * sd
	}
	scale := math.Sqrt(total / float64(x.Dim))
	for j := range s.scale {
		s.scale[j] = scale
	}
}

// load copies a column of x, divided by its largest absolute value, which it
// returns.
func load(column []float64, x *ot.Points, order []int, j int) float64 {
	unit := 0.0
	for k, i := range order {
		column[k] = x.Coords[i*x.Dim+j]
		unit = max(unit, math.Abs(column[k]))
	}
	if unit > 0 {
		for k := range column {
			column[k] /= unit
		}
	}
	return unit
}

func moments(v []float64) (mean, sd float64) {
	for _, t := range v {
		mean += t
	}
	mean /= float64(len(v))
	for _, t := range v {
		sd += (t - mean) * (t - mean)
	}
	return mean, math.Sqrt(sd / float64(len(v)))
}

// extend gives columns that are constant so far a scale by what x has in them: a
// value that the reference never takes makes a row a suspect.
func (s *scaler) extend(x *ot.Points, order []int) {
	column := make([]float64, x.Len())
	for j, scale := range s.scale {
		if scale > 0 {
			continue
		}
		centre := s.centre[j] * s.unit[j]
		unit := max(load(column, x, order, j), math.Abs(centre))
		if unit == 0 {
			continue
		}
		var sum float64
		for _, i := range order {
			t := x.Coords[i*x.Dim+j]/unit - centre/unit
			sum += t * t
		}
		if rms := math.Sqrt(sum / float64(x.Len())); rms > rounding {
			s.unit[j], s.centre[j], s.scale[j] = unit, centre/unit, rms
		}
	}
}

// apply is the rows of x in the given order, with the columns that are not
// constant, scaled.
func (s *scaler) apply(x *ot.Points, order []int) *rows {
	columns := s.kept()
	out := &rows{n: len(order), d: len(columns), v: make([]float64, 0, len(order)*len(columns))}
	for _, i := range order {
		row := x.Row(i)
		for _, j := range columns {
			out.v = append(out.v, s.scaled(row[j], j))
		}
	}
	return out
}

// kept is the columns that are not constant.
func (s *scaler) kept() []int {
	var columns []int
	for j, v := range s.scale {
		if v > 0 {
			columns = append(columns, j)
		}
	}
	return columns
}

// scaled is a value of column j in the common unit.
func (s *scaler) scaled(v float64, j int) float64 {
	z := (v/s.unit[j] - s.centre[j]) / s.scale[j]
	if a := min(math.Abs(z), math.MaxFloat64); a > bend {
		z = math.Copysign(bend*(1+math.Log(a/bend)), z)
	}
	return z
}
