package ot

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rot.example/rot/chisq"
)

// TestTheorem2 asserts the bound on V of docs/math.md §8.
func TestTheorem2(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(35, seed))
		n, d := 5+r.IntN(60), 1+r.IntN(4)
		x, y := normal(r, n, d, n/8), normal(r, 5+r.IntN(60), d, 0)
		if seed%2 == 0 {
			x.Weights = randomWeights(r, n)
		}
		marks := make([]bool, n)
		for i := range marks { // right, or anything
			marks[i] = i < max(1, n/8)
			if seed%4 == 3 {
				marks[i] = i == 0 || i > 1 && r.IntN(3) == 0
			}
		}
		p := problem(t, x, y, []Metric{Euclidean, Cityblock}[seed%2])
		b, err := Theorem2(ctx, p, marks)
		if err != nil {
			t.Fatal(err)
		}
		a, _, _ := p.weights()
		var gamma float64
		for i, out := range marks {
			if out {
				gamma += a[i]
			}
		}
		if math.Abs(b.Gamma-gamma) > 1e-14 || math.Abs(b.K-b.Far/b.Clean) > 1e-12*b.K {
			t.Errorf("seed %d: %+v, outliers weigh %g", seed, b, gamma)
		}
		ball, err := chisq.FromGamma(b.Gamma)
		if err != nil {
			t.Fatal(err)
		}
		for _, rho := range []float64{0, 1e-4, ball.Rho / 3, ball.Rho, 2 * ball.Rho} {
			want := math.Max(1, 1+b.K*gamma-b.K*math.Sqrt(2*rho*gamma*(1-gamma))) * b.Clean
			if at := b.At(rho); math.Abs(at-want) > 1e-12*want || certified(t, p, rho, 0).Lower > at*(1+1e-12) {
				t.Errorf("seed %d: ρ = %g: bound %g, formula %g, V = %g", seed, rho, at, want, certified(t, p, rho, 0).Value)
			}
		}
	}
}

// TestTheorem2Parts checks the numbers of a case that can be done by hand:
// clean points at 0 and 1, an outlier at 11, the target 2 further on.
func TestTheorem2Parts(t *testing.T) {
	x := &Points{Dim: 1, Coords: []float64{0, 1, 11}, Weights: []float64{4, 4, 2}}
	y := &Points{Dim: 1, Coords: []float64{2, 3}}
	b, err := Theorem2(context.Background(), problem(t, x, y, Euclidean), []bool{false, false, true})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(b.Gamma-0.2) > 1e-15 || b.Clean != 2 || b.Far != 10.5 || b.K != 5.25 || math.Abs(b.At(0)-4.1) > 1e-14 || b.At(0.125) != 2 {
		t.Errorf("%+v, bounds %g and %g", b, b.At(0), b.At(0.125))
	}
	// Clean rows and target coincide: nothing is left once outliers may go.
	y = &Points{Dim: 1, Coords: []float64{0, 1}}
	if b, err = Theorem2(context.Background(), problem(t, x, y, Euclidean), []bool{false, false, true}); err != nil {
		t.Fatal(err)
	}
	if b.Clean != 0 || !math.IsInf(b.K, 1) || math.Abs(b.At(0)-0.2*10.5) > 1e-14 || b.At(0.125) != 0 {
		t.Errorf("%+v, bounds %g and %g", b, b.At(0), b.At(0.125))
	}
}

func TestTheorem2Errors(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 36))
	x, y := normal(r, 7, 2, 1), normal(r, 5, 2, 0)
	p := problem(t, x, y, Euclidean)
	none, all := make([]bool, 7), slices.Repeat([]bool{true}, 7)
	some := slices.Clone(none)
	some[2] = true
	idle := &Problem{Cost: p.Cost, A: []float64{1, 1, 0, 1, 1, 1, 1}}
	sole := &Problem{Cost: p.Cost, A: []float64{0, 0, 1, 0, 0, 0, 0}}
	for _, tt := range []struct {
		name  string
		p     *Problem
		marks []bool
		want  error
	}{
		{"squared", problem(t, x, y, SqEuclidean), some, ErrOption},
		{"cosine", problem(t, x, y, Cosine), some, ErrOption},
		{"matrix", tableOf(t, p).problem(t), some, ErrOption},
		{"none marked", p, none, ErrWeights},
		{"all marked", p, all, ErrWeights},
		{"marked without weight", idle, some, ErrWeights},
		{"clean without weight", sole, some, ErrWeights},
		{"too few marks", p, some[:6], ErrShape},
		{"no marks", p, nil, ErrShape},
		{"no problem", nil, some, ErrShape},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "all marked" {
			}
			if b, err := Theorem2(context.Background(), tt.p, tt.marks); b != nil || !errors.Is(err, tt.want) {
				t.Errorf("got %v, %v; want %v", b, err, tt.want)
			}
		})
	}
}
