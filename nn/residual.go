package nn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
)

// The residual blocks of the ResNet generator and critic (Gulrajani et al.
// 2017, Miyato et al. 2018).

// A ResBlock is two 3×3 convolutions beside a shortcut.
type ResBlock struct {
	Out      int
	Up, Down bool // double or halve the size
	First    bool // on the image itself: no activation before the first convolution, shortcut pooled first
	Norm     bool // batch norm before each activation
	Classes  int  // > 0: the batch norm is conditional
	Spectral bool
	Init     Init // of the convolutions; nil means Xavier, √2 on the 3×3 ones
}

// Apply returns the block's output for images x [B,H,W,C].
func (l ResBlock) Apply(s *Scope, x, onehot *Node) *Node {
	short := l.shortcut(s.In("short"), x)
	h := x
	if !l.First {
		h = l.activate(s.In("norm1"), h, onehot)
	}
	if l.Up {
		h = Upsample(h)
	}
	h = l.conv(3, math.Sqrt2).Apply(s.In("conv1"), h)
	h = l.activate(s.In("norm2"), h, onehot)
	h = l.conv(3, math.Sqrt2).Apply(s.In("conv2"), h)
	if l.Down {
		h = PoolMean(h)
	}
	return Add(h, short)
}

// shortcut is x itself where the shapes agree, else a 1×1 convolution.
func (l ResBlock) shortcut(s *Scope, x *Node) *Node {
	if !l.Up && !l.Down && x.Shape().Dimensions[3] == l.Out {
		return s.cast(x)
	}
	if l.Up {
		// A 1×1 convolution commutes with the repetition of pixels, and costs
		// a quarter before it.
		return Upsample(l.conv(1, 1).Apply(s, x))
	}
	if l.Down {
		x = PoolMean(x) // commutes with the 1×1 convolution as well
	}
	return l.conv(1, 1).Apply(s, x)
}

func (l ResBlock) conv(kernel int, gain float64) Conv {
	init := l.Init
	if init == nil {
		init = Xavier(gain)
	}
	return Conv{Out: l.Out, Kernel: kernel, Conv: engine.Conv{Pad: kernel / 2}, Spectral: l.Spectral, Init: init}
}

func (l ResBlock) activate(s *Scope, x, onehot *Node) *Node {
	if l.Norm {
		x = BatchNorm{Classes: l.Classes}.Apply(s, x, onehot)
	}
	return ReLU(x)
}

// A Head ends a critic: one number per image from its features, and with
// classes the projection of the features on the embedding of the class
// (Miyato and Koyama 2018).
type Head struct {
	Classes  int // 0 means none
	Spectral bool
	Init     Init
}

// Apply returns [B] for features [B,N].
func (l Head) Apply(s *Scope, features, onehot *Node) *Node {
	b := features.Shape().Dimensions[0]
	y := Reshape(Dense{Out: 1, Spectral: l.Spectral, Init: l.Init}.Apply(s.In("out"), features), b)
	if l.Classes > 0 {
		embedding := Dense{Out: features.Shape().Dimensions[1], NoBias: true, Spectral: l.Spectral, Init: Normal(0, 0.02)}
		y = Add(y, ReduceSum(Mul(embedding.Apply(s.In("embed"), onehot), s.cast(features)), 1))
	}
	return s.float(y)
}
