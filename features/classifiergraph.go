package features

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
	"rot.example/rot/nn"
)

const (
	classifierName = "classifier"
	classifierPart = "rot_classifier" // what the names of its tensors begin with
	classifierDim  = 128
)

// kind is the network that about describes. Images are stretched to a square;
// gray ones have three equal channels, which the first layer hardly feels.
func (about classifierInfo) kind() *kind {
	half := [3]float32{0.5, 0.5, 0.5}
	return &kind{
		name: classifierName, dim: classifierDim, classes: len(about.Classes),
		input: input{size: about.Size, antialias: true, mean: half, sd: half},
		build: func(s *nn.Scope, x *Node, classes int) (vectors, logits *Node) {
			s = s.In(classifierPart)
			for i, out := range []int{32, 32, 64, 64, classifierDim} {
				x = nn.Conv{Out: out, Kernel: 3, Conv: engine.Conv{Pad: 1}, NoBias: true}.Apply(s.At("conv", i), x)
				x = nn.ReLU(nn.BatchNorm{}.Apply(s.At("norm", i), x, nil))
				if i%2 == 1 {
					x = nn.PoolMax(x)
				}
			}
			vectors = nn.PoolAll(x)
			return vectors, nn.Dense{Out: classes}.Apply(s.In("fc"), vectors)
		},
	}
}

// classifierStep updates the network on images [B,H,W,3] and labels [B] at a
// factor of the learning rate, and returns the cross entropy.
func classifierStep(s *nn.Scope, k *kind, in []*Node) *Node {
	_, logits := k.build(s.In("net").Training(), in[0], k.classes)
	onehot := OneHot(in[1], k.classes, dtypes.Float32)
	loss := Neg(ReduceAllMean(ReduceSum(Mul(LogSoftmax(logits, 1), onehot), 1)))
	nn.Adam{LR: lr, Beta1: 0.9, Beta2: 0.999}.Minimize(s, loss, "net", in[2])
	return loss
}
