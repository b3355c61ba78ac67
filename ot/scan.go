package ot

import "context"

// A pricer looks for violated arcs in the lists, a block of targets at a time,
// and goes on where it left off.
type pricer struct {
	block int // targets looked at before a choice is made
	next  int // the first of the next block
}

// find returns the most violated arc of the next block that has one: cost +
// price of the source less than the target's value by more than tol. u holds
// the prices and then the values, less what a tour adds if there is one.
func (q *pricer) find(l *lists, u []float64, w *tour, tol float64) (bi, bj int32, bc float64, ok bool) {
	n := len(l.top)
	m := len(u) - n
	best := -tol
	left := q.block
	j := q.next
	for range n {
		psi := u[m+j]
		src, cost := l.arcs(j)
		if w != nil {
			psi = w.price(int32(m + j))
			for k, i := range src {
				if r := cost[k] + w.price(i) - psi; r < best {
					best, bi, bj, bc, ok = r, i, int32(j), cost[k], true
				}
			}
		} else {
			for k, i := range src {
				if r := cost[k] + u[i] - psi; r < best {
					best, bi, bj, bc, ok = r, i, int32(j), cost[k], true
				}
			}
		}
		for _, e := range l.rare.of(j) {
			r := e.c + u[e.i] - psi
			if w != nil {
				r = e.c + w.price(e.i) - psi
			}
			if r < best {
				best, bi, bj, bc, ok = r, e.i, int32(j), e.c, true
			}
		}
		if j++; j == n {
			j = 0
		}
		if left--; left == 0 {
			if ok {
				break
			}
			left = q.block
		}
	}
	q.next = j
	return
}

// A scan goes round the targets block by block, so that a violated arc in one
// block is pivoted on before the next block is swept.
type scan struct{ pos, clean, blocks int }

// step sweeps the next block under prices u (sources first, then targets).
// clean: no source undercuts a target's value by more than tol in this block;
// done: none did in a full round.
func (s *scan) step(ctx context.Context, in *instance, l *lists, u []float64, tol float64) (clean, done bool, err error) {
	size := max(2*tile, (in.n+s.blocks-1)/s.blocks)
	lo, hi := s.pos, min(s.pos+size, in.n)
	if err := in.sweep(ctx, l, u[:in.m], lo, hi); err != nil {
		return false, false, err
	}
	clean = true
	for j := lo; j < hi && clean; j++ {
		clean = !(l.cost[j*l.k]+u[l.src[j*l.k]]-u[in.m+j] < -tol) // exactly as pricing sees it
	}
	s.pos = hi % in.n
	if clean {
		s.clean += hi - lo
	} else {
		s.clean = 0
	}
	return clean, s.clean >= in.n, nil
}
