package nn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// A LeNet is the small network for digits that domain adaptation is commonly
// measured with: 20 and 50 kernels of 5×5, each followed by 2×2 max pooling,
// then 500 features. It is Caffe's variant of LeCun et al. (1998), which ADDA
// (Tzeng et al. 2017) and CDAN (Long et al. 2018) use for MNIST and USPS; the
// latter adds dropout, which this one does not have.
type LeNet struct{}

// Features returns [B,500] for images x [B,H,W,C] of 16×16 pixels or more,
// gray or in color; 28×28 and 32×32 are usual.
func (LeNet) Features(s *Scope, x *Node) *Node {
	for i, out := range []int{20, 50} {
		at := s.At("conv", i+1)
		// Bias and ReLU before or after pooling is the same; this order costs less.
		x = PoolMax(Conv{Out: out, Kernel: 5, NoBias: true}.Apply(at, x))
		x = ReLU(addBias(at, x, nil, false))
	}
	return s.float(ReLU(Dense{Out: 500}.Apply(s.In("fc"), Flatten(x))))
}
