package ot

//go:noescape
func rowMaskAVX2(cost, price *float64, mask *uint64, n int, bound float64)

//go:noescape
func rowMask512(cost, price *float64, mask *uint64, n int, bound float64)

// rowMask sets bit l of mask[k] where cost[64k+l] + price[64k+l] ≤ bound. Both
// have 64 entries for each word of mask.
func rowMask(cost, price []float64, mask []uint64, bound float64) {
	switch {
	case len(mask) == 0:
	case useAVX512:
		rowMask512(&cost[0], &price[0], &mask[0], len(mask), bound)
	case useAVX2:
		rowMaskAVX2(&cost[0], &price[0], &mask[0], len(mask), bound)
	default:
		rowMaskGo(cost, price, mask, bound)
	}
}
