package clean

import (
	"math"
	"slices"
)

// Where a crowd ends. Its rows lie far apart along the line, in the way of
// things that are many times as large as others, so that halfway between the
// middles of the crowd and the rest there are some of its own. The edge is where
// rows are fewest by the logarithm of their place.
const (
	edgeWidth = 0.12 // deviation of the kernel that counts them
	edgeStep  = 0.01
)

// toEdge returns how far each row lies along a line that is drawn to a whole crowd,
// by the places along one that was drawn to some of its rows, and the part of the rows
// that lie beyond the edge of the crowd. share is the part that seemed to.
func (r *rows) toEdge(apart []float64, share float64, halves [2]*sketcher) ([]float64, float64) {
	bulk := lineOf(apart, max(1-crowdBulk, share))
	if again := r.along(apart, bulk, lineOf(apart, share), halves); again != nil {
		apart = again
	}
	at := edge(apart, share)
	n := 0
	for _, v := range apart {
		if v >= at {
			n++
		}
	}
	return apart, float64(n) / float64(r.n)
}

// edge returns the place where rows are fewest, between those of the bulk and the
// middle of the highest, a share of all.
func edge(apart []float64, share float64) float64 {
	x := slices.Sorted(slices.Values(apart))
	high := x[len(x)-max(1, int(share*float64(len(x))+0.5)):]
	from, to := math.Log(crowdTail), math.Log(max(crowdTail, high[len(high)/2]))
	var places []float64
	for _, v := range x {
		if v > crowdTail/2. {
			places = append(places, math.Log(v))
		}
	}
	least, at := math.Inf(1), from
	for u := from; u < to; u += edgeStep {
		rows := 0.0
		for _, p := range places {
			z := (p - u) / edgeWidth
			rows += math.Exp(-z * z / 2)
		}
		if rows < least {
			least, at = rows, u
		}
	}
	return math.Exp(at)
}
