package train

import (
	"math"
	"slices"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// LargestRho is the largest radius that is chosen automatically. In its ball 29 %
// of the samples can lose their weight; a curve that bends later does so because
// of samples that belong.
const LargestRho = 0.2

// A Radius is a radius that a run chose for itself. As a function of the radius,
// the value of the weight program bends where the samples that do not belong
// have all lost their weight; that is where it is chosen.
type Radius struct {
	Rho       float64 `json:"rho"`           // 0 where none was found
	Elbow     float64 `json:"elbow"`         // where the curve bends most
	Sharpness float64 `json:"sharpness"`     // how much more it does so than elsewhere
	Gap       float64 `json:"gap,omitempty"` // see Gap
	Held      int     `json:"held"`          // samples that it was chosen on
}

// Found reports whether the curve has an elbow at a radius up to LargestRho.
func (r *Radius) Found() bool { return r.Elbow > 0 && r.Elbow <= LargestRho }

// Faint reports whether the curve bends hardly more at the elbow than elsewhere,
// which makes the radius a very rough guess.
func (r *Radius) Faint() bool { return r.Sharpness < ot.FaintElbow }

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
