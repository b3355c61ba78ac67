package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func TestOpenProcessor(t *testing.T) {
	for _, kind := range []string{"cpu", "go"} {
		b, err := Open(kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if b.Kind != kind || b.Backend.String() != kind || !strings.HasPrefix(b.Device, "CPU, ") || !strings.HasPrefix(b.Kernels, kind) || b.Why != "" || b.Plugin != "" {
			t.Errorf("got %+v", b)
		}
		if got, want := b.String(), kind+" on "+processor(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

func TestOpenUnknown(t *testing.T) {
	_, err := Open("gpu", nil)
	if want := `engine: there is no backend "gpu"; choose auto, cpu, go or xla`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Auto has to find something to compute on wherever the tests run.
func TestOpenAuto(t *testing.T) {
	b, err := Open("auto", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if (b.Kind == "cpu") != (b.Why != "") {
		t.Errorf("%s, because %q", b, b.Why)
	}
}

func TestOpenAutoFallsBack(t *testing.T) {
	gpu := fstest.MapFS{"dev/nvidia0": {}}
	broken := fstest.MapFS{"dev/nvidia0": {}, "p/xla_cuda_plugin.so": {}}
	for _, tt := range []struct {
		name  string
		noXLA string
		files fstest.MapFS
		want  string
	}{
		{name: "no cgo", noXLA: "built without cgo", files: gpu, want: "XLA is not there: built without cgo"},
		{name: "no GPU", want: noGPU},
		{name: "no plugin", files: gpu, want: "XLA is not there: found no plugin for CUDA in PJRT_PLUGIN_LIBRARY_PATH (/p), "},
		{name: "broken plugin", files: broken, want: "cannot open XLA: /p/xla_cuda_plugin.so: driver too old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := fakeHost(tt.files, map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/p"})
			h.noXLA = tt.noXLA
			h.load = func(plugin) (compute.Backend, error) { return nil, errors.New("driver too old\nstack trace") }
			b, err := h.open("auto", &Options{})
			if err != nil {
				t.Fatal(err)
			}
			if b.Kind != "cpu" || !strings.HasPrefix(b.Why, tt.want) {
				t.Errorf("%s, because %q; want %q", b, b.Why, tt.want)
			}
		})
	}
}

// testGraph has matrix products of sizes for every kernel of the backends,
// among them more independent ones than it has workers, and reductions.
func testGraph(x *Node) []*Node {
	sum := Zeros(x.Graph(), x.Shape())
	for i := range 12 {
		sum = Add(sum, MatMul(AddScalar(x, float64(i)), x)) // 160×160×160
	}
	small := Slice(x, AxisRange(0, 7), AxisRange(0, 5))
	batch := Reshape(x, 32, 20, 40) // of small products
	wide := Reshape(x, 40, 640)
	logits := Log(ReduceSum(Exp(Tanh(sum)), 1))
	return []*Node{
		sum, ReduceAllSum(sum), ReduceSum(Exp(x), 0), ReduceAllSum(Square(logits)),
		MatMul(Transpose(small, 0, 1), small),
		Einsum("bij,bkj->bik", batch, batch),
		Einsum("ij,kj->ik", wide, wide),
		Gradient(ReduceAllSum(Square(logits)), x)[0],
	}
}

// runTestGraph returns all numbers that testGraph computes.
func runTestGraph(t *testing.T, exec *Exec) []float32 {
	const n = 160
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n*n)
	for i := range x {
		x[i] = float32(rng.NormFloat64()) / 16
	}
	results, err := exec.Call(tensors.FromFlatDataAndDimensions(x, n, n))
	if err != nil {
		t.Error(err)
	}
	var out []float32
	for _, r := range results {
		out = append(out, tensors.MustCopyFlatData[float32](r)...)
	}
	return out
}

// The results of a graph are the same bits every time, alone or beside other
// graphs, on one core or on several.
func TestDeterministic(t *testing.T) {
	for _, kind := range []string{"cpu", "go"} {
		t.Run(kind, func(t *testing.T) { deterministic(t, kind) })
	}
}

func deterministic(t *testing.T, kind string) {
	defer time.AfterFunc(time.Minute, func() { panic("the " + kind + " backend hangs") }).Stop()
	var want []float32
	for _, cores := range []int{1, 2, 3, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		b, err := Open(kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		exec, err := NewExec(b.Backend, testGraph)
		if err != nil {
			t.Fatal(err)
		}
		check := func() {
			if got := runTestGraph(t, exec); !slices.Equal(got, want) {
				t.Errorf("other results on %d cores", cores)
			}
		}
		if want == nil {
			want = runTestGraph(t, exec)
		}
		for range 8 {
			check()
		}
		var group sync.WaitGroup
		for range 3 {
			group.Go(check)
		}
		group.Wait()
	}
}

// BenchmarkMatMul multiplies two 512×512 float32 matrices.
func BenchmarkMatMul(b *testing.B) {
	const n = 512
	exec, err := NewExec(testBackend(b), func(x *Node) *Node { return MatMul(x, x) })
	if err != nil {
		b.Fatal(err)
	}
	data := make([]float32, n*n)
	for i := range data {
		data[i] = float32(i%7) - 3
	}
	x := tensors.FromFlatDataAndDimensions(data, n, n)
	for b.Loop() {
		results, err := exec.Call(x)
		if err != nil {
			b.Fatal(err)
		}
		results[0].MustFinalizeAll()
	}
	b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func ExampleOpen() {
	b, err := Open("cpu", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	square := MustNewExec(b.Backend, func(x *Node) *Node { return Mul(x, x) })
	fmt.Println(b.Kind, square.MustCall1([]float32{1, 2, 3}).Value())
	// Output: cpu [1 4 9]
}
