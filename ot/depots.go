package ot

import (
	"math"
	"slices"
)

// Depots are one more source and one more target of an instance, without
// coordinates: mass that stays behind goes from its source to the target's
// depot, and what a target then lacks comes from the source's (docs/math.md
// §7.4).
type depots struct {
	source, target int       // their places, −1 for none
	from           []float64 // what it costs to get to every target from the source's depot
	to             []float64 // and from every source to the target's
	pair           float64   // from depot to depot
}

// cost is the cost of a pair with a depot; not ok for other pairs.
func (e *depots) cost(i, j int) (c float64, ok bool) {
	switch {
	case i == e.source && j == e.target:
		return e.pair, true
	case i == e.source:
		return e.from[j], true
	case j == e.target:
		return e.to[i], true
	}
	return 0, false
}

func (e *depots) flipped() *depots {
	if e == nil {
		return nil
	}
	return &depots{source: e.target, target: e.source, from: e.to, to: e.from, pair: e.pair}
}

// sub is the depots among some of the sources and targets.
func (e *depots) sub(rows, cols []int32) *depots {
	if e == nil {
		return nil
	}
	place := func(idx []int32, at int) int { return slices.Index(idx, int32(at)) }
	pick := func(v []float64, idx []int32) []float64 {
		out := make([]float64, len(idx))
		for k, i := range idx {
			out[k] = v[i]
		}
		return out
	}
	return &depots{source: place(rows, e.source), target: place(cols, e.target), from: pick(e.from, cols), to: pick(e.to, rows), pair: e.pair}
}

// between is the depots of the sources here and the targets there.
func (e *depots) between(there *depots) *depots {
	if e == nil {
		return nil
	}
	return &depots{source: e.source, target: there.target, from: there.from, to: e.to, pair: e.pair}
}

// violated is the most violated arc with a depot. Lists are too short for them.
func (e *depots) violated(u []float64, tol float64) (bi, bj int32, bc float64, ok bool) {
	m := len(e.to)
	best := -tol
	if e.target >= 0 {
		psi := u[m+e.target]
		for i, c := range e.to {
			if r := c + u[i] - psi; r < best && i != e.source {
				best, bi, bj, bc, ok = r, int32(i), int32(e.target), c, true
			}
		}
	}
	if e.source >= 0 {
		price := u[e.source]
		for j, c := range e.from {
			if r := c + price - u[m+j]; r < best {
				best, bi, bj, bc, ok = r, int32(e.source), int32(j), c, true
			}
		}
	}
	return bi, bj, bc, ok
}

// visitDepots looks at the pairs of target j that a screen of points does not
// know about.
func (s *tileSweep) visitDepots(e *depots, t, j int) {
	if j == e.target {
		for i := range s.in.m {
			if !s.listed(int32(i), j, t) {
				s.offer(i, j, t, s.in.cost(i, j))
			}
		}
	} else if e.source >= 0 && !s.listed(int32(e.source), j, t) {
		s.offer(e.source, j, t, e.from[j])
	}
}

// withDepots is an instance of points with two depots, as the last source and
// the last target, and weights for all.
func (in *instance) withDepots(a, b []float64, from, to []float64, pair float64) *instance {
	out := *in
	out.screen = nil
	out.a, out.b = a, b
	out.m, out.n = in.m+1, in.n+1
	// A place that is in use: nothing is measured from it.
	out.x, out.y = in.x.withFirst(), in.y.withFirst()
	out.rows = append(slices.Clone(in.rows), int32(in.m))
	out.cols = append(slices.Clone(in.cols), int32(in.n))
	out.depots = &depots{source: in.m, target: in.n, from: append(slices.Clone(from), pair), to: append(slices.Clone(to), pair), pair: pair}
	return &out
}

// coarseDepots is coarse for an instance whose last source and target are
// depots, which it keeps.
func (in *instance) coarseDepots(k int) *instance {
	e := in.depots
	without := func(n, depot int) []int32 {
		idx := upTo(n)
		return slices.Delete(idx, depot, depot+1)
	}
	bare := *in
	bare.depots = nil
	points := bare.sub(without(in.m, e.source), without(in.n, e.target))
	if in.planar() {
		c := points.coarse(k)
		middle := func(v []float64, n int, skip int) []float64 { // of costs that cells have no own for
			s := slices.Clone(v)
			s = slices.Delete(s, skip, skip+1)
			slices.Sort(s)
			out := make([]float64, n)
			fillWith(out, s[len(s)/2])
			return out
		}
		return c.withDepots(append(c.a, in.a[e.source]), append(c.b, in.b[e.target]), middle(e.from, c.n, e.target), middle(e.to, c.m, e.source), e.pair)
	}
	rows, cols := every(points.m, min(k, points.m)), every(points.n, min(k, points.n))
	c := points.sub(rows, cols)
	share := func(w []float64, all float64) { // of all that the points have
		renormalize(w)
		for i := range w {
			w[i] *= all
		}
	}
	share(c.a, 1-in.a[e.source])
	share(c.b, 1-in.b[e.target])
	some := e.sub(rows, cols)
	return c.withDepots(append(c.a, in.a[e.source]), append(c.b, in.b[e.target]), some.from, some.to, e.pair)
}

// farthest bounds the costs of an instance of points, by the box around them.
func (in *instance) farthest() float64 {
	var total float64
	for k := range in.d {
		low, high := math.Inf(1), math.Inf(-1)
		for _, pts := range []*coords{&in.x, &in.y} {
			for i := range pts.len() {
				v := pts.at(i, k)
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
		if in.metric == Cityblock {
			total += high - low
		} else {
			total += (high - low) * (high - low)
		}
	}
	if in.metric == Euclidean {
		total = math.Sqrt(total)
	}
	return math.Min(total*(1+1e-9), in.most)
}
