package engine

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Tensor cores take channels by the eight. A convolution from or to the three
// of a picture is left to kernels that pad both of its arguments first, and
// fill a sixth of what they work on: on an H200 the thin convolutions of
// DCGAN's critic took a fifth of a step that has a hundredth of its operations
// in them. As one matrix product over the pixels they need no padding.

// wide is the number of channels that a convolution needs to be left alone, and
// of which the products' inner lengths are multiples.
const wide = 8

// thin reports whether a convolution of x with kernel is better made of a
// product.
func thin(x, kernel *Node) bool {
	d := kernel.Shape().Dimensions
	return x.DType() == dtypes.BFloat16 && d[0] > 1 && min(d[2], d[3]) < wide && x.Graph().Backend().Name() == "xla"
}

// thinConv returns the convolution of x, padded by zeros, with kernel: stride 1.
func thinConv(x, kernel *Node, pad int) *Node {
	xd, kd := x.Shape().Dimensions, kernel.Shape().Dimensions
	k, in, out := kd[0], kd[2], kd[3]
	h, w := xd[1]+2*pad-k+1, xd[2]+2*pad-k+1
	// What the kernel's pixel i, j meets in images that are padded.
	seen := func(x *Node, i, j int, channels SliceAxisSpec) *Node {
		return Slice(x, AxisRange(), AxisRange(i, i+h), AxisRange(j, j+w), channels)
	}
	if in <= out {
		x = padImage(x, pad, 1)
		var patch []*Node
		for i := range k {
			for j := range k {
				patch = append(patch, seen(x, i, j, AxisRange()))
			}
		}
		n := k * k * in
		if fill := -n & (wide - 1); fill > 0 {
			patch = append(patch, Zeros(x.Graph(), shapes.Make(x.DType(), xd[0], h, w, fill)))
		}
		kernel = padRows(Reshape(kernel, n, out))
		y := MatMul(Reshape(Concatenate(patch, 3), xd[0]*h*w, kernel.Shape().Dimensions[0]), kernel)
		return Reshape(y, xd[0], h, w, out)
	}
	// Every pixel times every pixel of the kernel, then what belongs together
	// is added.
	kernel = padRows(Reshape(TransposeAllDims(kernel, 0, 1, 3, 2), k*k*out, in))
	all := DotGeneral(Reshape(x, xd[0]*xd[1]*xd[2], in), []int{1}, nil, kernel, []int{1}, nil)
	all = padImage(Reshape(all, xd[0], xd[1], xd[2], kernel.Shape().Dimensions[0]), pad, 1)
	exact := x.DType()
	if exact == dtypes.BFloat16 {
		exact = dtypes.Float32
	}
	var sum *Node
	for i := range k {
		for j := range k {
			at := (i*k + j) * out
			y := ConvertDType(seen(all, i, j, AxisRange(at, at+out)), exact)
			if sum != nil {
				y = Add(sum, y)
			}
			sum = y
		}
	}
	return ConvertDType(sum, x.DType())
}

// padRows puts rows of zeros below a matrix until their number is right.
func padRows(m *Node) *Node {
	fill := -m.Shape().Dimensions[0] & (wide - 1)
	if fill == 0 {
		return m
	}
	return Pad(m, ScalarZero(m.Graph(), m.DType()), compute.PadAxis{End: fill}, compute.PadAxis{})
}
