package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"rot.example/rot/chisq"
)

// variationByLP is the same program, spelled out for a linear programming solver:
// plans π, mass r taken from sources and mass s put on them.
func variationByLP(t *testing.T, p *Problem, radius float64) float64 {
	t.Helper()
	a, b, err := p.weights()
	if err != nil {
		t.Fatal(err)
	}
	m, n := p.Cost.Dims()
	// Variables: π (m×n), r (m), s (m), slack of r ≤ a (m), slack of Σr ≤ radius.
	vars := m*n + 3*m + 1
	c := make([]float64, vars)
	for i := range m {
		for j := range n {
			c[i*n+j] = p.Cost.At(i, j)
		}
	}
	rows := m + n + m + 1
	A, rhs := mat.NewDense(rows, vars, nil), make([]float64, rows)
	for i := range m { // Σ_j π_ij + r_i − s_i = a_i, r_i ≤ a_i
		for j := range n {
			A.Set(i, i*n+j, 1)
		}
		A.Set(i, m*n+i, 1)
		A.Set(i, m*n+m+i, -1)
		A.Set(m+n+i, m*n+i, 1)
		A.Set(m+n+i, m*n+2*m+i, 1)
		rhs[i], rhs[m+n+i] = a[i], a[i]
		A.Set(rows-1, m*n+i, 1)
	}
	A.Set(rows-1, vars-1, 1) // Σ r ≤ radius, and Σ s is as much since Σ π = 1
	rhs[rows-1] = radius
	for j := range n {
		for i := range m {
			A.Set(m+j, i*n+j, 1)
		}
		rhs[m+j] = b[j]
	}
	value, _, err := lp.Simplex(c, A, rhs, 1e-12, nil)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// checkVariation recomputes what a Result in a ball of total variation claims.
func checkVariation(t *testing.T, p *Problem, r *Result, radius float64, target bool, tol float64) {
	t.Helper()
	a, b, err := p.weights()
	if err != nil {
		t.Fatal(err)
	}
	m, n := p.Cost.Dims()
	w, v := make([]float64, m), make([]float64, n)
	var value float64
	for k, mass := range r.Plan.Mass {
		if !(mass >= 0) {
			t.Fatalf("mass %g", mass)
		}
		w[r.Plan.I[k]] += mass
		v[r.Plan.J[k]] += mass
		value += mass * p.Cost.At(int(r.Plan.I[k]), int(r.Plan.J[k]))
	}
	off := func(w, a []float64) float64 {
		var s float64
		for i := range w {
			s += math.Abs(w[i]-a[i]) / 2
		}
		return s
	}
	moved, fixed := off(w, a), off(v, b)
	phi, base, other, rest := r.F, a, r.G, b
	if target {
		moved, fixed = fixed, moved
		phi, base, other, rest = r.G, b, r.F, a
	}
	if moved > math.Min(radius, 1)+1e-12 || fixed > 1e-12 {
		t.Errorf("weights moved by %g and %g, at most %g and 0 are allowed", moved, fixed, radius)
	}
	if math.Abs(value-r.Value) > 1e-12*math.Abs(value) {
		t.Errorf("the plan costs %.17g, not %.17g", value, r.Value)
	}
	for i := range m {
		for j := range n {
			if c := p.Cost.At(i, j); a[i] > 0 && b[j] > 0 && r.F[i]+r.G[j] > c+1e-12*(math.Abs(c)+math.Abs(r.F[i])) {
				t.Fatalf("potentials of %d and %d: %g + %g > %g", i, j, r.F[i], r.G[j], c)
			}
		}
	}
	// The least mean of the potential: from the dearest to the cheapest.
	order := positive(base)
	slices.SortFunc(order, func(i, j int32) int { return -int(math.Copysign(1, phi[i]-phi[j])) })
	left, low := math.Min(radius, 1), phi[order[len(order)-1]]
	var lower float64
	for _, i := range order {
		take := math.Min(left, base[i])
		left -= take
		lower += (base[i]-take)*phi[i] + take*low
	}
	for j, g := range other {
		if rest[j] > 0 {
			lower += rest[j] * g
		}
	}
	if scale := math.Max(1e-300, math.Abs(r.Value)); math.Abs(lower-r.Lower) > 1e-9*scale && r.Lower != 0 || r.Value-r.Lower > tol*scale+1e-13 {
		t.Errorf("value %.17g, lower %.17g, by the potentials %.17g", r.Value, r.Lower, lower)
	}
}

// fewPoints are so few points on both sides that a linear programming solver has
// an answer, with random weights on request.
func fewPoints(r *rand.Rand, weighted bool) (x, y *Points) {
	m, n, d := 2+r.IntN(6), 2+r.IntN(6), 1+r.IntN(4)
	x, y = normal(r, m, d, 1), normal(r, n, d, 0)
	if weighted {
		x.Weights, y.Weights = make([]float64, m), make([]float64, n)
		for _, w := range [][]float64{x.Weights, y.Weights} {
			for i := range w {
				w[i] = r.ExpFloat64()
			}
		}
	}
	return x, y
}

// TestVariation compares total variation with a linear programming solver on
// small problems, of both forms.
func TestVariation(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 51))
		x, y := fewPoints(r, seed%3 == 0)
		p := problem(t, x, y, []Metric{Euclidean, SqEuclidean, Cityblock}[seed%3])
		radius := []float64{1e-6, 0.03, 0.2, 0.5, 0.9, 1, 3}[r.IntN(7)]
		want := variationByLP(t, p, math.Min(radius, 1))
		name := fmt.Sprintf("seed %d: %d×%d, radius %g", seed, x.Len(), y.Len(), radius)
		got, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: radius}, Divergence: TV})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkVariation(t, p, got, radius, false, 1e-9)
		if math.Abs(got.Value-want) > 1e-9*math.Max(want, 1) {
			t.Errorf("%s: %.15g, by linear programming %.15g", name, got.Value, want)
		}
		// The other side of the transposed problem, and without a matrix.
		back := problem(t, y, x, p.Cost.Metric())
		turned, err := Robust(ctx, back, &RobustOptions{Target: chisq.Ball{Rho: radius}, Divergence: TV})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkVariation(t, back, turned, radius, true, 1e-9)
		if math.Abs(turned.Value-want) > 1e-9*math.Max(want, 1) {
			t.Errorf("%s, transposed: %.15g, by linear programming %.15g", name, turned.Value, want)
		}
	}
}

// TestVariationLarge asserts that depots and matrix agree, that the value falls
// with the radius at the rate of the multiplier, and the ends.
func TestVariationLarge(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(52, 52))
	for _, d := range []int{2, 8} {
		p := problem(t, normal(r, 400, d, 20), normal(r, 350, d, 0), SqEuclidean)
		plain, err := Exact(ctx, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		matrix := tableOf(t, p).problem(t)
		before := plain.Value
		for _, radius := range []float64{1e-9, 0.02, 0.05, 0.3, 1} {
			o := &RobustOptions{Source: chisq.Ball{Rho: radius}, Divergence: TV}
			got, err := Robust(ctx, p, o)
			if err != nil {
				t.Fatal(err)
			}
			checkVariation(t, p, got, radius, false, 1e-9)
			other, err := Robust(ctx, matrix, o)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Value-other.Value) > 1e-10*plain.Value || got.Value > before {
				t.Errorf("radius %g in %d dimensions: %.15g, with a matrix %.15g, with a smaller radius %.15g", radius, d, got.Value, other.Value, before)
			}
			more, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: radius * 1.01}, Divergence: TV})
			if err != nil {
				t.Fatal(err)
			}
			if most := got.SourceLambda * radius * 0.01; got.Value-more.Value > most*(1+1e-6)+1e-12*plain.Value { // V is convex
				t.Errorf("radius %g in %d dimensions: one percent more is worth %g, at most %g by the multiplier", radius, d, got.Value-more.Value, most)
			}
			before = got.Value
		}
		near, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: 1e6}})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(before-near.Value) > 1e-12*near.Value {
			t.Errorf("with all mass free: %.15g, nearest neighbours cost %.15g", before, near.Value)
		}
	}
}

func TestVariationErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 53))
	p := problem(t, normal(r, 5, 2, 0), normal(r, 4, 2, 0), Euclidean)
	for _, o := range []RobustOptions{
		{Divergence: TV + 1, Source: chisq.Ball{Rho: 0.1}},
		{Divergence: TV, Source: chisq.Ball{Rho: -0.1}},
		{Divergence: KL, Target: chisq.Ball{Rho: math.NaN()}},
	} {
		if _, err := Robust(context.Background(), p, &o); !errors.Is(err, ErrOption) {
			t.Errorf("%v: got %v", o.Divergence, err)
		}
	}
	if _, err := Unbalanced(context.Background(), p, &UnbalancedOptions{Divergence: TV}); !errors.Is(err, ErrOption) {
		t.Errorf("unbalanced: got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Robust(ctx, p, &RobustOptions{Divergence: TV, Source: chisq.Ball{Rho: 0.1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
