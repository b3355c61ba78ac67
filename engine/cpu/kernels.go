package cpu

import (
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
)

type bfloat = bfloat16.BFloat16

// A kernel computes n elements.
type kernel func(o *operands, n int)

// operands are where a kernel reads and writes. The step of an input is the
// number of bytes from one vector of it to the next: 32, or 0 for a scalar,
// which lies there as often as fits a vector.
type operands struct {
	dst  unsafe.Pointer
	in   [4]unsafe.Pointer
	step [4]uintptr
}

const vectorBytes = 32

// lane is the type that elements of type t have while one computes with them.
func lane(t dtypes.DType) dtypes.DType {
	if t == dtypes.BFloat16 {
		return dtypes.Float32
	}
	return t
}

// kernelOf returns what computes an element-wise node, nil where nothing does.
func kernelOf(n *node) kernel {
	in, out := lane(n.in[0].dtype()), lane(n.dtype())
	switch n.op {
	case compute.OpTypeConvertDType:
		return conversion(in, out)
	case compute.OpTypeWhere:
		return wheres[sizeOf(out)]
	}
	if in == dtypes.Float32 {
		if k := vectorKernel(n.op); k != nil {
			return k
		}
	}
	return goKernel(n.op, in)
}

// goKernel is the kernel of an elementary operation in plain Go.
func goKernel(op compute.OpType, t dtypes.DType) kernel {
	switch t {
	case dtypes.Bool:
		return boolKernel(op)
	case dtypes.Int8:
		return intKernel[int8](op)
	case dtypes.Int16:
		return intKernel[int16](op)
	case dtypes.Int32:
		return intKernel[int32](op)
	case dtypes.Int64:
		return intKernel[int64](op)
	case dtypes.Uint8:
		return intKernel[uint8](op)
	case dtypes.Uint16:
		return intKernel[uint16](op)
	case dtypes.Uint32:
		return intKernel[uint32](op)
	case dtypes.Uint64:
		return intKernel[uint64](op)
	case dtypes.Float32:
		return floatKernel[float32](op)
	case dtypes.Float64:
		return floatKernel[float64](op)
	}
	return nil
}

// addition is the kernel that adds numbers of a type.
func addition[T float]() kernel {
	if unsafe.Sizeof(T(0)) == 4 {
		if k := vectorKernel(compute.OpTypeAdd); k != nil {
			return k
		}
	}
	return floatKernel[T](compute.OpTypeAdd)
}

// selectKernel is the kernel of Where(a ⋚ b, yes, no) on float32 in one go.
func selectKernel(op compute.OpType) kernel {
	if k := vectorSelect(op); k != nil {
		return k
	}
	return goSelect(op)
}

// wheres are the kernels of Where, and copies those that copy, by the size of
// an element.
var (
	wheres = map[int]kernel{1: where[uint8], 2: where[uint16], 4: where[uint32], 8: where[uint64]}
	copies = map[int]kernel{1: copying[uint8], 2: copying[uint16], 4: copying[uint32], 8: copying[uint64]}
)

// copyKernel copies elements of a type.
func copyKernel(t dtypes.DType) kernel { return copies[sizeOf(t)] }
