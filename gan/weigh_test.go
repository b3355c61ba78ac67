package gan

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
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

// TestWeigh compares with weights by hand. The floor, which is part of them, is
// too small to be seen.
func TestWeigh(t *testing.T) {
	for _, tt := range []struct {
		name       string
		constraint string
		rho        float64
		raw, want  []float64
		chi2       float64
		price      float64
	}{
		{"inside the ball", Ball, 0.125, []float64{1.2, 0.8}, []float64{1.2, 0.8}, 0.04, 0},
		{"on the ball", Ball, 0.125, []float64{1.5, 0.5}, []float64{1.5, 0.5}, 0.25, 0},
		{"scaled", Ball, 0.125, []float64{12, 8}, []float64{1.2, 0.8}, 0.04, 0},
		{"outside", Ball, 0.125, []float64{1, 0}, []float64{1.5, 0.5}, 0.25, 0}, // (2, 0), halfway to 1
		{"negative is 0", Ball, 0.125, []float64{1, -7}, []float64{1.5, 0.5}, 0.25, 0},
		{"nothing", Ball, 0.125, []float64{0, 0, 0}, []float64{1, 1, 1}, 0, 0},
		{"less than nothing", Ball, 0.125, []float64{-1, -2, -3}, []float64{1, 1, 1}, 0, 0},
		{"one for all", Ball, 0.125, []float64{3, 3, 3, 3}, []float64{1, 1, 1, 1}, 0, 0},
		{"penalty inside", Penalty, 0.125, []float64{1.2, 0.8}, []float64{1.2, 0.8}, 0.04, 0},
		{"penalty outside", Penalty, 0.125, []float64{1, 0}, []float64{2, 0}, 1, 7.5}, // 10·(1 − 2ρ)
		{"penalty of nothing", Penalty, 0.125, []float64{0, -1}, []float64{1, 1}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Config{Constraint: tt.constraint, Lambda: 10}
			w, chi2, price := weighed(t, c, tt.raw, tt.rho)
			if tol := 3 * floor; !near(w, tt.want, tol) || math.Abs(chi2-tt.chi2) > 3*tol || math.Abs(price-tt.price) > 30*tol {
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

// TestWeighStaysInTheBall: mean 1, no weight below 0, χ² at most 2ρ, in both
// types of number.
func TestWeighStaysInTheBall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	c := &Config{Constraint: Ball}
	for range 20 {
		rho := math.Exp(3 * rng.NormFloat64())
		raw := rawWeights(rng, 2+rng.IntN(200))
		w, chi2, _ := weighed(t, c, raw, rho)
		check := func(tol float64) {
			t.Helper()
			mean, spread := moments(w)
			if math.Abs(mean-1) > tol || spread > 2*rho*(1+tol) || math.Abs(chi2-spread) > tol*(1+spread) {
				t.Errorf("ρ = %v: mean %v, χ² %v, said to be %v", rho, mean, spread, chi2)
			}
			for i, v := range w {
				if v < -tol {
					t.Errorf("ρ = %v: weight %d is %v", rho, i, v)
				}
			}
		}
		check(1e-11)
		w, chi2, _ = weighed(t, c, narrow(raw), rho)
		check(1e-5)
	}
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
		{"inside the ball", Config{Constraint: Ball}, 5},
		{"outside", Config{Constraint: Ball}, 0.05},
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
			if !near(grad, want, 1e-7) {
				t.Errorf("gradient %v, finite differences %v", grad, want)
			}
			if grad[3] != 0 || grad[0] == 0 {
				t.Errorf("gradient %v: a weight of 0 has none, the others have one", grad)
			}
		})
	}
}

// TestWeighAllZeroGradient: where every raw weight is 0 nothing breaks.
func TestWeighAllZeroGradient(t *testing.T) {
	for _, constraint := range []string{Ball, Penalty} {
		c := &Config{Constraint: constraint, Lambda: 10}
		grad := calculate(t, func(in []*Node) []*Node {
			w, _, price := c.weigh(in[0], 0.1)
			return Gradient(Add(mean(in[1], w), price), in[0])
		}, []float32{-1, -2, -3}, []float32{1, 2, 3})[0]
		if !near(grad, []float64{0, 0, 0}, 0) {
			t.Errorf("%s: gradient %v", constraint, grad)
		}
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
	if got := (&Config{Constraint: Ball, Rho: 0.1}).weighAll([]float64{-1, 0, -2}); !near(got, []float64{1, 1, 1}, 0) {
		t.Errorf("all zero: %v", got)
	}
}
