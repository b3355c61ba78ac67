package ot

import (
	"math"
	"math/bits"
)

// A tileScreen screens the targets of a tile together, where there is a kernel
// for that: a chunk of sources is loaded once for four targets.
type tileScreen struct {
	args  tileMasks
	y     []float32     // for each four targets the first coordinates of all, then the second ones, and so on
	thr   [tile]float32 // thresholds; −∞ for targets that do not look
	norm  [tile]float32 // ‖y‖², for inner products
	masks [mostChunk / 8][tile]uint64
	some  [mostChunk / 8]uint32 // which of them are not 0
}

// mostChunk is the number of blocks of 8 sources of the largest chunk.
const mostChunk = 64

// tileMasks is what the kernel is told: bit l of mask[k][t] is to say that source
// 64k + l has cost + price ≤ thr[t] for target t. The layout is known to the
// assembly.
type tileMasks struct {
	x, y, base, u *float32
	mask          *uint64
	thr, norm     *float32
	units, quads  int // 64 sources and four targets each; quads is counted down
	d, mode       int
}

// begin puts the coordinates of the tile's targets in order.
func (w *tileScreen) begin(s *screen, targets []target32) {
	d := len(targets[0].y)
	quads := (len(targets) + 3) / 4
	if w.y == nil {
		w.y = make([]float32, tile*d)
	}
	for t := range 4 * quads {
		y := &targets[min(t, len(targets)-1)]
		from := y.y
		if s.dot {
			from = y.minus2
		}
		to := w.y[t/4*4*d+t%4:]
		for k, v := range from {
			to[4*k] = v
		}
		w.norm[t], w.thr[t] = y.square, float32(math.Inf(-1))
	}
	w.args.quads = quads
}

// limit sets the threshold of target t, which is y.
func (w *tileScreen) limit(s *screen, y *target32, t int, thr float32) {
	switch {
	case s.maxima:
		thr = (thr + y.total) / 2
	case s.dot && s.mode == modeSquare:
		thr -= y.square
	}
	w.thr[t] = thr
}

// scan sets the masks of n blocks of sources from block b0 on. n is a multiple
// of 8 and at most mostChunk.
func (w *tileScreen) scan(s *screen, q *prices32, b0, n, targets int) {
	d, from := len(w.y)/tile, b0*lanes
	a := &w.args
	a.x, a.y, a.u, a.base = &s.x[from*d], &w.y[0], &q.u[from], &q.u[from]
	a.mask, a.thr, a.norm = &w.masks[0][0], &w.thr[0], &w.norm[0]
	a.units, a.quads, a.d, a.mode = n/8, (targets+3)/4, d, s.mode
	if s.maxima {
		a.base = &q.base[from]
		maxTile512(a)
	} else if s.dot {
		if a.base = &s.squares[from]; s.mode == modeSquare {
			a.base = &q.base[from]
		}
		dotTile512(a)
	} else {
		diffTile512(a)
	}
	anyTile512(a.mask, &w.some[0], a.units)
}

// screensTiles says that there is a kernel for the targets of a tile together.
func (s *screen) screensTiles() bool { return useTiles && s.group == 2*lanes && s.single == nil }

// scanTile looks at nb blocks of sources, from block b0 on, for all targets of
// the tile.
func (s *tileSweep) scanTile(b0, nb int) {
	w := s.together
	w.scan(s.sc, s.prices, b0, nb, len(s.jj))
	for k := range nb / 8 {
		for some := w.some[k] & (1<<len(s.jj) - 1); some != 0; some &= some - 1 {
			t := bits.TrailingZeros32(some)
			for mask := w.masks[k][t]; mask != 0; mask &= mask - 1 {
				if !s.survivor((b0+8*k)*lanes+bits.TrailingZeros64(mask), s.jj[t], t) {
					break
				}
			}
		}
	}
}
