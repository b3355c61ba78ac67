package engine

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Shape letters: B images of H×W pixels with C channels, O output channels,
// kernels of K×K.

// A Conv describes a convolution of images [B,H,W,C] with square kernels
// [K,K,C,O]. The zero value has stride and dilation 1 and no padding.
type Conv struct {
	Stride   int
	Dilation int // of the kernel
	Pad      int // zeros on each side
}

// Apply returns the convolution [B,(H+2·Pad−D)/Stride+1,…,O] of x with kernel,
// where D = (K−1)·Dilation+1. It can be differentiated any number of times.
func (c Conv) Apply(x, kernel *Node) *Node {
	check("Conv", x, kernel)
	c.Stride, c.Dilation = max(1, c.Stride), max(1, c.Dilation)
	if thin(x, kernel) && c.Stride == 1 && c.Dilation == 1 {
		return thinConv(x, kernel, c.Pad)
	}
	if !Lowered(x) {
		return spatial(c.Stride, 1, c.Dilation, c.Pad).apply(x, kernel)
	}
	k := kernel.Shape().Dimensions[0]
	x = padImage(x, c.Pad, 1)
	if c.Stride > 1 && c.Dilation == 1 && k%c.Stride == 0 {
		// Stride by stride blocks become channels, and the stride 1: fewer and
		// longer copies.
		x, kernel = fold(x, kernel, c.Stride)
		c.Stride = 1
	}
	return products(x, kernel, c.Stride, c.Dilation)
}

// A ConvTranspose describes a transposed convolution of images [B,H,W,C] with
// square kernels [K,K,C,O]: every pixel adds its multiple of the kernel to the
// output, Stride apart. It is PyTorch's, with the axes of the kernel in another
// order.
type ConvTranspose struct {
	Stride int
	Pad    int // what is cut off the full output on each side
}

// Apply returns the transposed convolution [B,(H−1)·Stride+K−2·Pad,…,O] of x.
func (c ConvTranspose) Apply(x, kernel *Node) *Node {
	check("ConvTranspose", x, kernel)
	c.Stride = max(1, c.Stride)
	k := kernel.Shape().Dimensions[0]
	if !Lowered(x) {
		return spatial(1, c.Stride, 1, k-1-c.Pad).apply(x, Reverse(kernel, 0, 1))
	}
	if k%c.Stride != 0 {
		return products(padImage(x, k-1-c.Pad, c.Stride), Reverse(kernel, 0, 1), 1, 1)
	}
	// Each of the Stride² phases of the output is a small convolution at
	// stride 1; one matrix product makes all of them.
	s, m := c.Stride, k/c.Stride
	in, out := kernel.Shape().Dimensions[2], kernel.Shape().Dimensions[3]
	kernel = Reverse(Reshape(kernel, m, s, m, s, in, out), 0, 2)
	kernel = Reshape(TransposeAllDims(kernel, 0, 2, 4, 1, 3, 5), m, m, in, s*s*out)
	y := products(padImage(x, m-1, 1), kernel, 1, 1)
	b, h, w := y.Shape().Dimensions[0], y.Shape().Dimensions[1], y.Shape().Dimensions[2]
	y = TransposeAllDims(Reshape(y, b, h, w, s, s, out), 0, 1, 3, 2, 4, 5)
	return padImage(Reshape(y, b, h*s, w*s, out), -c.Pad, 1)
}

// Lowered reports whether graphs over x should consist of matrix products
// wherever they can. That is so on GoMLX's Go backend, whose other operations
// take one number at a time: a convolution takes a hundred times as long.
func Lowered(x *Node) bool { return x.Graph().Backend().String() == gobackend.BackendName }

func check(op string, x, kernel *Node) {
	if x.Rank() != 4 || kernel.Rank() != 4 {
		panic(fmt.Sprintf("engine: %s wants images [B,H,W,C] and kernels [K,K,C,O], got %s and %s", op, x.Shape(), kernel.Shape()))
	}
	xd, kd := x.Shape().Dimensions, kernel.Shape().Dimensions
	if kd[0] != kd[1] || kd[2] != xd[3] {
		panic(fmt.Sprintf("engine: %s of images %s with kernels %s: want square kernels for %d channels", op, x.Shape(), kernel.Shape(), xd[3]))
	}
}

// spatial is a convolution [B,H,W,C] × [K,K,C,O] that does the same along both
// axes.
func spatial(stride, inDil, kDil, pad int) conv {
	two := func(v int) []int { return []int{v, v} }
	return conv{
		axes: ConvolveAxesConfig{
			InputBatch: 0, InputSpatial: []int{1, 2}, InputChannels: 3,
			KernelSpatial: []int{0, 1}, KernelInputChannels: 2, KernelOutputChannels: 3,
			OutputBatch: 0, OutputSpatial: []int{1, 2}, OutputChannels: 3,
		},
		strides: two(stride), inDil: two(inDil), kDil: two(kDil),
		pads: [][2]int{{pad, pad}, {pad, pad}},
	}
}

// padImage pads x with n zeros on each side, or cuts −n off, and puts dilation−1
// zeros between neighbouring pixels.
func padImage(x *Node, n, dilation int) *Node {
	if n == 0 && dilation == 1 {
		return x
	}
	if n < 0 && dilation == 1 {
		h, w := x.Shape().Dimensions[1], x.Shape().Dimensions[2]
		return Slice(x, AxisRange(), AxisRange(-n, h+n), AxisRange(-n, w+n))
	}
	axis := compute.PadAxis{Start: n, End: n, Interior: dilation - 1}
	return Pad(x, ScalarZero(x.Graph(), x.DType()), compute.PadAxis{}, axis, axis, compute.PadAxis{})
}

// fold turns s×s blocks of pixels into channels, in the kernel too, so that a
// convolution at stride s becomes one at stride 1.
func fold(x, kernel *Node, s int) (*Node, *Node) {
	xd, kd := x.Shape().Dimensions, kernel.Shape().Dimensions
	// Rows and columns that no position of the kernel reaches.
	h, w := xd[1]-(xd[1]-kd[0])%s, xd[2]-(xd[2]-kd[1])%s
	if h != xd[1] || w != xd[2] {
		x = Slice(x, AxisRange(), AxisRange(0, h), AxisRange(0, w))
	}
	x = TransposeAllDims(Reshape(x, xd[0], h/s, s, w/s, s, xd[3]), 0, 1, 3, 2, 4, 5)
	x = Reshape(x, xd[0], h/s, w/s, s*s*xd[3])
	kernel = TransposeAllDims(Reshape(kernel, kd[0]/s, s, kd[1]/s, s, kd[2], kd[3]), 0, 2, 1, 3, 4, 5)
	return x, Reshape(kernel, kd[0]/s, kd[1]/s, s*s*kd[2], kd[3])
}

// products is the convolution of x, which needs no more padding, made of
// matrix products.
func products(x, kernel *Node, stride, dilation int) *Node {
	xd, kd := x.Shape().Dimensions, kernel.Shape().Dimensions
	reach := dilated(kd[0], dilation)
	if xd[1] < reach || xd[2] < reach {
		panic(fmt.Sprintf("engine: images %s, padding included, are smaller than the kernels %s", x.Shape(), kernel.Shape()))
	}
	h, w := (xd[1]-reach)/stride+1, (xd[2]-reach)/stride+1
	seen := func(x *Node, i, j int) *Node {
		if h == xd[1] && w == xd[2] {
			return x
		}
		i, j = i*dilation, j*dilation
		return Slice(x, AxisRange(),
			AxisRange(i, i+(h-1)*stride+1).Stride(stride),
			AxisRange(j, j+(w-1)*stride+1).Stride(stride))
	}
	// Copies cost the Go backend as much as the products do: copy what has
	// fewer channels.
	if kd[2] < kd[3] || stride > 1 {
		return patches(x, kernel, seen)
	}
	return shifts(x, kernel, seen)
}

// patches is the product of all K×K patches of x with the kernel. What the
// kernel's pixel i, j meets in x is seen(x, i, j).
func patches(x, kernel *Node, seen func(x *Node, i, j int) *Node) *Node {
	k, in, out := kernel.Shape().Dimensions[0], kernel.Shape().Dimensions[2], kernel.Shape().Dimensions[3]
	var cols []*Node
	for i := range k {
		for j := range k {
			cols = append(cols, seen(x, i, j))
		}
	}
	col := cols[0]
	if len(cols) > 1 {
		col = Concatenate(cols, 3)
	}
	d := col.Shape().Dimensions
	y := MatMul(Reshape(col, d[0]*d[1]*d[2], k*k*in), Reshape(kernel, k*k*in, out))
	return Reshape(y, d[0], d[1], d[2], out)
}

// shifts is the sum over the kernel's pixels of their product with all of x,
// shifted.
func shifts(x, kernel *Node, seen func(x *Node, i, j int) *Node) *Node {
	d := x.Shape().Dimensions
	k, in, out := kernel.Shape().Dimensions[0], kernel.Shape().Dimensions[2], kernel.Shape().Dimensions[3]
	pixels := Reshape(x, d[0]*d[1]*d[2], in)
	var sum *Node
	for i := range k {
		for j := range k {
			y := MatMul(pixels, Reshape(Slice(kernel, AxisElem(i), AxisElem(j)), in, out))
			y = seen(Reshape(y, d[0], d[1], d[2], out), i, j)
			if sum != nil {
				y = Add(sum, y)
			}
			sum = y
		}
	}
	return sum
}

// GoMLX's gradient of a matrix product starts with transpositions of both
// factors where one would do, and ends with one that changes nothing. Its Go
// backend copies them all number by number, which was a third of a critic
// step.
func init() {
	first := VJPRegistration[NodeTypeDotGeneral]
	VJPRegistration[NodeTypeDotGeneral] = func(node *Node, v []*Node, out shapes.Shape) []*Node {
		a, b := node.Inputs()[0], node.Inputs()[1]
		if !Lowered(node) || a.Rank() != 2 || b.Rank() != 2 || node.Rank() != 2 || a.DType() != node.DType() {
			return first(node, v, out)
		}
		switch [2]int{ints(attribute(node, "lhsContractingAxes"))[0], ints(attribute(node, "rhsContractingAxes"))[0]} {
		case [2]int{1, 0}: // a·b
			return []*Node{DotGeneral(v[0], []int{1}, nil, b, []int{1}, nil), transposedTimes(a, v[0])}
		case [2]int{1, 1}: // a·bᵀ, which the backend does as it stands
			return []*Node{MatMul(v[0], b), transposedTimes(v[0], a)}
		}
		return first(node, v, out)
	}
}

// transposedTimes is aᵀ·b. The transposition of a serves all products of a
// convolution, 4 or more of them, and that of b only this one.
func transposedTimes(a, b *Node) *Node {
	if 4*b.Shape().Size() < a.Shape().Size() {
		return Transpose(MatMul(Transpose(b, 0, 1), a), 0, 1)
	}
	return MatMul(Transpose(a, 0, 1), b)
}
