package ot

import "math"

// An instance is a Problem as the solvers see it: positive weights only, and
// the side whose marginal may move (if any) always called the source.
type instance struct {
	m, n, d int
	metric  Metric    // Cosine has become SqEuclidean on rescaled rows
	x, y    coords    // none for a given matrix
	a, b    []float64 // weights, each with sum 1
	most    float64   // no pair of points costs more; +Inf: no limit

	matrix     []float64     // given costs, or nil
	ld         int           // its row length
	rowsAreY   bool          // its rows are this instance's targets
	rows, cols []int32       // index of source i and target j in the problem
	coords     *matrixCoords // of both sides, where the matrix has them; or nil

	depots *depots // one more source and target, which have no coordinates; or nil

	screen *screen // float32 copy of the sources, made on first use
	device *device // that helps with sweeps, or nil
}

// newInstance drops rows of weight zero and, on request, swaps the two sides.
func newInstance(p *Problem, swap bool) (*instance, error) {
	a, b, err := p.weights()
	if err != nil {
		return nil, err
	}
	c := p.Cost
	in := &instance{m: c.m, n: c.n, d: c.dim, metric: c.metric, x: c.coordsOf(0), y: c.coordsOf(1), a: a, b: b, most: math.Inf(1), matrix: c.matrix, ld: c.n, device: p.device}
	if c.most > 0 {
		in.most = c.most
	}
	if t := p.table; t != nil && t.of == c {
		in.matrix, in.metric, in.most, in.x, in.y, in.d = t.costs, Given, math.Inf(1), coords{}, coords{}, 0
	} else if c.metric == Cosine {
		in.metric = SqEuclidean
		in.x.double, in.y.double = scaled(c.x, math.Sqrt2/2), scaled(c.y, math.Sqrt2/2)
	}
	in.rows, in.cols = upTo(in.m), upTo(in.n)
	if rows, cols := positive(a), positive(b); len(rows) < in.m || len(cols) < in.n {
		in = in.sub(rows, cols)
	}
	in = in.inPlace()
	if swap {
		in.m, in.n = in.n, in.m
		in.x, in.y = in.y, in.x
		in.a, in.b = in.b, in.a
		in.rows, in.cols = in.cols, in.rows
		in.rowsAreY = true
	}
	return in, nil
}

func scaled(v []float64, s float64) []float64 {
	out := make([]float64, len(v))
	for k := range v {
		out[k] = v[k] * s
	}
	return out
}

// upTo is 0, 1, …, n−1.
func upTo(n int) []int32 {
	idx := make([]int32, n)
	for i := range idx {
		idx[i] = int32(i)
	}
	return idx
}

// positive are the indices of weights above zero.
func positive(w []float64) []int32 {
	idx := make([]int32, 0, len(w))
	for i, v := range w {
		if v > 0 {
			idx = append(idx, int32(i))
		}
	}
	return idx
}

// sub is the instance on some of the sources and targets, weights as they are.
func (in *instance) sub(rows, cols []int32) *instance {
	s := &instance{m: len(rows), n: len(cols), d: in.d, metric: in.metric, most: in.most, matrix: in.matrix, ld: in.ld, rowsAreY: in.rowsAreY, device: in.device}
	pick := func(idx []int32, w []float64, pts coords, names []int32) (w2 []float64, pts2 coords, names2 []int32) {
		all := len(idx) == len(w)
		for k, i := range idx {
			w2 = append(w2, w[i])
			names2 = append(names2, names[i])
			all = all && int(i) == k
		}
		switch {
		case pts.none():
		case all:
			pts2 = pts // which nobody changes
		default:
			pts2 = pts.pick(idx)
		}
		return
	}
	s.a, s.x, s.rows = pick(rows, in.a, in.x, in.rows)
	s.b, s.y, s.cols = pick(cols, in.b, in.y, in.cols)
	s.depots = in.depots.sub(rows, cols)
	return s
}

// flipped shares everything with in, sources and targets exchanged.
func (in *instance) flipped() *instance {
	return &instance{m: in.n, n: in.m, d: in.d, metric: in.metric, most: in.most, x: in.y, y: in.x, a: in.b, b: in.a,
		matrix: in.matrix, ld: in.ld, rowsAreY: !in.rowsAreY, rows: in.cols, cols: in.rows, depots: in.depots.flipped(), device: in.device}
}

func (in *instance) cost(i, j int) float64 {
	if in.matrix != nil {
		return in.matrix[in.matrixIndex(i, j)]
	}
	if in.depots != nil {
		if c, ok := in.depots.cost(i, j); ok {
			return c
		}
	}
	if in.x.single != nil {
		return math.Min(in.x.between(in.metric, i, &in.y, j), in.most)
	}
	d := in.d
	x, y := in.x.double[i*d:i*d+d], in.y.double[j*d:j*d+d]
	if in.metric == SqEuclidean || in.metric == Euclidean { // pointCost, inlined by hand for the pivots' sake
		var s0, s1 float64
		k := 0
		for ; k+1 < len(x) && k+1 < len(y); k += 2 {
			t0, t1 := x[k]-y[k], x[k+1]-y[k+1]
			s0 += t0 * t0
			s1 += t1 * t1
		}
		if k < len(x) && k < len(y) {
			t := x[k] - y[k]
			s0 += t * t
		}
		c := s0 + s1
		if in.metric == Euclidean {
			c = math.Sqrt(c)
		}
		if c > in.most {
			return in.most
		}
		return c
	}
	return math.Min(pointCost(in.metric, x, y), in.most)
}

// swapped says that the sources here are the problem's targets.
func (in *instance) swapped() bool { return in.rowsAreY }

func (in *instance) matrixIndex(i, j int) int {
	if in.rowsAreY {
		return int(in.cols[j])*in.ld + int(in.rows[i])
	}
	return int(in.rows[i])*in.ld + int(in.cols[j])
}

// costScale is a typical and a large cost, from a few probes per target.
func (in *instance) costScale() (mean, top float64) {
	probes := max(1, min(in.m, 4096/in.n))
	for j := range in.n {
		for k := range probes {
			c := math.Abs(in.cost((j*7919+k*((in.m+probes-1)/probes))%in.m, j))
			mean += in.b[j] * c / float64(probes)
			top = math.Max(top, c)
		}
	}
	return mean, top
}
