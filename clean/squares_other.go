//go:build !amd64

package clean

// squares writes the squares of the distances of x to the points from first on,
// as many as out has room for.
func (r *rows) squares(out, x []float64, first int) { r.squaresOneByOne(out, x, first) }
