package gan

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// floor is added to the raw weights: where all of them are zero there would be
// nothing to divide by, and no gradient to come back.
const floor = 1e-4

// weigh turns the raw outputs of a weight network for a batch into weights of
// mean 1. With the constraint ball they lie in the ball exactly: where
// χ² = mean((w−1)²) exceeds 2ρ, the weights move towards 1 until it does not,
//
//	w' = 1 + min(1, √(2ρ/χ²))·(w − 1),
//
// which keeps the mean and the sign. With the constraint penalty they are
// returned as they are, with what they pay for leaving the ball.
func (c *Config) weigh(raw *Node, rho float64) (w, chi2, price *Node) {
	w = AddScalar(MaxScalar(raw, 0), floor)
	w = Div(w, ReduceAllMean(w))
	chi2 = ReduceAllMean(Square(AddScalar(w, -1)))
	price = ScalarZero(raw.Graph(), w.DType())
	if c.Constraint == Penalty {
		return w, chi2, MulScalar(MaxScalar(AddScalar(chi2, -2*rho), 0), c.Lambda)
	}
	limit := Scalar(raw.Graph(), w.DType(), 2*rho)
	shrink := MinScalar(Sqrt(Div(limit, AddScalar(chi2, 1e-12))), 1)
	w = OnePlus(Mul(shrink, AddScalar(w, -1)))
	return w, Min(chi2, limit), price
}

// weighAll is weigh for the raw weights of the whole data set.
func (c *Config) weighAll(raw []float64) []float64 {
	w := make([]float64, len(raw))
	sum := 0.0
	for i, r := range raw {
		w[i] = max(r, 0) + floor
		sum += w[i]
	}
	mean := sum / float64(len(w))
	chi2 := 0.0
	for i := range w {
		w[i] /= mean
		chi2 += (w[i] - 1) * (w[i] - 1)
	}
	chi2 /= float64(len(w))
	if c.Constraint == Penalty || chi2 <= 2*c.Rho {
		return w
	}
	shrink := math.Sqrt(2 * c.Rho / chi2)
	for i := range w {
		w[i] = 1 + shrink*(w[i]-1)
	}
	return w
}
