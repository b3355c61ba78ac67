package nn

import (
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"rot.example/rot/engine"
)

// TestBatchNorm works the formulas out by hand for one channel with the
// values 1, 3, 5, 7: mean 4, variance 5, without bias 20/3.
func TestBatchNorm(t *testing.T) {
	b, state := testBackend(t), NewState(1)
	run := func(mode func(*Scope) *Scope) []float64 {
		p := NewProgram(b, state, "norm", func(s *Scope, in []*Node) []*Node {
			return []*Node{BatchNorm{}.Apply(mode(s).In("norm"), Reshape(in[0], 4, 1), nil)}
		})
		return fromTensor(mustRun(t, p, []float32{1, 3, 5, 7})[0])
	}
	normal := func(mean, variance float64) []float64 {
		var out []float64
		for _, x := range []float64{1, 3, 5, 7} {
			out = append(out, (x-mean)/math.Sqrt(variance+1e-5))
		}
		return out
	}
	for _, tt := range []struct {
		name           string
		mode           func(*Scope) *Scope
		want           []float64
		mean, variance float64 // the running ones after
	}{
		{"in use, fresh", (*Scope).Eval, normal(0, 1), 0, 1},
		{"frozen", (*Scope).Frozen, normal(4, 5), 0, 1},
		{"training", (*Scope).Training, normal(4, 5), 0.4, 0.9 + 0.1*20/3},
		{"in use", (*Scope).Eval, normal(0.4, 0.9+0.1*20/3), 0.4, 0.9 + 0.1*20/3},
		{"training again", (*Scope).Training, normal(4, 5), 0.9*0.4 + 0.4, 0.9*(0.9+0.1*20/3) + 0.1*20/3},
	} {
		if diff := worst(run(tt.mode), tt.want); diff > 1e-6 {
			t.Errorf("%s: output off by %g", tt.name, diff)
		}
		got := []float64{scalar(state.Get("norm/mean")), scalar(state.Get("norm/var"))}
		if diff := worst(got, []float64{tt.mean, tt.variance}); diff > 1e-6 {
			t.Errorf("%s: running mean and variance are %v, want %g and %g", tt.name, got, tt.mean, tt.variance)
		}
	}
}

// TestModesLeaveBuffersAlone runs a net with every kind of buffer in the two
// modes that must not touch them.
func TestModesLeaveBuffersAlone(t *testing.T) {
	b := testBackend(t)
	for name, mode := range map[string]func(*Scope) *Scope{"eval": (*Scope).Eval, "frozen": (*Scope).Frozen} {
		state := NewState(1)
		net := func(mode func(*Scope) *Scope) *Program {
			return NewProgram(b, state, "net", func(s *Scope, in []*Node) []*Node {
				s = mode(s)
				x := ResBlock{Out: 4, Norm: true, Spectral: true}.Apply(s.In("block"), in[0], nil)
				return []*Node{Head{Spectral: true}.Apply(s.In("head"), Flatten(x), nil)}
			})
		}
		x := normal32(1, 2, 4, 4, 3)
		before := map[string][]float64{}
		mustRun(t, net((*Scope).Training), x)
		for n, v := range state.All() {
			before[n] = fromTensor(v)
		}
		mustRun(t, net(mode), x)
		for n, v := range state.All() {
			if worst(fromTensor(v), before[n]) != 0 {
				t.Errorf("%s: %s changed", name, n)
			}
		}
		mustRun(t, net((*Scope).Training), x)
		for _, n := range []string{"block/norm1/mean", "block/norm2/var", "block/conv1/u", "block/conv2/v"} {
			if state.Get(n) == nil {
				t.Errorf("no array %s", n)
			} else if worst(fromTensor(state.Get(n)), before[n]) == 0 {
				t.Errorf("%s: training left %s alone", name, n)
			}
		}
	}
}

// TestSpectralNorm checks σ against the singular value decomposition: roughly
// before any training, closely after some steps.
func TestSpectralNorm(t *testing.T) {
	b := testBackend(t)
	for _, tt := range []struct {
		name    string
		in, out int
		layer   func(s *Scope, x *Node) *Node
		x       []int
	}{
		{"dense", 12, 7, func(s *Scope, x *Node) *Node { return Dense{Out: 7, Spectral: true, NoBias: true}.Apply(s, x) }, []int{2, 12}},
		{"conv", 3 * 3 * 2, 5, func(s *Scope, x *Node) *Node {
			return Conv{Out: 5, Kernel: 3, Conv: engine.Conv{Pad: 1}, Spectral: true}.Apply(s, x)
		}, []int{2, 4, 4, 2}},
	} {
		state := newState(4, dtypes.Float64)
		var w *Node
		program := func(mode func(*Scope) *Scope) *Program {
			return NewProgram(b, state, tt.name, func(s *Scope, _ []*Node) []*Node {
				s = mode(s).In("layer")
				tt.layer(s, IotaFull(s.Graph(), shape(tt.x...)))
				w = spectralNorm(s, s.b.current("layer/w"))
				return []*Node{w}
			})
		}
		sigma := func(normed []float64) float64 {
			// All elements of w are divided by the same number.
			return fromTensor(state.Get("layer/w"))[0] / normed[0]
		}
		start := sigma(fromTensor(mustRun(t, program((*Scope).Eval))[0]))
		train := program((*Scope).Training)
		for range 60 {
			mustRun(t, train)
		}
		end := sigma(fromTensor(mustRun(t, train)[0]))
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(tt.in, tt.out, fromTensor(state.Get("layer/w"))), mat.SVDThin) {
			t.Fatal("no singular value decomposition")
		}
		want := svd.Values(nil)[0]
		if math.Abs(start-want) > 0.02*want || math.Abs(end-want) > 1e-7*want {
			t.Errorf("%s: σ starts at %g and ends at %g, want %g", tt.name, start, end, want)
		}
		var left, right mat.Dense
		svd.UTo(&left)
		svd.VTo(&right)
		for name, m := range map[string]*mat.Dense{"layer/v": &left, "layer/u": &right} {
			got := mat.NewVecDense(state.Get(name).Shape().Size(), fromTensor(state.Get(name)))
			if c := math.Abs(mat.Dot(got, m.ColView(0))); math.Abs(c-1) > 1e-5 {
				t.Errorf("%s: %s is not the singular vector: cosine %g", tt.name, name, c)
			}
		}
	}
}

// TestSpectralOnce checks that a weight meets the power iteration once a graph,
// however many batches it serves.
func TestSpectralOnce(t *testing.T) {
	b := testBackend(t)
	var u [2][]float64
	for i := range u {
		state := NewState(1)
		p := NewProgram(b, state, "net", func(s *Scope, in []*Node) []*Node {
			var out []*Node
			for range i + 1 {
				out = append(out, Dense{Out: 3, Spectral: true}.Apply(s.Training().In("D"), in[0]))
			}
			return out
		})
		mustRun(t, p, normal32(1, 2, 4))
		u[i] = fromTensor(state.Get("D/u"))
	}
	if worst(u[0], u[1]) != 0 {
		t.Errorf("u after one batch is %v, after two %v", u[0], u[1])
	}
}

// TestConditionalBatchNorm compares with one plain batch norm a class.
func TestConditionalBatchNorm(t *testing.T) {
	b, state := testBackend(t), newState(1, dtypes.Float64)
	p := NewProgram(b, state, "norm", func(s *Scope, _ []*Node) []*Node {
		g := s.Graph()
		x := Sin(IotaFull(g, shape(3, 2, 2, 2)))
		y := BatchNorm{Classes: 2, Scale: Normal(1, 0.5)}.Apply(s.Training().In("norm"), x, classes(g, 2, 1, 0, 1))
		plain := BatchNorm{}.Apply(s.Training().In("plain"), x, nil)
		scale := Reshape(s.b.current("norm/scale"), 2, 1, 1, 2)
		var want []*Node
		for i, class := range []int{1, 0, 1} {
			want = append(want, Mul(Slice(plain, AxisElem(i)), Slice(scale, AxisElem(class))))
		}
		return []*Node{y, Concatenate(want, 0)}
	})
	out := mustRun(t, p)
	if diff := worst(fromTensor(out[0]), fromTensor(out[1])); diff > 1e-12 {
		t.Errorf("off by %g", diff)
	}
	none := NewProgram(b, state, "norm", func(s *Scope, in []*Node) []*Node {
		return []*Node{BatchNorm{Classes: 2}.Apply(s.In("norm"), in[0], nil)}
	})
	if _, err := none.Run([][]float64{{1, 2}}); err == nil || !strings.Contains(err.Error(), "needs the classes") {
		t.Errorf("without classes: %v", err)
	}
}
