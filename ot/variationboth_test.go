package ot

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"rot.example/rot/chisq"
)

// variationBothByLP is the two-sided program, spelled out: plans π, and for
// either side mass r taken away and mass s put on.
func variationBothByLP(t *testing.T, p *Problem, radii [2]float64) float64 {
	t.Helper()
	a, b, err := p.weights()
	if err != nil {
		t.Fatal(err)
	}
	m, n := p.Cost.Dims()
	k := m + n
	// Variables: π (m×n), r (k), s (k), slack of Σr ≤ radius (2).
	vars := m*n + 2*k + 2
	c := make([]float64, vars)
	for i := range m {
		for j := range n {
			c[i*n+j] = p.Cost.At(i, j)
		}
	}
	rows := k + 3
	A, rhs := mat.NewDense(rows, vars, nil), make([]float64, rows)
	for v := range k { // Σ π + r − s = weight
		side := 0
		if v < m {
			for j := range n {
				A.Set(v, v*n+j, 1)
			}
			rhs[v] = a[v]
		} else {
			side = 1
			for i := range m {
				A.Set(v, i*n+v-m, 1)
			}
			rhs[v] = b[v-m]
		}
		A.Set(v, m*n+v, 1)
		A.Set(v, m*n+k+v, -1)
		A.Set(k+side, m*n+v, 1) // Σ r ≤ radius
	}
	for side := range 2 {
		A.Set(k+side, vars-2+side, 1)
		rhs[k+side] = radii[side]
	}
	for x := range m * n { // Σ π = 1, so that Σ s = Σ r
		A.Set(k+2, x, 1)
	}
	rhs[k+2] = 1
	value, _, err := lp.Simplex(c, A, rhs, 1e-12, nil)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestVariationBoth compares with a linear programming solver on small problems,
// some of negative costs, and checks plan and bounds.
func TestVariationBoth(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 61))
		x, y := fewPoints(r, seed%3 == 0)
		p := problem(t, x, y, []Metric{Euclidean, SqEuclidean, Cityblock}[seed%3])
		if seed%4 == 0 {
			q := tableOf(t, p).problem(t)
			for k := range q.Cost.matrix {
				q.Cost.matrix[k] -= 2
			}
			p = q
		}
		radii := [2]float64{}
		for side := range radii {
			radii[side] = []float64{1e-6, 0.03, 0.2, 0.5, 0.9, 1, 3}[r.IntN(7)]
		}
		got, err := Robust(context.Background(), p, &RobustOptions{Source: chisq.Ball{Rho: radii[0]}, Target: chisq.Ball{Rho: radii[1]}, Divergence: TV})
		if err != nil {
			t.Fatalf("seed %d, radii %v: %v", seed, radii, err)
		}
		var mass float64
		for side, s := range [2][2][]float64{{got.A, got.BaseA}, {got.B, got.BaseB}} {
			if off := TV.of(s[0], s[1]); off > radii[side]+1e-12 {
				t.Errorf("seed %d: weights moved by %g, radius %g", seed, off, radii[side])
			}
			mass = total(s[0])
			if math.Abs(mass-1) > 1e-12 {
				t.Errorf("seed %d: mass %v", seed, mass)
			}
		}
		want := variationBothByLP(t, p, [2]float64{math.Min(radii[0], 1), math.Min(radii[1], 1)})
		if math.Abs(got.Value-want) > 1e-9*math.Max(math.Abs(want), 1) || got.Value-got.Lower > 1e-9*math.Abs(got.Value)+1e-13 {
			t.Errorf("seed %d, radii %v: between %.15g and %.15g, by linear programming %.15g", seed, radii, got.Lower, got.Value, want)
		}
	}
}

// TestVariationBothLimits: a radius that is next to nothing leaves the one-sided
// problem.
func TestVariationBothLimits(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(62, 62))
	p := problem(t, normal(r, 60, 2, 20), normal(r, 50, 2, 0), SqEuclidean)
	one, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: 0.1}, Divergence: TV})
	if err != nil {
		t.Fatal(err)
	}
	both, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: 0.1}, Target: chisq.Ball{Rho: 1e-15}, Divergence: TV})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(one.Value-both.Value) > 1e-9*one.Value {
		t.Errorf("one-sided %v, with a radius of 1e-15 on the other side %v", one.Value, both.Value)
	}
}

// TestVariationBothLarge asserts that depots, which problems of many points get,
// and a matrix agree, and that the value falls as radii grow.
func TestVariationBothLarge(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(63, 63))
	for _, d := range []int{2, 7} {
		for _, metric := range []Metric{SqEuclidean, Euclidean} {
			x, y := normal(r, 420, d, 25), normal(r, 390, d, 10)
			x.Weights, y.Weights = randomWeights(r, 420), randomWeights(r, 390)
			x.Weights[3], y.Weights[5] = 0, 0
			p := problem(t, x, y, metric)
			before := math.Inf(1)
			for _, radii := range [][2]float64{{1e-9, 1e-3}, {0.05, 1e-6}, {0.05, 0.02}, {0.3, 0.2}, {0.9, 1}} {
				o := &RobustOptions{Source: chisq.Ball{Rho: radii[0]}, Target: chisq.Ball{Rho: radii[1]}, Divergence: TV}
				got, err := Robust(ctx, p, o)
				if err != nil {
					t.Fatalf("%v, %d columns, radii %v: %v", metric, d, radii, err)
				}
				q := tableOf(t, p).problem(t)
				q.A, q.B = p.A, p.B
				want, err := Robust(ctx, q, o)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(got.Value-want.Value) > 1e-9*want.Value || got.Gap() > 1e-9*got.Value+1e-13 {
					t.Errorf("%v, %d columns, radii %v: between %.15g and %.15g, by a matrix %.15g", metric, d, radii, got.Lower, got.Value, want.Value)
				}
				if got.Value > before*(1+1e-12) {
					t.Errorf("%v, %d columns, radii %v: %g after %g", metric, d, radii, got.Value, before)
				}
				before = got.Value
				for side, s := range [2][2][]float64{{got.A, got.BaseA}, {got.B, got.BaseB}} {
					if off := TV.of(s[0], s[1]); off > radii[side]+1e-12 || math.Abs(total(s[0])-1) > 1e-12 {
						t.Errorf("radii %v: weights moved by %g, mass %v", radii, off, total(s[0]))
					}
				}
			}
		}
	}
}
