package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
	"rot.example/rot/nn"
)

// openBackend opens the go backend, once for all calculations.
var openBackend = sync.OnceValues(func() (*engine.Backend, error) { return engine.Open("go", nil) })

// calculate runs the graph that f builds of vectors and returns the elements of
// each of its outputs.
func calculate(t *testing.T, f func(in []*Node) []*Node, in ...any) [][]float64 {
	t.Helper()
	b, err := openBackend()
	if err != nil {
		t.Fatal(err)
	}
	out, err := nn.NewProgram(b, nn.NewState(0), t.Name(), func(_ *nn.Scope, in []*Node) []*Node { return f(in) }).Run(in...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for k, o := range out {
		switch flat := o.Value().(type) {
		case float32:
			values[k] = []float64{float64(flat)}
		case float64:
			values[k] = []float64{flat}
		case []float32:
			for _, v := range flat {
				values[k] = append(values[k], float64(v))
			}
		case []float64:
			values[k] = flat
		default:
			t.Fatalf("output %d is %s", k, o.Shape())
		}
	}
	return values
}

// near says whether the elements of got and want differ by at most tol.
func near(got, want []float64, tol float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= tol })
}

func weigh(raw *Node, rho float64) (w, chi2 *Node) {
	return Weigh(raw, Scalar(raw.Graph(), raw.DType(), rho))
}

// weighed are the weights of raw outputs and their χ².
func weighed(t *testing.T, raw any, rho float64) (w []float64, chi2 float64) {
	t.Helper()
	out := calculate(t, func(in []*Node) []*Node {
		w, chi2 := weigh(in[0], rho)
		return []*Node{w, chi2}
	}, raw)
	return out[0], out[1][0]
}

// TestWeigh compares with weights by hand. The floor, which is part of them, is
// too small to be seen.
func TestWeigh(t *testing.T) {
	for _, tt := range []struct {
		name      string
		rho       float64
		raw, want []float64
		chi2      float64
	}{
		{"inside the ball", 0.125, []float64{1.2, 0.8}, []float64{1.2, 0.8}, 0.04},
		{"on the ball", 0.125, []float64{1.5, 0.5}, []float64{1.5, 0.5}, 0.25},
		{"scaled", 0.125, []float64{12, 8}, []float64{1.2, 0.8}, 0.04},
		{"outside", 0.125, []float64{1, 0}, []float64{1.5, 0.5}, 0.25}, // (2, 0), halfway to 1
		{"negative is 0", 0.125, []float64{1, -7}, []float64{1.5, 0.5}, 0.25},
		{"nothing", 0.125, []float64{0, 0, 0}, []float64{1, 1, 1}, 0},
		{"less than nothing", 0.125, []float64{-1, -2, -3}, []float64{1, 1, 1}, 0},
		{"one for all", 0.125, []float64{3, 3, 3, 3}, []float64{1, 1, 1, 1}, 0},
		{"no room", 0, []float64{1, 0}, []float64{1, 1}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, chi2 := weighed(t, tt.raw, tt.rho)
			if tol := 3 * WeightFloor; !near(w, tt.want, tol) || math.Abs(chi2-tt.chi2) > 3*tol {
				t.Errorf("weights %v, χ² %v; want %v, %v", w, chi2, tt.want, tt.chi2)
			}
		})
	}
}

// rawWeights are outputs of a weight network, a part of them negative.
func rawWeights(rng *rand.Rand, n int) []float64 {
	raw := make([]float64, n)
	for i := range raw {
		raw[i] = 1 + rng.NormFloat64()
	}
	return raw
}

// TestWeighStaysInTheBall: mean 1, no weight below 0, χ² at most 2ρ, in both
// types of number.
func TestWeighStaysInTheBall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		rho := math.Exp(3 * rng.NormFloat64())
		raw := rawWeights(rng, 2+rng.IntN(200))
		check := func(raw any, tol float64) {
			t.Helper()
			w, chi2 := weighed(t, raw, rho)
			var mean, spread float64
			for i, v := range w {
				mean += v / float64(len(w))
				spread += (v - 1) * (v - 1) / float64(len(w))
				if v < -tol {
					t.Errorf("ρ = %v: weight %d is %v", rho, i, v)
				}
			}
			if math.Abs(mean-1) > tol || spread > 2*rho*(1+tol) || math.Abs(chi2-spread) > tol*(1+spread) {
				t.Errorf("ρ = %v: mean %v, χ² %v, said to be %v", rho, mean, spread, chi2)
			}
		}
		check(raw, 1e-11)
		narrow := make([]float32, len(raw))
		for i, v := range raw {
			narrow[i] = float32(v)
		}
		check(narrow, 1e-5)
	}
}

// TestWeighGradient compares the gradient of a weighted mean with finite
// differences. That of a raw weight below 0 is a part of what it would be at 0.
func TestWeighGradient(t *testing.T) {
	cost := []float64{0.3, -1, 2, 0.7, 0.1, -0.4}
	raw := []float64{0.9, 1.4, 0.2, -0.8, 1.1, 3}
	for name, rho := range map[string]float64{"inside the ball": 5, "outside": 0.05} {
		t.Run(name, func(t *testing.T) {
			value := func(in []*Node) *Node {
				w, _ := weigh(in[0], rho)
				return ReduceAllMean(Mul(in[1], w))
			}
			grad := calculate(t, func(in []*Node) []*Node { return Gradient(value(in), in[0]) }, raw, cost)[0]
			const h = 1e-5
			var want []float64
			level := 0.0
			for _, r := range raw {
				level += (max(r, 0) + WeightFloor) / float64(len(raw))
			}
			for i, r := range raw {
				at := func(d float64) float64 {
					moved := slices.Clone(raw)
					moved[i] = max(r, 0) + d
					return calculate(t, func(in []*Node) []*Node { return []*Node{value(in)} }, moved, cost)[0][0]
				}
				if r < 0 {
					want = append(want, leak*level*(at(h)-at(0))/h)
				} else {
					want = append(want, (at(h)-at(-h))/(2*h))
				}
			}
			if !near(grad, want, 1e-6) {
				t.Errorf("gradient %v, finite differences %v", grad, want)
			}
		})
	}
}

// TestWeighAllZeroGradient: where every raw weight is 0 those of low costs come
// back first.
func TestWeighAllZeroGradient(t *testing.T) {
	grad := calculate(t, func(in []*Node) []*Node {
		w, _ := weigh(in[0], 0.1)
		return Gradient(ReduceAllMean(Mul(in[1], w)), in[0])
	}, []float32{-1, -2, -3}, []float32{1, 2, 3})[0]
	if !near(grad, []float64{-leak / 3, 0, leak / 3}, 1e-6) {
		t.Errorf("gradient %v", grad)
	}
}

// TestWeighAll: the whole data set is one big batch.
func TestWeighAll(t *testing.T) {
	raw := rawWeights(rand.New(rand.NewPCG(2, 2)), 500)
	for _, rho := range []float64{0, 0.1, 100} {
		want, _ := weighed(t, raw, rho)
		if got := WeighAll(raw, rho); !near(got, want, 1e-11) {
			t.Errorf("ρ = %v: the two differ", rho)
		}
	}
	free := calculate(t, func(in []*Node) []*Node {
		w, _ := Normalize(in[0])
		return []*Node{w}
	}, raw)[0]
	if got := WeighAll(raw, math.Inf(1)); !near(got, free, 1e-11) {
		t.Error("without a ball the two differ")
	}
	if got := WeighAll([]float64{-1, 0, -2}, 0.1); !near(got, []float64{1, 1, 1}, 0) {
		t.Errorf("all zero: %v", got)
	}
}

// TestRawWeight: a network that has not learned gives every sample about 1.
func TestRawWeight(t *testing.T) {
	b, err := openBackend()
	if err != nil {
		t.Fatal(err)
	}
	out, err := nn.NewProgram(b, nn.NewState(0), "raw", func(s *nn.Scope, in []*Node) []*Node {
		return []*Node{RawWeight(s, in[0])}
	}).Run([][]float32{{0, 0, 0}, {0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if got := out[0].Value(); !slices.Equal(got.([]float32), []float32{1, 1}) {
		t.Errorf("raw weights %v of nothing, want 1", got)
	}
}

// TestAnchor: raw weights are drawn to 1 on average, also from below 0.
func TestAnchor(t *testing.T) {
	out := calculate(t, func(in []*Node) []*Node {
		price := Anchor(in[0])
		return append(Gradient(price, in[0]), price)
	}, []float64{-1, -2, -3})
	if !near(out[0], []float64{-0.02, -0.02, -0.02}, 1e-12) || !near(out[1], []float64{0.09}, 1e-12) {
		t.Errorf("gradient %v, price %v", out[0], out[1])
	}
}
