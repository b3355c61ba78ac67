package gan

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/train"
)

// weighed are the weights of raw outputs, their χ² and their price.
func weighed(t *testing.T, c *Config, raw any, rho float64) (w []float64, chi2, price float64) {
	t.Helper()
	out := calculate(t, func(in []*Node) []*Node {
		w, chi2, price := c.weigh(in[0], rho)
		return []*Node{w, chi2, price}
	}, raw)
	return out[0], out[1][0], out[2][0]
}

// moments are the mean of w and of (w−1)².
func moments(w []float64) (mean, chi2 float64) {
	for _, v := range w {
		mean += v / float64(len(w))
		chi2 += (v - 1) * (v - 1) / float64(len(w))
	}
	return mean, chi2
}

// TestWeigh compares with weights by hand: those of the ball are in it and pay
// nothing, those of the penalty leave it and pay. The floor, which is part of
// them, is too small to be seen.
func TestWeigh(t *testing.T) {
	for _, tt := range []struct {
		name       string
		constraint string
		raw, want  []float64
		chi2       float64
		price      float64
	}{
		{"ball inside", Ball, []float64{1.2, 0.8}, []float64{1.2, 0.8}, 0.04, 0},
		{"ball outside", Ball, []float64{1, 0}, []float64{1.5, 0.5}, 0.25, 0}, // (2, 0), halfway to 1
		{"penalty inside", Penalty, []float64{1.2, 0.8}, []float64{1.2, 0.8}, 0.04, 0},
		{"penalty outside", Penalty, []float64{1, 0}, []float64{2, 0}, 1, 7.5}, // 10·(1 − 2ρ)
		{"penalty of nothing", Penalty, []float64{0, -1}, []float64{1, 1}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Config{Constraint: tt.constraint, Lambda: 10}
			w, chi2, price := weighed(t, c, tt.raw, 0.125)
			if tol := 3 * train.WeightFloor; !near(w, tt.want, tol) || math.Abs(chi2-tt.chi2) > 3*tol || math.Abs(price-tt.price) > 30*tol {
				t.Errorf("weights %v, χ² %v, price %v; want %v, %v, %v", w, chi2, price, tt.want, tt.chi2, tt.price)
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

// TestWeighGradient compares the gradient of a weighted sum, price included,
// with finite differences.
func TestWeighGradient(t *testing.T) {
	cost := []float64{0.3, -1, 2, 0.7, 0.1, -0.4}
	raw := []float64{0.9, 1.4, 0.2, -0.8, 1.1, 3}
	for _, tt := range []struct {
		name string
		Config
		rho float64
	}{
		{"ball", Config{Constraint: Ball}, 0.05},
		{"penalty inside", Config{Constraint: Penalty, Lambda: 10}, 5},
		{"penalty outside", Config{Constraint: Penalty, Lambda: 10}, 0.05},
	} {
		t.Run(tt.name, func(t *testing.T) {
			value := func(in []*Node) *Node {
				w, _, price := tt.weigh(in[0], tt.rho)
				return Add(mean(in[1], w), price)
			}
			grad := calculate(t, func(in []*Node) []*Node { return Gradient(value(in), in[0]) }, raw, cost)[0]
			const h = 1e-5
			var want []float64
			for i := range raw {
				at := func(d float64) float64 {
					moved := append([]float64(nil), raw...)
					moved[i] += d
					return calculate(t, func(in []*Node) []*Node { return []*Node{value(in)} }, moved, cost)[0][0]
				}
				want = append(want, (at(h)-at(-h))/(2*h))
			}
			want[3] = grad[3] // of a raw weight below 0: package train tests it
			if !near(grad, want, 1e-7) || grad[3] == 0 {
				t.Errorf("gradient %v, finite differences %v", grad, want)
			}
		})
	}
}

// TestWeighAllZeroGradient: where every raw weight is 0 those of low costs come
// back first.
func TestWeighAllZeroGradient(t *testing.T) {
	c := &Config{Constraint: Penalty, Lambda: 10}
	grad := calculate(t, func(in []*Node) []*Node {
		w, _, price := c.weigh(in[0], 0.1)
		return Gradient(Add(mean(in[1], w), price), in[0])
	}, []float32{-1, -2, -3}, []float32{1, 2, 3})[0]
	if !near(grad, []float64{-0.01 / 3, 0, 0.01 / 3}, 1e-6) {
		t.Errorf("gradient %v", grad)
	}
}

// TestWeighAll: the whole data set is one big batch.
func TestWeighAll(t *testing.T) {
	raw := rawWeights(rand.New(rand.NewPCG(2, 2)), 500)
	for _, c := range []*Config{
		{Constraint: Ball, Rho: 0.1}, {Constraint: Ball, Rho: 100}, {Constraint: Penalty, Rho: 0.1},
	} {
		want, _, _ := weighed(t, c, raw, c.Rho)
		if got := c.weighAll(raw); !near(got, want, 1e-11) {
			t.Errorf("%s, ρ = %v: the two differ", c.Constraint, c.Rho)
		}
	}
}

// TestAnchor: a strong penalty does not carry off the level of the raw weights,
// on which the weights do not depend.
func TestAnchor(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) {
		c.Steps, c.WarmUp, c.WeightSteps, c.Constraint, c.Lambda, c.Rho, c.WeightLR = 400, 0, 1, Penalty, 1000, 0.01, 0.01
	})
	tr := newTrainer(t, c, d)
	if err := tr.Run(t.Context(), newRun(t, c), nil); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		out, err := tr.run(tr.weight, tr.row(tr.order.Batch(nil, i), c.Steps+1+i, streamWeight))
		if err != nil {
			t.Fatal(err)
		}
		if level := out[2]; level < 0.67 || level > 1.5 {
			t.Fatalf("the level is %v after %d updates", level, c.Steps+i)
		}
	}
}
