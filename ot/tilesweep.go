package ot

import (
	"math"
	"math/bits"
)

// A tileSweep is one worker's scratch space.
type tileSweep struct {
	in       *instance
	l        *lists
	sc       *screen
	u        []float64
	prices   *prices32
	byColumn *rowPrices // where targets are rows of a matrix
	low      []int32    // with truncated costs: as many sources of least price as a list has room for
	warm     bool
	chunk    int // blocks of sources at a time, 16 KiB of them

	lazy   bool    // only fallen sources are looked at
	fallen []int32 // which the screen has
	drop   float64 // no other source fell by more

	rounding SweepRounding // of the device, where one helps

	jj    []int     // the targets of the tile
	vals  []float64 // k values for each of the entries found so far
	count []int
	bound []float64  // no source above this can enter the list
	known []float64  // the bound that limit was made from
	limit []float32  // the same for the kernel
	tied  []int      // sources that were as good as the last of the list, and are not in it
	y     []target32 // none for a matrix
	mask  []byte

	reach    tileReach   // in few dimensions
	together *tileScreen // of all targets of a tile; nil where there is no kernel for it
}

// newTileSweep has room for tiles of size targets.
func newTileSweep(in *instance, l *lists, u []float64, prices *prices32, warm bool, size int) *tileSweep {
	s := &tileSweep{in: in, l: l, sc: in.screened(), u: u, prices: prices, warm: warm}
	s.jj = make([]int, 0, size)
	floats, counts := make([]float64, size*(l.k+2)), make([]int, 2*size)
	s.vals, s.bound, s.known = floats[:size*l.k], floats[size*l.k:size*(l.k+1)], floats[size*(l.k+1):]
	s.count, s.tied = counts[:size], counts[size:]
	if in.matrix == nil {
		s.limit, s.y = make([]float32, size), make([]target32, size)
		s.chunk = max(8, min(mostChunk, 4096/max(1, in.d)/lanes)&^7)
		s.mask = make([]byte, s.chunk)
	}
	return s
}

// begin gets ready for the targets jj.
func (s *tileSweep) begin() {
	for t, j := range s.jj {
		s.count[t], s.bound[t], s.known[t], s.tied[t] = 0, math.Inf(1), math.Inf(1), 0
		if s.in.matrix == nil {
			s.limit[t] = float32(math.Inf(1))
			s.sc.target(s.in, &s.y[t], j)
		}
		if s.warm {
			s.recall(t, j)
		}
		if e := s.in.depots; e != nil {
			s.visitDepots(e, t, j)
		}
		for _, i := range s.low { // the screen does not know that they may be far
			if !s.listed(i, j, t) {
				s.offer(int(i), j, t, s.in.cost(int(i), j))
			}
		}
	}
}

// finish notes what the lists of the targets jj vouch for.
func (s *tileSweep) finish() {
	for t, j := range s.jj {
		top := s.vals[t*s.l.k+s.l.k-1]
		if s.lazy {
			top = math.Min(top, lowered(s.l.top[j], s.drop))
		}
		s.l.top[j] = top
		if s.l.k == s.in.m {
			s.l.top[j] = math.Inf(1)
		}
	}
}

// tile sweeps the targets jj.
func (s *tileSweep) tile() {
	s.begin()
	switch {
	case s.in.matrix == nil && !s.sc.wide:
		if s.sc.screensTiles() {
			if s.together == nil {
				s.together = &tileScreen{}
			}
			s.together.begin(s.sc, s.y[:len(s.jj)])
		}
		s.scanUnits()
	case s.lazy:
		s.scanFallen()
	default:
		s.scanAll()
	}
	s.finish()
}

// recall starts from the old list, sorted anew under the present prices.
func (s *tileSweep) recall(t, j int) {
	k := s.l.k
	vals := s.vals[t*k : t*k+k]
	src, cost := s.l.arcs(j)
	for q, i := range src {
		c := cost[q]
		v := c + s.u[i]
		p := q
		for ; p > 0 && vals[p-1] > v; p-- {
			vals[p], src[p], cost[p] = vals[p-1], src[p-1], cost[p-1]
		}
		vals[p], src[p], cost[p] = v, i, c
	}
	s.count[t], s.bound[t] = k, vals[k-1]
}

// listed says that target j's list has source i already.
func (s *tileSweep) listed(i int32, j, t int) bool {
	for _, q := range s.l.src[j*s.l.k : j*s.l.k+s.count[t]] {
		if q == i {
			return true
		}
	}
	return false
}

// scan looks at nb blocks of sources, from block b0 on, for all targets.
func (s *tileSweep) scan(b0, nb int) {
	if s.together != nil {
		s.scanTile(b0, nb)
		return
	}
	for t, j := range s.jj {
		if !s.in.depots.isTarget(j) { // which looked at all sources already
			s.scanBlocks(j, t, b0, nb)
		}
	}
}

func (s *tileSweep) scanBlocks(j, t, b0, nb int) {
	mask := s.mask[:nb]
	s.sc.masks(b0, &s.y[t], s.prices, mask, s.limit[t])
	for q := 0; q < nb; q += 4 {
		w := uint32(mask[q]) | uint32(mask[q+1])<<8 | uint32(mask[q+2])<<16 | uint32(mask[q+3])<<24
		for ; w != 0; w &= w - 1 {
			if !s.survivor((b0+q)*lanes+bits.TrailingZeros32(w), j, t) {
				break
			}
		}
	}
}

// survivor offers the i-th source of the screen, and reports whether there is one.
func (s *tileSweep) survivor(i, j, t int) bool {
	if s.lazy {
		if i >= len(s.fallen) {
			return false
		}
		i = int(s.fallen[i])
	} else if i >= s.in.m {
		return false
	}
	if !s.recalls() || !s.listed(int32(i), j, t) {
		s.offer(i, j, t, s.in.cost(i, j))
	}
	return true
}

// recalls says that lists have entries before the scan starts.
func (s *tileSweep) recalls() bool { return s.warm || s.low != nil || s.in.depots != nil }

// lowest are the k sources of least price, least first.
func lowest(u []float64, k int) []int32 {
	best := make([]int32, 0, k)
	for i, v := range u {
		if len(best) == k && v >= u[best[k-1]] {
			continue
		}
		p := len(best)
		if p < k {
			best = append(best, 0)
		} else {
			p--
		}
		for ; p > 0 && u[best[p-1]] > v; p-- {
			best[p] = best[p-1]
		}
		best[p] = int32(i)
	}
	return best
}

// scanAll goes over all sources in float64, each tile from another one on: ties
// are for the first that come.
func (s *tileSweep) scanAll() {
	if p := s.byColumn; p != nil {
		from := s.jj[0] * 7919 % s.in.ld
		for t, j := range s.jj {
			s.scanRow(t, j, from, s.in.ld)
			s.scanRow(t, j, 0, from)
		}
		return
	}
	from := s.jj[0] * 7919 % s.in.m
	s.scanRows(from, s.in.m)
	s.scanRows(0, from)
}

// scanRows goes over sources lo to hi.
func (s *tileSweep) scanRows(lo, hi int) {
	if s.in.matrix != nil && s.in.rowsAreY {
		for t, j := range s.jj {
			row := s.in.matrix[int(s.in.cols[j])*s.in.ld:][:s.in.ld]
			for i := lo; i < hi; i++ {
				if c := row[s.in.rows[i]]; c+s.u[i] <= s.bound[t] && !(s.recalls() && s.listed(int32(i), j, t)) {
					s.offer(i, j, t, c)
				}
			}
		}
		return
	}
	if s.in.matrix != nil {
		s.scanColumns(lo, hi)
		return
	}
	for i := lo; i < hi; i++ {
		ui := s.u[i]
		for t, j := range s.jj {
			if c := s.in.cost(i, j); c+ui <= s.bound[t] && !(s.recalls() && s.listed(int32(i), j, t)) {
				s.offer(i, j, t, c)
			}
		}
	}
}

// offer inserts source i into the list of target j if it is good enough.
func (s *tileSweep) offer(i, j, t int, c float64) {
	k := s.l.k
	vals := s.vals[t*k : t*k+k]
	src, cost := s.l.arcs(j)
	v := c + s.u[i]
	p := s.count[t]
	if p == k {
		if v >= vals[k-1] {
			if v == vals[k-1] {
				s.tie(i, j, t, c)
			}
			return
		}
		p--
		s.tied[t] = 0
	} else {
		s.count[t]++
	}
	for p > 0 && vals[p-1] > v {
		vals[p], src[p], cost[p] = vals[p-1], src[p-1], cost[p-1]
		p--
	}
	vals[p], src[p], cost[p] = v, int32(i), c
	if s.count[t] == k {
		s.bound[t] = math.Min(s.bound[t], vals[k-1])
	}
}

// manyTies is how many ties are looked at for each entry of a list.
const manyTies = 8

// tie lets source i, which is as good as the last of target j's list, take its
// place with the chance that all have which are. Where costs are few numbers, many
// targets would otherwise have the same first sources in their lists.
func (s *tileSweep) tie(i, j, t int, c float64) {
	k := s.l.k
	if k == 1 {
		return // which asks for the value alone
	}
	vals := s.vals[t*k : t*k+k]
	src, cost := s.l.arcs(j)
	slots := 1
	for slots < k && vals[k-1-slots] == vals[k-1] {
		slots++
	}
	if s.tied[t]++; s.tied[t] == manyTies*k {
		s.bound[t] = down(vals[k-1]) // enough of them
	}
	h := (uint64(i)*0x9e3779b97f4a7c15 ^ uint64(j)*0xd6e8feb86659fd93) * 0xff51afd7ed558ccd
	if r := int((h >> 33) % uint64(slots+s.tied[t])); r < slots {
		src[k-1-r], cost[k-1-r] = int32(i), c
	}
}
