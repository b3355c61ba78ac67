package engine

import (
	"fmt"
	"reflect"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// GoMLX has no gradient for Pad, Reverse and Rsqrt, and none for a
// convolution with a dilated input, which is what the gradient of a strided
// convolution is. A gradient penalty differentiates twice, so all of them are
// needed. The rules are closed: each gradient consists of operations that have
// one, so that any number of differentiations works.
func init() {
	first := VJPRegistration[NodeTypeConvGeneral]
	VJPRegistration[NodeTypeConvGeneral] = func(node *Node, v []*Node, out shapes.Shape) []*Node {
		c := convOf(node)
		if c.grouped {
			return first(node, v, out)
		}
		return c.gradients(node.Inputs()[0], node.Inputs()[1], v[0])
	}
	VJPRegistration[NodeTypePad] = padGradient
	VJPRegistration[NodeTypeReverse] = func(node *Node, v []*Node, _ shapes.Shape) []*Node {
		return []*Node{Reverse(v[0], ints(attribute(node, "axes"))...)}
	}
	VJPRegistration[NodeTypeRsqrt] = func(node *Node, v []*Node, _ shapes.Shape) []*Node {
		// (x^−½)' = −½ x^−½ / x
		return []*Node{Mul(v[0], MulScalar(Div(node, node.Inputs()[0]), -0.5))}
	}
}

// attribute reads a parameter of the operation that made node. GoMLX keeps
// them to itself; reflection may look at plain numbers all the same, and
// unlike a table beside the graph it holds nothing alive.
func attribute(node *Node, name string) reflect.Value {
	f := reflect.ValueOf(node).Elem().FieldByName("inputs").Elem().Elem().FieldByName(name)
	if !f.IsValid() {
		panic(fmt.Sprintf("engine: %s nodes of this GoMLX have no attribute %q", node.Type(), name))
	}
	return f
}

func ints(v reflect.Value) []int {
	out := make([]int, v.Len())
	for i := range out {
		out[i] = int(v.Index(i).Int())
	}
	return out
}

// padGradient takes the padding away again. What a negative padding cut off
// gets no gradient.
func padGradient(node *Node, v []*Node, _ shapes.Shape) []*Node {
	x, fill := node.Inputs()[0], node.Inputs()[1]
	axes := attribute(node, "axesConfig")
	back := make([]compute.PadAxis, x.Rank())
	keep := make([]SliceAxisSpec, x.Rank())
	for i := range back {
		start, step := 0, 1
		if i < axes.Len() {
			axis := axes.Index(i)
			start, step = int(axis.FieldByName("Start").Int()), 1+int(axis.FieldByName("Interior").Int())
			back[i].Start = max(0, -start)
			back[i].End = max(0, -int(axis.FieldByName("End").Int()))
		}
		from := max(0, start)
		keep[i] = AxisRange(from, from+(x.Shape().Dimensions[i]-1)*step+1).Stride(step)
	}
	g := v[0]
	for _, b := range back {
		if b.Start > 0 || b.End > 0 {
			g = Pad(g, ScalarZero(g.Graph(), g.DType()), back...)
			break
		}
	}
	gx := Slice(g, keep...)
	var gf *Node
	if !fill.StopGradient() && !fill.IsConstantExpression() {
		gf = Sub(ReduceAllSum(v[0]), ReduceAllSum(gx))
	}
	return []*Node{gx, gf}
}

// A conv is a convolution in the most general form without groups: it holds
// everything but the two arguments.
type conv struct {
	axes                 ConvolveAxesConfig
	strides, inDil, kDil []int
	pads                 [][2]int
	grouped              bool
}

// convOf reads back the convolution that made node.
func convOf(node *Node) conv {
	axes := attribute(node, "axes")
	axis := func(name string) int { return int(axes.FieldByName(name).Int()) }
	c := conv{
		axes: ConvolveAxesConfig{
			InputBatch: axis("InputBatch"), InputChannels: axis("InputChannels"), InputSpatial: ints(axes.FieldByName("InputSpatial")),
			KernelInputChannels: axis("KernelInputChannels"), KernelOutputChannels: axis("KernelOutputChannels"), KernelSpatial: ints(axes.FieldByName("KernelSpatial")),
			OutputBatch: axis("OutputBatch"), OutputChannels: axis("OutputChannels"), OutputSpatial: ints(axes.FieldByName("OutputSpatial")),
		},
		grouped: attribute(node, "channelGroupCount").Int() > 1 || attribute(node, "batchGroupCount").Int() > 1,
	}
	n := len(c.axes.InputSpatial)
	orOnes := func(name string) []int {
		s := ints(attribute(node, name))
		for len(s) < n {
			s = append(s, 1)
		}
		return s
	}
	c.strides, c.inDil, c.kDil = orOnes("strides"), orOnes("inputDilations"), orOnes("kernelDilations")
	c.pads = make([][2]int, n)
	for i, p := 0, attribute(node, "paddings"); i < p.Len(); i++ {
		c.pads[i] = [2]int{int(p.Index(i).Index(0).Int()), int(p.Index(i).Index(1).Int())}
	}
	return c
}

func (c conv) apply(x, k *Node) *Node {
	return ConvGeneral(x, k, c.axes, c.strides, c.pads, c.inDil, c.kDil, 1, 1)
}

// gradients returns those with respect to the input x and the kernel k, given
// the gradient v with respect to the output. Both are convolutions: the stride
// of one is the dilation of the other.
func (c conv) gradients(x, k, v *Node) []*Node {
	return []*Node{c.inputGradient(x, k, v), c.kernelGradient(x, k, v)}
}

func (c conv) inputGradient(x, k, v *Node) *Node {
	cx := conv{strides: c.inDil, inDil: c.strides, kDil: c.kDil, pads: make([][2]int, len(c.pads))}
	for i := range cx.pads {
		lx, lk, lv := c.lengths(i, x, k, v)
		before := lk - 1 - c.pads[i][0]
		cx.pads[i] = [2]int{before, lx + lk - 1 - lv - before}
	}
	cx.axes = ConvolveAxesConfig{
		InputBatch: c.axes.OutputBatch, InputChannels: c.axes.OutputChannels, InputSpatial: c.axes.OutputSpatial,
		KernelInputChannels: c.axes.KernelOutputChannels, KernelOutputChannels: c.axes.KernelInputChannels, KernelSpatial: c.axes.KernelSpatial,
		OutputBatch: c.axes.InputBatch, OutputChannels: c.axes.InputChannels, OutputSpatial: c.axes.InputSpatial,
	}
	return cx.apply(v, Reverse(k, c.axes.KernelSpatial...))
}

func (c conv) kernelGradient(x, k, v *Node) *Node {
	if c.transposed(k) {
		// The same numbers with input and output in each other's place. XLA
		// knows this form as cuDNN's filter gradient; the other one has a
		// kernel as large as the image, and is several times slower.
		swap := conv{strides: c.inDil, inDil: c.strides, kDil: c.kDil, pads: make([][2]int, len(c.pads))}
		for i := range swap.pads {
			_, lk, _ := c.lengths(i, x, k, v)
			swap.pads[i] = [2]int{lk - 1 - c.pads[i][0], lk - 1 - c.pads[i][1]}
		}
		swap.axes = ConvolveAxesConfig{
			InputBatch: c.axes.OutputBatch, InputChannels: c.axes.OutputChannels, InputSpatial: c.axes.OutputSpatial,
			KernelInputChannels: c.axes.KernelOutputChannels, KernelOutputChannels: c.axes.KernelInputChannels, KernelSpatial: c.axes.KernelSpatial,
			OutputBatch: c.axes.InputBatch, OutputChannels: c.axes.InputChannels, OutputSpatial: c.axes.InputSpatial,
		}
		return Reverse(swap.overBatch(v, k, x), c.axes.KernelSpatial...)
	}
	return c.overBatch(x, k, v)
}

// overBatch is the gradient with respect to the kernel as a convolution over
// the batch: input channels are its images, and the output's batch is the
// kernel's input channels.
func (c conv) overBatch(x, k, v *Node) *Node {
	ck := conv{strides: c.kDil, inDil: c.inDil, kDil: c.strides, pads: make([][2]int, len(c.pads))}
	for i := range ck.pads {
		lx, lk, lv := c.lengths(i, x, k, v)
		ck.pads[i] = [2]int{c.pads[i][0], lv + lk - 1 - lx - c.pads[i][0]}
	}
	ck.axes = ConvolveAxesConfig{
		InputBatch: c.axes.InputChannels, InputChannels: c.axes.InputBatch, InputSpatial: c.axes.InputSpatial,
		KernelInputChannels: c.axes.OutputBatch, KernelOutputChannels: c.axes.OutputChannels, KernelSpatial: c.axes.OutputSpatial,
		OutputBatch: c.axes.KernelInputChannels, OutputChannels: c.axes.KernelOutputChannels, OutputSpatial: c.axes.KernelSpatial,
	}
	return ck.apply(x, v)
}

// transposed reports whether c with kernel k is the gradient of a convolution
// with respect to its input: it has no stride and turns the kernel around.
func (c conv) transposed(k *Node) bool {
	for i := range c.pads {
		if c.strides[i] != 1 {
			return false
		}
	}
	return k.Type() == NodeTypeReverse
}

// lengths returns the lengths of input, kernel and output along spatial axis i, with
// what lies between the numbers.
func (c conv) lengths(i int, x, k, v *Node) (lx, lk, lv int) {
	return dilated(x.Shape().Dimensions[c.axes.InputSpatial[i]], c.inDil[i]),
		dilated(k.Shape().Dimensions[c.axes.KernelSpatial[i]], c.kDil[i]),
		dilated(v.Shape().Dimensions[c.axes.OutputSpatial[i]], c.strides[i])
}

// dilated is the length of n numbers with d−1 zeros between neighbours.
func dilated(n, d int) int { return (n-1)*d + 1 }
