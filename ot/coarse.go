package ot

import (
	"context"
	"slices"
)

// probe is the size of the smallest version of an instance, which tells what
// kind of problem it is.
const probe = 128

// climb carries target values ψ of a small version of the instance up to
// source prices of the whole: level by level, solving each from the prices
// that the one before gives.
func (in *instance) climb(ctx context.Context, small *instance, psi []float64, solve func(c *instance, u []float64) (*simplex, error)) ([]float64, error) {
	var sizes []int
	for k := min(in.m, in.n) / 4; k >= 2*probe; k /= 4 {
		sizes = append(sizes, k)
	}
	for _, k := range slices.Backward(sizes) {
		c := in.coarse(k)
		u, err := c.extend(ctx, small, psi)
		if err != nil {
			return nil, err
		}
		t, err := solve(c, u)
		if err != nil {
			return nil, err
		}
		small, psi = c, t.u[t.in.m:]
	}
	return in.extend(ctx, small, psi)
}

// extend prices the sources of in by the targets of a smaller version with
// values ψ: φ_i = min_j C_ij − ψ_j, and the price of source i is −φ_i.
func (in *instance) extend(ctx context.Context, small *instance, psi []float64) ([]float64, error) {
	cross := *in
	cross.n, cross.y, cross.cols, cross.b, cross.screen = small.n, small.y, small.cols, small.b, nil
	cross.depots = in.depots.between(small.depots)
	back, err := cross.lookBack(ctx, upTo(in.m), psi, 1)
	if err != nil {
		return nil, err
	}
	u := make([]float64, in.m)
	for i := range u {
		u[i] = psi[back.src[i]] - back.cost[i]
	}
	return u, nil
}

// planar says that points lie in so few dimensions that cells describe them.
func (in *instance) planar() bool { return in.matrix == nil && in.d <= 3 }

// coarse is a version of the instance with about k points a side. In up to
// three dimensions they are the centres of k cells of nearly equal count,
// which leaves no region with too much or too little mass; in more, and for a
// given matrix, they are every so-many-th point.
func (in *instance) coarse(k int) *instance {
	if in.depots != nil && len(in.depots.sources) == 0 {
		return in.coarseSink(k)
	}
	if in.depots != nil {
		return in.coarseDepots(k)
	}
	if in.planar() {
		c := &instance{d: in.d, metric: in.metric, most: in.most, device: in.device}
		c.x.d, c.y.d = in.d, in.d
		c.x.double, c.a = cells(in.x.double, in.a, in.d, k)
		c.y.double, c.b = cells(in.y.double, in.b, in.d, k)
		c.m, c.n = len(c.a), len(c.b)
		c.rows, c.cols = make([]int32, c.m), make([]int32, c.n)
		return c
	}
	if in.coords != nil {
		return in.coarseCells(k)
	}
	c := in.sub(every(in.m, k), every(in.n, k))
	renormalize(c.a)
	renormalize(c.b)
	return c
}

// cells splits points into k cells and returns their centres of mass and masses.
func cells(pts, w []float64, d, k int) (centers, mass []float64) {
	for _, cell := range splitAtMedians(pts, d, k) {
		at := len(centers)
		centers = append(centers, make([]float64, d)...)
		mass = append(mass, centerOfMass(centers[at:], cell, pts, w))
	}
	return centers, mass
}

// splitAtMedians splits points of d coordinates into k cells of nearly the same
// number, always across the widest side. It returns the points of each.
func splitAtMedians(pts []float64, d, k int) (cells [][]int32) {
	var split func(idx []int32, k int)
	split = func(idx []int32, k int) {
		if k == 1 {
			cells = append(cells, idx)
			return
		}
		half := len(idx) * (k / 2) / k
		selectNth(idx, half, pts, d, widest(idx, pts, d))
		split(idx[:half], k/2)
		split(idx[half:], k-k/2)
	}
	n := len(pts) / d
	split(upTo(n), min(k, n))
	return cells
}

// centerOfMass adds the center of mass of a cell's points to center, which is 0,
// and returns their mass.
func centerOfMass(center []float64, cell []int32, pts, w []float64) (mass float64) {
	d := len(center)
	for _, i := range cell {
		mass += w[i]
		for c := range d {
			center[c] += w[i] * pts[int(i)*d+c]
		}
	}
	for c := range d {
		center[c] /= mass
	}
	return mass
}

// every picks size of n indices at even steps.
func every(n, size int) []int32 {
	idx := make([]int32, 0, size)
	for k := range size {
		idx = append(idx, int32(int64(k)*int64(n)/int64(size)))
	}
	return idx
}

func renormalize(w []float64) {
	var s float64
	for _, v := range w {
		s += v
	}
	for i := range w {
		w[i] /= s
	}
}
