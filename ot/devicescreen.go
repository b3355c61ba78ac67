package ot

import "math"

// tileOnDevice sweeps the targets jj by what the device says. It returns false
// where that is NaN.
func (s *tileSweep) tileOnDevice(minima []float32, blocks int) bool {
	s.begin()
	for t, j := range s.jj {
		if s.in.depots.isTarget(j) {
			continue // which looked at all sources already
		}
		if !s.scanMinima(j, t, minima[t*blocks:(t+1)*blocks]) {
			return false
		}
	}
	s.finish()
	return true
}

// firstLooks is how many blocks are looked at in the order of their minima,
// which brings the bound down quickly.
const firstLooks = 16

// scanMinima looks at the blocks that can hold a source for the list of j.
func (s *tileSweep) scanMinima(j, t int, minima []float32) bool {
	limit := s.deviceLimit(t)
	var block [firstLooks]int32
	var least [firstLooks]float32
	count, more := 0, false
	for b, v := range minima {
		if v > limit {
			continue
		}
		if v != v {
			return false
		}
		if count == firstLooks {
			more = true
			if v >= least[count-1] {
				continue
			}
			count--
		}
		p := count
		for ; p > 0 && least[p-1] > v; p-- {
			block[p], least[p] = block[p-1], least[p-1]
		}
		block[p], least[p] = int32(b), v
		count++
	}
	for k, b := range block[:count] {
		if least[k] > limit {
			return true // and so are all others
		}
		s.scanBlock(j, t, int(b))
		limit = s.deviceLimit(t)
	}
	if !more {
		return true
	}
	last := least[count-1]
next:
	for b, v := range minima {
		if v > limit || v < last {
			continue
		}
		if v == last {
			for _, seen := range block[:count] {
				if int(seen) == b {
					continue next
				}
			}
		}
		s.scanBlock(j, t, b)
		limit = s.deviceLimit(t)
	}
	return true
}

// scanBlock looks at one of the device's blocks.
func (s *tileSweep) scanBlock(j, t, block int) {
	per := s.sc.onDevice.Block / lanes
	for b0, end := block*per, min((block+1)*per, s.sc.blocks); b0 < end; b0 += s.chunk {
		if s.bound[t] < s.known[t] {
			s.tell(t)
		}
		s.scanBlocks(j, t, b0, min(s.chunk, end-b0))
	}
}

// deviceLimit is what no block's minimum exceeds, as the device computes it,
// that holds a source for the list of the tile's target t.
func (s *tileSweep) deviceLimit(t int) float32 {
	if math.IsInf(s.bound[t], 1) {
		return float32(math.Inf(1))
	}
	return s.sc.deviceLimit(s.bound[t], &s.y[t], s.prices, s.rounding)
}

// deviceLimit is limit for a device.
func (s *screen) deviceLimit(bound float64, y *target32, q *prices32, r SweepRounding) float32 {
	v := (bound - q.shift) * s.costs
	d, norm, top := float64(len(y.y)), y.norm, q.top
	most := math.Max(0, v+top) // no such source costs more than this
	rest := 2*math.Abs(v) + 4*top
	slack := 0.0
	switch {
	case s.onDevice.Products && s.mode == modeSquare:
		far := 2*norm + math.Sqrt(most)
		slack = r.Sum*(d+8)*(1+d*r.Sum)*(far*far+rest) + 2*r.Product*far*far
	case s.onDevice.Products: // Euclidean
		far := 2*norm + most
		slack = far*math.Sqrt(r.Sum*(d+8)*(1+d*r.Sum)+2*r.Product) + 8*r.Sum*(far+rest)
	case s.mode == modeSquare:
		far := 2*norm + math.Sqrt(most)
		slack = r.Sum * ((d+8)*most + 4*math.Sqrt(most)*norm + 4*r.Sum*far*far + rest)
	default:
		slack = r.Sum * ((d+12)*most + 4*norm + rest)
	}
	// Numbers below 2⁻¹²⁶ may be flushed to zero, and the bound has been
	// rounded to float64 before it was shifted.
	slack += (d+8)*0x1p-120 + 4*eps*(math.Abs(bound)+math.Abs(q.shift))*s.costs
	return math.Nextafter32(float32(v+slack), float32(math.Inf(1)))
}

// promised compares what the device says about some of the tile's targets with
// what it must not exceed, block by block, in float64.
func (s *tileSweep) promised(minima []float32, blocks int) bool {
	const some = 4
	in := s.in
	for t, j := range s.jj[:min(some, len(s.jj))] {
		s.sc.target(in, &s.y[t], j)
		for b, got := range minima[t*blocks : (t+1)*blocks] {
			least := math.Inf(1)
			for i := b * s.sc.onDevice.Block; i < min((b+1)*s.sc.onDevice.Block, in.m); i++ {
				if !in.depots.isSource(i) {
					least = math.Min(least, in.x.between(in.metric, i, &in.y, j)+s.u[i])
				}
			}
			if !math.IsInf(least, 1) && got > s.sc.deviceLimit(least, &s.y[t], s.prices, s.rounding) {
				return false
			}
		}
	}
	return true
}
