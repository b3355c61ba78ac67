package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"rot.example/rot/chisq"
	"testing"
	"time"
)

// TestNearCopies: points against their own rounded copies, where every cost
// that matters is a small difference of large coordinates.
func TestNearCopies(t *testing.T) {
	for _, metric := range []Metric{SqEuclidean, Euclidean, Cityblock} {
		for _, scale := range []float64{1, 1 << 27, 1 << 40} {
			const n, d = 300, 8
			rng := rand.New(rand.NewPCG(1, 2))
			x, y := &Points{Dim: d}, &Points{Dim: d}
			for range n * d {
				v := rng.NormFloat64() * scale
				x.Coords, y.Coords = append(x.Coords, v), append(y.Coords, float64(float32(v)))
			}
			p, err := NewProblem(x, y, metric)
			if err != nil {
				t.Fatal(err)
			}
			var identity float64
			for i := range n {
				identity += p.Cost.At(i, i) / n
			}
			r, err := Exact(context.Background(), p, nil)
			if err != nil {
				t.Errorf("%v, scale %g: %v", metric, scale, err)
			}
			if r.Lower > identity*(1+1e-13) || r.Value > identity*(1+1e-13) {
				t.Errorf("%v, scale %g: value %v, lower %v, the identity costs %v", metric, scale, r.Value, r.Lower, identity)
			}
		}
	}
}

// TestMarginalsToTheLast: each row and column of a plan has its weight to
// 1e-12, however small.
func TestMarginalsToTheLast(t *testing.T) {
	c, err := NewMatrixCost(2, 2, []float64{1, 8, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	checkMarginals(t, &Problem{Cost: c, A: []float64{.1, .6}, B: []float64{1e-14, .5}})
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 9))
		m, n := 1+rng.IntN(12), 1+rng.IntN(12)
		matrix := make([]float64, m*n)
		for k := range matrix {
			matrix[k] = float64(rng.IntN(10))
		}
		a, b := make([]float64, m), make([]float64, n)
		for _, w := range [][]float64{a, b} {
			for k := range w {
				w[k] = math.Pow(10, -15*rng.Float64())
			}
		}
		c, err := NewMatrixCost(m, n, matrix)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { checkMarginals(t, &Problem{Cost: c, A: a, B: b}) })
	}
}

func checkMarginals(t *testing.T, p *Problem) {
	t.Helper()
	r, err := Exact(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for side, s := range [][2][]float64{{r.A, r.BaseA}, {r.B, r.BaseB}} {
		for i := range s[0] {
			if math.Abs(s[0][i]-s[1][i]) > 1e-12*s[1][i] {
				t.Errorf("side %d, row %d: %g, want %g", side, i, s[0][i], s[1][i])
			}
		}
	}
}

// TestFreeMatching: matchings of cost nothing, or next to it, beside costs
// that are not.
func TestFreeMatching(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 2 + rng.IntN(30)
		matrix := make([]float64, n*n)
		for k := range matrix {
			matrix[k] = 500 * rng.Float64()
		}
		for i, j := range rng.Perm(n) {
			matrix[i*n+j] = []float64{0, 1e-14 * rng.Float64()}[seed%2]
		}
		c, err := NewMatrixCost(n, n, matrix)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Exact(context.Background(), &Problem{Cost: c}, nil); err != nil || r.Value > 1e-14 {
			t.Errorf("seed %d: value %g, lower %g, %v", seed, r.Value, r.Lower, err)
		}
	}
}

// TestPartialBesideAFarRow: one row far away must not hide a gap among the
// others. The rest of the mass stays, so that its cost is of no account.
func TestPartialBesideAFarRow(t *testing.T) {
	line := func(v ...float64) *Points { return &Points{Dim: 1, Coords: v} }
	for _, far := range []float64{1e3, 1e5, 1e6, 1e7, 1e8, 1e12} {
		p, err := NewProblem(line(6, 5, 2, 3, 0, far), line(0, 1, 8, 6, 9, 5), SqEuclidean)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Partial(context.Background(), p, &PartialOptions{Mass: 2.0 / 3})
		if err != nil || math.Abs(r.Value-1.0/6) > 1e-12 {
			t.Errorf("a row at %g: value %v, lower %v, want 1/6: %v", far, r.Value, r.Lower, err)
		}
		rng := rand.New(rand.NewPCG(3, 3))
		x, y := &Points{Dim: 2}, &Points{Dim: 2}
		for range 200 {
			x.Coords, y.Coords = append(x.Coords, rng.NormFloat64()), append(y.Coords, rng.NormFloat64())
		}
		near, err := NewProblem(x, y, SqEuclidean)
		if err != nil {
			t.Fatal(err)
		}
		x.Coords[0] = 20 // dropped by both
		want, err := Partial(context.Background(), near, &PartialOptions{Mass: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		x.Coords[0] = far
		r, err = Partial(context.Background(), near, &PartialOptions{Mass: 0.9})
		if err != nil || math.Abs(r.Value-want.Value) > 1e-9*want.Value {
			t.Errorf("100 normal points and a row at %g: %v, want %v: %v", far, r.Value, want.Value, err)
		}
	}
}

// TestPartialTinyMass: any mass above 0 is some.
func TestPartialTinyMass(t *testing.T) {
	c, err := NewMatrixCost(2, 2, []float64{3, 8, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, mass := range []float64{1e-300, 1e-100, 1e-17, 1e-16, 1e-9, 1e-3} {
		r, err := Partial(context.Background(), &Problem{Cost: c}, &PartialOptions{Mass: mass})
		if err != nil || math.Abs(r.Value-mass) > 1e-12*mass || r.Lower > r.Value || r.Lower < r.Value*(1-1e-9) {
			t.Errorf("mass %g: value %g, lower %g, %v", mass, r.Value, r.Lower, err)
		}
	}
}

// TestWeightlessRowsOnALine: rows of weight 0 carry nothing, wherever they are.
func TestWeightlessRowsOnALine(t *testing.T) {
	for _, far := range []float64{-1e12, -1e6, 3, 1e6, 1e12} {
		x := &Points{Dim: 1, Coords: []float64{8, far}, Weights: []float64{.6, 0}}
		y := &Points{Dim: 1, Coords: []float64{2, 0, 4, 8, -1e9}, Weights: []float64{.6, .3, .2, .4, 0}}
		p, err := NewProblem(x, y, SqEuclidean)
		if err != nil {
			t.Fatal(err)
		}
		r, err := OneD(context.Background(), p, nil)
		if want := (36*.6 + 64*.3 + 16*.2) / 1.5; err != nil || math.Abs(r.Value-want) > 1e-13*want || r.A[1] != 0 || r.B[4] != 0 {
			t.Errorf("a row of weight 0 at %g: value %v, want %v; %v, %v", far, r.Value, want, r.A, err)
		}
	}
}

// TestForbiddenPairs: costs of 1e300 and +Inf forbid pairs without costing the others
// their digits.
func TestForbiddenPairs(t *testing.T) {
	ctx := context.Background()
	inf := math.Inf(1)
	matrix := func(m, n int, c ...float64) *Problem {
		cost, err := NewMatrixCost(m, n, c)
		if err != nil {
			t.Fatal(err)
		}
		return &Problem{Cost: cost}
	}
	solvers := map[string]func(p *Problem) (*Result, error){
		"exact":   func(p *Problem) (*Result, error) { return Exact(ctx, p, nil) },
		"partial": func(p *Problem) (*Result, error) { return Partial(ctx, p, &PartialOptions{Mass: 1}) },
		"robust": func(p *Problem) (*Result, error) {
			return Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: 1e-30}})
		},
	}
	for name, solve := range solvers {
		for _, mask := range []float64{1e200, 1e300, math.MaxFloat64, inf} {
			r, err := solve(matrix(3, 3, mask, 1, 2, 3, mask, 5, 1e-9, 7, mask))
			if want := (2 + 3 + 7.0) / 3; err != nil {
				t.Errorf("%s, mask %g: %v", name, mask, err)
			} else if other := (1 + 5 + 1e-9) / 3; math.Abs(r.Value-math.Min(want, other)) > 1e-14 {
				t.Errorf("%s, mask %g: value %v, want %v", name, mask, r.Value, math.Min(want, other))
			}
		}
		if _, err := solve(matrix(2, 2, inf, inf, 1, 2)); !errors.Is(err, ErrInfeasible) {
			t.Errorf("%s, a row that may go nowhere: %v, want ErrInfeasible", name, err)
		}
		if _, err := solve(matrix(2, 2, inf, 1, inf, 2)); !errors.Is(err, ErrInfeasible) {
			t.Errorf("%s, a column that nothing may reach: %v, want ErrInfeasible", name, err)
		}
		if r, err := solve(matrix(2, 2, 1e300, 1e300, 1, 2)); err != nil || math.Abs(r.Value/5e299-1) > 1e-12 {
			t.Errorf("%s, a mask that must be paid: %v, %v", name, r, err)
		}
	}
	// A source that may go nowhere is dropped where its weight may be.
	r, err := Robust(ctx, matrix(4, 2, inf, inf, 1, 2, 3, 1, 2, 2), &RobustOptions{Source: chisq.Ball{Rho: 1}})
	if err != nil || r.A[0] != 0 {
		t.Errorf("robust with a source that may go nowhere: %v, %v", r, err)
	}
}

// TestOneAgainstMany: a single row on one side is a closed form.
func TestOneAgainstMany(t *testing.T) {
	const n = 200_000
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := &Points{Dim: 3, Coords: []float64{1, 2, 3}}, &Points{Dim: 3}
	for range 3 * n {
		y.Coords = append(y.Coords, rng.NormFloat64())
	}
	for _, rho := range [][2]float64{{0, 0}, {0.1, 0}, {0, 0.1}, {0.1, 0.1}} {
		for _, swap := range []bool{false, true} {
			p, err := NewProblem(x, y, Euclidean)
			o := &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}}
			if swap {
				p, err = NewProblem(y, x, Euclidean)
				o.Source, o.Target = o.Target, o.Source
			}
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if _, err := Robust(context.Background(), p, o); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("radii %v took %v", rho, took)
			}
		}
	}
}

// TestTinyRadii: a radius below rounding is none, and its bounds still hold.
func TestTinyRadii(t *testing.T) {
	constant, err := NewMatrixCost(2, 2, []float64{5, 5, 5, 5})
	if err != nil {
		t.Fatal(err)
	}
	p, _, _ := fuzzInstance(1237752, 2, 124)
	for _, rho := range []float64{5e-324, 1e-300, 1e-150, 1e-35, 1e-28, 1e-20, 1e-12} {
		for _, other := range []float64{0, 1e-40, 1e-12, 0.1, 0.805} {
			for _, q := range []*Problem{{Cost: constant}, p} {
				r, err := Robust(context.Background(), q, &RobustOptions{Source: chisq.Ball{Rho: rho}, Target: chisq.Ball{Rho: other}})
				if err != nil {
					t.Errorf("radii %g, %g: %v", rho, other, err)
				}
				if r == nil || math.IsNaN(r.Value) || math.IsNaN(r.Lower) || r.Lower > r.Value {
					t.Errorf("radii %g, %g: %+v", rho, other, r)
				}
			}
		}
	}
}
