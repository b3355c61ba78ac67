package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
)

// A layerTest is a layer, or a few, under test. Its inputs are parameters too,
// so that gradients with respect to them are checked as well.
type layerTest struct {
	name  string
	x     []int // shape of the input
	apply func(s *Scope, x *Node) *Node
}

var layerTests = []layerTest{
	{"dense", []int{3, 5}, func(s *Scope, x *Node) *Node { return Dense{Out: 4}.Apply(s, x) }},
	{"dense without bias", []int{3, 5}, func(s *Scope, x *Node) *Node { return Dense{Out: 4, NoBias: true}.Apply(s, x) }},
	{"dense to one", []int{3, 5}, func(s *Scope, x *Node) *Node { return Dense{Out: 1}.Apply(s, x) }},
	{"dense on images", []int{2, 3, 3, 2}, func(s *Scope, x *Node) *Node { return Dense{Out: 4}.Apply(s, x) }},
	{"conv", []int{2, 4, 4, 3}, func(s *Scope, x *Node) *Node {
		return Conv{Out: 2, Kernel: 3, Conv: engine.Conv{Pad: 1}}.Apply(s, x)
	}},
	{"conv to more channels", []int{2, 4, 4, 2}, func(s *Scope, x *Node) *Node {
		return Conv{Out: 3, Kernel: 3, Conv: engine.Conv{Pad: 1}}.Apply(s, x)
	}},
	{"conv 1×1", []int{2, 3, 3, 3}, func(s *Scope, x *Node) *Node { return Conv{Out: 2, Kernel: 1}.Apply(s, x) }},
	{"conv stride 2", []int{2, 6, 6, 2}, func(s *Scope, x *Node) *Node {
		return Conv{Out: 3, Kernel: 4, Conv: engine.Conv{Stride: 2, Pad: 1}}.Apply(s, x)
	}},
	{"conv stride 2, odd", []int{2, 7, 7, 3}, func(s *Scope, x *Node) *Node {
		return Conv{Out: 2, Kernel: 3, Conv: engine.Conv{Stride: 2, Pad: 1}, NoBias: true}.Apply(s, x)
	}},
	{"conv dilated", []int{2, 7, 7, 3}, func(s *Scope, x *Node) *Node {
		return Conv{Out: 2, Kernel: 3, Conv: engine.Conv{Dilation: 2, Pad: 1}}.Apply(s, x)
	}},
	{"transposed conv", []int{2, 3, 3, 2}, func(s *Scope, x *Node) *Node {
		return ConvTranspose{Out: 3, Kernel: 4, ConvTranspose: engine.ConvTranspose{Stride: 2, Pad: 1}}.Apply(s, x)
	}},
	{"transposed conv, odd", []int{2, 3, 3, 3}, func(s *Scope, x *Node) *Node {
		return ConvTranspose{Out: 2, Kernel: 3, ConvTranspose: engine.ConvTranspose{Stride: 2, Pad: 1}}.Apply(s, x)
	}},
	{"batch norm", []int{3, 2, 2, 2}, func(s *Scope, x *Node) *Node {
		return BatchNorm{Scale: Normal(1, 0.3)}.Apply(s.Training(), x, nil)
	}},
	{"batch norm of vectors", []int{5, 3}, func(s *Scope, x *Node) *Node { return BatchNorm{}.Apply(s.Training(), x, nil) }},
	{"batch norm of one channel", []int{3, 2, 2, 1}, func(s *Scope, x *Node) *Node { return BatchNorm{}.Apply(s.Training(), x, nil) }},
	{"batch norm frozen", []int{5, 3}, func(s *Scope, x *Node) *Node { return BatchNorm{}.Apply(s.Frozen(), x, nil) }},
	{"batch norm in use", []int{3, 2, 2, 2}, func(s *Scope, x *Node) *Node { return BatchNorm{}.Apply(s.Eval(), x, nil) }},
	{"conditional batch norm", []int{4, 2, 2, 2}, func(s *Scope, x *Node) *Node {
		return BatchNorm{Classes: 3, Scale: Normal(1, 0.3)}.Apply(s.Training(), x, classes(x.Graph(), 3, 0, 2, 1, 2))
	}},
	{"conditional batch norm in use", []int{4, 2, 2, 2}, func(s *Scope, x *Node) *Node {
		return BatchNorm{Classes: 3}.Apply(s.Eval(), x, classes(x.Graph(), 3, 0, 2, 1, 2))
	}},
	// The singular vectors stay what they are, as gradients see them.
	{"spectral dense", []int{3, 5}, func(s *Scope, x *Node) *Node { return Dense{Out: 4, Spectral: true}.Apply(s.Frozen(), x) }},
	{"spectral conv", []int{2, 4, 4, 2}, func(s *Scope, x *Node) *Node {
		return Conv{Out: 2, Kernel: 3, Conv: engine.Conv{Pad: 1}, Spectral: true}.Apply(s.Eval(), x)
	}},
	{"max pool", []int{2, 4, 4, 2}, func(_ *Scope, x *Node) *Node { return PoolMax(x) }},
	{"max pool, odd", []int{2, 5, 3, 2}, func(_ *Scope, x *Node) *Node { return PoolMax(x) }},
	{"mean pool", []int{2, 4, 4, 2}, func(_ *Scope, x *Node) *Node { return PoolMean(x) }},
	{"mean pool, odd", []int{2, 3, 5, 2}, func(_ *Scope, x *Node) *Node { return PoolMean(x) }},
	{"upsample", []int{2, 2, 3, 2}, func(_ *Scope, x *Node) *Node { return Upsample(x) }},
	{"leaky ReLU", []int{3, 5}, func(_ *Scope, x *Node) *Node { return LeakyReLU(x, 0.2) }},
	{"block", []int{2, 4, 4, 2}, func(s *Scope, x *Node) *Node { return ResBlock{Out: 2}.Apply(s.Training(), x, nil) }},
	{"block, other width", []int{2, 4, 4, 2}, func(s *Scope, x *Node) *Node { return ResBlock{Out: 3}.Apply(s.Training(), x, nil) }},
	{"block up", []int{2, 2, 2, 2}, func(s *Scope, x *Node) *Node {
		return ResBlock{Out: 2, Up: true, Norm: true}.Apply(s.Training(), x, nil)
	}},
	{"block up, conditional", []int{3, 2, 2, 2}, func(s *Scope, x *Node) *Node {
		return ResBlock{Out: 2, Up: true, Norm: true, Classes: 2}.Apply(s.Training(), x, classes(x.Graph(), 2, 1, 0, 1))
	}},
	{"block down", []int{2, 4, 4, 2}, func(s *Scope, x *Node) *Node { return ResBlock{Out: 3, Down: true}.Apply(s.Training(), x, nil) }},
	{"block first", []int{2, 4, 4, 2}, func(s *Scope, x *Node) *Node {
		return ResBlock{Out: 3, Down: true, First: true, Spectral: true}.Apply(s.Frozen(), x, nil)
	}},
	{"head", []int{3, 4}, func(s *Scope, x *Node) *Node { return Head{}.Apply(s, x, nil) }},
	{"head with projection", []int{3, 4}, func(s *Scope, x *Node) *Node {
		return Head{Classes: 3, Spectral: true}.Apply(s.Frozen(), x, classes(x.Graph(), 3, 2, 0, 2))
	}},
	{"critic", []int{2, 8, 8, 2}, func(s *Scope, x *Node) *Node {
		halve := engine.Conv{Stride: 2, Pad: 1}
		x = soft(Conv{Out: 3, Kernel: 4, Conv: halve}.Apply(s.In("conv1"), x))
		x = soft(Conv{Out: 4, Kernel: 4, Conv: halve}.Apply(s.In("conv2"), x))
		return Head{}.Apply(s, Flatten(x), nil)
	}},
	{"generator", []int{3, 4}, func(s *Scope, x *Node) *Node {
		s = s.Training()
		x = Reshape(Dense{Out: 2 * 2 * 3, NoBias: true}.Apply(s.In("dense"), x), 3, 2, 2, 3)
		x = soft(BatchNorm{}.Apply(s.In("norm"), x, nil))
		return Tanh(ConvTranspose{Out: 2, Kernel: 4, ConvTranspose: engine.ConvTranspose{Stride: 2, Pad: 1}}.Apply(s.In("out"), x))
	}},
}

// classes is one-hot [B,n].
func classes(g *Graph, n int, of ...int32) *Node { return OneHot(Const(g, of), n, dtypes.Float64) }

// soft is a leaky ReLU without the kink.
func soft(x *Node) *Node {
	return Add(MulScalar(x, 0.2), MulScalar(Log1P(Exp(x)), 0.8))
}

// TestGradients compares first and second derivatives of every layer with
// finite differences, in float64. Kinks are so few in such small nets that the
// differences step over none of them.
func TestGradients(t *testing.T) {
	b := testBackend(t)
	for _, tt := range layerTests {
		value := func(s *Scope) (y, x *Node) {
			x = s.In("in").Param("x", Normal(0, 1), tt.x...)
			y = tt.apply(s.In("layer"), x)
			// The sines tell the elements of the output apart.
			return ReduceAllSum(Mul(Tanh(y), Sin(AddScalar(IotaFull(y.Graph(), y.Shape()), 1)))), x
		}
		t.Run(tt.name, func(t *testing.T) {
			checkGradient(t, b, func(s *Scope) *Node { y, _ := value(s); return y })
		})
		t.Run(tt.name+", penalty", func(t *testing.T) {
			if testing.Short() {
				t.Skip("first derivatives only")
			}
			checkGradient(t, b, func(s *Scope) *Node {
				y, x := value(s)
				return Sqrt(AddScalar(ReduceAllSum(Square(Gradient(y, x)[0])), 1e-12))
			})
		})
	}
}

// checkGradient compares the gradient of f with respect to all parameters
// that it names with finite differences.
func checkGradient(t *testing.T, b *engine.Backend, f func(s *Scope) *Node) {
	t.Helper()
	state := newState(5, dtypes.Float64)
	var names []string
	gradient := NewProgram(b, state, "gradient", func(s *Scope, _ []*Node) []*Node {
		y := f(s)
		var grads []*Node
		names, _, grads = gradients(s, y, "")
		return grads
	})
	value := NewProgram(b, state, "value", func(s *Scope, _ []*Node) []*Node { return []*Node{f(s)} })
	// The running statistics are part of the point at which both are taken.
	mustRun(t, gradient)
	for i, grad := range mustRun(t, gradient) {
		got := fromTensor(grad)
		at := fromTensor(state.Get(names[i]))
		for j := 0; j < len(at); j += 1 + len(at)/5 {
			const h = 1e-5
			try := func(x float64) float64 {
				moved := slices.Clone(at)
				moved[j] = x
				state.Set(names[i], toTensor(moved, grad.Shape()))
				return scalar(mustRun(t, value)[0])
			}
			want := (try(at[j]+h) - try(at[j]-h)) / (2 * h)
			if math.Abs(got[j]-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("%s, element %d: got %g, finite differences give %g", names[i], j, got[j], want)
			}
		}
		state.Set(names[i], toTensor(at, grad.Shape()))
	}
	if len(names) == 0 {
		t.Error("no parameters")
	}
}

// TestSpectralGradient checks that in training the gradient is that with the
// new singular vectors held fixed.
func TestSpectralGradient(t *testing.T) {
	b, state := testBackend(t), newState(3, dtypes.Float64)
	gradient := func(train bool) []float64 {
		p := NewProgram(b, state, "gradient", func(s *Scope, _ []*Node) []*Node {
			s = s.In("layer")
			if train {
				s = s.Training()
			} else {
				s = s.Frozen()
			}
			x := AddScalar(IotaFull(s.Graph(), shape(3, 5)), 1)
			_, _, grads := gradients(s, ReduceAllSum(Sin(Dense{Out: 4, NoBias: true, Spectral: true}.Apply(s, x))), "")
			return grads
		})
		return fromTensor(mustRun(t, p)[0])
	}
	for step := range 3 {
		train := gradient(true)
		if diff := worst(train, gradient(false)); diff > 1e-12 {
			t.Errorf("step %d: the gradients in training and frozen differ by %g", step, diff)
		}
	}
}

// TestPoolMaxTies checks that one of several equal pixels gets the gradient.
func TestPoolMaxTies(t *testing.T) {
	for _, tt := range []struct{ x, want [4]float32 }{
		{[4]float32{1, 1, 1, 1}, [4]float32{1, 0, 0, 0}},
		{[4]float32{0, 2, 2, 1}, [4]float32{0, 1, 0, 0}},
		{[4]float32{0, 1, 2, 2}, [4]float32{0, 0, 1, 0}},
		{[4]float32{0, 1, 2, 3}, [4]float32{0, 0, 0, 1}},
	} {
		p := NewProgram(testBackend(t), NewState(1), "pool", func(_ *Scope, in []*Node) []*Node {
			x := Reshape(in[0], 1, 2, 2, 1)
			return Gradient(ReduceAllSum(PoolMax(x)), in[0])
		})
		got := mustRun(t, p, tt.x[:])[0].Value()
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%v: got %v, want %v", tt.x, got, tt.want)
		}
	}
}
