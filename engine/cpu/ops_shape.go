package cpu

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
)

// Operations that move elements without changing them.

// one returns the node of an operation on x whose shape follows from x's.
func (f *function) one(op compute.OpType, x compute.Value, attr any, infer func(x shapes.Shape) (shapes.Shape, error)) (compute.Value, error) {
	n, err := f.value(op.String(), x)
	if err != nil {
		return nil, err
	}
	shape, err := infer(n.shape)
	if err != nil {
		return nil, err
	}
	if shape.Rank() > maxAxes {
		return nil, fmt.Errorf("cpu: %s: more than %d axes: %w", op, maxAxes, compute.ErrNotImplemented)
	}
	return f.add(op, shape, attr, n), nil
}

// Identity implements compute.Function.
func (f *function) Identity(x compute.Value) (compute.Value, error) { return f.value("Identity", x) }

// Reshape implements compute.Function.
func (f *function) Reshape(x compute.Value, dims ...int) (compute.Value, error) {
	return f.one(compute.OpTypeReshape, x, nil, func(s shapes.Shape) (shapes.Shape, error) {
		return shapeinference.Reshape(s, dims)
	})
}

// Transpose implements compute.Function.
func (f *function) Transpose(x compute.Value, axes ...int) (compute.Value, error) {
	if n, ok := x.(*node); ok && n.fn == f && n.op == compute.OpTypeDotGeneral {
		if t := f.turned(n, axes); t != nil {
			return t, nil
		}
	}
	return f.one(compute.OpTypeTranspose, x, slices.Clone(axes), func(s shapes.Shape) (shapes.Shape, error) {
		return shapeinference.Transpose(s, axes)
	})
}

// turned is the transposition of a product as the product of its sides in the
// other order, which costs nothing: (a·b)ᵀ = bᵀ·aᵀ. It is nil for any other
// order of the axes. GoMLX's gradients have many.
func (f *function) turned(n *node, axes []int) *node {
	a := n.attr.(dotAttr)
	left := n.in[0].shape.Rank() - len(a.aSum)
	if len(a.aBatch) > 0 || len(axes) != n.shape.Rank() {
		return nil
	}
	dims := make([]int, len(axes))
	for i, axis := range axes {
		if axis != (i+left)%len(axes) {
			return nil
		}
		dims[i] = n.dims()[axis]
	}
	return f.add(compute.OpTypeDotGeneral, shapes.Make(n.dtype(), dims...), dotAttr{a.bSum, a.bBatch, a.aSum, a.aBatch}, n.in[1], n.in[0])
}

// BroadcastInDim implements compute.Function.
func (f *function) BroadcastInDim(x compute.Value, shape shapes.Shape, axes []int) (compute.Value, error) {
	return f.one(compute.OpTypeBroadcastInDim, x, slices.Clone(axes), func(s shapes.Shape) (shapes.Shape, error) {
		return withType(shape, s.DType), shapeinference.BroadcastInDim(s, shape, axes, nil)
	})
}

type sliceAttr struct{ starts, strides []int }

// Slice implements compute.Function.
func (f *function) Slice(x compute.Value, starts, limits, strides []int) (compute.Value, error) {
	a := sliceAttr{slices.Clone(starts), slices.Clone(strides)}
	for len(a.strides) < len(starts) {
		a.strides = append(a.strides, 1)
	}
	return f.one(compute.OpTypeSlice, x, a, func(s shapes.Shape) (shapes.Shape, error) {
		return shapeinference.Slice(s, starts, limits, a.strides)
	})
}

// Reverse implements compute.Function.
func (f *function) Reverse(x compute.Value, axes ...int) (compute.Value, error) {
	return f.one(compute.OpTypeReverse, x, slices.Clone(axes), func(s shapes.Shape) (shapes.Shape, error) {
		for i, axis := range axes {
			if axis < 0 || axis >= s.Rank() || slices.Contains(axes[:i], axis) {
				return s, fmt.Errorf("cpu: Reverse of axes %d of %s", axes, s)
			}
		}
		return s, nil
	})
}

// Pad implements compute.Function.
func (f *function) Pad(x, fill compute.Value, axes ...compute.PadAxis) (compute.Value, error) {
	ns, err := f.values("Pad", x, fill)
	if err != nil {
		return nil, err
	}
	if ns[0].dtype() != ns[1].dtype() || ns[1].size() != 1 {
		return nil, fmt.Errorf("cpu: Pad of %s with %s", ns[0].shape, ns[1].shape)
	}
	shape, err := shapeinference.Pad(ns[0].shape, axes...)
	if err != nil {
		return nil, err
	}
	full := make([]compute.PadAxis, ns[0].shape.Rank())
	copy(full, axes)
	return f.add(compute.OpTypePad, shape, full, ns...), nil
}

// Concatenate implements compute.Function.
func (f *function) Concatenate(axis int, operands ...compute.Value) (compute.Value, error) {
	ns, err := f.values("Concatenate", operands...)
	if err != nil {
		return nil, err
	}
	in := make([]shapes.Shape, len(ns))
	for i, n := range ns {
		in[i] = n.shape
	}
	shape, err := shapeinference.Concatenate(in, axis)
	if err != nil {
		return nil, err
	}
	if len(ns) == 1 {
		return ns[0], nil
	}
	return f.add(compute.OpTypeConcatenate, shape, axis, ns...), nil
}

// Iota implements compute.Function. The numbers are made with the graph.
func (f *function) Iota(shape shapes.Shape, axis int) (compute.Value, error) {
	if err := known(shape); err != nil {
		return nil, err
	}
	if axis < 0 || axis >= shape.Rank() || shape.DType == dtypes.Bool {
		return nil, fmt.Errorf("cpu: Iota of %s along axis %d", shape, axis)
	}
	n := shape.Dimensions[axis]
	line := make([]int64, n)
	for i := range line {
		line[i] = int64(i)
	}
	x, err := f.Constant(line, n)
	if err != nil {
		return nil, err
	}
	if x, err = f.ConvertDType(x, shape.DType); err != nil {
		return nil, err
	}
	return f.BroadcastInDim(x, shape, []int{axis})
}

// Bitcast implements compute.Function.
func (f *function) Bitcast(x compute.Value, t dtypes.DType) (compute.Value, error) {
	return f.one(compute.OpTypeBitcast, x, nil, func(s shapes.Shape) (shapes.Shape, error) {
		out, err := shapeinference.Bitcast(s, t)
		if err == nil {
			err = known(out)
		}
		return out, err
	})
}
