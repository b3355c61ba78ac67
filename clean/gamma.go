package clean

import (
	"math"
	"slices"
	"sort"
)

// MaxGuess is the largest part of the rows that a guess drops: with more there
// is no telling which part is the dirt.
const MaxGuess = 0.5

// guess is where the mean of the best rows stops falling steeply as the worst
// ones go: the elbow of V(γ), the mean of all but the γn largest scores, as the
// point that lies farthest below the chord from V(0) to V(½).
func guess(score []float64) float64 {
	s := slices.Sorted(slices.Values(score))
	n := len(s)
	v := make([]float64, int(MaxGuess*float64(n))+1) // v[k]: the mean without the k worst
	var sum float64
	for i, t := range s {
		sum += t
		if k := n - 1 - i; k < len(v) {
			v[k] = sum / float64(i+1)
		}
	}
	last := len(v) - 1
	best, at := 0.0, 0
	for k := range v {
		chord := v[0] + (v[last]-v[0])*float64(k)/float64(last)
		if d := chord - v[k]; d > best {
			best, at = d, k
		}
	}
	return float64(at) / float64(n)
}

// excess is how many more rows than the reference has lie beyond some score,
// as a part of all rows, less half of what chance would do: at least so many
// of the rows come from elsewhere, if the score can tell at all.
func excess(score, reference []float64) float64 {
	x, y := slices.Sorted(slices.Values(score)), slices.Sorted(slices.Values(reference))
	n, m := float64(len(x)), float64(len(y))
	chance := 0.5 * math.Sqrt(1/n+1/m)
	best := 0.0
	beyond := func(v []float64, t float64) float64 {
		return float64(len(v) - sort.Search(len(v), func(i int) bool { return v[i] > t }))
	}
	for _, v := range [][]float64{x, y} {
		for _, t := range v {
			sx, sy := beyond(x, t)/n, beyond(y, t)/m
			if sy < 0.5 {
				best = max(best, (sx-sy-chance)/(1-sy))
			}
		}
	}
	return min(best, MaxGuess)
}
