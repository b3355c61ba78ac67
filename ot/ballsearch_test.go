package ot

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestStepsNearTheEnd asks a stiff search for steps near the radius: as long as
// eight times those of fixed prices, longer only one after the other.
func TestStepsNearTheEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 10))
	const n, rho = 600, 0.02
	in, err := newInstance(problem(t, normal(r, n, 2, n/20), normal(r, n, 2, 0), SqEuclidean), false)
	if err != nil {
		t.Fatal(err)
	}
	o := newOneSided(in, newWatch("", 0, nil))
	if err := o.solve(context.Background(), rho); err != nil {
		t.Fatal(err)
	}
	if !o.stiff() {
		t.Fatal("the problem is not stiff")
	}
	s := &ballSearch{oneSided: o, rho: rho, reach: firstReach}
	limit := func(at, reach float64) float64 { return o.lambda * (1 + reach*(math.Sqrt(at/rho)-1)) }
	const over, under = 1.001 * rho, 0.999 * rho
	for _, tt := range []struct {
		name           string
		at, next, want float64
	}{
		{"far from the radius", 1.5 * rho, 9 * o.lambda, 9 * o.lambda},
		{"too far up", over, 2 * o.lambda, limit(over, 8)},
		{"still up", over, 2 * o.lambda, limit(over, 32)},
		{"no limit", over, math.Inf(1), limit(over, 128)},
		{"too far down", under, o.lambda / 2, limit(under, 8)},
		{"still down", under, o.lambda / 2, limit(under, 32)},
		{"not far", over, 1.001 * o.lambda, 1.001 * o.lambda},
	} {
		if got := s.within(tt.at, tt.next); math.Abs(got-tt.want) > 1e-12*tt.want {
			t.Errorf("%s: λ %v, want %v", tt.name, got, tt.want)
		}
	}
}
