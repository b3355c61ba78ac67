package ot

import (
	"math"
	"slices"
)

// Costs between points of few dimensions, or of any space that is as small, say
// where the points are: rows that cost nearly the same to some columns cost
// nearly the same to all. So the main directions in which costs to some columns
// differ serve as coordinates of the rows, likewise for columns, and both sides
// split into cells as points of the plane do (docs/math.md §4).

// matrixCoords are coordinates of the sources and targets of an instance with a
// given matrix.
type matrixCoords struct{ x, y []float64 }

const (
	coordCount   = 3   // coordinates of a row
	coordSamples = 32  // columns that they are found from
	nearCells    = 0.6 // of what costs of any rows differ by, as much as those of one cell may differ by
)

// findCoords gives both sides of an instance with a matrix coordinates, unless
// these do not tell costs.
func (in *instance) findCoords() {
	if in.matrix == nil || in.depots != nil {
		return
	}
	flip := in.flipped()
	x := in.mainDirections()
	if !in.cellsTell(splitAtMedians(x, coordCount, probe)) {
		return
	}
	y := flip.mainDirections()
	if flip.cellsTell(splitAtMedians(y, coordCount, probe)) {
		in.coords = &matrixCoords{x, y}
	}
}

// mainDirections returns coordinates of the sources: what their costs to some
// targets, each less the mean of its source and target, have in the directions in
// which they differ most. For squared distances these are coordinates of the
// points themselves but for a linear map.
func (in *instance) mainDirections() []float64 {
	targets := every(in.n, min(in.n, coordSamples))
	d := len(targets)
	f := make([]float64, in.m*d)
	mean := make([]float64, d)
	for i := range in.m {
		row := f[i*d : i*d+d]
		var sum float64
		for k, j := range targets {
			row[k] = in.cost(i, int(j))
			sum += row[k]
		}
		for k := range row {
			row[k] -= sum / float64(d)
			mean[k] += row[k] / float64(in.m)
		}
	}
	cov := make([]float64, d*d)
	for i := range in.m {
		row := f[i*d : i*d+d]
		for k := range row {
			row[k] -= mean[k]
		}
		for k, v := range row {
			c := cov[k*d : k*d+d]
			for l, w := range row[:k+1] {
				c[l] += v * w
			}
		}
	}
	for k := range d {
		for l := range k {
			cov[l*d+k] = cov[k*d+l]
		}
	}
	axes := mainAxes(cov, d, min(coordCount, d))
	out := make([]float64, in.m*coordCount)
	for i := range in.m {
		row := f[i*d : i*d+d]
		for q, axis := range axes {
			var s float64
			for k, v := range row {
				s += v * axis[k]
			}
			out[i*coordCount+q] = s
		}
	}
	return out
}

// mainAxes are nearly the first count eigenvectors of a covariance matrix, by
// multiplying with it again and again.
func mainAxes(cov []float64, d, count int) [][]float64 {
	axes := make([][]float64, count)
	for q := range axes {
		axes[q] = make([]float64, d)
		for k := range d {
			axes[q][k] = float64((k*(2*q+3)+q*q)%7) - 3
		}
	}
	next := make([]float64, d)
	for range 8 {
		for q, v := range axes {
			for k := range next {
				var s float64
				for l, w := range v {
					s += cov[k*d+l] * w
				}
				next[k] = s
			}
			copy(v, next)
			for _, w := range axes[:q] {
				along := dotProduct(v, w)
				for k := range v {
					v[k] -= along * w[k]
				}
			}
			if size := math.Sqrt(dotProduct(v, v)); size > 0 && !math.IsInf(size, 0) {
				for k := range v {
					v[k] /= size
				}
			}
		}
	}
	return axes
}

func dotProduct(x, y []float64) float64 {
	var s float64
	for k, v := range x {
		s += v * y[k]
	}
	return s
}

// cellsTell says that costs of two sources in one cell mostly differ by little of
// what those of any two differ by: by how much more one costs a target than
// another.
func (in *instance) cellsTell(cells [][]int32) bool {
	var near, far []float64
	for k, cell := range cells {
		i := int(cell[0])
		j, l := k*7919%in.n, (k*104729+1)%in.n
		step := in.cost(i, j) - in.cost(i, l)
		other := int(cell[len(cell)-1])
		near = append(near, math.Abs(step-in.cost(other, j)+in.cost(other, l)))
		other = int(cells[(k+len(cells)/2)%len(cells)][0])
		far = append(far, math.Abs(step-in.cost(other, j)+in.cost(other, l)))
	}
	slices.Sort(near)
	slices.Sort(far)
	typical := far[len(far)/2]
	return typical > 0 && near[len(near)/2] <= nearCells*typical
}

// coarseCells is the instance of about k cells a side. In each the row nearest to
// the middle stands for all.
func (in *instance) coarseCells(k int) *instance {
	x, a := middles(splitAtMedians(in.coords.x, coordCount, k), in.coords.x, in.a, coordCount)
	y, b := middles(splitAtMedians(in.coords.y, coordCount, k), in.coords.y, in.b, coordCount)
	c := in.sub(x, y)
	c.a, c.b = a, b
	return c
}

// middles are the rows nearest to the middle of their cells, and the cells'
// masses.
func middles(cells [][]int32, pts, w []float64, d int) (rows []int32, mass []float64) {
	center := make([]float64, d)
	for _, cell := range cells {
		clear(center)
		sum := centerOfMass(center, cell, pts, w)
		best, least := cell[0], math.Inf(1)
		for _, i := range cell {
			var far float64
			for c := range d {
				t := pts[int(i)*d+c] - center[c]
				far += t * t
			}
			if far < least {
				best, least = i, far
			}
		}
		rows, mass = append(rows, best), append(mass, sum)
	}
	return rows, mass
}
