package ot

import "math"

// ofRows makes the screen look at the instance's sources where they are, in
// single precision. Differences are taken of the points themselves, so that
// neither their place nor rounding costs any precision.
func (s *screen) ofRows(in *instance) {
	s.single, s.rows = in.x.single, paddedRows(in.x.rows, s.blocks)
	s.scale, s.costs = 1, 1
}

// paddedRows are rows for so many blocks of 8; the last are any.
func paddedRows(rows []int32, blocks int) []int32 {
	out := make([]int32, blocks*lanes)
	for k := copy(out, rows); k < len(out); k++ {
		out[k] = rows[0]
	}
	return out
}

// targetRow is target j for rowMasks. Its norm is for a device, which has
// points around the centre.
func (s *screen) targetRow(in *instance, t *target32, j int) {
	copy(t.y, in.y.row32(j))
	var sum, square float64
	for k, v := range t.y {
		c := float64(v) - s.center[k]
		sum += math.Abs(c)
		square += c * c
	}
	t.norm = math.Sqrt(square)
	if s.mode == modeCity {
		t.norm = sum
	}
}

// rowPart is how many coordinates rowMasks looks at before it drops the sources
// that are too far already.
const rowPart = 256

// rowMasks is masks for sources that are looked at where they are. Sums only
// grow, so that a source whose part of them is beyond the threshold is done
// with.
func (s *screen) rowMasks(b0 int, y *target32, q *prices32, mask []byte, thr float32) {
	const most = 8 * lanes // at a time: room for more would cost more to clear
	var (
		rows  [most]int32
		place [most]int32
		sums  [most]float32
		out   [most]float32
	)
	for ; len(mask) > most/lanes; b0 += most / lanes {
		s.rowMasks(b0, y, q, mask[:most/lanes], thr)
		mask = mask[most/lanes:]
	}
	from := b0 * lanes
	prices := q.u[from : from+len(mask)*lanes]
	left := copy(rows[:], s.rows[from:from+len(prices)])
	for k := range left {
		place[k], sums[k] = int32(k), 0
	}
	for at := 0; at < len(y.y) && left > 0; at += rowPart {
		padded := (left + 3) &^ 3
		for k := left; k < padded; k++ {
			rows[k] = rows[0]
		}
		rowDistances(s.single, rows[:padded], y.y, out[:padded], at, min(at+rowPart, len(y.y)), s.mode == modeCity)
		all := left
		left = 0
		for k, v := range out[:all] {
			v += sums[k]
			cost := v
			if s.mode == modeEuclid {
				cost = float32(math.Sqrt(float64(v)))
			}
			if cost+prices[place[k]] <= thr {
				rows[left], place[left], sums[left] = rows[k], place[k], v
				left++
			}
		}
	}
	clear(mask)
	for _, k := range place[:left] {
		mask[k/lanes] |= 1 << (k % lanes)
	}
}
