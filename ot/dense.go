package ot

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// Few points with a given matrix are solved by little else than pivots: each
// target looks at its whole row of costs, which takes no longer than to look at a
// list elsewhere, and good prices to start from would take longer than the pivots
// that they spare.

const (
	densePairs  = 500_000 // up to which that pays
	denseEqual  = 1 << 20 // pairs, where weights are equal on both sides: fewer pivots move mass, and there may be ties
	denseSide   = 1024    // points of a side: with more of them pivots are slow
	denseTied   = 4096    // points of a side, where weights are equal and ties so many that few pivots are left
	denseGreedy = 40_000  // pairs up to which no auction pays either
	denseBlock  = 2       // targets that are looked at before a choice is made
)

// useDense is a variable so that tests can compare with solves that do without.
var useDense = true

// dense says that the instance is one for solveDense.
func (in *instance) dense() bool {
	if !useDense || in.matrix == nil || !in.rowsAreY || in.depots != nil || max(in.m, in.n) > denseTied {
		return false
	}
	small := max(in.m, in.n) <= denseSide
	if small && in.m*in.n <= densePairs {
		return true
	}
	return uniform(in.a) && uniform(in.b) && (small && in.m*in.n <= denseEqual || in.tied())
}

// tied says that most targets find as many sources equally cheap as a list has
// room for, so that lists do not tell one from another.
func (in *instance) tied() bool {
	const sample = 15
	flat := 0
	for _, j := range every(in.n, sample) {
		least, count := math.Inf(1), 0
		for i := range in.m {
			switch c := in.cost(i, int(j)); {
			case c < least:
				least, count = c, 1
			case c == least:
				count++
			}
		}
		if count >= listLength {
			flat++
		}
	}
	return 2*flat > sample
}

// A denseSimplex is a simplex that looks for arcs in the rows of a matrix.
type denseSimplex struct {
	*simplex
	costs []float64 // of every target to its sources
	ld    int       // from one target to the next
}

// solveDense is plain transport on a dense instance.
func solveDense(ctx context.Context, in *instance, supply, demand []int64, w *watch) (*simplex, error) {
	if err := w.enter(ctx, "auction"); err != nil {
		return nil, err
	}
	_, top := in.costScale()
	k := 1
	if in.m*in.n > denseGreedy {
		k = listLength
	}
	l := newLists(in, k)
	if err := in.sweep(ctx, l, make([]float64, in.m), 0, in.n); err != nil {
		return nil, err
	}
	a := newAuction(in, l, make([]float64, in.m), supply, demand)
	copy(a.free, supply)
	copy(a.rem, demand)
	if k > 1 {
		if err := a.phase(ctx, auctionEps[0]*math.Max(resolution(l, a.u), 1e-9*top)); err != nil {
			return nil, err
		}
	}
	s := newDenseSimplex(in, l, supply, demand, 2e-14*top)
	s.buy(a)
	if err := w.enter(ctx, "simplex"); err != nil {
		return nil, err
	}
	s.start(a)
	if err := s.solve(ctx, w); err != nil {
		return s.simplex, err
	}
	s.l = newLists(in, 1)
	return s.simplex, in.sweep(ctx, s.l, s.u[:in.m], 0, in.n)
}

func newDenseSimplex(in *instance, l *lists, supply, demand []int64, tol float64) *denseSimplex {
	s := &denseSimplex{newSimplex(in, l, supply, demand, tol), in.matrix, in.ld}
	if in.m == in.ld && isUpTo(in.rows) && isUpTo(in.cols) {
		return s
	}
	s.costs, s.ld = make([]float64, in.m*in.n), in.m
	for j, row := range in.cols {
		for i, col := range in.rows {
			s.costs[j*in.m+i] = in.matrix[int(row)*in.ld+int(col)]
		}
	}
	return s
}

// row is the costs of target j.
func (s *denseSimplex) row(j int) []float64 { return s.costs[j*s.ld:][:s.in.m] }

// buy serves one target after the other from those sources that have something
// left which cost it least.
func (s *denseSimplex) buy(a *auction) {
	u := slices.Clone(a.u)
	for i, f := range a.free {
		if f == 0 {
			u[i] = math.Inf(1)
		}
	}
	for j := range a.rem {
		row := s.row(j)
		for a.rem[j] > 0 {
			best, least := -1, math.Inf(1)
			for i, c := range row {
				if v := c + u[i]; v < least {
					best, least = i, v
				}
			}
			f := min(a.rem[j], a.free[best])
			a.rem[j] -= f
			if a.free[best] -= f; a.free[best] == 0 {
				u[best] = math.Inf(1)
			}
			a.hold[best] = append(a.hold[best], lot{int32(j), f, a.u[best]})
		}
	}
}

// solve pivots until no row has a violated arc. Of those of a few rows that have
// any it takes the worst.
func (s *denseSimplex) solve(ctx context.Context, w *watch) error {
	t := s.simplex
	m, n := t.in.m, t.in.n
	fresh := 0 // pivots when the potentials were last recomputed
	for j, clean := 0, 0; ; {
		if clean >= n {
			if fresh == t.pivots {
				return nil
			}
			fresh, clean = t.pivots, 0
			t.potentials()
		}
		bi, bj, worst := -1, 0, -t.tol
		for range denseBlock {
			if i, by := s.violated(j, worst); i >= 0 {
				bi, bj, worst = i, j, by
			}
			if j++; j == n {
				j = 0
			}
		}
		if bi < 0 {
			clean += denseBlock
			continue
		}
		clean = 0
		t.enter(int32(bi), int32(bj), s.row(bj)[bi], 0)
		if t.pivots-fresh >= m+n { // rounding must stay below tol
			fresh = t.pivots
			t.potentials()
		}
		if err := w.tick(ctx, 1); err != nil {
			return err
		}
	}
}

// violated returns the source whose cost and price are farthest below the value
// of target j, and by how much, if that is by more than the given one; both are
// negative.
func (s *denseSimplex) violated(j int, worst float64) (best int, by float64) {
	t := s.simplex
	m := t.in.m
	row, u, psi := s.row(j), t.u[:m], t.u[m+j]
	best = -1
	look := func(i int) {
		if v := row[i] + u[i] - psi; v < worst {
			best, worst = i, v
		}
	}
	if m < 64 {
		for i := range row {
			look(i)
		}
		return best, worst
	}
	var mask [rowChunk]uint64
	for lo := 0; lo < m; {
		lo = min(lo, m-64) // the last ones once more
		words := min(len(mask), (m-lo)/64)
		rowMask(row[lo:lo+64*words], u[lo:lo+64*words], mask[:words], psi+0.9*worst)
		for q, w := range mask[:words] {
			for ; w != 0; w &= w - 1 {
				look(lo + 64*q + bits.TrailingZeros64(w))
			}
		}
		lo += 64 * words
	}
	return best, worst
}
