package nn

import (
	"fmt"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
)

// A Dense layer maps the last axis to Out numbers: x·w + b.
type Dense struct {
	Out      int
	NoBias   bool
	Spectral bool // divide w by its largest singular value
	Init     Init // nil means HeUniform
	Bias     Init // nil means zeros
}

// Apply returns the layer's output for x [B,N].
func (l Dense) Apply(s *Scope, x *Node) *Node {
	in := x.Shape().Dimensions[x.Rank()-1]
	w := weight(s, l.Init, l.Spectral, in, l.Out)
	y := MatMul(s.cast(x), s.cast(w))
	return addBias(s, y, l.Bias, l.NoBias)
}

// A Conv layer is a convolution with square kernels.
type Conv struct {
	Out, Kernel int
	engine.Conv
	NoBias   bool
	Spectral bool
	Init     Init
	Bias     Init
}

// Apply returns the layer's output for images x [B,H,W,C].
func (l Conv) Apply(s *Scope, x *Node) *Node {
	images("Conv", x)
	w := weight(s, l.Init, l.Spectral, l.Kernel, l.Kernel, x.Shape().Dimensions[3], l.Out)
	return addBias(s, l.Conv.Apply(s.cast(x), s.cast(w)), l.Bias, l.NoBias)
}

// A ConvTranspose layer is a transposed convolution with square kernels.
type ConvTranspose struct {
	Out, Kernel int
	engine.ConvTranspose
	NoBias bool
	Init   Init
	Bias   Init
}

// Apply returns the layer's output for images x [B,H,W,C].
func (l ConvTranspose) Apply(s *Scope, x *Node) *Node {
	images("ConvTranspose", x)
	w := weight(s, l.Init, false, l.Kernel, l.Kernel, x.Shape().Dimensions[3], l.Out)
	return addBias(s, l.ConvTranspose.Apply(s.cast(x), s.cast(w)), l.Bias, l.NoBias)
}

// images panics unless x is [B,H,W,C].
func images(op string, x *Node) {
	if x.Rank() != 4 {
		panic(fmt.Sprintf("nn: %s wants images [B,H,W,C], got %s", op, x.Shape()))
	}
}

func weight(s *Scope, init Init, spectral bool, dims ...int) *Node {
	if init == nil {
		init = HeUniform
	}
	w := s.Param("w", init, dims...)
	if spectral {
		w = spectralNorm(s, w)
	}
	return w
}

func addBias(s *Scope, y *Node, init Init, none bool) *Node {
	if none {
		return y
	}
	if init == nil {
		init = Constant(0)
	}
	b := s.cast(s.Param("b", init, y.Shape().Dimensions[y.Rank()-1]))
	return Add(y, perChannel(b, y))
}

// ReLU is max(x, 0).
func ReLU(x *Node) *Node { return LeakyReLU(x, 0) }

// LeakyReLU is x where positive and slope·x elsewhere. It multiplies by a mask
// that gradients pass over, which makes them cheap, second ones too.
func LeakyReLU(x *Node, slope float64) *Node {
	positive := GreaterThan(x, ScalarZero(x.Graph(), x.DType()))
	mask := Where(positive, Scalar(x.Graph(), x.DType(), 1), Scalar(x.Graph(), x.DType(), slope))
	return Mul(x, StopGradient(mask))
}

// PoolMax takes the largest of every 2×2 pixels, an odd last row or column
// left out. Among equals the first one gets the gradient, as in PyTorch.
func PoolMax(x *Node) *Node {
	x = even(x)
	d := x.Shape().Dimensions
	x = Reshape(x, d[0]*d[1]/2, 2, d[2]/2, 2, d[3])
	row := func(i int) *Node {
		x := Slice(x, AxisRange(), AxisElem(i))
		every := func(j int) *Node { return Slice(x, AxisRange(), AxisRange(), AxisRange(), AxisElem(j)) }
		return Max(every(0), every(1)) // GoMLX's gradient of ReduceMax would go to all equals in full
	}
	return Reshape(Max(row(0), row(1)), d[0], d[1]/2, d[2]/2, d[3])
}

// PoolMean takes the mean of every 2×2 pixels, an odd last row or column left
// out.
func PoolMean(x *Node) *Node {
	x = even(x)
	d := x.Shape().Dimensions
	return ReduceMean(Reshape(x, d[0], d[1]/2, 2, d[2]/2, 2, d[3]), 2, 4)
}

// PoolMax3 takes the largest of the 3×3 pixels around every second pixel from
// the first one on, what lies outside the image left out: kernel 3, stride 2,
// padding 1. Among equals the first one gets the gradient, as in PyTorch.
func PoolMax3(x *Node) *Node {
	images("pooling", x)
	return maxOfThrees(maxOfThrees(x, 2), 1)
}

// maxOfThrees takes the largest of the elements 2i−1, 2i and 2i+1 along an
// axis. GoMLX's own pooling may add up gradients of overlapping windows in
// any order.
func maxOfThrees(x *Node, axis int) *Node {
	n := x.Shape().Dimensions[axis]
	outside := make([]compute.PadAxis, x.Rank())
	outside[axis] = compute.PadAxis{Start: 1, End: n % 2}
	x = Pad(x, Infinity(x.Graph(), x.DType(), -1), outside...)
	every2nd := func(from int) *Node {
		keep := make([]SliceAxisSpec, x.Rank())
		for i := range keep {
			keep[i] = AxisRange()
		}
		keep[axis] = AxisRange(from, from+(n-1)/2*2+1).Stride(2)
		return Slice(x, keep...)
	}
	return Max(Max(every2nd(0), every2nd(1)), every2nd(2))
}

// PoolAll is the mean [B,C] over all pixels of images [B,H,W,C].
func PoolAll(x *Node) *Node {
	images("pooling", x)
	return ReduceMean(x, 1, 2)
}

// even cuts an odd last row or column off.
func even(x *Node) *Node {
	images("pooling", x)
	d := x.Shape().Dimensions
	if d[1] < 2 || d[2] < 2 {
		panic(fmt.Sprintf("nn: no 2×2 pixels to pool in images %s", x.Shape()))
	}
	if d[1]%2 == 0 && d[2]%2 == 0 {
		return x
	}
	return Slice(x, AxisRange(), AxisRange(0, d[1]&^1), AxisRange(0, d[2]&^1))
}

// Upsample repeats every pixel 2×2 times.
func Upsample(x *Node) *Node {
	images("Upsample", x)
	d := x.Shape().Dimensions
	x = Reshape(x, d[0], d[1], 1, d[2], 1, d[3])
	x = BroadcastToDims(x, d[0], d[1], 2, d[2], 2, d[3])
	return Reshape(x, d[0], 2*d[1], 2*d[2], d[3])
}

// Flatten is [B,N].
func Flatten(x *Node) *Node { return Reshape(x, x.Shape().Dimensions[0], -1) }
