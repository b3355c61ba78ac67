package train

import "github.com/gomlx/gomlx/core/tensors"

// EqualWeights returns n ones: the weights of samples that all count the same.
func EqualWeights(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// Float32s returns x in single precision, as graphs take it.
func Float32s(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// Numbers returns the numbers of the first output of a program, which are
// float32, and frees all of its outputs.
func Numbers(out []*tensors.Tensor) ([]float64, error) {
	flat, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return nil, err
	}
	for _, o := range out {
		o.MustFinalizeAll()
	}
	wide := make([]float64, len(flat))
	for i, v := range flat {
		wide[i] = float64(v)
	}
	return wide, nil
}
