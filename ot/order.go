package ot

import (
	"cmp"
	"slices"
)

// Points of the plane, or of space, are kept in an order in which neighbours
// are near each other: what a target looks at is in few places then, and whole
// units of sources are too far from a tile of targets to be looked at
// (boxes.go).

const (
	orderFrom = 256       // points a side from which on their order matters
	orderLeaf = 8 * lanes // points that may be in any order: a unit of sources
)

// inPlace is the instance with the points of both sides in such an order, where
// they have few dimensions.
func (in *instance) inPlace() *instance {
	if !in.planar() || in.d == 0 || max(in.m, in.n) < orderFrom {
		return in
	}
	return in.sub(nearOrder(in.x.double, in.d), nearOrder(in.y.double, in.d))
}

// nearOrder splits points in halves across the widest side, again and again, at
// multiples of orderLeaf.
func nearOrder(pts []float64, d int) []int32 {
	idx := upTo(len(pts) / d)
	var split func(idx []int32)
	split = func(idx []int32) {
		if len(idx) <= orderLeaf {
			return
		}
		half := (len(idx)/2 + orderLeaf - 1) / orderLeaf * orderLeaf
		selectNth(idx, half, pts, d, widest(idx, pts, d))
		split(idx[:half])
		split(idx[half:])
	}
	split(idx)
	return idx
}

// widest is the coordinate in which some points differ most.
func widest(idx []int32, pts []float64, d int) (axis int) {
	wide := -1.0
	for c := range d {
		lo, hi := pts[int(idx[0])*d+c], pts[int(idx[0])*d+c]
		for _, i := range idx {
			v := pts[int(i)*d+c]
			lo, hi = min(lo, v), max(hi, v)
		}
		if hi-lo > wide {
			wide, axis = hi-lo, c
		}
	}
	return axis
}

// selectNth moves the n points that come first by one coordinate, of equal ones
// those with the lower index, before the others.
func selectNth(idx []int32, n int, pts []float64, d, axis int) {
	before := func(i, j int32) bool {
		x, y := pts[int(i)*d+axis], pts[int(j)*d+axis]
		return x < y || x == y && i < j
	}
	for lo, hi := 0, len(idx); n > lo && n < hi; {
		// The median of three, with which sorted points are no trouble.
		a, b, c := idx[lo], idx[lo+(hi-lo)/2], idx[hi-1]
		if before(b, a) {
			a, b = b, a
		}
		if before(c, b) {
			if b = c; before(b, a) {
				b = a
			}
		}
		i, j := lo, hi-1
		for i <= j {
			for before(idx[i], b) {
				i++
			}
			for before(b, idx[j]) {
				j--
			}
			if i <= j {
				idx[i], idx[j] = idx[j], idx[i]
				i++
				j--
			}
		}
		switch {
		case n <= j+1:
			hi = j + 1
		case n >= i:
			lo = i
		default:
			return
		}
	}
}

// byRows puts the entries of a plan in the order of its rows and columns, where
// the instance that it comes from has them in another.
func (in *instance) byRows(p *Plan) {
	if slices.IsSorted(in.rows) && slices.IsSorted(in.cols) {
		return
	}
	type entry struct {
		i, j int32
		mass float64
	}
	entries := make([]entry, p.Len())
	for k := range entries {
		entries[k] = entry{p.I[k], p.J[k], p.Mass[k]}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j)) })
	for k, e := range entries {
		p.I[k], p.J[k], p.Mass[k] = e.i, e.j, e.mass
	}
}
