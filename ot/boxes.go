package ot

import "math"

// A unit of 64 sources lies in a box, a tile of targets in another, and no cost
// between them is less than that of the boxes' distance. Where that and the
// least price of the unit are beyond what every target of the tile looks for
// the kernel would find none, and is spared the work. In few dimensions, with
// neighbours in neighbouring places, that holds for nearly all units.

// unitBlocks is the number of blocks of a unit.
const unitBlocks = 8

// boxes are the least and largest coordinates of the sources of every unit, as
// the kernel sees them: unit, coordinate, which of the two.
type boxes []float32

// boxed notes the boxes of the m sources of a screen in few dimensions.
func (s *screen) boxed(m, d int) {
	if d > 3 || s.single != nil || s.wide {
		return
	}
	s.boxes = make(boxes, s.blocks/unitBlocks*d*2)
	for unit := range s.blocks / unitBlocks {
		first := unit * unitBlocks * lanes
		for c := range d {
			lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
			for i := first; i < min(first+unitBlocks*lanes, m); i++ {
				v := s.x[s.at(i, c, d)]
				lo, hi = min(lo, v), max(hi, v)
			}
			s.boxes[(unit*d+c)*2], s.boxes[(unit*d+c)*2+1] = lo, hi
		}
	}
}

// leastPrices is the least price of every unit.
func leastPrices(u []float32) []float32 {
	least := make([]float32, len(u)/(unitBlocks*lanes))
	for k := range least {
		v := float32(math.Inf(1))
		for _, p := range u[k*unitBlocks*lanes : (k+1)*unitBlocks*lanes] {
			v = min(v, p)
		}
		least[k] = v
	}
	return least
}

// A tileReach says which units a tile of targets has to look at.
type tileReach struct {
	lo, hi [3]float32 // box of the targets
	near   []float32  // of every unit: no sum of cost and price that the kernel finds is less
	seen   []bool     // units that were looked at
}

// begin gets ready for the targets of a tile.
func (w *tileReach) begin(s *screen, q *prices32, targets []target32) {
	units := s.blocks / unitBlocks
	if len(w.seen) != units {
		w.seen = make([]bool, units)
	}
	clear(w.seen)
	if s.boxes == nil {
		return
	}
	d := len(targets[0].y)
	for c := range d {
		w.lo[c], w.hi[c] = targets[0].y[c], targets[0].y[c]
		for _, y := range targets[1:] {
			w.lo[c], w.hi[c] = min(w.lo[c], y.y[c]), max(w.hi[c], y.y[c])
		}
	}
	if w.near == nil {
		w.near = make([]float32, units)
	}
	for k := range w.near {
		var sum float32
		for c, box := 0, s.boxes[k*d*2:(k+1)*d*2]; c < d; c++ {
			gap := max(0, box[2*c]-w.hi[c], w.lo[c]-box[2*c+1])
			switch s.mode {
			case modeCity:
				sum += gap
			default:
				sum += gap * gap
			}
		}
		if s.mode == modeEuclid {
			sum = float32(math.Sqrt(float64(sum)))
		}
		// Far more than all roundings of the kernel and of the sums here.
		w.near[k] = sum + q.least[k] - 64*eps32*(sum+float32(math.Abs(float64(q.least[k]))))
	}
}

// scanUnits looks at all units that are within reach of the targets of a tile.
// Where lists are empty it looks at some first that tell what to look for: the
// nearest, or, where no boxes say which those are, some from all over, since
// the first sources may be outliers all.
func (s *tileSweep) scanUnits() {
	for t, j := range s.jj {
		if s.in.depots.isTarget(j) { // which looked at all sources already
			s.limit[t] = float32(math.Inf(-1))
		} else if s.together != nil {
			s.together.limit(s.sc, &s.y[t], t, s.limit[t])
		}
	}
	w := &s.reach
	w.begin(s.sc, s.prices, s.y[:len(s.jj)])
	units := len(w.seen)
	most := s.chunk / unitBlocks
	if !s.warm {
		first := min(firstUnits, units)
		for q := range first {
			k := (2*q + 1) * units / (2 * first)
			if s.sc.boxes != nil {
				k = w.nearest()
			}
			s.limits()
			s.scan(k*unitBlocks, unitBlocks)
			w.seen[k] = true
		}
		if s.sc.boxes != nil {
			most = 1 // bounds fall fast here
		}
	}
	top := s.limits()
	for k := 0; k < units; {
		end := k
		for end < units && end-k < most && w.reaches(end, top) {
			end++
		}
		if end > k {
			s.scan(k*unitBlocks, (end-k)*unitBlocks)
			top = s.limits()
		}
		k = max(end, k+1)
	}
}

// firstUnits is the number of units that empty lists look at first.
const firstUnits = 8

// reaches says that unit k may have a source below top and was not looked at.
func (w *tileReach) reaches(k int, top float32) bool {
	return !w.seen[k] && (w.near == nil || !(w.near[k] > top))
}

// nearest is the nearest unit that was not looked at.
func (w *tileReach) nearest() int {
	first := -1
	for k, v := range w.near {
		if !w.seen[k] && (first < 0 || v < w.near[first]) {
			first = k
		}
	}
	return first
}

// limits tells the kernel of better bounds and returns the largest of them.
func (s *tileSweep) limits() float32 {
	top := float32(math.Inf(-1))
	for t := range s.jj {
		if s.bound[t] < s.known[t] {
			s.tell(t)
		}
		top = max(top, s.limit[t])
	}
	return top
}

// tell tells the kernel of a better bound of target t.
func (s *tileSweep) tell(t int) {
	if s.in.depots != nil && s.in.depots.isTarget(s.jj[t]) {
		return // it looks at nothing
	}
	s.known[t] = s.bound[t]
	s.limit[t] = s.sc.limit(s.bound[t], &s.y[t], s.prices)
	if s.together != nil {
		s.together.limit(s.sc, &s.y[t], t, s.limit[t])
	}
}
