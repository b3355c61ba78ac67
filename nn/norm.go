package nn

import (
	. "github.com/gomlx/gomlx/core/graph"
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
	rank, c := x.Rank(), x.Shape().Dimensions[x.Rank()-1]
	from := x.DType()
	x = s.float(x)
	mean := s.Buffer("mean", Constant(0), c)
	variance := s.Buffer("var", Constant(1), c)
	if s.train {
		axes := make([]int, rank-1)
		for i := range axes {
			axes[i] = i
		}
		m := ReduceMean(x, axes...)
		v := ReduceMean(Square(Sub(x, channels(m, rank))), axes...)
		if !s.frozen {
			n := float64(x.Shape().Size() / c)
			blend := func(name string, old, now *Node) {
				s.Set(name, Add(MulScalar(old, 1-bnMomentum), MulScalar(StopGradient(now), bnMomentum)))
			}
			blend("mean", mean, m)
			blend("var", variance, MulScalar(v, n/max(1, n-1))) // without bias, as PyTorch keeps it
		}
		mean, variance = m, v
	}
	scale, offset := l.affine(s, rank, c, onehot)
	// One multiplication and one addition a pixel: (x − mean)·scale/σ + offset.
	scale = Mul(scale, channels(Rsqrt(AddScalar(variance, bnEpsilon)), rank))
	return ConvertDType(Add(Mul(Sub(x, channels(mean, rank)), scale), offset), from)
}

// affine returns the trained scale and offset, [1,…,C] or, by class, [B,1,…,C].
func (l BatchNorm) affine(s *Scope, rank, c int, onehot *Node) (scale, offset *Node) {
	init := l.Scale
	if init == nil {
		init = Constant(1)
	}
	if l.Classes == 0 {
		return channels(s.Param("scale", init, c), rank), channels(s.Param("offset", Constant(0), c), rank)
	}
	dims := make([]int, rank)
	for i := range dims {
		dims[i] = 1
	}
	dims[0], dims[rank-1] = -1, c
	pick := func(name string, init Init) *Node {
		return Reshape(MatMul(s.float(onehot), s.Param(name, init, l.Classes, c)), dims...)
	}
	return pick("scale", init), pick("offset", Constant(0))
}
