package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// The distances made once for all arrangements are those that a solver makes.
func TestCarrierManyColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := &scaled{n: 50, d: manyColumns}
	for range x.n * x.d {
		x.v = append(x.v, rng.NormFloat64())
	}
	ctx := context.Background()
	fast, err := newCarrier(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	if fast.far == nil {
		t.Fatalf("%d columns: the distances are not kept", x.d)
	}
	slow := &carrier{rows: x}
	a, b := []int32{3, 1, 40, 41, 42, 7}, []int32{0, 2, 4, 30, 49}
	got, err := fast.distance(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	want, err := slow.distance(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(got-want) <= 2e-4*want) {
		t.Errorf("kept distances: %v, of points %v", got, want)
	}
}
