package table

import (
	"math"
	"slices"
)

// fitNumbers returns center, unit and median of component k of a column, by the
// rows that are kept. The median is 0 where the options have no use for it.
func fitNumbers(parts []*Column, kept [][]int, k int, kind Kind, opts *EncodingOptions) (center, unit, fill float64) {
	unit = 1
	if kind == Time {
		unit = 86400
	}
	fills := opts.Missing == MissingMedian || opts.Missing == MissingIndicator
	if !fills && (kind == Boolean || kind != Time && opts.Scale == ScaleNone) {
		return 0, unit, 0
	}
	all := finiteNumbers(parts, kept, k)
	if len(all) == 0 {
		return 0, unit, 0
	}
	if fills {
		fill = quantile(all, 0.5)
	}
	if kind == Boolean {
		return 0, 1, math.Round(fill)
	}
	switch opts.Scale {
	case ScaleStd:
		center, spread := moments(all)
		return center, positive(spread, unit), fill
	case ScaleRobust:
		spread := (quantile(all, 0.75) - quantile(all, 0.25)) / 1.349
		if !(spread > 0) {
			_, spread = moments(all)
		}
		return quantile(all, 0.5), positive(spread, unit), fill
	}
	if kind == Time {
		// Days since the first, so that no digits are lost.
		return math.Floor(slices.Min(all)/86400) * 86400, unit, fill
	}
	return 0, unit, fill
}

// finiteNumbers returns component k of a column in all rows, or in those that
// are kept.
func finiteNumbers(parts []*Column, kept [][]int, k int) []float64 {
	var all []float64
	add := func(v float64) {
		if isFinite(v) {
			all = append(all, v)
		}
	}
	for t, p := range parts {
		if kept != nil {
			for _, i := range kept[t] {
				add(p.Numbers[i*p.Width+k])
			}
			continue
		}
		for i := k; i < len(p.Numbers); i += p.Width {
			add(p.Numbers[i])
		}
	}
	return all
}

// positive is the spread, or otherwise where that is nothing to divide by.
func positive(spread, otherwise float64) float64 {
	if spread > 0 && isFinite(1/spread) && isFinite(spread) {
		return spread
	}
	return otherwise
}

// quantile is the q-quantile of values, between neighbours in proportion. It
// reorders them.
func quantile(values []float64, q float64) float64 {
	at := q * float64(len(values)-1)
	k := int(at)
	low := nth(values, k)
	if k+1 >= len(values) {
		return low
	}
	high := slices.Min(values[k+1:]) // nth leaves nothing smaller there
	return low*(1-(at-float64(k))) + high*(at-float64(k))
}

// nth returns the k-th smallest of values, having put nothing greater before it
// and nothing smaller behind it (Hoare's selection, by the median of three).
func nth(values []float64, k int) float64 {
	lo, hi := 0, len(values)-1
	for lo < hi {
		mid := lo + (hi-lo)/2
		a, b, c := values[lo], values[mid], values[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return values[k]
		}
	}
	return values[k]
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
