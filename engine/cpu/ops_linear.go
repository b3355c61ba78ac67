package cpu

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
)

// Matrix products, convolutions, gathering and random bits, as
// compute.Function wants them.

type dotAttr struct{ aSum, aBatch, bSum, bBatch []int }

// DotGeneral implements compute.Function. Integers and bfloat16 may ask for
// other types of the sum or the result: those are converted before and after.
func (f *function) DotGeneral(a compute.Value, aSum, aBatch []int, b compute.Value, bSum, bBatch []int, config compute.DotGeneralConfig) (compute.Value, error) {
	ns, err := f.values("DotGeneral", a, b)
	if err != nil {
		return nil, err
	}
	in := ns[0].dtype()
	shape, err := shapeinference.DotGeneral(ns[0].shape, aSum, aBatch, ns[1].shape, bSum, bBatch, config)
	if err != nil {
		return nil, err
	}
	sum, out := config.AccumulatorDType, shape.DType
	if sum == dtypes.InvalidDType {
		sum = in
	}
	if sum == dtypes.BFloat16 {
		sum = dtypes.Float32
	}
	attr := dotAttr{slices.Clone(aSum), slices.Clone(aBatch), slices.Clone(bSum), slices.Clone(bBatch)}
	if in == dtypes.BFloat16 && sum == dtypes.Float32 && multipliesNarrow() && worthNarrow(ns[0].dims(), ns[1].dims(), &attr) {
		return f.ConvertDType(f.add(compute.OpTypeDotGeneral, withType(shape, sum), attr, ns...), out)
	}
	if sum != in || out != in {
		var wide [2]compute.Value
		for i, n := range ns {
			if wide[i], err = f.ConvertDType(n, sum); err != nil {
				return nil, err
			}
		}
		y, err := f.DotGeneral(wide[0], aSum, aBatch, wide[1], bSum, bBatch, compute.DotGeneralConfig{})
		if err != nil {
			return nil, err
		}
		return f.ConvertDType(y, out)
	}
	if in == dtypes.Bool {
		return nil, fmt.Errorf("cpu: no operation DotGeneral on %s: %w", in, compute.ErrNotImplemented)
	}
	return f.add(compute.OpTypeDotGeneral, withType(shape, in), attr, ns...), nil
}

type convAttr struct {
	axes                 compute.ConvolveAxesConfig
	strides, inDil, kDil []int
	pads                 [][2]int
	groups               int // of channels
}

// ConvGeneral implements compute.Function.
func (f *function) ConvGeneral(x, kernel compute.Value, axes compute.ConvolveAxesConfig, strides []int, pads [][2]int, inDil, kDil []int, channelGroups, batchGroups int) (compute.Value, error) {
	ns, err := f.values("ConvGeneral", x, kernel)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.ConvGeneral(ns[0].shape, ns[1].shape, axes, strides, pads, inDil, kDil, channelGroups, batchGroups)
	if err != nil {
		return nil, err
	}
	if batchGroups > 1 {
		return nil, fmt.Errorf("cpu: no operation ConvGeneral with groups of the batch: %w", compute.ErrNotImplemented)
	}
	t := ns[0].dtype()
	n := len(axes.InputSpatial)
	narrow := t == dtypes.BFloat16 && multipliesNarrow() && channelGroups <= 1 && worthNarrowConv(ns[0].dims(), &axes, shape.Dimensions[axes.OutputChannels])
	if t == dtypes.BFloat16 && !narrow {
		return f.widened(func(in ...compute.Value) (compute.Value, error) {
			return f.ConvGeneral(in[0], in[1], axes, strides, pads, inDil, kDil, channelGroups, batchGroups)
		}, t, ns...)
	}
	if t != dtypes.Float32 && t != dtypes.Float64 && !narrow {
		return nil, fmt.Errorf("cpu: no operation ConvGeneral on %s: %w", t, compute.ErrNotImplemented)
	}
	a := convAttr{axes: axes.Clone(), strides: orOnes(strides, n), inDil: orOnes(inDil, n), kDil: orOnes(kDil, n), pads: slices.Clone(pads), groups: max(1, channelGroups)}
	for len(a.pads) < n {
		a.pads = append(a.pads, [2]int{})
	}
	if narrow {
		return f.ConvertDType(f.add(compute.OpTypeConvGeneral, withType(shape, dtypes.Float32), a, ns...), t)
	}
	return f.add(compute.OpTypeConvGeneral, shape, a, ns...), nil
}

type gatherAttr struct {
	vector                           int
	offset, collapsed, starts, sizes []int
}

// Gather implements compute.Function.
func (f *function) Gather(x, indices compute.Value, vector int, offset, collapsed, starts, sizes []int, sorted bool) (compute.Value, error) {
	ns, err := f.values("Gather", x, indices)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Gather(ns[0].shape, ns[1].shape, vector, offset, collapsed, starts, sizes, sorted)
	if err != nil {
		return nil, err
	}
	i, err := f.indices(ns[1])
	if err != nil {
		return nil, err
	}
	a := gatherAttr{vector, slices.Clone(offset), slices.Clone(collapsed), slices.Clone(starts), slices.Clone(sizes)}
	return f.add(compute.OpTypeGather, shape, a, ns[0], i), nil
}

// indices converts n to int64.
func (f *function) indices(n *node) (*node, error) {
	if !n.dtype().IsInt() {
		return nil, fmt.Errorf("cpu: indices of type %s", n.dtype())
	}
	i, err := f.ConvertDType(n, dtypes.Int64)
	if err != nil {
		return nil, err
	}
	return i.(*node), nil
}

type scatterAttr struct {
	vector                   int
	window, inserted, target []int
}

// ScatterSum implements compute.Function.
func (f *function) ScatterSum(x, indices, updates compute.Value, vector int, window, inserted, target []int, sorted, unique bool) (compute.Value, error) {
	return f.scatter(compute.OpTypeScatterSum, x, indices, updates, vector, window, inserted, target)
}

// ScatterMax implements compute.Function.
func (f *function) ScatterMax(x, indices, updates compute.Value, vector int, window, inserted, target []int, sorted, unique bool) (compute.Value, error) {
	return f.scatter(compute.OpTypeScatterMax, x, indices, updates, vector, window, inserted, target)
}

// ScatterMin implements compute.Function.
func (f *function) ScatterMin(x, indices, updates compute.Value, vector int, window, inserted, target []int, sorted, unique bool) (compute.Value, error) {
	return f.scatter(compute.OpTypeScatterMin, x, indices, updates, vector, window, inserted, target)
}

func (f *function) scatter(op compute.OpType, x, indices, updates compute.Value, vector int, window, inserted, target []int) (compute.Value, error) {
	ns, err := f.values(op.String(), x, indices, updates)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Scatter(ns[0].shape, ns[1].shape, ns[2].shape, vector, window, inserted, target)
	if err != nil {
		return nil, err
	}
	t := ns[0].dtype()
	if t == dtypes.BFloat16 {
		return f.widened(func(in ...compute.Value) (compute.Value, error) {
			return f.scatter(op, in[0], indices, in[1], vector, window, inserted, target)
		}, t, ns[0], ns[2])
	}
	if t == dtypes.Bool {
		return nil, fmt.Errorf("cpu: no operation %s on %s: %w", op, t, compute.ErrNotImplemented)
	}
	i, err := f.indices(ns[1])
	if err != nil {
		return nil, err
	}
	a := scatterAttr{vector, slices.Clone(window), slices.Clone(inserted), slices.Clone(target)}
	return f.add(op, shape, a, ns[0], i, ns[2]), nil
}
