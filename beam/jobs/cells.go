package jobs

import (
	"math"
	"slices"

	"rot.example/rot/ot"
)

// A cellTree sorts rows into cells: by one of some centres that
// is near, and by how far they are from it, so that rows that lie far out share
// no cell with those that lie near. Centres hang on branches, and a row looks at
// those of the nearest few: its centre need not be the nearest of all.
type cellTree struct {
	Dim      int
	Branches []float64
	First    []int     // of each branch, its first centre; and how many there are
	Centres  []float64 // ordered by branch
	Radius   float64   // of the first band around a centre; each further one is twice as wide
}

const (
	probes   = 4       // branches whose centres a row looks at
	maxBands = 1 << 12 // more than float64 has powers of two
)

// newCellTree takes centres from a sample: rows evenly through it, whose order is
// that of all rows, moved to the means of the sampled rows around them.
func newCellTree(sample *ot.Points, cores int) *cellTree {
	n := sample.Len()
	k := min(n, max(1, cores))
	var centres []float64
	for i := range k {
		centres = append(centres, sample.Row(i*n/k)...)
	}
	t := plantTree(centres, sample.Dim)
	for range 2 {
		if k < n {
			t = plantTree(t.means(sample), sample.Dim)
		}
	}
	var near []float64
	step := max(1, n/2000)
	for i := 0; i < n; i += step {
		_, d := t.centre(sample.Row(i))
		near = append(near, math.Sqrt(d))
	}
	slices.Sort(near)
	t.Radius = 2 * near[len(near)*3/4]
	if !(t.Radius > 0) { // every row sampled is a centre
		t.Radius = max(near[len(near)-1], 1e-9*largest(sample.Coords), 1e-300)
	}
	return t
}

// moved is the tree with all its points elsewhere.
func (t *cellTree) moved(by []float64) *cellTree {
	c := *t
	c.Branches, c.Centres = slices.Clone(t.Branches), slices.Clone(t.Centres)
	for _, points := range [][]float64{c.Branches, c.Centres} {
		for i := range points {
			points[i] += by[i%t.Dim]
		}
	}
	return &c
}

// newCellTrees are the same cells for both sides, but that those of the source
// lie where the shift puts them: where only the mean has moved, a plan between
// the cells finds each row's like.
func newCellTrees(source, target *ot.Points, shift []float64, cores int) [2]*cellTree {
	both := &ot.Points{Dim: target.Dim, Coords: slices.Clone(target.Coords)}
	for i, v := range source.Coords {
		both.Coords = append(both.Coords, v-shift[i%target.Dim])
	}
	t := newCellTree(both, cores)
	return [2]*cellTree{t.moved(shift), t}
}

func largest(values []float64) (most float64) {
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	return most
}

// plantTree hangs centres on branches.
func plantTree(centres []float64, dim int) *cellTree {
	k := len(centres) / dim
	b := 1
	if k > 64 {
		b = int(math.Sqrt(float64(k)))
	}
	t := &cellTree{Dim: dim}
	for i := range b {
		t.Branches = append(t.Branches, centres[i*k/b*dim:(i*k/b+1)*dim]...)
	}
	of := make([][]int, b)
	for i := range k {
		at, _ := nearest(centres[i*dim:(i+1)*dim], t.Branches, math.Inf(1))
		of[at] = append(of[at], i)
	}
	for _, list := range of {
		t.First = append(t.First, len(t.Centres)/dim)
		for _, i := range list {
			t.Centres = append(t.Centres, centres[i*dim:(i+1)*dim]...)
		}
	}
	t.First = append(t.First, k)
	return t
}

// means returns the means of the rows of each centre that has some.
func (t *cellTree) means(sample *ot.Points) []float64 {
	sums, counts := make([]float64, len(t.Centres)), make([]float64, len(t.Centres)/t.Dim)
	for i := range sample.Len() {
		x := sample.Row(i)
		k, _ := t.centre(x)
		counts[k]++
		for j, v := range x {
			sums[k*t.Dim+j] += v
		}
	}
	var out []float64
	for k, n := range counts {
		for j := range t.Dim {
			if n > 0 {
				out = append(out, sums[k*t.Dim+j]/n)
			}
		}
	}
	return out
}

// nearest returns the nearest of some points, and its squared distance, where
// that is less than most.
func nearest(x, points []float64, most float64) (k int, squared float64) {
	k, squared = -1, most
	d := len(x)
	for i, at := 0, 0; at < len(points); i, at = i+1, at+d {
		if v := squaredWithin(x, points[at:at+d], squared); v < squared || k < 0 && v <= squared {
			k, squared = i, v
		}
	}
	return k, squared
}

// squaredWithin is the squared distance of two points; where that is more than
// most, it may be any number from most on.
func squaredWithin(x, y []float64, most float64) float64 {
	var sum float64
	y = y[:len(x)]
	j := 0
	for ; j+4 <= len(x); j += 4 {
		a, b, c, d := x[j]-y[j], x[j+1]-y[j+1], x[j+2]-y[j+2], x[j+3]-y[j+3]
		sum += a*a + b*b + c*c + d*d
		if sum > most {
			return sum
		}
	}
	for ; j < len(x); j++ {
		sum += (x[j] - y[j]) * (x[j] - y[j])
	}
	return sum
}

// centre returns a centre near x, and its squared distance.
func (t *cellTree) centre(x []float64) (k int, squared float64) {
	var branch [probes]int
	var far [probes]float64
	for i := range far {
		branch[i], far[i] = -1, math.Inf(1)
	}
	d := t.Dim
	for i, at := 0, 0; at < len(t.Branches); i, at = i+1, at+d {
		v := squaredWithin(x, t.Branches[at:at+d], far[probes-1])
		if v > far[probes-1] || v == far[probes-1] && branch[probes-1] >= 0 {
			continue
		}
		p := probes - 1
		for ; p > 0 && (v < far[p-1] || branch[p-1] < 0); p-- {
			branch[p], far[p] = branch[p-1], far[p-1]
		}
		branch[p], far[p] = i, v
	}
	k, squared = -1, math.Inf(1)
	for _, b := range branch {
		if b < 0 {
			break
		}
		first := t.First[b]
		if i, v := nearest(x, t.Centres[first*d:t.First[b+1]*d], squared); i >= 0 && (k < 0 || v < squared) {
			k, squared = first+i, v
		}
	}
	return k, squared
}

// band is how often the radius has to be doubled to reach so far.
func (t *cellTree) band(squared float64) (band int) {
	for r := t.Radius; squared > r*r; r *= 2 {
		band++
	}
	return band
}

// A massCell is the rows of one side in a cell, each moved by no more than blur.
type massCell struct {
	mass     float64 // part of the rows
	mean     []float64
	variance float64 // mean squared distance from mean
	blur     float64
}

// list is the cells that are not empty, in the order of their places.
func (t *cellTree) list(c *cellSums) []massCell {
	total := float64(c.rows())
	var out []massCell
	for _, p := range c.places() {
		s := c.cells[p]
		step := t.step(p % maxBands)
		n := float64(s.n)
		m := massCell{mass: n / total, blur: step * math.Sqrt(float64(t.Dim))}
		centre := t.Centres[p/maxBands*t.Dim:]
		for j, q := range s.offsets {
			m.mean = append(m.mean, centre[j]+float64(q)/n*step)
		}
		m.variance = (1 + 1e-12) * step * step * s.variance() // rounded up
		out = append(out, m)
	}
	return out
}
