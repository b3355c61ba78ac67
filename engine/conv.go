package engine

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
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
	if !lowered(x) {
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
	return patches(x, kernel, c.Stride, c.Dilation)
}

// A ConvTranspose describes a transposed convolution of images [B,H,W,C] with
// square kernels [K,K,C,O]: the convolution at stride 1 of the images with
// Stride−1 zeros between neighbouring pixels.
type ConvTranspose struct {
	Stride int
	Pad    int // what is cut off the full output on each side
}

// Apply returns the transposed convolution [B,(H−1)·Stride+K−2·Pad,…,O] of x.
func (c ConvTranspose) Apply(x, kernel *Node) *Node {
	check("ConvTranspose", x, kernel)
	c.Stride = max(1, c.Stride)
	k := kernel.Shape().Dimensions[0]
	if !lowered(x) {
		return spatial(1, c.Stride, 1, k-1-c.Pad).apply(x, kernel)
	}
	if k%c.Stride != 0 {
		return patches(padImage(x, k-1-c.Pad, c.Stride), kernel, 1, 1)
	}
	// Each of the Stride² phases of the output is a small convolution at
	// stride 1; one matrix product makes all of them.
	s, m := c.Stride, k/c.Stride
	in, out := kernel.Shape().Dimensions[2], kernel.Shape().Dimensions[3]
	kernel = Reverse(Reshape(kernel, m, s, m, s, in, out), 1, 3)
	kernel = Reshape(TransposeAllDims(kernel, 0, 2, 4, 1, 3, 5), m, m, in, s*s*out)
	y := patches(padImage(x, m-1, 1), kernel, 1, 1)
	b, h, w := y.Shape().Dimensions[0], y.Shape().Dimensions[1], y.Shape().Dimensions[2]
	y = TransposeAllDims(Reshape(y, b, h, w, s, s, out), 0, 1, 3, 2, 4, 5)
	return padImage(Reshape(y, b, h*s, w*s, out), -c.Pad, 1)
}

// lowered says whether convolutions become matrix products: GoMLX's Go backend
// runs the former a hundred times slower.
func lowered(x *Node) bool { return x.Graph().Backend().String() == gobackend.BackendName }

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

// patches is the convolution of x, which needs no more padding, as one matrix
// product of all its K×K patches with the kernel.
func patches(x, kernel *Node, stride, dilation int) *Node {
	xd, kd := x.Shape().Dimensions, kernel.Shape().Dimensions
	k := kd[0]
	reach := dilated(k, dilation)
	h, w := (xd[1]-reach)/stride+1, (xd[2]-reach)/stride+1
	if xd[1] < reach || xd[2] < reach {
		panic(fmt.Sprintf("engine: images %s, padding included, are smaller than the kernels %s", x.Shape(), kernel.Shape()))
	}
	var cols []*Node
	for i := range k {
		for j := range k {
			from := [2]int{i * dilation, j * dilation}
			cols = append(cols, Slice(x, AxisRange(),
				AxisRange(from[0], from[0]+(h-1)*stride+1).Stride(stride),
				AxisRange(from[1], from[1]+(w-1)*stride+1).Stride(stride)))
		}
	}
	col := cols[0]
	if len(cols) > 1 {
		col = Concatenate(cols, 3)
	}
	y := MatMul(Reshape(col, xd[0]*h*w, k*k*xd[3]), Reshape(kernel, k*k*kd[2], kd[3]))
	return Reshape(y, xd[0], h, w, kd[3])
}
