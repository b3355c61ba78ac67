package ot

import (
	"errors"
	"math"
	"testing"
)

// TestSideError: what is wrong with a side says where, and keeps its text.
func TestSideError(t *testing.T) {
	good := &Points{Dim: 2, Coords: []float64{1, 2, 3, 4}}
	for _, tt := range []struct {
		name   string
		x, y   *Points
		metric Metric
		want   SideError
		text   string
	}{
		{"not a number", good, &Points{Dim: 2, Coords: []float64{1, 2, 3, math.NaN()}}, Euclidean,
			SideError{Side: "target", Row: 1, Column: 1, Problem: "is NaN", Err: ErrValue}, "ot: target row 1 column 1 is NaN: value is not usable"},
		{"too large", &Points{Dim: 2, Coords: []float64{1, 1e300}}, good, Euclidean,
			SideError{Side: "source", Row: 0, Column: 1, Problem: "is 1e+300: costs would overflow", Err: ErrValue}, "ot: source row 0 column 1 is 1e+300: costs would overflow: value is not usable"},
		{"no direction", good, &Points{Dim: 2, Coords: []float64{1, 2, 0, 0}}, Cosine,
			SideError{Side: "target", Row: 1, Column: -1, Problem: "is zero and has no cosine", Err: ErrValue}, "ot: target row 1 is zero and has no cosine: value is not usable"},
		{"nothing", &Points{Dim: 2}, good, Euclidean,
			SideError{Side: "source", Row: -1, Column: -1, Problem: "has no points", Err: ErrShape}, "ot: source has no points: shapes do not fit"},
		{"weights", good, &Points{Dim: 2, Coords: []float64{1, 2}, Weights: []float64{-1}}, Euclidean,
			SideError{Side: "target", Row: -1, Column: -1, Problem: "weight 0 is -1", Err: ErrWeights}, "ot: target weight 0 is -1: weights are not usable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewProblem(tt.x, tt.y, tt.metric)
			var got *SideError
			if !errors.As(err, &got) || *got != tt.want || !errors.Is(err, tt.want.Err) {
				t.Fatalf("got %#v, want %#v", err, &tt.want)
			}
			if err.Error() != tt.text {
				t.Errorf("got %q, want %q", err, tt.text)
			}
		})
	}
}
