package ot

//go:noescape
func rowsAVX2(x *float32, rows *int32, y, out *float32, n, stride, d, mode int)

//go:noescape
func rows512(x *float32, rows *int32, y, out *float32, n, stride, d, mode int)

// rowDistances sets out[k] to the sum of squared differences between y[from:to]
// and the same part of row rows[k] of x, or of absolute ones. len(rows) is a
// multiple of 4.
func rowDistances(x []float32, rows []int32, y, out []float32, from, to int, city bool) {
	if !useAVX2 {
		clear(out[:len(rows)])
		rowDistancesGo(x, rows, y, out, from, to, city)
		return
	}
	mode, step := 0, 2*lanes
	if city {
		mode = 1
	}
	if useAVX512 { // called by name, so that nothing escapes
		step = 4 * lanes
		rows512(&x[from], &rows[0], &y[from], &out[0], len(rows), len(y), to-from, mode)
	} else {
		rowsAVX2(&x[from], &rows[0], &y[from], &out[0], len(rows), len(y), to-from, mode)
	}
	if whole := (to - from) &^ (step - 1); whole < to-from {
		rowDistancesGo(x, rows, y, out, from+whole, to, city)
	}
}
