package nn

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// TestTorchResNet compares with what torchvision computed once
// (testdata/README.md).
func TestTorchResNet(t *testing.T) {
	for _, tt := range []struct {
		depth int
		dtype dtypes.DType
		tol   float64
	}{
		{18, dtypes.Float32, 1e-4},
		{18, dtypes.Float64, 1e-10},
		// Fifty batch norms in training blow up rounding: PyTorch in float32 is
		// off by 1e-4 itself.
		{50, dtypes.Float64, 1e-10},
	} {
		if testing.Short() && tt.depth > 34 {
			continue
		}
		if testBackend(t).Kind == "xla" && tt.dtype == dtypes.Float32 {
			continue // a GPU rounds the factors of matrix products to 10 bits
		}
		t.Run(fmt.Sprint(tt.depth, "/", tt.dtype), func(t *testing.T) { compareResNet(t, tt.depth, tt.dtype, tt.tol) })
	}
}

func compareResNet(t *testing.T, depth int, dtype dtypes.DType, tol float64) {
	b, r, state := testBackend(t), readReference(t, fmt.Sprint("resnet", depth)), newState(1, dtype)
	net := func(s *Scope, x *Node) []*Node {
		features := ResNet{Depth: depth}.Features(s, x)
		return []*Node{features, Dense{Out: 10}.Apply(s.In("fc"), features)}
	}
	use := NewProgram(b, state, "use", func(s *Scope, in []*Node) []*Node { return net(s.In("F").Eval(), in[0]) })
	var names []string // of the gradients
	train := NewProgram(b, state, "train", func(s *Scope, in []*Node) []*Node {
		out := net(s.In("F").Training(), in[0])
		if r.arrays["loss"].data == nil {
			return out
		}
		loss := ReduceAllMean(Square(out[1]))
		var grads []*Node
		names, _, grads = gradients(s, loss, "F")
		return append(append(out, loss), grads...)
	})
	err := Declare(b, state, "net", func(s *Scope) { net(s.In("F"), Zeros(s.Graph(), shapes.Make(dtype, 1, 64, 64, 3))) })
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]TorchTensor{}
	for name, x := range state.All() {
		torch := torchName(name, "F")
		given[torch] = synthetic(torch, torchShape(x.Shape().Dimensions)...)
	}
	if err := LoadTorch(state, "F", given); err != nil {
		t.Fatal(err)
	}
	x := syntheticImages(dtype, 2, 3, 64, 64)

	compared, top := 0, 0.
	check := func(what string, got []float64) {
		t.Helper()
		want := r.get(what, same).data
		diff := worst(spread(got, len(want)), want)
		if diff > tol {
			t.Errorf("%s is off by %.2g", what, diff)
		}
		compared, top = compared+1, max(top, diff)
	}
	out := mustRun(t, use, x)
	check("eval/features", fromTensor(out[0]))
	check("eval/logits", fromTensor(out[1]))
	t.Logf("in use off by at most %.2g", top)
	out = mustRun(t, train, x)
	check("train/features", fromTensor(out[0]))
	check("train/logits", fromTensor(out[1]))
	if len(names) > 0 {
		check("loss", fromTensor(out[2]))
	}
	for i, name := range names {
		check("grad/"+torchName(name, "F"), toTorch(out[3+i]))
	}
	for name, v := range state.All() {
		if torch := torchName(name, "F"); strings.Contains(torch, "running") {
			check("buffer/"+torch, fromTensor(v))
		}
	}
	t.Logf("in training off by at most %.2g", top)
	if compared != len(r.arrays) {
		t.Errorf("compared %d arrays of %d", compared, len(r.arrays))
	}
}

// syntheticImages are images [B,H,W,C].
func syntheticImages(dtype dtypes.DType, b, c, h, w int) *tensors.Tensor {
	x := synthetic("input", b, c, h, w)
	a := array{x.Shape, make([]float64, len(x.Values))}
	for i, v := range x.Values {
		a.data[i] = float64(v)
	}
	a = images4(a)
	return toTensor(a.data, shapes.Make(dtype, a.shape...))
}

// synthetic is the tensor called name, made by the formula of
// bench/peers/nn/resnet_reference.py.
func synthetic(name string, dims ...int) TorchTensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	mean, spread := 0., 0.3
	switch {
	case name == "input":
		spread = 2
	case len(dims) > 1:
		spread = math.Sqrt(6 / float64(n/dims[0]))
	case strings.HasSuffix(name, "weight"):
		mean = 1
	case strings.HasSuffix(name, "running_var"):
		mean, spread = 1, 0.5
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	values, at := make([]float32, n), h.Sum64()
	for i := range values {
		at += 0x9E3779B97F4A7C15
		z := (at ^ at>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
		u := float64(z>>40)/(1<<23) - 1
		values[i] = float32(mean + float64(spread*u)) // not fused, as Python does it
	}
	return TorchTensor{dims, values}
}

// spread are m elements of x, evenly spread.
func spread(x []float64, m int) []float64 {
	out := make([]float64, m)
	for k := range out {
		out[k] = x[(k+1)*len(x)/(m+1)]
	}
	return out
}

// toTorch are the elements of an array in PyTorch's order.
func toTorch(x *tensors.Tensor) []float64 {
	a := array{x.Shape().Dimensions, fromTensor(x)}
	switch x.Rank() {
	case 4:
		a = a.permute(3, 2, 0, 1) // HWIO → OIHW
	case 2:
		a = a.permute(1, 0)
	}
	return a.data
}
