package nn

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/engine"
)

func ExampleProgram() {
	b, err := engine.Open("go", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Fit y = w·x + b to two points by gradient descent.
	state := NewState(1)
	step := NewProgram(b, state, "step", func(s *Scope, in []*Node) []*Node {
		y := Dense{Out: 1}.Apply(s.In("line").Training(), in[0])
		loss := ReduceAllMean(Square(Sub(y, in[1])))
		SGD{LR: 0.2}.Minimize(s, loss, "line", nil)
		return []*Node{loss}
	})
	for range 200 {
		if _, err := step.Run([][]float32{{0}, {1}}, [][]float32{{1}, {3}}); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%.2f %.2f\n", state.Get("line/w").Value(), state.Get("line/b").Value())
	// Output: [[2.00]] [1.00]
}

// TestProgramErrors breaks graphs in every layer. All of it comes back as an
// error that says where, the second time too, and leaves the State usable.
func TestProgramErrors(t *testing.T) {
	b := testBackend(t)
	conv := Conv{Out: 2, Kernel: 4, Conv: engine.Conv{Stride: 2, Pad: 1}}
	for _, tt := range []struct {
		name  string
		build func(s *Scope, in []*Node) []*Node
		want  []string
	}{
		{"conv of vectors", func(s *Scope, in []*Node) []*Node {
			x := conv.Apply(s.In("D").In("conv1"), in[0])
			return []*Node{conv.Apply(s.In("D").In("conv2"), Flatten(x))}
		}, []string{"critic step: ", "nn: Conv wants images [B,H,W,C], got (Float32)[2, 8]", "(in D/conv2)"}},
		{"image too small", func(s *Scope, in []*Node) []*Node {
			x := conv.Apply(s.In("D").In("conv1"), in[0])
			return []*Node{Conv{Out: 1, Kernel: 5}.Apply(s.In("D").In("conv2"), x)}
		}, []string{"critic step: ", "(in D/conv2)"}},
		{"same array, other shape", func(s *Scope, in []*Node) []*Node {
			conv.Apply(s.In("D").In("conv1"), in[0])
			return []*Node{Conv{Out: 3, Kernel: 4}.Apply(s.In("D").In("conv1"), in[0])}
		}, []string{"critic step: ", "D/conv1/w is used as (Float32)[4, 4, 1, 2] and as [4 4 1 3]", "(in D/conv1)"}},
		{"scopes made beforehand", func(s *Scope, in []*Node) []*Node {
			one, two := s.In("one"), s.In("two")
			x := Flatten(in[0])
			MatMul(Dense{Out: 1}.Apply(two, x), Dense{Out: 2}.Apply(one, x))
			return nil
		}, []string{"critic step: ", "(in one)"}},
		{"too few inputs", func(_ *Scope, in []*Node) []*Node { return in[5:6] }, []string{"critic step: ", "out of range"}},
		{"nothing to train", func(s *Scope, in []*Node) []*Node {
			loss := ReduceAllMean(conv.Apply(s.In("D").In("conv1"), in[0]))
			return []*Node{Adam{LR: 1}.Minimize(s, loss, "G", nil)}
		}, []string{"critic step: ", `no parameters under "G"`}},
		{"loss is not a number", func(s *Scope, in []*Node) []*Node {
			return []*Node{SGD{LR: 1}.Minimize(s, conv.Apply(s.In("D").In("conv1"), in[0]), "D", nil)}
		}, []string{"critic step: ", "(in gradient of D)"}},
		{"set before it is read", func(s *Scope, in []*Node) []*Node {
			s.In("D").Set("x", in[0])
			return nil
		}, []string{"critic step: ", "D/x is set and was never read"}},
		{"set to another shape", func(s *Scope, in []*Node) []*Node {
			s.In("D").Buffer("x", Constant(0), 3)
			s.In("D").Set("x", in[0])
			return nil
		}, []string{"critic step: ", "D/x is (Float32)[3] and is set to (Float32)[2, 4, 4, 1]"}},
		{"nothing to pool", func(_ *Scope, in []*Node) []*Node { return []*Node{PoolMax(PoolMax(PoolMax(in[0])))} },
			[]string{"critic step: ", "no 2×2 pixels to pool"}},
		{"upsampled vectors", func(_ *Scope, in []*Node) []*Node { return []*Node{Upsample(Flatten(in[0]))} },
			[]string{"critic step: ", "Upsample wants images"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state := NewState(1)
			p := NewProgram(b, state, "critic step", tt.build)
			for range 2 {
				_, err := p.Run(normal32(1, 2, 4, 4, 1))
				if err == nil {
					t.Fatal("no error")
				}
				for _, want := range tt.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("got %q, want %q in it", err, want)
					}
				}
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("more than one line: %q", err)
				}
			}
			good := NewProgram(b, state, "good", func(s *Scope, in []*Node) []*Node {
				return []*Node{conv.Apply(s.In("D").In("conv1"), in[0])}
			})
			mustRun(t, good, normal32(1, 2, 4, 4, 1))
		})
	}
}

// TestWrongArrays puts arrays of the wrong shape or type into the State,
// before the graph is built and after.
func TestWrongArrays(t *testing.T) {
	b := testBackend(t)
	for name, bad := range map[string]*tensors.Tensor{
		"(Float32)[4, 3]": normal32(1, 4, 3),
		"(Float64)[4, 2]": toTensor(make([]float64, 8), shape(4, 2)),
	} {
		for _, built := range []bool{false, true} {
			state := NewState(1)
			p := NewProgram(b, state, "critic step", func(s *Scope, in []*Node) []*Node {
				y := Dense{Out: 2}.Apply(s.In("D").In("out"), in[0])
				return []*Node{Adam{LR: 1}.Minimize(s, ReduceAllMean(y), "D", nil)}
			})
			x := normal32(1, 3, 4)
			if built {
				mustRun(t, p, x)
			}
			state.Set("D/out/w", bad)
			_, err := p.Run(x)
			if err == nil {
				t.Fatalf("%s, built %t: no error", name, built)
			}
			for _, want := range []string{"critic step", "D/out/w is " + name + ", and the network wants (Float32)[4, 2]"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s, built %t: got %q, want %q in it", name, built, err, want)
				}
			}
			// Nothing was given away: with the right array it goes on.
			state.Set("D/out/w", normal32(1, 4, 2))
			mustRun(t, p, x)
		}
	}
}

// TestProgramsShareAState runs two programs over the same arrays in turns:
// each sees what the other did.
func TestProgramsShareAState(t *testing.T) {
	b, state := testBackend(t), NewState(1)
	add := func(name string, by float64) *Program {
		return NewProgram(b, state, name, func(s *Scope, _ []*Node) []*Node {
			n := AddScalar(s.Buffer("count", Constant(0)), by)
			s.Set("count", n)
			return []*Node{n}
		})
	}
	read := NewProgram(b, state, "read", func(s *Scope, _ []*Node) []*Node { return []*Node{s.Buffer("count", Constant(0))} })
	one, ten := add("one", 1), add("ten", 10)
	for i, tt := range []struct {
		p    *Program
		want float64
	}{{one, 1}, {ten, 11}, {read, 11}, {one, 12}, {read, 12}, {read, 12}, {ten, 22}} {
		if got := scalar(mustRun(t, tt.p)[0]); got != tt.want {
			t.Errorf("run %d: got %g, want %g", i, got, tt.want)
		}
		if got := scalar(state.Get("count")); got != tt.want {
			t.Errorf("run %d: the array is %g, want %g", i, got, tt.want)
		}
	}
	// A value that the user put there counts as well.
	state.Set("count", tensors.FromScalar(float32(100)))
	if got := scalar(mustRun(t, ten)[0]); got != 110 {
		t.Errorf("after Set: got %g, want 110", got)
	}
}

// TestProgramOutputs has outputs that are parameters, inputs, or the same node
// twice, parameters that nothing uses, and inputs of two shapes.
func TestProgramOutputs(t *testing.T) {
	state := NewState(1)
	p := NewProgram(testBackend(t), state, "outputs", func(s *Scope, in []*Node) []*Node {
		a, b := s.Buffer("a", Constant(1), 2), s.Buffer("b", Constant(2), 2)
		c := s.Buffer("c", Constant(3), 2)
		swapped := AddScalar(b, 0)
		s.Set("a", swapped)
		s.Set("b", a)
		sum := ReduceAllSum(in[0])
		s.Buffer("unused", Constant(4), 3, 2)
		return []*Node{c, in[0], sum, sum, swapped}
	})
	for _, x := range [][]float32{{1, 2}, {1, 2}, {1, 2, 3}, {1, 2}} {
		out := mustRun(t, p, x)
		var want float32
		for _, v := range x {
			want += v
		}
		if len(out) != 5 || fmt.Sprint(out[0].Value(), out[1].Value(), out[2].Value(), out[3].Value()) != fmt.Sprint([]float32{3, 3}, x, want, want) {
			t.Fatalf("%v: got %v", x, out)
		}
	}
	// Swapped an even number of times.
	if got := fmt.Sprint(state.Get("a").Value(), state.Get("b").Value(), state.Get("c").Value(), state.Get("unused").Shape()); got != "[1 1] [2 2] [3 3] (Float32)[3, 2]" {
		t.Errorf("got %s", got)
	}
}

// TestCompute runs a net in bfloat16: the arrays stay float32, and the result
// is close to that in float32.
func TestCompute(t *testing.T) {
	b, state := testBackend(t), NewState(1)
	net := func(dtype dtypes.DType) []float64 {
		p := NewProgram(b, state, "net", func(s *Scope, in []*Node) []*Node {
			s = s.Compute(dtype).Training()
			x := ResBlock{Out: 8, Norm: true, Spectral: true}.Apply(s.In("block"), in[0], nil)
			y := Head{}.Apply(s.In("head"), Flatten(x), nil)
			return []*Node{y, ReduceAllMean(Gradient(ReduceAllSum(y), in[0])[0])}
		})
		out := mustRun(t, p, normal32(1, 4, 4, 4, 3))
		if out[0].DType() != dtypes.Float32 {
			t.Errorf("the head's output is %s", out[0].DType())
		}
		return fromTensor(out[0])
	}
	full := net(dtypes.Float32)
	if diff := worst(net(dtypes.BFloat16), full); diff > 0.1 || diff == 0 {
		t.Errorf("bfloat16 is off by %g", diff)
	}
	for name, x := range state.All() {
		if x.DType() != dtypes.Float32 {
			t.Errorf("%s is %s", name, x.DType())
		}
	}
}

// TestNoLeak runs a training step many times and looks at the heap.
func TestNoLeak(t *testing.T) {
	step := NewProgram(testBackend(t), NewState(1), "step", func(s *Scope, in []*Node) []*Node {
		y := Dense{Out: 1, Spectral: true}.Apply(s.In("D").In("out").Training(), in[0])
		loss := ReduceAllMean(Square(y))
		Adam{LR: 1e-3, Beta1: 0.5, Beta2: 0.9}.Minimize(s, loss, "D", nil)
		EMA(s, 0.99, "D")
		return []*Node{loss, y}
	})
	heap := func(runs int) uint64 {
		for range runs {
			mustRun(t, step, normal32(1, 4, 20_000)) // 320 kB
		}
		runtime.GC()
		runtime.GC() // buffers that finalizers let go of
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap(20)
	if after := heap(200); after > before+8<<20 {
		t.Errorf("the heap grew from %d to %d kB in 200 runs", before>>10, after>>10)
	}
}

// TestCompileBeside: a program is compiled while another one over the same
// State runs, and then does what it does when it is compiled by its first run.
func TestCompileBeside(t *testing.T) {
	b := testBackend(t)
	x := tensors.FromFlatDataAndDimensions([]float32{0, 1}, 2, 1)
	y := tensors.FromFlatDataAndDimensions([]float32{1, 3}, 2, 1)
	fit := func(path string) func(s *Scope, in []*Node) []*Node {
		return func(s *Scope, in []*Node) []*Node {
			s = s.Training()
			loss := ReduceAllMean(Square(Sub(Dense{Out: 1}.Apply(s.In(path), Dense{Out: 8, Spectral: true}.Apply(s.In("shared"), in[0])), in[1])))
			Adam{LR: 0.01}.Minimize(s, loss, path, nil)
			return []*Node{loss}
		}
	}
	last := func(beside bool) float32 {
		state := NewState(3)
		first, second := NewProgram(b, state, "first", fit("a")), NewProgram(b, state, "second", fit("b"))
		done := make(chan error, 1)
		for i := range 200 {
			if _, err := first.Run(x, y); err != nil {
				t.Fatal(err)
			}
			if beside && i == 0 {
				go func() { done <- second.Compile(x, y) }()
			}
		}
		if beside {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if n := second.Compiled(); n != 1 {
				t.Errorf("compiled %d times", n)
			}
		}
		out, err := second.Run(x, y)
		if err != nil {
			t.Fatal(err)
		}
		if n := second.Compiled(); n != 1 {
			t.Errorf("compiled %d times after a run", n)
		}
		return out[0].Value().(float32)
	}
	if alone, beside := last(false), last(true); alone != beside {
		t.Errorf("the second program's loss is %v, and %v when it was compiled beside the first", alone, beside)
	}

	broken := NewProgram(b, NewState(1), "critic step", func(s *Scope, in []*Node) []*Node {
		return []*Node{Conv{Out: 2, Kernel: 4}.Apply(s.In("D"), in[0])}
	})
	if err := broken.Compile(x); err == nil || !strings.Contains(err.Error(), "critic step: ") || !strings.Contains(err.Error(), "(in D)") {
		t.Errorf("error %v", err)
	}
}
