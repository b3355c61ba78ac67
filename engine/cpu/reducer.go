package cpu

import (
	"math"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// A reducer combines elements of one type.
type reducer struct {
	size  int
	start func(dst unsafe.Pointer, n int)    // n times what changes nothing
	fold  kernel                             // dst[i] = in0[i] ⊕ in1[i]
	total func(dst, x unsafe.Pointer, n int) // dst = x₀ ⊕ x₁ ⊕ …
}

// reducerOf returns the reducer of an operation, nil where there is none.
func reducerOf(op compute.OpType, t dtypes.DType) *reducer {
	switch t {
	case dtypes.Bool:
		return boolReducer(op)
	case dtypes.Int8:
		return numberReducer[int8](op, t, math.MinInt8, math.MaxInt8)
	case dtypes.Int16:
		return numberReducer[int16](op, t, math.MinInt16, math.MaxInt16)
	case dtypes.Int32:
		return numberReducer[int32](op, t, math.MinInt32, math.MaxInt32)
	case dtypes.Int64:
		return numberReducer[int64](op, t, math.MinInt64, math.MaxInt64)
	case dtypes.Uint8:
		return numberReducer[uint8](op, t, 0, math.MaxUint8)
	case dtypes.Uint16:
		return numberReducer[uint16](op, t, 0, math.MaxUint16)
	case dtypes.Uint32:
		return numberReducer[uint32](op, t, 0, math.MaxUint32)
	case dtypes.Uint64:
		return numberReducer[uint64](op, t, 0, math.MaxUint64)
	case dtypes.Float32:
		r := numberReducer(op, t, float32(math.Inf(-1)), float32(math.Inf(1)))
		if r != nil && op == compute.OpTypeReduceSum {
			r.total = sum32
		}
		return r
	case dtypes.Float64:
		return numberReducer(op, t, math.Inf(-1), math.Inf(1))
	}
	return nil
}

func numberReducer[T number](op compute.OpType, t dtypes.DType, low, high T) *reducer {
	r := &reducer{size: sizeOf(t)}
	var unit T
	var combine compute.OpType
	switch op {
	case compute.OpTypeReduceSum:
		combine, r.total = compute.OpTypeAdd, sum[T]
	case compute.OpTypeReduceProduct:
		unit, combine = 1, compute.OpTypeMul
	case compute.OpTypeReduceMax:
		unit, combine = low, compute.OpTypeMax
	case compute.OpTypeReduceMin:
		unit, combine = high, compute.OpTypeMin
	case compute.OpTypeReduceBitwiseAnd:
		combine = compute.OpTypeBitwiseAnd
		unit-- // all ones
	case compute.OpTypeReduceBitwiseOr:
		combine = compute.OpTypeBitwiseOr
	case compute.OpTypeReduceBitwiseXor:
		combine = compute.OpTypeBitwiseXor
	default:
		return nil
	}
	r.fold = goKernel(combine, t)
	if r.fold == nil { // bits of floats
		return nil
	}
	if t == dtypes.Float32 {
		if k := vectorKernel(combine); k != nil {
			r.fold = k
		}
	}
	r.start = func(dst unsafe.Pointer, n int) {
		for i := range unsafe.Slice((*T)(dst), n) {
			unsafe.Slice((*T)(dst), n)[i] = unit
		}
	}
	if r.total == nil {
		r.total = folding(r)
	}
	return r
}

func boolReducer(op compute.OpType) *reducer {
	r := &reducer{size: 1}
	unit := op == compute.OpTypeReduceLogicalAnd
	switch op {
	case compute.OpTypeReduceLogicalAnd:
		r.fold = boolKernel(compute.OpTypeLogicalAnd)
	case compute.OpTypeReduceLogicalOr:
		r.fold = boolKernel(compute.OpTypeLogicalOr)
	case compute.OpTypeReduceLogicalXor:
		r.fold = boolKernel(compute.OpTypeLogicalXor)
	default:
		return nil
	}
	r.start = func(dst unsafe.Pointer, n int) {
		d := unsafe.Slice((*bool)(dst), n)
		for i := range d {
			d[i] = unit
		}
	}
	r.total = folding(r)
	return r
}

// folding is total made of fold, element by element.
func folding(r *reducer) func(dst, x unsafe.Pointer, n int) {
	return func(dst, x unsafe.Pointer, n int) {
		r.start(dst, 1)
		o := &operands{dst: dst}
		o.in[0], o.step = dst, [4]uintptr{vectorBytes, vectorBytes}
		for i := range n {
			o.in[1] = unsafe.Add(x, i*r.size)
			r.fold(o, 1)
		}
	}
}

// sum adds pairwise: in 32 sums, and then those.
func sum[T number](dst, x unsafe.Pointer, n int) {
	var s [32]T
	v := unsafe.Slice((*T)(x), n)
	for len(v) >= 32 {
		for i := range s {
			s[i] += v[i]
		}
		v = v[32:]
	}
	for i, a := range v {
		s[i] += a
	}
	for k := 16; k > 0; k /= 2 {
		for i := range k {
			s[i] += s[i+k]
		}
	}
	*(*T)(dst) = s[0]
}
