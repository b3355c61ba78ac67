// Package standout tells scores that stand out from the bulk of the others: by
// how far they lie from it, and by the elbow of the weight program.
package standout

import (
	"math"
	"slices"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// Scores of samples that all belong have elbows too: where the tail of the bulk
// begins, which is late, faint, or close to the bulk.
const (
	largestRho = 0.125 // room for a fifth of the samples
	LeastGap   = 4     // from which on an elbow is usually clear
)

// An Elbow is where the value of the weight program bends most as a function of
// the radius: there the samples that do not belong have all lost their weight.
type Elbow struct {
	Rho       float64 // the radius
	Sharpness float64 // how much more it bends there than elsewhere
	Gap       float64 // see Gap
}

// FindElbow returns the elbow of scores.
func FindElbow(scores []float64) (Elbow, error) {
	at, sharpness, err := ScoreElbow(scores)
	if err != nil {
		return Elbow{}, err
	}
	return Elbow{at, sharpness, Gap(scores, at)}, nil
}

// Clear reports whether an elbow tells samples from the others: it is sharp, at
// a radius that is not too large, and they lie a gap away.
func (e Elbow) Clear(gap float64) bool {
	return e.Rho > 0 && e.Rho <= largestRho && e.Sharpness >= ot.FaintElbow && e.Gap >= gap
}

// ScoreElbow returns the radius at which the curve of the weight program bends
// most, that is of the weighted mean of the scores under the best weights, and
// how much more it bends there than elsewhere.
func ScoreElbow(scores []float64) (at, sharpness float64, err error) {
	rhos := ot.DefaultRhos()
	values := make([]float64, len(rhos))
	w := make([]float64, len(scores))
	for k, rho := range rhos {
		_, s, err := chisq.Ball{Rho: rho}.Solve(w, scores, nil)
		if err != nil {
			return 0, 0, err
		}
		values[k] = s.Value
	}
	at, sharpness = ot.Elbow(rhos, values)
	return at, sharpness, nil
}

// maxGap is the gap where the others are all the same, and their spread 0.
const maxGap = 1e6

// Gap returns how far the highest scores, as many as a ball of radius rho can set
// aside, lie from the others: the distance of the medians in units of the
// others' spread, which is their median absolute deviation times 1.4826, a
// standard deviation of normal ones. For the tail of normal scores it is 2 to
// 2.5.
func Gap(scores []float64, rho float64) float64 {
	x := slices.Sorted(slices.Values(scores))
	rest, aside := divided(x, rho)
	if len(aside) == 0 {
		return 0
	}
	middle := rest[len(rest)/2]
	from := make([]float64, len(rest))
	for i, v := range rest {
		from[i] = math.Abs(v - middle)
	}
	slices.Sort(from)
	distance := aside[len(aside)/2] - middle
	if distance == 0 {
		return 0
	}
	return min(distance/(1.4826*from[len(from)/2]), maxGap)
}

// Beyond returns the share of the scores that stand out. It divides them into
// the highest, as many as a ball of radius rho can set aside, and the others; a
// score stands out if it lies nearer to the median of the highest than to that
// of the others. The radius may be up to twice as large as needed.
func Beyond(scores []float64, rho float64) float64 {
	x := slices.Sorted(slices.Values(scores))
	rest, aside := divided(x, rho)
	if len(aside) == 0 {
		return 0
	}
	first, _ := slices.BinarySearch(x, (rest[len(rest)/2]+aside[len(aside)/2])/2)
	return float64(len(x)-first) / float64(len(x))
}

// divided returns the lowest of sorted scores and the highest, as many as a ball
// of radius rho can set aside; at least one of each where there are two.
func divided(x []float64, rho float64) (rest, aside []float64) {
	if len(x) < 2 {
		return x, nil
	}
	k := int(float64(len(x)) * (1 - chisq.Ball{Rho: rho}.Gamma()))
	k = min(max(k, 1), len(x)-1)
	return x[:k], x[k:]
}

// most is where a score stands out as much as anything can.
const most = 1e3

// Standard brings the scores of a view to a unit in which views can be added:
// how far a score lies above the median, in standard deviations of a normal
// sample with the same middle. The unit is measured between the median and the
// 80th percentile, below which all is bulk as long as a fifth of the data at most
// is foreign.
func Standard(scores []float64) []float64 {
	x := slices.Sorted(slices.Values(scores))
	out := make([]float64, len(x))
	if len(x) == 0 {
		return out
	}
	const normal = 0.8416 // the 80th percentile of a normal sample
	middle := x[len(x)/2]
	unit := max((x[len(x)*4/5]-middle)/normal, math.SmallestNonzeroFloat64)
	for i, v := range scores {
		out[i] = min(max(-most, (v-middle)/unit), most)
	}
	return out
}
