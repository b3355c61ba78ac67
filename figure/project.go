package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rot.example/rot/ot"
)

// An xy is a point of the plane.
type xy struct{ x, y float64 }

// A projection maps points of some dimension into the plane.
type projection struct {
	axes   [2][]float64 // orthonormal directions; nil for points of one or two dimensions
	share  [2]float64   // part of the variance along each direction
	center []float64
}

// svdWork bounds the multiplications that a projection spends on finding its
// axes: about a second.
const svdWork = 5e8

// project finds the plane in which all clouds together spread most: their
// first two principal components. All clouds have the same dimension. Large
// clouds are represented by evenly spaced rows.
func project(clouds []*ot.Points) (*projection, error) {
	d := clouds[0].Dim
	if d <= 2 {
		return &projection{}, nil
	}
	total := 0
	for _, p := range clouds {
		total += p.Len()
	}
	rows := evenly(total, svdRows(d))
	m := mat.NewDense(len(rows), d, nil)
	var first, k int // row number of the first row of a cloud; next row of m
	for _, p := range clouds {
		for ; k < len(rows) && rows[k] < first+p.Len(); k++ {
			m.SetRow(k, p.Row(rows[k]-first))
		}
		first += p.Len()
	}

	var pc stat.PC
	if !pc.PrincipalComponents(m, nil) {
		return nil, fmt.Errorf("figure: principal components of %d points in %d dimensions do not converge: %w", len(rows), d, ot.ErrValue)
	}
	var vectors mat.Dense
	pc.VectorsTo(&vectors)
	vars := pc.VarsTo(nil)
	var sum float64
	for _, v := range vars {
		sum += v
	}
	pr := &projection{center: make([]float64, d)}
	for j := range pr.center {
		pr.center[j] = stat.Mean(mat.Col(nil, j, m), nil)
	}
	for k := range pr.axes {
		pr.axes[k] = mat.Col(nil, k, &vectors)
		orient(pr.axes[k])
		if sum > 0 {
			pr.share[k] = vars[k] / sum
		}
	}
	return pr, nil
}

// svdRows is how many rows of d columns a thin SVD affords: its work grows
// like rows·d·min(rows, d).
func svdRows(d int) int {
	return int(math.Max(svdWork/float64(d)/float64(d), math.Sqrt(svdWork/float64(d))))
}

// orient flips v so that its largest entry is positive: the sign of a
// principal component is arbitrary, a figure should not be.
func orient(v []float64) {
	var top float64
	for _, t := range v {
		if math.Abs(t) > math.Abs(top) {
			top = t
		}
	}
	if top < 0 {
		for i := range v {
			v[i] = -v[i]
		}
	}
}

// apply maps the rows of p into the plane. Points on a line are put at the
// given height.
func (pr *projection) apply(p *ot.Points, height float64) []xy {
	out := make([]xy, p.Len())
	for i := range out {
		row := p.Row(i)
		switch {
		case pr.center != nil:
			for j, v := range row {
				out[i].x += (v - pr.center[j]) * pr.axes[0][j]
				out[i].y += (v - pr.center[j]) * pr.axes[1][j]
			}
		case p.Dim == 2:
			out[i] = xy{row[0], row[1]}
		default:
			out[i] = xy{row[0], height}
		}
	}
	return out
}

// labels names the axes of the plane; both are empty when nothing was
// projected.
func (pr *projection) labels() (x, y string) {
	if pr.center == nil {
		return "", ""
	}
	name := func(k int) string { // with its part of the variance, as is usual
		return fmt.Sprintf("PC %d of %d (%.0f %%)", k+1, len(pr.center), 100*pr.share[k])
	}
	return name(0), name(1)
}

// evenly is limit numbers spread over 0, …, n−1 in order, or all of them when
// n is not above the limit.
func evenly(n, limit int) []int {
	k := min(n, limit)
	out := make([]int, k)
	for i := range out {
		out[i] = int(int64(i) * int64(n) / int64(k))
	}
	return out
}
