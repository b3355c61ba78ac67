package nn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
)

// Batch norm keeps running statistics with PyTorch's momentum and guards the
// variance with its epsilon.
const (
	bnMomentum = 0.1
	bnEpsilon  = 1e-5
)

// A BatchNorm layer gives every channel mean 0 and variance 1 over the batch,
// then a trained scale and offset. In use it takes running averages instead.
type BatchNorm struct {
	Scale Init // nil means ones
	// Classes > 0 makes scale and offset depend on the class of the image
	// (Dumoulin et al. 2017).
	Classes int
}

// Apply normalizes x [B,…,C]; onehot [B,Classes] is for conditional layers and
// may be nil otherwise.
func (l BatchNorm) Apply(s *Scope, x, onehot *Node) *Node {
	from, c := x.DType(), x.Shape().Dimensions[x.Rank()-1]
	x = s.float(x)
	mean, variance := statistics(s, x)
	x = Sub(x, perChannel(mean, x))
	inverse := Rsqrt(AddScalar(variance, bnEpsilon))
	init := l.Scale
	if init == nil {
		init = Constant(1)
	}
	// Scale by class and channel, not by pixel, before the one multiplication.
	if l.Classes == 0 {
		scale := Mul(s.Param("scale", init, c), inverse)
		x = Add(Mul(x, perChannel(scale, x)), perChannel(s.Param("offset", Constant(0), c), x))
	} else {
		scale := Mul(l.pick(s, "scale", init, c, onehot), Reshape(inverse, 1, c))
		offset := l.pick(s, "offset", Constant(0), c, onehot)
		x = Add(Mul(x, perImage(scale, x)), perImage(offset, x))
	}
	return ConvertDType(x, from)
}

// statistics are the mean and variance [C] to normalize x with. In training
// they are those of x, and the running ones move towards them.
func statistics(s *Scope, x *Node) (mean, variance *Node) {
	c := x.Shape().Dimensions[x.Rank()-1]
	mean = s.Buffer("mean", Constant(0), c)
	variance = s.Buffer("var", Constant(1), c)
	if !s.train {
		return mean, variance
	}
	m := channelMean(x)
	var v *Node
	if engine.Lowered(x) {
		v = channelMean(Square(Sub(x, perChannel(m, x))))
	} else {
		// Both sums in one pass over x, which is what a GPU's time is about.
		v = MaxScalar(Sub(channelMean(Square(x)), Square(m)), 0)
	}
	if !s.frozen {
		n := float64(x.Shape().Size() / c)
		move := func(name string, old, now *Node) {
			s.Set(name, Add(MulScalar(old, 1-bnMomentum), MulScalar(StopGradient(now), bnMomentum)))
		}
		move("mean", mean, m)
		move("var", variance, MulScalar(v, n/max(1, n-1))) // without bias, as PyTorch keeps it
	}
	return m, v
}

// pick returns the row of a table [Classes,C] that belongs to each image,
// [B,C].
func (l BatchNorm) pick(s *Scope, name string, init Init, c int, onehot *Node) *Node {
	if onehot == nil {
		panic("nn: a conditional BatchNorm needs the classes of the images")
	}
	return MatMul(s.float(onehot), s.Param(name, init, l.Classes, c))
}
