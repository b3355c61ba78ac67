package nn

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/engine"
)

// openBackend opens the cpu backend, or the one that ROT_TEST_BACKEND names,
// once: a GPU lends its memory to one only.
var openBackend = sync.OnceValues(func() (*engine.Backend, error) {
	return engine.Open(cmp.Or(os.Getenv("ROT_TEST_BACKEND"), "cpu"), nil)
})

func testBackend(t testing.TB) *engine.Backend {
	t.Helper()
	b, err := openBackend()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mustRun runs p, which has to work.
func mustRun(t testing.TB, p *Program, in ...any) []*tensors.Tensor {
	t.Helper()
	out, err := p.Run(in...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// scalar is the one element of x.
func scalar(x *tensors.Tensor) float64 { return fromTensor(x)[0] }

// normal32 is an array of standard normal numbers.
func normal32(seed uint64, dims ...int) *tensors.Tensor {
	rng := rand.New(rand.NewPCG(seed, 0))
	n := 1
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(x, dims...)
}

// worst is the largest difference between got and want, relative to the
// largest number in want.
func worst(got, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	var diff, size float64
	for i, w := range want {
		diff, size = max(diff, math.Abs(got[i]-w)), max(size, math.Abs(w))
		if math.IsNaN(got[i]) {
			return math.Inf(1)
		}
	}
	if diff == 0 {
		return 0
	}
	return diff / size
}

func shape(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float64, dims...) }
