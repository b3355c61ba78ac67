package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
)

// An array is a value outside of any backend.
type testArray struct {
	shape shapes.Shape
	flat  any
}

// A graphFn builds a graph of its parameters.
type graphFn func(f compute.Function, in []compute.Value) ([]compute.Value, error)

// runOn builds a graph on a backend and runs it once.
func runOn(b compute.Backend, g graphFn, in []testArray) ([]testArray, error) {
	exec, err := build(b, g, in)
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	return execute(b, exec, in)
}

func build(b compute.Backend, g graphFn, in []testArray) (compute.Executable, error) {
	bd := b.Builder("test")
	f := bd.Main()
	var params []compute.Value
	for i, x := range in {
		p, err := f.Parameter(fmt.Sprint("x", i), x.shape, nil)
		if err != nil {
			return nil, err
		}
		params = append(params, p)
	}
	out, err := g(f, params)
	if err != nil {
		return nil, err
	}
	if err := f.Return(out, nil); err != nil {
		return nil, err
	}
	return bd.Compile()
}

func execute(b compute.Backend, exec compute.Executable, in []testArray) ([]testArray, error) {
	var buffers []compute.Buffer
	for _, x := range in {
		buf, err := b.BufferFromFlatData(0, x.flat, x.shape)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, buf)
	}
	results, err := exec.Execute(buffers, nil, 0)
	if err != nil {
		return nil, err
	}
	var out []testArray
	for _, r := range results {
		shape, err := r.Shape()
		if err != nil {
			return nil, err
		}
		flat := newFlat(shape.DType, shape.Size())
		if err := r.ToFlatData(flat); err != nil {
			return nil, err
		}
		out = append(out, testArray{shape, flat})
	}
	return out, nil
}

func newFlat(t dtypes.DType, n int) any {
	return reflect.MakeSlice(reflect.SliceOf(t.GoType()), n, n).Interface()
}

// ours and theirs are the backend under test and GoMLX's own.
func ours(t testing.TB) compute.Backend {
	t.Helper()
	b, err := New("workers=3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

func theirs(t testing.TB) compute.Backend {
	t.Helper()
	b, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// same runs a graph on both backends and compares the results. tol is
// relative to the largest number of a result.
func same(t *testing.T, a, b compute.Backend, g graphFn, in []testArray, tol float64) {
	t.Helper()
	got, err := runOn(a, g, in)
	if err != nil {
		t.Fatalf("ours: %v", err)
	}
	want, err := runOn(b, g, in)
	if err != nil {
		t.Fatalf("theirs: %v", err)
	}
	compareAll(t, got, want, tol)
}

func compareAll(t *testing.T, got, want []testArray, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	for i := range want {
		if !got[i].shape.Equal(want[i].shape) {
			t.Fatalf("result %d is %s, want %s", i, got[i].shape, want[i].shape)
		}
		g, w := float64s(got[i].flat), float64s(want[i].flat)
		scale := 0.0
		for _, x := range w {
			if !math.IsInf(x, 0) && !math.IsNaN(x) {
				scale = max(scale, math.Abs(x))
			}
		}
		for k := range w {
			if !near(g[k], w[k], tol*scale+1e-37) {
				t.Fatalf("result %d, %s: element %d is %v, want %v", i, want[i].shape, k, g[k], w[k])
			}
		}
	}
}

func near(got, want, tol float64) bool {
	if math.IsNaN(want) || math.IsNaN(got) {
		return math.IsNaN(want) && math.IsNaN(got)
	}
	return got == want || math.Abs(got-want) <= tol
}

// float64s converts elements of any type.
func float64s(flat any) []float64 {
	v := reflect.ValueOf(flat)
	out := make([]float64, v.Len())
	for i := range out {
		switch x := v.Index(i).Interface().(type) {
		case bool:
			if x {
				out[i] = 1
			}
		case bfloat:
			out[i] = float64(x.Float32())
		default:
			out[i] = v.Index(i).Convert(reflect.TypeFor[float64]()).Float()
		}
	}
	return out
}

// random is an array of numbers near 1, of both signs.
func random(rng *rand.Rand, t dtypes.DType, dims ...int) testArray {
	shape := shapes.Make(t, dims...)
	flat := newFlat(t, shape.Size())
	v := reflect.ValueOf(flat)
	for i := range v.Len() {
		x := rng.NormFloat64()
		switch s := flat.(type) {
		case []bool:
			s[i] = x > 0
		case []bfloat:
			s[i].SetFloat32(float32(x))
		case []float32:
			s[i] = float32(x)
		case []float64:
			s[i] = x
		default:
			v.Index(i).Set(reflect.ValueOf(int64(10 * math.Abs(x))).Convert(v.Type().Elem()))
			if t.IsInt() && !t.IsUnsigned() && x < 0 {
				v.Index(i).Set(reflect.ValueOf(int64(10 * x)).Convert(v.Type().Elem()))
			}
		}
	}
	return testArray{shape, flat}
}

// special is an array with every kind of float among the random ones.
func special(rng *rand.Rand, t dtypes.DType, dims ...int) testArray {
	a := random(rng, t, dims...)
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 1e-30, -1e30, 1e-42, 88.6, 89.5, -87.5, -103.5, -110, 0.6, -0.63, 3e38}
	n := a.shape.Size()
	for k := range n / 2 {
		i := rng.IntN(n)
		switch s := a.flat.(type) {
		case []float32:
			s[i] = float32(odd[k%len(odd)])
		case []float64:
			s[i] = odd[k%len(odd)]
		case []bfloat:
			s[i].SetFloat32(float32(odd[k%len(odd)]))
		}
	}
	return a
}

// tries is how many random instances a test takes.
func tries(n uint64) uint64 {
	if underRace || testing.Short() {
		return n / 10
	}
	return n
}

// shapesToTry have zero, one, odd and many elements.
var shapesToTry = [][]int{{}, {1}, {7}, {8}, {3, 5}, {0, 4}, {2, 1, 3}, {1025}, {33, 31}, {70001}}
