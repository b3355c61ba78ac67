package clean

import "golang.org/x/sys/cpu"

//go:noescape
func squareLanes(x, y *float64, stride, quads int, lanes *[16]float64)

// squares writes the squares of the distances of x to the points from first on,
// as many as out has room for, to the bit what squared says.
func (r *rows) squares(out, x []float64, first int) {
	if !cpu.X86.HasAVX || r.d < 4 {
		r.squaresOneByOne(out, x, first)
		return
	}
	var lanes [16]float64
	whole := r.d / 4 * 4
	for len(out) >= 4 {
		y := r.v[first*r.d : (first+4)*r.d]
		squareLanes(&x[:r.d][0], &y[0], r.d, whole/4, &lanes)
		for k := range 4 {
			s := lanes[4*k : 4*k+4]
			for j := whole; j < r.d; j++ {
				t := x[j] - y[k*r.d+j]
				s[0] += t * t
			}
			out[k] = (s[0] + s[1]) + (s[2] + s[3])
		}
		out, first = out[4:], first+4
	}
	r.squaresOneByOne(out, x, first)
}
