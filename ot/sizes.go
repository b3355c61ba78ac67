package ot

import (
	"math"
	"sync"
)

// extremes returns the least size of a number that is not 0 and the largest: +Inf
// for an infinite one, NaN where there is any. Both are 0 where all numbers are.
func extremes(v []float64) (low, high float64) {
	// Without their signs numbers are in the order of their bits, NaN last. Those
	// of 0 less one are the largest.
	least, most := uint64(math.MaxUint64), uint64(0)
	var mu sync.Mutex
	inParts(len(v), 1, func(from, to int) {
		lo, hi := uint64(math.MaxUint64), uint64(0)
		for _, x := range v[from:to] {
			b := math.Float64bits(x) &^ (1 << 63)
			lo, hi = min(lo, b-1), max(hi, b)
		}
		mu.Lock()
		least, most = min(least, lo), max(most, hi)
		mu.Unlock()
	})
	return math.Float64frombits(least + 1), math.Float64frombits(most)
}

// costSizes is what a matrix says about the sizes of its entries.
type costSizes struct {
	top      float64 // of the finite ones
	infinite bool    // are there others?
	limit    float64 // the least of those that are far above the rest; 0: none are
	below    float64 // the largest of the rest
}

// maskJump is how many powers of two costs lie below masks: 1e13.
const maskJump = 44

// sizesOf looks for a jump among the sizes of costs, the last one if there are
// several.
func sizesOf(matrix []float64) costSizes {
	if low, high := extremes(matrix); high <= math.MaxFloat64 {
		_, least := math.Frexp(low)
		if _, most := math.Frexp(high); most-least < maskJump {
			return costSizes{top: high}
		}
	}
	const bias = 1075
	var low, high [2 * bias]float64 // the least and the largest size by exponent
	var s costSizes
	gain := 0.0 // the largest size of a negative cost
	for _, v := range matrix {
		if v > math.MaxFloat64 {
			s.infinite = true
			continue
		}
		if v == 0 {
			continue
		}
		size := math.Abs(v)
		_, e := math.Frexp(size)
		e += bias
		if low[e] == 0 || size < low[e] {
			low[e] = size
		}
		high[e] = math.Max(high[e], size)
		if v < 0 {
			gain = math.Max(gain, size)
		}
	}
	above := -1 // the lowest exponent seen on the way down
	for e := len(high) - 1; e >= 0; e-- {
		if high[e] == 0 {
			continue
		}
		if above < 0 {
			s.top = high[e]
		} else if above-e >= maskJump {
			s.limit, s.below = low[above], high[e]
			break
		}
		above = e
	}
	if gain >= s.limit { // a large gain is no mask
		s.limit, s.below = 0, 0
	}
	return s
}
