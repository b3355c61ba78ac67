package ot

//go:noescape
func squaresAVX2(x, y, out *float64, n, stride, d int)

// fastTable says that this processor fills tables of costs fast.
func fastTable() bool { return useAVX2 }

// squares sets out[k] to the squared distance between x and row k of y, whose
// rows are as long as x, 8 or more. Rows that are the same get the same.
func squares(x, y, out []float64) {
	d, n := len(x), len(out)
	if n < 4 {
		var four [4]float64
		squares(x, append(y[:n*d:n*d], make([]float64, (4-n)*d)...), four[:])
		copy(out, four[:])
		return
	}
	whole := d &^ 7
	squaresAVX2(&x[0], &y[0], &out[0], n&^3, d, whole)
	if n&3 != 0 { // the last four once more
		squaresAVX2(&x[0], &y[(n-4)*d], &out[n-4], 4, d, whole)
	}
	for k := range out {
		row := y[k*d : k*d+d]
		for c := whole; c < d; c++ {
			t := x[c] - row[c]
			out[k] += t * t
		}
	}
}
