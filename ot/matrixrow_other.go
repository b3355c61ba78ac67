//go:build !amd64

package ot

// rowMask sets bit l of mask[k] where cost[64k+l] + price[64k+l] ≤ bound. Both
// have 64 entries for each word of mask.
func rowMask(cost, price []float64, mask []uint64, bound float64) {
	rowMaskGo(cost, price, mask, bound)
}
