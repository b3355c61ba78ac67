package nn

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// TestOptimizers minimizes w²/2·c for two values of c, by hand and by graph.
// The gradient is c·w.
func TestOptimizers(t *testing.T) {
	c := []float64{1, -2}
	for _, tt := range []struct {
		name string
		opt  Optimizer
		rate []float64                                                                // of the steps; nil means none
		hand func(t int, rate, g, p float64, v []float64) (now float64, v1 []float64) // v starts as zeros
	}{
		{"sgd", SGD{LR: 0.1}, nil, func(_ int, _, g, p float64, v []float64) (float64, []float64) { return p - 0.1*g, v }},
		{"sgd with momentum and decay", SGD{LR: 0.1, Momentum: 0.9, WeightDecay: 0.01}, nil, func(_ int, _, g, p float64, v []float64) (float64, []float64) {
			u := 0.9*v[0] + g + 0.01*p
			return p - 0.1*u, []float64{u, 0}
		}},
		{"sgd with a rate", SGD{LR: 0.1, Momentum: 0.9}, []float64{1, 0.5, 0}, func(_ int, rate, g, p float64, v []float64) (float64, []float64) {
			u := 0.9*v[0] + g
			return p - 0.1*rate*u, []float64{u, 0}
		}},
		{"adam", Adam{LR: 0.1, Beta1: 0.5, Beta2: 0.9}, nil, adamByHand(0.5, 0.9, 1e-8, 0)},
		{"adam without momentum", Adam{LR: 0.1, Beta2: 0.999}, nil, adamByHand(0, 0.999, 1e-8, 0)},
		{"adamw with a rate", Adam{LR: 0.1, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-3, WeightDecay: 0.05}, []float64{1, 0.5, 0.25}, adamByHand(0.9, 0.99, 1e-3, 0.05)},
	} {
		b, state := testBackend(t), newState(1, dtypes.Float64)
		step := NewProgram(b, state, "step", func(s *Scope, in []*Node) []*Node {
			w := s.In("net").Param("w", Constant(3), 2)
			loss := ReduceAllSum(Mul(MulScalar(Square(w), 0.5), Const(s.Graph(), c)))
			var rate *Node
			if tt.rate != nil {
				rate = in[0]
			}
			return []*Node{tt.opt.Minimize(s, loss, "net", rate)}
		})
		want, v := []float64{3, 3}, [][]float64{{0, 0}, {0, 0}}
		for i := range 3 {
			rate := 1.0
			if tt.rate != nil {
				rate = tt.rate[i]
			}
			norm := math.Hypot(c[0]*want[0], c[1]*want[1])
			for j := range want {
				want[j], v[j] = tt.hand(i+1, rate, c[j]*want[j], want[j], v[j])
			}
			got := scalar(mustRun(t, step, float32(rate))[0])
			if math.Abs(got-norm) > 1e-12*norm {
				t.Errorf("%s, step %d: the gradient's norm is %g, want %g", tt.name, i, got, norm)
			}
			if diff := worst(fromTensor(state.Get("net/w")), want); diff > 1e-12 {
				t.Errorf("%s, step %d: got %v, want %v", tt.name, i, fromTensor(state.Get("net/w")), want)
			}
		}
	}
}

// TestNarrowLoss minimizes a loss that comes in bfloat16, of layers that calculate
// in it: the parameters, their gradients and steps are float32.
func TestNarrowLoss(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  Optimizer
		want float64 // of w = 3 after a step down w²/2 with a rate of ½
	}{
		{"sgd", SGD{LR: 1.0 / 1024, Momentum: 0.9}, 3 - 3.0/2048},
		{"adam", Adam{LR: 1.0 / 1024, Beta1: 0, Beta2: 0.9}, 3 - 1.0/2048},
	} {
		b, state := testBackend(t), NewState(1)
		step := NewProgram(b, state, tt.name, func(s *Scope, in []*Node) []*Node {
			n := s.In("net").Compute(dtypes.BFloat16)
			w := n.cast(n.Param("w", Constant(3), 2))
			return []*Node{tt.opt.Minimize(s, ReduceAllSum(MulScalar(Square(w), 0.5)), "net", in[0])}
		})
		mustRun(t, step, float32(0.5))
		if got := fromTensor(state.Get("net/w")); worst(got, []float64{tt.want, tt.want}) > 1e-6 {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func adamByHand(b1, b2, eps, decay float64) func(int, float64, float64, float64, []float64) (float64, []float64) {
	return func(t int, rate, g, p float64, v []float64) (float64, []float64) {
		m, s := b1*v[0]+(1-b1)*g, b2*v[1]+(1-b2)*g*g
		step := m / (1 - math.Pow(b1, float64(t))) / (math.Sqrt(s/(1-math.Pow(b2, float64(t)))) + eps)
		return p - 0.1*rate*(step+decay*p), []float64{m, s}
	}
}

// TestChainedSteps puts two steps into one graph: that equals two runs of a
// graph with one, spectral norm, statistics, moments and running mean
// included.
func TestChainedSteps(t *testing.T) {
	b := testBackend(t)
	train := func(chained int) *State {
		state := newState(7, dtypes.Float64)
		p := NewProgram(b, state, "steps", func(s *Scope, in []*Node) []*Node {
			for range chained {
				d := s.In("D").Training()
				critic := func(x *Node) *Node {
					// Without bias: batch norm takes it away, and of a gradient
					// that is rounding errors alone Adam makes full steps.
					x = Dense{Out: 4, Spectral: true, NoBias: true}.Apply(d.In("one"), x)
					x = Tanh(BatchNorm{}.Apply(d.In("norm"), x, nil))
					return Head{Spectral: true}.Apply(d, x, nil)
				}
				x := AddScalar(Sin(IotaFull(s.Graph(), shape(3, 5))), 0.5)
				loss := Add(Sub(ReduceAllMean(critic(x)), ReduceAllMean(critic(Neg(x)))), penalty(critic(MulScalar(x, 0.5)), x))
				Adam{LR: 0.01, Beta1: 0.5, Beta2: 0.9}.Minimize(s, loss, "D", nil)
				EMA(s, 0.9, "D")
			}
			return nil
		})
		for range 4 / chained {
			mustRun(t, p)
		}
		return state
	}
	one := train(1)
	for _, n := range []int{2, 4} {
		state := train(n)
		if len(state.Names()) != len(one.Names()) {
			t.Fatalf("%d chained: arrays %v, want %v", n, state.Names(), one.Names())
		}
		for name, x := range one.All() {
			if diff := worst(fromTensor(state.Get(name)), fromTensor(x)); diff > 1e-7 {
				t.Errorf("%d chained: %s is off by %g", n, name, diff)
			}
		}
	}
	if got := scalar(one.Get("adam/D/steps")); got != 4 {
		t.Errorf("%g steps, want 4", got)
	}
}

// TestEMA follows the running mean by hand: the first value, then the mean of
// all while there are few, then the decay.
func TestEMA(t *testing.T) {
	b, state := testBackend(t), NewState(1)
	step := NewProgram(b, state, "step", func(s *Scope, in []*Node) []*Node {
		g := s.In("G")
		g.Param("w", Constant(0))
		g.Buffer("mean", Constant(0))
		s.In("Gother").Param("w", Constant(0))
		g.Set("w", in[0])
		g.Set("mean", MulScalar(in[0], 2))
		EMA(s, 0.6, "G")
		return []*Node{s.In("ema").In("G").Param("w", Constant(0))}
	})
	want := []float64{
		8,                   // keep 0
		(8 + 4) / 2.,        // keep ½
		0.6*6 + 0.4*1,       // keep min(0.6, ⅔)
		0.6*4 + 0.4*(-1),    // keep 0.6
		0.6*2 + 0.4*(0.125), // keep 0.6
	}
	for i, x := range []float32{8, 4, 1, -1, 0.125} {
		got := []float64{scalar(mustRun(t, step, x)[0]), scalar(state.Get("ema/G/w")), scalar(state.Get("ema/G/mean"))}
		if diff := worst(got, []float64{want[i], want[i], 2 * want[i]}); diff > 1e-6 {
			t.Errorf("step %d: got %v, want %g", i, got, want[i])
		}
	}
	if state.Get("ema/Gother/w") != nil {
		t.Error("the mean follows another network")
	}
	if got := scalar(state.Get("G/w")); got != 0.125 {
		t.Errorf("the network itself became %g", got)
	}
}

func TestSchedules(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    Schedule
		want map[int]float64
	}{
		{"steady", Steady, map[int]float64{0: 1, 1e6: 1}},
		{"linear", LinearDecay(10, 30), map[int]float64{0: 1, 10: 1, 15: 0.75, 20: 0.5, 30: 0, 40: 0}},
		{"linear from the start", LinearDecay(0, 4), map[int]float64{0: 1, 1: 0.75, 4: 0}},
		{"linear of length 0", LinearDecay(5, 5), map[int]float64{5: 1, 6: 0}},
		{"inv", Inv(1e-4, 0.75), map[int]float64{0: 1, 150_000: 0.125}}, // 16^−¾
	} {
		for step, want := range tt.want {
			if got := tt.s(step); math.Abs(got-want) > 1e-15 {
				t.Errorf("%s at %d: got %g, want %g", tt.name, step, got, want)
			}
		}
	}
}
