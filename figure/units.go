package figure

import "slices"

// unlikeUnits is how many times more than the other the middle half of the
// points must spread along an axis for both to be of different units, as age
// and income are. On axes of one unit such a cloud would be a line.
const unlikeUnits = 10

// A ranges collects where points lie.
type ranges struct{ x, y []float64 }

func (r *ranges) add(at []xy) {
	for _, v := range at {
		r.x, r.y = append(r.x, v.x), append(r.y, v.y)
	}
}

// spans returns the ranges of both axes with room around them, and whether the
// axes have units of their own.
func (r *ranges) spans(room float64) (x, y span, own bool) {
	x, y = emptySpan().with(r.x...), emptySpan().with(r.y...)
	if own = differ(middle(r.x), middle(r.y)); own {
		return x.padded(room), y.padded(room), true
	}
	x, y = paddedBoth(x, y, room)
	return x, y, false
}

// middle returns how far the middle half of values spreads.
func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[3*len(sorted)/4] - sorted[len(sorted)/4]
}

// differ reports whether two spreads are of different units. One of next to
// nothing is flat in any unit.
func differ(a, b float64) bool {
	a, b = min(a, b), max(a, b)
	return a > tooSmall && a > 1e-9*b && b > unlikeUnits*a
}
