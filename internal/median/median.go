// Package median has the median.
package median

import "slices"

// Of returns the median of x, which stays as it is: the mean of the middle two
// where their number is even. x must not be empty.
func Of(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return s[(n-1)/2]/2 + s[n/2]/2 // the sum of two could overflow
}
