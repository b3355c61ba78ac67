package train

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/nn"
)

// WeightFloor is added to raw weights: their mean, which they are divided by, is
// then never zero.
const WeightFloor = 1e-4

// leak is the gradient of the weight of a sample whose raw weight is below 0, so
// that one that was set aside by mistake comes back.
const leak = 0.01

// RawWeight returns the output of a weight network, one number a sample, [B],
// from its last hidden layer x. A ReLU follows later, which has no gradient
// below 0, so the bias starts at 1.
func RawWeight(s *nn.Scope, x *Node) *Node {
	y := nn.Dense{Out: 1, Bias: nn.Constant(1)}.Apply(s.In("out"), x)
	return Reshape(y, -1)
}

// Anchor returns a small loss that keeps the mean of the raw weights near 1. Only their ratios
// count, so nothing else holds their level, and a network whose raw weights have
// all drifted below 0 would have no gradient to come back with.
func Anchor(raw *Node) *Node {
	return MulScalar(Square(AddScalar(ReduceAllMean(raw), -1)), 0.01)
}

// Normalize turns the raw outputs of a weight network for a batch into weights
// of mean 1, and returns χ² = mean((w−1)²) with them.
func Normalize(raw *Node) (w, chi2 *Node) {
	w = AddScalar(MaxScalar(raw, 0), WeightFloor)
	below := Mul(MulScalar(MinScalar(raw, 0), leak), StopGradient(ReduceAllMean(w)))
	w = Add(w, Sub(below, StopGradient(below)))
	w = Div(w, ReduceAllMean(w))
	return w, ReduceAllMean(Square(AddScalar(w, -1)))
}

// Weigh does what Normalize does and moves the weights into the ball of radius
// rho, a scalar: where χ² exceeds 2ρ, they move towards 1 until it does not,
//
//	w' = 1 + min(1, √(2ρ/χ²))·(w − 1),
//
// which keeps the mean and the sign.
func Weigh(raw, rho *Node) (w, chi2 *Node) {
	w, chi2 = Normalize(raw)
	limit := MulScalar(ConvertDType(rho, w.DType()), 2)
	shrink := MinScalar(Sqrt(Div(limit, AddScalar(chi2, 1e-12))), 1)
	return OnePlus(Mul(shrink, AddScalar(w, -1))), Min(chi2, limit)
}

// WeighAll returns the weights that Weigh gives a whole data set with these raw
// weights. With a radius of +Inf they are those of Normalize.
func WeighAll(raw []float64, rho float64) []float64 {
	w := make([]float64, len(raw))
	sum := 0.0
	for i, r := range raw {
		w[i] = max(r, 0) + WeightFloor
		sum += w[i]
	}
	mean := sum / float64(len(w))
	chi2 := 0.0
	for i := range w {
		w[i] /= mean
		chi2 += (w[i] - 1) * (w[i] - 1)
	}
	chi2 /= float64(len(w))
	if chi2 <= 2*rho {
		return w
	}
	shrink := math.Sqrt(2 * rho / chi2)
	for i := range w {
		w[i] = 1 + shrink*(w[i]-1)
	}
	return w
}
