package drift

import (
	"context"
	"errors"
	"math"
	"testing"

	"rot.example/rot/ot"
)

func TestNoise(t *testing.T) {
	// Halves of 500 rows are solved as they are in one way and extrapolated in
	// another, and must agree.
	x := cloud(1000, 2, 1)
	direct, err := halvesApart(context.Background(), x, ot.Euclidean, 500, 3, 9)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Noise(context.Background(), x, ot.Euclidean, 1)
	if err != nil || math.Abs(got/direct-1) > 0.25 {
		t.Errorf("noise %v, solved directly %v (%v)", got, direct, err)
	}
	small, err := Noise(context.Background(), cloud(100, 2, 2), ot.Euclidean, 1)
	if err != nil || small < 1.3*got {
		t.Errorf("noise %v of 100 rows, %v of 1000 (%v)", small, got, err)
	}
	if _, err := Noise(context.Background(), cloud(3, 2, 1), ot.Euclidean, 1); !errors.Is(err, ot.ErrShape) {
		t.Error(err)
	}
}
