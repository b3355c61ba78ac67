package gan

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// An objective is the game of a GAN in terms of the critic's scores: real and
// fake [B], with weights of mean 1 that may be nil.
type objective struct {
	// critic is what the critic minimizes.
	critic func(real, fake, wReal, wFake *Node) *Node
	// generator is what the generator minimizes.
	generator func(fake, wFake *Node) *Node
	// cost is what the weights of the data minimize the mean of: the share of
	// each sample in the distance that the critic sees, up to a constant.
	cost func(real *Node) *Node
	// fakeCost is the same for the weights of the generated samples.
	fakeCost func(fake *Node) *Node
}

func (c *Config) objective() objective {
	switch c.Loss {
	case Wasserstein:
		return objective{
			critic: func(real, fake, wReal, wFake *Node) *Node {
				return Sub(mean(fake, wFake), mean(real, wReal))
			},
			generator: func(fake, wFake *Node) *Node { return Neg(mean(fake, wFake)) },
			cost:      func(real *Node) *Node { return real },
			fakeCost:  func(fake *Node) *Node { return Neg(fake) },
		}
	case NS:
		return objective{
			critic: func(real, fake, wReal, wFake *Node) *Node {
				return Add(mean(Softplus(Neg(real)), wReal), mean(Softplus(fake), wFake))
			},
			generator: func(fake, wFake *Node) *Node { return mean(Softplus(Neg(fake)), wFake) },
			cost:      func(real *Node) *Node { return Neg(Softplus(Neg(real))) },
			fakeCost:  func(fake *Node) *Node { return Neg(Softplus(fake)) },
		}
	case Hinge:
		return objective{
			critic: func(real, fake, wReal, wFake *Node) *Node {
				return Add(mean(MaxScalar(OneMinus(real), 0), wReal), mean(MaxScalar(OnePlus(fake), 0), wFake))
			},
			generator: func(fake, wFake *Node) *Node { return Neg(mean(fake, wFake)) },
			cost:      func(real *Node) *Node { return Neg(MaxScalar(OneMinus(real), 0)) },
			fakeCost:  func(fake *Node) *Node { return Neg(MaxScalar(OnePlus(fake), 0)) },
		}
	}
	panic(fmt.Sprintf("gan: loss %q has no objective of scores", c.Loss))
}

// mean is the mean of x with weights of mean 1.
func mean(x, w *Node) *Node {
	if w != nil {
		x = Mul(x, w)
	}
	return ReduceAllMean(x)
}

// gradientPenalty is the mean of (‖∇D(x̂)‖ − 1)² at points x̂ between data and
// samples (Gulrajani et al. 2017). The root has an ε: its gradient at 0 is
// infinite without.
func gradientPenalty(real, fake, u *Node, critic func(x *Node) *Node) *Node {
	dims := make([]int, real.Rank())
	axes := make([]int, real.Rank()-1)
	dims[0] = real.Shape().Dimensions[0]
	for i := range axes {
		dims[i+1], axes[i] = 1, i+1
	}
	u = ConvertDType(Reshape(u, dims...), real.DType())
	between := Add(fake, Mul(u, Sub(real, fake)))
	grad := Gradient(ReduceAllSum(critic(between)), between)[0]
	norm := Sqrt(AddScalar(ReduceSum(Square(grad), axes...), 1e-12))
	return ReduceAllMean(Square(AddScalar(norm, -1)))
}

// uotLambda is the price of leaving the constraint of the unbalanced dual. The
// paper names none; 10 is the gradient penalty's.
const uotLambda = 10

// unbalancedDual is the objective of the appendix in its two forms, for critics
// d1 on the data and d2 on the samples, both ≤ 1, with cost c for each pair.
// The critics maximize it and the generator minimizes it. The constraint
// 1 − √(1−d1) + 1 − √(1−d2) ≤ c is violated by 2 − √(1−d1) − √(1−d2) − c; the
// paper prints the negative of that, which punishes the feasible.
func unbalancedDual(loss string, d1, d2, c *Node) *Node {
	root := func(d *Node) *Node { return Sqrt(AddScalar(OneMinus(d), 1e-12)) }
	excess := Sub(AddScalar(Neg(Add(root(d1), root(d2))), 2), c)
	if loss == UOTPrinted {
		excess = Neg(excess)
	}
	value := Add(ReduceAllMean(d1), ReduceAllMean(d2))
	return Sub(value, MulScalar(ReduceAllMean(MaxScalar(excess, 0)), uotLambda))
}

// atMostOne maps a critic's score to (−∞, 1).
func atMostOne(score *Node) *Node { return OneMinus(Softplus(Neg(score))) }
