package features

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes/float16"

	"rot.example/rot/runs"
)

// floats are the numbers of a tensor of any of the types that networks come in.
func floats(t runs.Tensor) ([]float32, error) {
	le := binary.LittleEndian
	var size int
	var number func(b []byte) float32
	switch t.DType {
	case "F16":
		size, number = 2, func(b []byte) float32 { return float16.Float16(le.Uint16(b)).Float32() }
	case "BF16":
		size, number = 2, func(b []byte) float32 { return math.Float32frombits(uint32(le.Uint16(b)) << 16) }
	case "F32":
		size, number = 4, func(b []byte) float32 { return math.Float32frombits(le.Uint32(b)) }
	case "F64":
		size, number = 8, func(b []byte) float32 { return float32(math.Float64frombits(le.Uint64(b))) }
	case "I64": // PyTorch counts batches in it
		size, number = 8, func(b []byte) float32 { return float32(int64(le.Uint64(b))) }
	default:
		return nil, fmt.Errorf("is of type %s; F16, BF16, F32, F64 and I64 are read", t.DType)
	}
	out := make([]float32, 0, len(t.Data)/size)
	for i := 0; i+size <= len(t.Data); i += size {
		v := number(t.Data[i:])
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("has %g as its element %d", v, i/size)
		}
		out = append(out, v)
	}
	return out, nil
}
