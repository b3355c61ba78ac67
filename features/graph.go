package features

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
	"rot.example/rot/nn"
)

// Shape letters: B images of H×W pixels with C channels, O output channels.

// param is a trained array, whose value a file gives.
func param(s *nn.Scope, name string, dims ...int) *Node {
	return s.Param(name, nn.Constant(0), dims...)
}

// repeat gives a vector [C] a shape that can be added to and multiplied with
// x [B,H,W,C]. The Go backend takes several times longer to repeat a vector
// than for the same as a matrix product.
func repeat(v, x *Node) *Node {
	c := v.Shape().Size()
	if !engine.Lowered(x) {
		return Reshape(v, 1, 1, 1, c)
	}
	ones := Ones(v.Graph(), shapes.Make(v.DType(), x.Shape().Size()/c, 1))
	return Reshape(MatMul(ones, Reshape(v, 1, c)), x.Shape().Dimensions...)
}

// convolve is the convolution of x [B,H,W,C] with kernels [K,L,C,O], square or
// not, padded by zeros. Those that are not square have stride 1.
func convolve(x, kernel *Node, stride, padH, padW int) *Node {
	kd, xd := kernel.Shape().Dimensions, x.Shape().Dimensions
	if square := kd[0] == kd[1] && padH == padW; square && (kd[0] == 1 || stride > 1 || !engine.Lowered(x)) {
		return engine.Conv{Stride: stride, Pad: padH}.Apply(x, kernel)
	}
	pixels := Reshape(x, xd[0]*xd[1]*xd[2], xd[3])
	y := overlap(kd[0], kd[1], func(i, j int) *Node {
		w := Reshape(Slice(kernel, AxisElem(i), AxisElem(j)), kd[2], kd[3])
		return Reshape(MatMul(pixels, w), xd[0], xd[1], xd[2], kd[3])
	})
	return crop(y, kd[0]-1-padH, xd[1]+2*padH-kd[0]+1, kd[1]-1-padW, xd[2]+2*padW-kd[1]+1)
}

// depthwise is the convolution of each channel of x [B,H,W,C] with a 3×3 kernel
// of its own, kernels [3,3,1,C], at stride 1 or 2, padded by one zero.
func depthwise(x, kernel *Node, stride int) *Node {
	d := x.Shape().Dimensions
	c := d[3]
	times := func(x *Node, i, j int) *Node {
		return Mul(x, repeat(Reshape(Slice(kernel, AxisElem(i), AxisElem(j)), c), x))
	}
	if stride == 1 {
		y := overlap(3, 3, func(i, j int) *Node { return times(x, i, j) })
		return crop(y, 1, d[1], 1, d[2])
	}
	// The pixels of even and odd rows and columns are images of their own, and
	// the kernel has 2×2 pixels or less on each.
	h, w := (d[1]+1)/2, (d[2]+1)/2
	zero := ScalarZero(x.Graph(), x.DType())
	x = Pad(x, zero, compute.PadAxis{}, compute.PadAxis{Start: 1, End: 2*h + 1 - d[1]}, compute.PadAxis{Start: 1, End: 2*w + 1 - d[2]}, compute.PadAxis{})
	x = Reshape(x, d[0], h+1, 2, w+1, 2, c)
	var phase [2][2]*Node
	for i := range 2 {
		for j := range 2 {
			p := Slice(x, AxisRange(), AxisRange(), AxisElem(i), AxisRange(), AxisElem(j))
			phase[i][j] = Reshape(p, d[0], h+1, w+1, c)
		}
	}
	y := overlap(2, 2, func(i, j int) *Node {
		var sum *Node
		for a := 2 * i; a < min(3, 2*i+2); a++ {
			for b := 2 * j; b < min(3, 2*j+2); b++ {
				sum = plus(sum, times(phase[a%2][b%2], a, b))
			}
		}
		return sum
	})
	return crop(y, 1, h, 1, w)
}

// overlap is the full convolution, with K−1 and L−1 zeros on each side, given
// what each pixel of the K×L kernel makes of the whole image. The Go backend
// pads fast and cuts slowly, so that it comes before one cut, not after K·L.
func overlap(k, l int, times func(i, j int) *Node) *Node {
	var sum *Node
	for i := range k {
		var row *Node
		for j := range l {
			row = plus(row, padAxis(times(i, j), 2, l-1-j, j))
		}
		sum = plus(sum, padAxis(row, 1, k-1-i, i))
	}
	return sum
}

// plus is a + b, b where a is nil.
func plus(a, b *Node) *Node {
	if a == nil {
		return b
	}
	return Add(a, b)
}

func padAxis(x *Node, axis, start, end int) *Node {
	if start == 0 && end == 0 {
		return x
	}
	pads := make([]compute.PadAxis, x.Rank())
	pads[axis] = compute.PadAxis{Start: start, End: end}
	return Pad(x, ScalarZero(x.Graph(), x.DType()), pads...)
}

// crop takes h×w pixels from row top and column left on.
func crop(x *Node, top, h, left, w int) *Node {
	if d := x.Shape().Dimensions; d[1] == h && d[2] == w {
		return x
	}
	return Slice(x, AxisRange(), AxisRange(top, top+h), AxisRange(left, left+w))
}

// relu is max(x, 0).
func relu(x *Node) *Node { return MaxScalar(x, 0) }

// maxPool takes the largest of 3×3 pixels, stride apart, pad pixels around the
// image left out.
func maxPool(x *Node, stride, pad int) *Node {
	if pad > 0 {
		around := compute.PadAxis{Start: pad, End: pad}
		x = Pad(x, Infinity(x.Graph(), x.DType(), -1), compute.PadAxis{}, around, around, compute.PadAxis{})
	}
	return along(along(x, 2, stride, Max), 1, stride, Max)
}

// meanPool takes the mean of the 3×3 pixels around each pixel; what lies
// outside the image does not count.
func meanPool(x *Node) *Node {
	d := x.Shape().Dimensions
	around := compute.PadAxis{Start: 1, End: 1}
	sum := Pad(x, ScalarZero(x.Graph(), x.DType()), compute.PadAxis{}, around, around, compute.PadAxis{})
	sum = along(along(sum, 2, 1, Add), 1, 1, Add)
	share := make([]float32, d[1]*d[2])
	for i := range d[1] {
		for j := range d[2] {
			share[i*d[2]+j] = 1 / float32(inside(i, d[1])*inside(j, d[2]))
		}
	}
	return Mul(sum, Reshape(Const(x.Graph(), share), 1, d[1], d[2], 1))
}

// inside is the number of i−1, i and i+1 that are in 0 to n−1.
func inside(i, n int) int { return min(n-1, i+1) - max(0, i-1) + 1 }

// along joins every three neighbours on an axis, stride apart.
func along(x *Node, axis, stride int, join func(a, b *Node) *Node) *Node {
	n := (x.Shape().Dimensions[axis]-3)/stride + 1
	from := func(start int) *Node {
		keep := make([]SliceAxisSpec, x.Rank())
		for i := range keep {
			keep[i] = AxisRange()
		}
		keep[axis] = AxisRange(start, start+(n-1)*stride+1).Stride(stride)
		return Slice(x, keep...)
	}
	return join(join(from(0), from(1)), from(2))
}
