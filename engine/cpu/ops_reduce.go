package cpu

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
)

// Reductions, as compute.Function wants them.

func (f *function) ReduceSum(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceSum, x, axes)
}
func (f *function) ReduceProduct(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceProduct, x, axes)
}
func (f *function) ReduceMax(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceMax, x, axes)
}
func (f *function) ReduceMin(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceMin, x, axes)
}
func (f *function) ReduceLogicalAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceLogicalAnd, x, axes)
}
func (f *function) ReduceLogicalOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceLogicalOr, x, axes)
}
func (f *function) ReduceLogicalXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceLogicalXor, x, axes)
}
func (f *function) ReduceBitwiseAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceBitwiseAnd, x, axes)
}
func (f *function) ReduceBitwiseOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceBitwiseOr, x, axes)
}
func (f *function) ReduceBitwiseXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceBitwiseXor, x, axes)
}

func (f *function) reduce(op compute.OpType, x compute.Value, axes []int) (compute.Value, error) {
	n, err := f.value(op.String(), x)
	if err != nil {
		return nil, err
	}
	axes = slices.Clone(axes)
	slices.Sort(axes)
	if len(axes) == 0 {
		for i := range n.shape.Rank() {
			axes = append(axes, i)
		}
	}
	shape, err := shapeinference.Reduce(n.shape, axes)
	if err != nil {
		return nil, err
	}
	if n.shape.Rank() > maxAxes {
		return nil, fmt.Errorf("cpu: %s over more than %d axes: %w", op, maxAxes, compute.ErrNotImplemented)
	}
	if len(axes) == 0 {
		return n, nil
	}
	if n.dtype() == dtypes.BFloat16 {
		return f.widened(func(in ...compute.Value) (compute.Value, error) { return f.reduce(op, in[0], axes) }, dtypes.BFloat16, n)
	}
	if reducerOf(op, n.dtype()) == nil {
		return nil, fmt.Errorf("cpu: no operation %s on %s: %w", op, n.dtype(), compute.ErrNotImplemented)
	}
	// Axes that lie together, the last ones first; then the others.
	first := len(axes) - 1
	for first > 0 && product(n.dims()[axes[first-1]+1:axes[first]]) == 1 {
		first--
	}
	if first == 0 {
		return f.add(op, shape, axes, n), nil
	}
	if shape, err = shapeinference.Reduce(n.shape, axes[first:]); err != nil {
		return nil, err
	}
	return f.reduce(op, f.add(op, shape, axes[first:], n), axes[:first])
}

// widened does an operation on bfloat16 in float32.
func (f *function) widened(op func(in ...compute.Value) (compute.Value, error), out dtypes.DType, in ...*node) (compute.Value, error) {
	wide := make([]compute.Value, len(in))
	for i, n := range in {
		x, err := f.ConvertDType(n, dtypes.Float32)
		if err != nil {
			return nil, err
		}
		wide[i] = x
	}
	y, err := op(wide...)
	if err != nil {
		return nil, err
	}
	return f.ConvertDType(y, out)
}

type argAttr struct {
	axis int
	min  bool
}

// ArgMinMax implements compute.Function.
func (f *function) ArgMinMax(x compute.Value, axis int, t dtypes.DType, isMin bool) (compute.Value, error) {
	n, err := f.value("ArgMinMax", x)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.ArgMinMax(n.shape, axis, t)
	if err != nil {
		return nil, err
	}
	if !t.IsInt() || n.dtype() == dtypes.Bool {
		return nil, fmt.Errorf("cpu: no operation ArgMinMax from %s to %s: %w", n.dtype(), t, compute.ErrNotImplemented)
	}
	if n.dtype() == dtypes.BFloat16 {
		return f.widened(func(in ...compute.Value) (compute.Value, error) { return f.ArgMinMax(in[0], axis, t, isMin) }, t, n)
	}
	return f.add(compute.OpTypeArgMinMax, shape, argAttr{axis, isMin}, n), nil
}

type windowAttr struct {
	op                          compute.ReduceOpType
	window, strides, inDil, dil []int
	pads                        [][2]int
}

// ReduceWindow implements compute.Function.
func (f *function) ReduceWindow(x compute.Value, op compute.ReduceOpType, window, strides, inDil, dil []int, pads [][2]int) (compute.Value, error) {
	n, err := f.value("ReduceWindow", x)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.ReduceWindow(n.shape, window, strides, inDil, dil, pads)
	if err != nil {
		return nil, err
	}
	if n.dtype() == dtypes.BFloat16 {
		return f.widened(func(in ...compute.Value) (compute.Value, error) {
			return f.ReduceWindow(in[0], op, window, strides, inDil, dil, pads)
		}, dtypes.BFloat16, n)
	}
	if reducerOf(windowReduce[op], n.dtype()) == nil {
		return nil, fmt.Errorf("cpu: no operation ReduceWindow of kind %s on %s: %w", op, n.dtype(), compute.ErrNotImplemented)
	}
	a := windowAttr{op: op, window: slices.Clone(window), strides: slices.Clone(strides)}
	if len(strides) == 0 {
		a.strides = a.window
	}
	a.inDil, a.dil = orOnes(inDil, len(window)), orOnes(dil, len(window))
	a.pads = slices.Clone(pads)
	for len(a.pads) < len(window) {
		a.pads = append(a.pads, [2]int{})
	}
	return f.add(compute.OpTypeReduceWindow, shape, a, n), nil
}

var windowReduce = map[compute.ReduceOpType]compute.OpType{
	compute.ReduceOpSum: compute.OpTypeReduceSum, compute.ReduceOpProduct: compute.OpTypeReduceProduct,
	compute.ReduceOpMax: compute.OpTypeReduceMax, compute.ReduceOpMin: compute.OpTypeReduceMin,
}

// orOnes is s, or n ones where it is empty.
func orOnes(s []int, n int) []int {
	s = slices.Clone(s)
	for len(s) < n {
		s = append(s, 1)
	}
	return s
}

type selectAttr struct {
	min             bool
	window, strides []int
	pads            [][2]int
}

// SelectAndScatterMax implements compute.Function.
func (f *function) SelectAndScatterMax(x, source compute.Value, window, strides []int, pads [][2]int) (compute.Value, error) {
	return f.selectAndScatter(compute.OpTypeSelectAndScatterMax, x, source, window, strides, pads)
}

// SelectAndScatterMin implements compute.Function.
func (f *function) SelectAndScatterMin(x, source compute.Value, window, strides []int, pads [][2]int) (compute.Value, error) {
	return f.selectAndScatter(compute.OpTypeSelectAndScatterMin, x, source, window, strides, pads)
}

func (f *function) selectAndScatter(op compute.OpType, x, source compute.Value, window, strides []int, pads [][2]int) (compute.Value, error) {
	ns, err := f.values(op.String(), x, source)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.SelectAndScatter(ns[0].shape, ns[1].shape, window, strides, pads)
	if err != nil {
		return nil, err
	}
	if ns[0].dtype() == dtypes.BFloat16 {
		return f.widened(func(in ...compute.Value) (compute.Value, error) {
			return f.selectAndScatter(op, in[0], in[1], window, strides, pads)
		}, dtypes.BFloat16, ns...)
	}
	if !ns[0].dtype().IsFloat() {
		return nil, fmt.Errorf("cpu: no operation %s on %s: %w", op, ns[0].dtype(), compute.ErrNotImplemented)
	}
	a := selectAttr{min: op == compute.OpTypeSelectAndScatterMin, window: slices.Clone(window), strides: slices.Clone(strides), pads: slices.Clone(pads)}
	if len(strides) == 0 {
		a.strides = a.window
	}
	for len(a.pads) < len(window) {
		a.pads = append(a.pads, [2]int{})
	}
	return f.add(op, shape, a, ns...), nil
}

// withType is the shape with another element type.
func withType(s shapes.Shape, t dtypes.DType) shapes.Shape {
	s = s.Clone()
	s.DType = t
	return s
}
