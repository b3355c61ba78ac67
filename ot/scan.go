package ot

import "context"

// A pricer looks for violated arcs in the lists, a block of targets at a time,
// and goes on where it left off.
type pricer struct {
	block int // targets looked at before a choice is made
	next  int // the first of the next block
	jump  int // runs of targets from one run to the next: no divisor of their number but 1; 0: all in a row
}

// run is the number of targets that a pricer that jumps looks at in a row.
const run = 8

// jumps is the jump of a pricer that goes all over n targets, as if their order
// meant nothing, where neighbours stand next to each other.
func jumps(n int) int {
	runs := (n + run - 1) / run
	jump := int(0.38*float64(runs)) | 1
	for gcd(int64(jump), int64(runs)) > 1 {
		jump += 2
	}
	return jump % runs
}

// after is the target that follows j of n.
func (q *pricer) after(j, n int) int {
	j++
	switch {
	case q.jump > 0 && (j%run == 0 || j == n):
		return (j - 1 + q.jump*run) / run % ((n + run - 1) / run) * run
	case j == n:
		return 0
	}
	return j
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
		j = q.after(j, n)
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
// block is pivoted on before the next block is swept. The tiles of a block lie
// all over, since neighbours may stand next to each other.
type scan struct{ pos, clean, blocks int }

// targets are those of the next block.
func (s *scan) targets(n int) []int32 {
	blocks := max(1, min(s.blocks, n/(2*tile)))
	var block []int32
	for lo := s.pos % blocks * tile; lo < n; lo += blocks * tile {
		for j := lo; j < min(lo+tile, n); j++ {
			block = append(block, int32(j))
		}
	}
	s.pos = (s.pos + 1) % blocks
	return block
}

// step sweeps the next block under prices u (sources first, then targets).
// clean: no source undercuts a target's value by more than tol in this block;
// done: none did in a full round.
func (s *scan) step(ctx context.Context, in *instance, l *lists, u []float64, tol float64) (clean, done bool, err error) {
	block := s.targets(in.n)
	target := func(k int) int { return int(block[k]) }
	if err := in.sweepTiles(ctx, l, u[:in.m], len(block), target, l.fine); err != nil {
		return false, false, err
	}
	clean = true
	for _, j := range block {
		src, cost := l.arcs(int(j))
		if cost[0]+u[src[0]]-u[in.m+int(j)] < -tol { // exactly as pricing sees it
			clean = false
			break
		}
	}
	if clean {
		s.clean += len(block)
	} else {
		s.clean = 0
	}
	return clean, s.clean >= in.n, nil
}
