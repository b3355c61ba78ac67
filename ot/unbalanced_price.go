package ot

import (
	"context"
	"math"
)

// relaxedPricer finds arcs that should enter a relaxedForest. It keeps for every
// source the targets of least cost − potential; pivots look there only, and a
// pass over all arcs refreshes the lists when they hold nothing more.
type relaxedPricer struct {
	q     *relaxedForest
	rows  *costRows
	buf   [rowBlocks][]float64
	k     int
	cols  []int32   // m×k
	cost  []float64 // m×k
	count []int32
	slack float64 // a violation up to slack × noise counts as rounding
	next  int
	block int
	avg   float64
	still int // pivots in a row that moved nothing

	in    *instance // of points, whose sources are the targets here: quicker for many; or nil
	swept *lists    // of in
	u     []float64 // prices of its sources
}

// sweepWith refreshes the lists by sweeps over an instance with the sides
// exchanged, which looks at few pairs closely.
func (s *relaxedPricer) sweepWith(in *instance) {
	s.in, s.swept, s.u = in, newLists(in, s.k), make([]float64, in.m)
}

// sweep is refresh by sweeps.
func (s *relaxedPricer) sweep(ctx context.Context) (clean bool, err error) {
	q, in := s.q, s.in
	for k, j := range in.rows {
		s.u[k] = -q.h[q.m+int(j)]
	}
	if err := in.sweep(ctx, s.swept, s.u, 0, in.n); err != nil {
		return false, err
	}
	clean = true
	for k, i := range in.cols {
		src, cost := s.swept.arcs(k)
		for l, t := range src {
			at := int(i)*s.k + l
			s.cols[at], s.cost[at] = in.rows[t], cost[l]
		}
		s.count[i] = int32(len(src))
		_, yes := s.violated(int(i), int(in.rows[src[0]]), cost[0])
		clean = clean && !yes
	}
	return clean, nil
}

func newRelaxedPricer(q *relaxedForest, rows *costRows) *relaxedPricer {
	k := min(q.n, 16)
	return &relaxedPricer{q: q, rows: rows, buf: blockRows(q.n), k: k, slack: 1e-15, block: 16,
		cols: make([]int32, q.m*k), cost: make([]float64, q.m*k), count: make([]int32, q.m)}
}

// violated says whether mass would rather flow on an arc of cost c from i to j:
// whether its reduced cost r is negative, by more than rounding explains.
func (s *relaxedPricer) violated(i, j int, c float64) (r float64, yes bool) {
	r = s.q.reduced(i, j, c)
	return r, r < 0 && r < -s.slack*s.q.doubt(i, j, c)
}

// refresh fills the lists under the present potentials; clean means that no arc
// at all is violated.
func (s *relaxedPricer) refresh(ctx context.Context) (clean bool, err error) {
	if s.in != nil {
		return s.sweep(ctx)
	}
	q := s.q
	h := q.h[q.m:]
	var found [rowBlocks]bool
	err = eachRow(ctx, q.m, q.n, func(b, i int) {
		s.count[i] = 0
		if q.nodes[i].base == 0 {
			return
		}
		c := s.rows.row(i, s.buf[b])
		h := h[:len(c)]
		bound := math.Inf(1)
		for j, v := range c {
			if v-h[j] < bound {
				bound = s.insert(i, j, v, h)
			}
		}
		if s.count[i] > 0 {
			_, yes := s.violated(i, int(s.cols[i*s.k]), s.cost[i*s.k])
			found[b] = found[b] || yes
		}
	})
	clean = true
	for _, f := range found {
		clean = clean && !f
	}
	return clean, err
}

// insert puts target j into the list of source i and returns the value that the
// next one has to beat.
func (s *relaxedPricer) insert(i, j int, c float64, h []float64) float64 {
	cols, cost := s.cols[i*s.k:(i+1)*s.k], s.cost[i*s.k:(i+1)*s.k]
	p := int(s.count[i])
	if p == s.k {
		p--
	} else {
		s.count[i]++
	}
	v := c - h[j]
	for ; p > 0 && cost[p-1]-h[cols[p-1]] > v; p-- {
		cols[p], cost[p] = cols[p-1], cost[p-1]
	}
	cols[p], cost[p] = int32(j), c
	if int(s.count[i]) < s.k {
		return math.Inf(1)
	}
	return cost[s.k-1] - h[cols[s.k-1]]
}

// best is the most violated arc in the lists of the next few sources.
func (s *relaxedPricer) best() (i, j int, c float64, ok bool) {
	q := s.q
	low := 0.0
	left := s.block
	for range q.m {
		r := s.next
		base := r * s.k
		for l := base; l < base+int(s.count[r]); l++ {
			if v, yes := s.violated(r, int(s.cols[l]), s.cost[l]); yes && v < low {
				low, i, j, c, ok = v, r, int(s.cols[l]), s.cost[l], true
			}
		}
		if s.next++; s.next == q.m {
			s.next = 0
		}
		if left--; left == 0 {
			if ok {
				break
			}
			left = s.block
		}
	}
	return i, j, c, ok
}

// solve pivots until no arc is violated or the pivots reach limit (0: none).
func (s *relaxedPricer) solve(ctx context.Context, limit int, progress func(pivots int)) error {
	q := s.q
	s.still = 0
	for {
		clean, err := s.refresh(ctx)
		if err != nil || clean {
			return err
		}
		progress(q.pivots)
		if err := s.pivot(ctx, limit); err != nil {
			return err
		}
		if limit > 0 && q.pivots >= limit {
			return nil
		}
	}
}

// pivot pivots until no arc in the lists is violated or the pivots reach limit.
func (s *relaxedPricer) pivot(ctx context.Context, limit int) error {
	q := s.q
	for {
		i, j, c, ok := s.best()
		if !ok || limit > 0 && q.pivots >= limit {
			return nil
		}
		if q.pivots%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		slight := q.reduced(i, j, c) > -100*s.slack*q.doubt(i, j, c)
		before := q.work
		q.enter(i, j, c)
		// Spend as much time on pricing as on trees.
		s.avg += 0.02 * (float64(q.work-before) - s.avg)
		s.block = min(max(int(s.avg/4), 16), 1024)
		if q.moved && !slight {
			s.still = 0
		} else if s.still++; s.still > 20*(q.m+q.n) { // guard against cycling: the certificate tells what it costs
			s.slack *= 10
			s.still = 0
		}
	}
}

// cover starts the forest with an arc from every source to its nearest target
// and one to every target still without from its nearest
// source. The forest has to be settled then.
func (s *relaxedPricer) cover(ctx context.Context) error {
	q := s.q
	near := make([]int32, q.m)
	low := blockRows(q.n)
	var from [rowBlocks][]int32
	for b := range rowBlocks {
		fillWith(low[b], math.Inf(1))
		from[b] = make([]int32, q.n)
	}
	err := eachRow(ctx, q.m, q.n, func(b, i int) {
		near[i] = -1
		if q.nodes[i].base == 0 {
			return
		}
		best := math.Inf(1)
		for j, v := range s.rows.row(i, s.buf[b]) {
			if q.nodes[q.m+j].base > 0 && v < best {
				best, near[i] = v, int32(j)
			}
			if v < low[b][j] {
				low[b][j], from[b][j] = v, int32(i)
			}
		}
	})
	if err != nil {
		return err
	}
	for i, j := range near {
		if j >= 0 {
			q.link(int32(i), j, s.rows.c.At(i, int(j)), q.nodes[i].base)
		}
	}
	for j := range q.n {
		if t := q.m + j; q.nodes[t].base > 0 && len(q.order[q.comp[t]]) == 1 {
			best, i := math.Inf(1), int32(0)
			for b := range rowBlocks {
				if low[b][j] < best {
					best, i = low[b][j], from[b][j]
				}
			}
			q.link(i, int32(j), best, q.nodes[t].base)
		}
	}
	return nil
}
