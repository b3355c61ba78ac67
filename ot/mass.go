package ot

import "math"

// massTotal is the number of units in weights that are not uniform.
const massTotal = 1 << 60

// integerMass turns weights that sum to one into whole numbers of units with
// equal sums on both sides. Flows are then exact: no drift, and a degenerate
// pivot is one that moves exactly nothing (docs/math.md §4). Uniform weights
// become small numbers, so that an assignment problem stays one.
func integerMass(a, b []float64) (sa, sb []int64) {
	m, n := int64(len(a)), int64(len(b))
	sa, sb = make([]int64, m), make([]int64, n)
	if uniform(a) && uniform(b) {
		g := gcd(m, n)
		for i := range sa {
			sa[i] = n / g
		}
		for j := range sb {
			sb[j] = m / g
		}
		return sa, sb
	}
	round(sa, a, massTotal)
	round(sb, b, massTotal)
	return sa, sb
}

func uniform(w []float64) bool {
	for _, v := range w {
		if v != w[0] {
			return false
		}
	}
	return true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// round scales w to whole numbers with the given total, at least 1 each unless
// the weight is zero. What rounding leaves over goes to the largest, where it
// matters least.
func round(dst []int64, w []float64, total int64) {
	rest, big := total, 0
	for i, v := range w {
		dst[i] = 0
		if v > 0 {
			dst[i] = max(1, int64(math.RoundToEven(v*float64(total))))
		}
		rest -= dst[i]
		if dst[i] > dst[big] {
			big = i
		}
	}
	dst[big] += rest
}
