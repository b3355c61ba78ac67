package train

import (
	"math"
	"slices"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// LargestRho is the largest radius that is chosen automatically. It lets 29 % of
// the samples go; where the curve bends later than that it is the spread of what
// belongs that is used up.
const LargestRho = 0.2

// A Radius is one that a run chose for itself: where the value of the weight
// program, as a function of the radius, bends because the samples that do not
// belong are used up.
type Radius struct {
	Rho       float64 `json:"rho"`
	Elbow     float64 `json:"elbow"`         // where the curve bends most
	Sharpness float64 `json:"sharpness"`     // how much more it does so than elsewhere
	Gap       float64 `json:"gap,omitempty"` // see Gap
	Held      int     `json:"held"`          // samples that it was chosen on
}

// Found says whether the curve has an elbow where not too many samples are gone.
func (r *Radius) Found() bool { return r.Elbow > 0 && r.Elbow <= LargestRho }

// Faint says that the curve hardly bends more at the elbow than elsewhere, which
// makes the radius a very rough guess.
func (r *Radius) Faint() bool { return r.Sharpness < ot.FaintElbow }

// maxGap is the gap of others that are all the same.
const maxGap = 1e6

// Gap is how far the highest scores, as many as a ball of radius rho has room to
// set aside, lie from the others: the distance of the medians in units of the
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

// Beyond is the share of the scores that stand out, given a radius with room for
// them, or for up to twice as many: those that lie nearer to the median of the
// highest scores, as many as it can set aside, than to the median of the others.
func Beyond(scores []float64, rho float64) float64 {
	x := slices.Sorted(slices.Values(scores))
	rest, aside := divided(x, rho)
	if len(aside) == 0 {
		return 0
	}
	first, _ := slices.BinarySearch(x, (rest[len(rest)/2]+aside[len(aside)/2])/2)
	return float64(len(x)-first) / float64(len(x))
}

// divided are the lowest of sorted scores, and the highest, as many as a ball of
// radius rho has room to set aside; at least one of each where there are two.
func divided(x []float64, rho float64) (rest, aside []float64) {
	if len(x) < 2 {
		return x, nil
	}
	k := int(float64(len(x)) * (1 - chisq.Ball{Rho: rho}.Gamma()))
	k = min(max(k, 1), len(x)-1)
	return x[:k], x[k:]
}

// ScoreElbow is the elbow of mean(score), with the best weights for each radius.
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
