package nn

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
)

func ExampleLoadTorch() {
	b, err := engine.Open("go", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	state := NewState(1)
	err = Declare(b, state, "classifier", func(s *Scope) {
		Dense{Out: 2}.Apply(s.In("C").In("fc"), Ones(s.Graph(), shapes.Make(dtypes.Float32, 1, 3)))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	file := map[string]TorchTensor{"fc.weight": {[]int{2, 3}, []float32{1, 2, 3, 4, 5, 6}}}
	fmt.Println(LoadTorch(state, "C", file))
	file["fc.bias"] = TorchTensor{[]int{2}, []float32{7, 8}}
	fmt.Println(LoadTorch(state, "C", file), state.Get("C/fc/w").Value(), state.Get("C/fc/b").Value())
	// Output:
	// nn: no tensor "fc.bias" [2] for C/fc/b
	// <nil> [[1 4] [2 5] [3 6]] [7 8]
}

// tinyNet has one layer of every kind that LoadTorch knows.
type tinyNet struct{}

func (tinyNet) Features(s *Scope, x *Node) *Node {
	x = Conv{Out: 3, Kernel: 2}.Apply(s.In("block").In("0"), x)
	x = BatchNorm{}.Apply(s.In("block").In("1"), x, nil)
	return Dense{Out: 2}.Apply(s.In("out"), PoolAll(x))
}

// tinyTensors are what PyTorch would save of it, counted through from 0.
func tinyTensors() map[string]TorchTensor {
	tensors := map[string]TorchTensor{}
	for name, dims := range map[string][]int{
		"block.0.weight": {3, 2, 2, 2}, "block.0.bias": {3},
		"block.1.weight": {3}, "block.1.bias": {3}, "block.1.running_mean": {3}, "block.1.running_var": {3},
		"out.weight": {2, 3}, "out.bias": {2},
	} {
		n := 1
		for _, d := range dims {
			n *= d
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(i)
		}
		tensors[name] = TorchTensor{dims, values}
	}
	return tensors
}

func TestLoadTorch(t *testing.T) {
	state, _ := declared(t, tinyNet{}, 1, 4, 4, 2)
	state.Set("other/w", normal32(1, 3))
	given := tinyTensors()
	given["block.1.num_batches_tracked"] = TorchTensor{nil, []float32{7}}
	given["fc.weight"] = TorchTensor{[]int{1000, 3}, nil}
	if err := LoadTorch(state, "F", given, "aux.", "fc."); err != nil {
		t.Fatal(err)
	}
	// Element o, i, h, w of [3,2,2,2] is 8o + 4i + 2h + w.
	for name, want := range map[string]string{
		"F/block/0/w":     "[[[[0 8 16] [4 12 20]] [[1 9 17] [5 13 21]]] [[[2 10 18] [6 14 22]] [[3 11 19] [7 15 23]]]]",
		"F/block/0/b":     "[0 1 2]",
		"F/block/1/scale": "[0 1 2]",
		"F/block/1/var":   "[0 1 2]",
		"F/out/w":         "[[0 3] [1 4] [2 5]]",
		"F/out/b":         "[0 1]",
	} {
		if got := fmt.Sprint(state.Get(name).Value()); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestLoadTorchErrors breaks one thing at a time. The arrays stay as they are.
func TestLoadTorchErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		under  string
		change func(given map[string]TorchTensor)
		want   string
	}{
		{"missing", "F", func(given map[string]TorchTensor) { delete(given, "out.weight") },
			`nn: no tensor "out.weight" [2 3] for F/out/w`},
		{"missing statistics", "F", func(given map[string]TorchTensor) { delete(given, "block.1.running_var") },
			`nn: no tensor "block.1.running_var" [3] for F/block/1/var`},
		{"extra", "F", func(given map[string]TorchTensor) { given["fc.bias"] = TorchTensor{[]int{9}, nil} },
			`nn: tensor "fc.bias" [9] belongs to none of the 8 arrays under "F"`},
		{"other width", "F", func(given map[string]TorchTensor) {
			given["block.0.weight"] = TorchTensor{[]int{3, 1, 2, 2}, make([]float32, 12)}
		}, `nn: tensor "block.0.weight" is [3 1 2 2], and F/block/0/w wants [3 2 2 2]`},
		{"other order", "F", func(given map[string]TorchTensor) {
			given["out.weight"] = TorchTensor{[]int{3, 2}, make([]float32, 6)}
		}, `nn: tensor "out.weight" is [3 2], and F/out/w wants [2 3]`},
		{"too few values", "F", func(given map[string]TorchTensor) { given["out.bias"] = TorchTensor{[]int{2}, make([]float32, 1)} },
			`nn: tensor "out.bias" is [2] and has 1 values`},
		{"wrong path", "G", func(map[string]TorchTensor) {},
			`nn: there are no arrays under "G" to load tensors into`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state, _ := declared(t, tinyNet{}, 1, 4, 4, 2)
			before := maps.Collect(state.All())
			given := tinyTensors()
			tt.change(given)
			err := LoadTorch(state, tt.under, given)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			for name, x := range state.All() {
				if x != before[name] {
					t.Errorf("%s has changed", name)
				}
			}
		})
	}
}

func TestTorchName(t *testing.T) {
	for _, tt := range []struct{ name, under, want string }{
		{"F/layer1/0/conv1/w", "F", "layer1.0.conv1.weight"},
		{"F/bn1/mean", "F", "bn1.running_mean"},
		{"F/net/bn1/var", "F/net", "bn1.running_var"},
		{"bn1/offset", "", "bn1.bias"},
		{"F/mean/scale", "F", "mean.weight"},
		{"F/u", "F", "u"},
	} {
		if got := torchName(tt.name, tt.under); got != tt.want {
			t.Errorf("%s under %q is %s, want %s", tt.name, tt.under, got, tt.want)
		}
	}
}

// TestDeclare checks that the arrays are those that a Program makes.
func TestDeclare(t *testing.T) {
	state, features := declared(t, tinyNet{}, 5, 4, 4, 2)
	if !slices.Equal(features, []int{5, 2}) {
		t.Errorf("features are %v", features)
	}
	ran := NewState(1)
	mustRun(t, NewProgram(testBackend(t), ran, "net", func(s *Scope, in []*Node) []*Node {
		return []*Node{tinyNet{}.Features(s.In("F").Eval(), in[0])}
	}), normal32(1, 5, 4, 4, 2))
	if !slices.Equal(state.Names(), ran.Names()) {
		t.Fatalf("declared %v, a program makes %v", state.Names(), ran.Names())
	}
	for name, x := range state.All() {
		if !slices.Equal(fromTensor(x), fromTensor(ran.Get(name))) {
			t.Errorf("%s differs", name)
		}
	}
	err := Declare(testBackend(t), state, "net", func(s *Scope) { tinyNet{}.Features(s.In("F"), Scalar(s.Graph(), state.dtype, 1)) })
	if err == nil || !strings.Contains(err.Error(), "net: nn: Conv wants images") || !strings.Contains(err.Error(), "(in F/block/0)") {
		t.Errorf("got %v", err)
	}
}
