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

func TestReservoir(t *testing.T) {
	counts := make([]int, 100)
	for seed := range uint64(400) {
		r := NewReservoir(1, 10, seed)
		for i := range 100 {
			r.Add([]float64{float64(i)})
		}
		if r.Seen != 100 || r.Points.Len() != 10 || len(r.Places) != 10 {
			t.Fatalf("%d of %d rows kept", r.Points.Len(), r.Seen)
		}
		for k, i := range r.Places {
			if r.Points.Row(k)[0] != float64(i) {
				t.Fatalf("row %d is called %d", int(r.Points.Row(k)[0]), i)
			}
			counts[i]++
		}
	}
	for i, n := range counts { // 40 on average, with a deviation of 6
		if n < 15 || n > 65 {
			t.Errorf("row %d was kept %d times of 400", i, n)
		}
	}
}
