package drift

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

const (
	mostAxes  = 32   // principal axes that are looked at
	axesRows  = 400  // rows that they are found from, at most
	axisLeast = 1e-3 // part of the first axis' variance that an axis needs
)

// alongAxes is the rows along their principal axes, each in its own deviations;
// nil where there is only one. The axes do not know which sample a row is of.
func (s *scaled) alongAxes(seed uint64) *scaled {
	some := draw(rand.New(rand.NewPCG(seed, 8)), s.n, axesRows)
	mean := make([]float64, s.d)
	for _, i := range some {
		for j, v := range s.row(i) {
			mean[j] += v / float64(len(some))
		}
	}
	centred := mat.NewDense(len(some), s.d, nil)
	for k, i := range some {
		for j, v := range s.row(i) {
			centred.Set(k, j, v-mean[j])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(centred, mat.SVDThin) {
		return nil
	}
	spread := svd.Values(nil) // the largest first
	k := 0
	for k < min(len(spread), mostAxes) && spread[k]*spread[k] > axisLeast*spread[0]*spread[0] {
		k++
	}
	if k < 2 {
		return nil
	}
	var axes, at mat.Dense
	svd.VTo(&axes)
	at.Mul(mat.NewDense(s.n, s.d, s.v), axes.Slice(0, s.d, 0, k))
	out := &scaled{n: s.n, d: k, v: make([]float64, s.n*k)}
	for j := range k {
		unit := spread[j] / math.Sqrt(float64(len(some)))
		for i := range s.n {
			z := at.At(i, j) / unit
			if a := math.Abs(z); a > tame {
				z = math.Copysign(tame*(1+math.Log(a/tame)), z)
			}
			out.row(i)[j] = z
		}
	}
	return out
}
