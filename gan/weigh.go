package gan

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/train"
)

// weigh turns the raw outputs of a weight network for a batch into weights of
// mean 1. With the constraint ball they lie in the ball exactly (train.Weigh).
// With the constraint penalty they are returned as they are, with what they pay
// for leaving the ball.
func (c *Config) weigh(raw *Node, rho float64) (w, chi2, price *Node) {
	if c.Constraint == Penalty {
		w, chi2 = train.Normalize(raw)
		return w, chi2, MulScalar(MaxScalar(AddScalar(chi2, -2*rho), 0), c.Lambda)
	}
	w, chi2 = train.Weigh(raw, Scalar(raw.Graph(), raw.DType(), rho))
	return w, chi2, ScalarZero(raw.Graph(), raw.DType())
}

// anchor holds the level of a weight network's raw outputs, on which the weights do
// not depend. The penalty's gradient grows with Lambda, and so does what Adam
// makes of its noise: the anchor grows with it.
func (c *Config) anchor(raw *Node) *Node {
	strength := 1.0
	if c.Constraint == Penalty {
		strength += anchorPerLambda * c.Lambda
	}
	return MulScalar(train.Anchor(raw), strength)
}

// anchorPerLambda makes the anchor as strong beside a penalty of the paper's
// Lambda, 1000, as the plain one is beside a cost of 10.
const anchorPerLambda = 0.1

// weighAll is weigh for the raw weights of the whole data set.
func (c *Config) weighAll(raw []float64) []float64 {
	rho := c.Rho
	if c.Constraint == Penalty {
		rho = math.Inf(1) // what it cost to leave the ball was paid
	}
	return train.WeighAll(raw, rho)
}
