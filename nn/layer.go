package nn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"rot/engine"
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
	w := weight(s, l.Init, false, l.Kernel, l.Kernel, x.Shape().Dimensions[3], l.Out)
	return addBias(s, l.ConvTranspose.Apply(s.cast(x), s.cast(w)), l.Bias, l.NoBias)
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
	return Add(y, channels(b, y.Rank()))
}

// channels gives a vector [C] the shape [1,…,1,C].
func channels(v *Node, rank int) *Node {
	dims := make([]int, rank)
	for i := range dims {
		dims[i] = 1
	}
	dims[rank-1] = v.Shape().Size()
	return Reshape(v, dims...)
}

// spectralNorm divides w by its largest singular value, found by one step of
// power iteration a graph (Miyato et al. 2018). The two singular vectors are
// part of the State.
func spectralNorm(s *Scope, w *Node) *Node {
	return s.once("spectral", func() *Node {
		dims := w.Shape().Dimensions
		out := dims[len(dims)-1]
		m := Reshape(w, -1, out)
		in := m.Shape().Dimensions[0]
		u := s.Buffer("u", Normal(0, 1), out)
		v := s.Buffer("v", Normal(0, 1), in)
		if s.train && !s.frozen {
			fixed := StopGradient(m)
			v = unit(Reshape(MatMul(fixed, Reshape(u, out, 1)), in))
			u = unit(Reshape(MatMul(Reshape(v, 1, in), fixed), out))
			s.Set("u", u)
			s.Set("v", v)
		}
		u, v = StopGradient(u), StopGradient(v)
		sigma := ReduceAllSum(Mul(MatMul(Reshape(v, 1, in), m), Reshape(u, 1, out)))
		return Div(w, sigma)
	})
}

func unit(x *Node) *Node {
	return Div(x, Sqrt(AddScalar(ReduceAllSum(Square(x)), 1e-12)))
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

// PoolMax takes the largest of every 2×2 pixels.
func PoolMax(x *Node) *Node { return ReduceMax(blocks(x), 2, 4) }

// PoolMean takes the mean of every 2×2 pixels.
func PoolMean(x *Node) *Node { return ReduceMean(blocks(x), 2, 4) }

// blocks is [B,H/2,2,W/2,2,C]; an odd last row or column is left out.
func blocks(x *Node) *Node {
	d := x.Shape().Dimensions
	if d[1]%2 != 0 || d[2]%2 != 0 {
		x = Slice(x, AxisRange(), AxisRange(0, d[1]&^1), AxisRange(0, d[2]&^1))
	}
	return Reshape(x, d[0], d[1]/2, 2, d[2]/2, 2, d[3])
}

// Upsample repeats every pixel 2×2 times.
func Upsample(x *Node) *Node {
	d := x.Shape().Dimensions
	x = Reshape(x, d[0], d[1], 1, d[2], 1, d[3])
	x = BroadcastToDims(x, d[0], d[1], 2, d[2], 2, d[3])
	return Reshape(x, d[0], 2*d[1], 2*d[2], d[3])
}

// Flatten is [B,N].
func Flatten(x *Node) *Node { return Reshape(x, x.Shape().Dimensions[0], -1) }
