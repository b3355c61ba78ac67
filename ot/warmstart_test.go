package ot

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestStiffLike asks whether problems are stiff by their smallest version. Where
// that is not quite stiff, the whole has to have the same λ, and two or three
// dimensions.
func TestStiffLike(t *testing.T) {
	for _, tt := range []struct {
		name       string
		dim        int
		metric     Metric
		rho, times float64 // times: by what the smallest version's λ is multiplied
		nearly     bool
		want       bool
	}{
		{"stiff", 3, SqEuclidean, 0.01, 1, false, true},
		{"not quite", 3, Euclidean, 0.021, 1, true, true},
		{"too many outliers in the sample", 3, Euclidean, 0.021, 1.1, true, false},
		{"too few", 3, Euclidean, 0.021, 0.8, true, false},
		{"on a line", 1, Euclidean, 0.03, 1, true, false},
		{"in many dimensions", 8, Euclidean, 0.015, 1, true, false},
		{"above the elbow", 3, Euclidean, 0.05, 1, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(8, 11))
			const n = 2000
			in, err := newInstance(problem(t, normal(r, n, tt.dim, n/20), normal(r, n, tt.dim, 0), tt.metric), false)
			if err != nil {
				t.Fatal(err)
			}
			o := newOneSided(in, newWatch("", 0, nil))
			s, err := o.smallest(context.Background(), tt.rho)
			if err != nil {
				t.Fatal(err)
			}
			s.lambda *= tt.times
			by := s.lambda / resolution(s.f.l, s.f.u)
			if got := by >= nearlyStiff && by < stiff; got != tt.nearly {
				t.Fatalf("λ is %.3g times the resolution", by)
			}
			if got, err := o.stiffLike(context.Background(), s, tt.rho); err != nil || got != tt.want {
				t.Errorf("got %v, error %v, want %v", got, err, tt.want)
			}
		})
	}
}
