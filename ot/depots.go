package ot

import (
	"math"
	"slices"
)

// Depots are more sources and targets of an instance, without coordinates: mass
// that stays behind goes from its source to a target's depot, and what a target
// then lacks comes from a source's (docs/math.md §5.1, §7.4).
type depots struct {
	sources, targets []depot
}

// A depot is one more source or target, and what its pairs cost.
type depot struct {
	at   int       // its place
	cost []float64 // with everything on the other side, depots included
}

// isSource says that source i is a depot.
func (e *depots) isSource(i int) bool {
	if e != nil {
		for k := range e.sources {
			if e.sources[k].at == i {
				return true
			}
		}
	}
	return false
}

// isTarget says that target j is a depot.
func (e *depots) isTarget(j int) bool { return e.target(j) != nil }

// target is the depot at target j; nil where that is none.
func (e *depots) target(j int) *depot {
	if e != nil {
		for k := range e.targets {
			if e.targets[k].at == j {
				return &e.targets[k]
			}
		}
	}
	return nil
}

// cost is the cost of a pair with a depot; not ok for other pairs.
func (e *depots) cost(i, j int) (c float64, ok bool) {
	for k := range e.sources {
		if e.sources[k].at == i {
			return e.sources[k].cost[j], true
		}
	}
	for k := range e.targets {
		if e.targets[k].at == j {
			return e.targets[k].cost[i], true
		}
	}
	return 0, false
}

func (e *depots) flipped() *depots {
	if e == nil {
		return nil
	}
	return &depots{sources: e.targets, targets: e.sources}
}

// sub is the depots among some of the sources and targets.
func (e *depots) sub(rows, cols []int32) *depots {
	if e == nil {
		return nil
	}
	pick := func(all []depot, mine, others []int32) (some []depot) {
		for _, d := range all {
			at := slices.Index(mine, int32(d.at))
			if at < 0 {
				continue
			}
			cost := make([]float64, len(others))
			for k, i := range others {
				cost[k] = d.cost[i]
			}
			some = append(some, depot{at, cost})
		}
		return some
	}
	return &depots{pick(e.sources, rows, cols), pick(e.targets, cols, rows)}
}

// between is the depots of the sources here and the targets there, where the
// depots of both are the same.
func (e *depots) between(there *depots) *depots {
	if e == nil {
		return nil
	}
	out := &depots{}
	for k, d := range e.sources {
		out.sources = append(out.sources, depot{d.at, there.sources[k].cost})
	}
	for k, d := range there.targets {
		out.targets = append(out.targets, depot{d.at, e.targets[k].cost})
	}
	return out
}

// violated is the most violated arc with a depot. Lists are too short for them.
func (e *depots) violated(u []float64, m int, tol float64) (bi, bj int32, bc float64, ok bool) {
	best := -tol
	for _, d := range e.targets {
		psi := u[m+d.at]
		for i, c := range d.cost {
			if r := c + u[i] - psi; r < best && !e.isSource(i) {
				best, bi, bj, bc, ok = r, int32(i), int32(d.at), c, true
			}
		}
	}
	for _, d := range e.sources {
		price := u[d.at]
		for j, c := range d.cost {
			if r := c + price - u[m+j]; r < best {
				best, bi, bj, bc, ok = r, int32(d.at), int32(j), c, true
			}
		}
	}
	return bi, bj, bc, ok
}

// visitDepots looks at the pairs of target j that a screen of points does not
// know about.
func (s *tileSweep) visitDepots(e *depots, t, j int) {
	if e.isTarget(j) {
		for i := range s.in.m {
			if !s.listed(int32(i), j, t) {
				s.offer(i, j, t, s.in.cost(i, j))
			}
		}
		return
	}
	for _, d := range e.sources {
		if !s.listed(int32(d.at), j, t) {
			s.offer(d.at, j, t, d.cost[j])
		}
	}
}

// withDepots is an instance of points with depots as the last sources and the
// last targets, and weights for all. from has a row for every source's depot: what
// it costs to get to the targets, depots included; to is what it costs to get
// to every target's depot from the sources without depots.
func (in *instance) withDepots(a, b []float64, from, to [][]float64) *instance {
	out := *in
	out.screen = nil
	out.a, out.b = a, b
	out.m, out.n = in.m+len(from), in.n+len(to)
	out.rows, out.cols = slices.Clone(in.rows), slices.Clone(in.cols)
	e := &depots{}
	for k, cost := range from {
		out.x = out.x.withFirst() // a place that is in use: nothing is measured from it
		out.rows = append(out.rows, int32(in.m+k))
		e.sources = append(e.sources, depot{in.m + k, cost})
	}
	for k, cost := range to {
		out.y = out.y.withFirst()
		out.cols = append(out.cols, int32(in.n+k))
		cost = slices.Clone(cost)
		for _, row := range from {
			cost = append(cost, row[in.n+k])
		}
		e.targets = append(e.targets, depot{in.n + k, cost})
	}
	out.depots = e
	return &out
}

// coarseDepots is coarse for an instance whose last sources and targets are
// depots, which it keeps.
func (in *instance) coarseDepots(k int) *instance {
	e := in.depots
	m, n := in.m-len(e.sources), in.n-len(e.targets)
	bare := *in
	bare.depots = nil
	points := bare.sub(upTo(m), upTo(n))
	var c *instance
	var rows, cols []int32 // of points; none for cells
	if in.planar() {
		c = points.coarse(k)
	} else {
		rows, cols = every(m, min(k, m)), every(n, min(k, n))
		c = points.sub(rows, cols)
	}
	share := func(w, all []float64) []float64 { // of all that the points have
		points := 1.0
		for _, v := range all {
			points -= v
		}
		renormalize(w)
		for i := range w {
			w[i] *= points
		}
		return append(w, all...)
	}
	costs := func(of []depot, some []int32, size, all int) (out [][]float64) {
		for _, d := range of {
			cost := make([]float64, size, size+len(d.cost)-all)
			if some == nil { // cells have no costs of their own
				s := slices.Sorted(slices.Values(d.cost[:all]))
				fillWith(cost, s[len(s)/2])
			}
			for k, i := range some {
				cost[k] = d.cost[i]
			}
			out = append(out, append(cost, d.cost[all:]...))
		}
		return out
	}
	from, to := costs(e.sources, cols, c.n, n), costs(e.targets, rows, c.m, m)
	for k := range to {
		to[k] = to[k][:c.m]
	}
	return c.withDepots(share(c.a, in.a[m:]), share(c.b, in.b[n:]), from, to)
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
