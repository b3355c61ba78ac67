//go:build !amd64

package ot

// rowDistances sets out[k] to the sum of squared differences between y[from:to]
// and the same part of row rows[k] of x, or of absolute ones.
func rowDistances(x []float32, rows []int32, y, out []float32, from, to int, city bool) {
	clear(out[:len(rows)])
	rowDistancesGo(x, rows, y, out, from, to, city)
}
