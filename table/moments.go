package table

import (
	"math"
	"slices"
)

// fitNumbers returns center, unit and median of component k of a column.
func fitNumbers(parts []*Column, k int, kind Kind, scale Scale) (center, unit, fill float64) {
	var all []float64
	for _, p := range parts {
		for i := k; i < len(p.Numbers); i += p.Width {
			if v := p.Numbers[i]; isFinite(v) {
				all = append(all, v)
			}
		}
	}
	unit = 1
	if kind == Time {
		unit = 86400
	}
	if len(all) == 0 {
		return 0, unit, 0
	}
	slices.Sort(all)
	fill = quantile(all, 0.5)
	if kind == Boolean {
		return 0, 1, math.Round(fill)
	}
	switch scale {
	case ScaleStd:
		center, spread := moments(all)
		return center, positive(spread, unit), fill
	case ScaleRobust:
		spread := (quantile(all, 0.75) - quantile(all, 0.25)) / 1.349
		if !(spread > 0) {
			_, spread = moments(all)
		}
		return fill, positive(spread, unit), fill
	}
	if kind == Time {
		// Days since the first, so that no digits are lost.
		return math.Floor(all[0]/86400) * 86400, unit, fill
	}
	return 0, unit, fill
}

// positive is the spread, or otherwise where that is nothing to divide by.
func positive(spread, otherwise float64) float64 {
	if spread > 0 && isFinite(1/spread) && isFinite(spread) {
		return spread
	}
	return otherwise
}

// quantile is the q-quantile of sorted values, between neighbours in proportion.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	k := int(at)
	if k+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	low, high := sorted[k], sorted[k+1]
	return low*(1-(at-float64(k))) + high*(at-float64(k))
}

// moments returns mean and standard deviation, without overflow.
func moments(v []float64) (mean, deviation float64) {
	big := 0.0
	for _, x := range v {
		big = max(big, math.Abs(x))
	}
	if big == 0 {
		return 0, 0
	}
	for _, x := range v {
		mean += x / big
	}
	mean /= float64(len(v))
	sum := 0.0
	for _, x := range v {
		sum += (x/big - mean) * (x/big - mean)
	}
	deviation = math.Sqrt(sum / float64(len(v)))
	if deviation < 1e-14*math.Abs(mean) { // rounding
		deviation = 0
	}
	return mean * big, deviation * big
}
