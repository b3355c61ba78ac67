package figure

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/ot"
)

// TestPlane: the long direction of both clouds together becomes the first
// axis, and what lies in a plane keeps its distances.
func TestPlane(t *testing.T) {
	x := &ot.Points{Dim: 3, Coords: []float64{0, 0, 0, 0, 3, 4, 0, -3, -4}}
	y := &ot.Points{Dim: 3, Coords: []float64{1, 0, 0, 0, 30, 40}}
	flat, xLabel, yLabel, err := Plane(x, y)
	if err != nil || len(flat) != 2 || flat[0].Len() != 3 || flat[1].Len() != 2 || flat[0].Dim != 2 {
		t.Fatalf("%v, %v", flat, err)
	}
	between := func(a, b []float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }
	if d := between(flat[0].Row(0), flat[1].Row(1)); math.Abs(d-50) > 1e-9 {
		t.Errorf("distance %v, want 50", d)
	}
	if d := between(flat[0].Row(1), flat[0].Row(2)); math.Abs(d-10) > 1e-9 {
		t.Errorf("distance %v, want 10", d)
	}
	if !strings.HasPrefix(xLabel, "PC 1 of 3") || !strings.HasPrefix(yLabel, "PC 2 of 3") {
		t.Errorf("labels %q, %q", xLabel, yLabel)
	}
	two := &ot.Points{Dim: 2, Coords: []float64{1, 2, 3, 4}}
	if flat, xLabel, _, err = Plane(two); err != nil || xLabel != "" || !slices.Equal(flat[0].Coords, two.Coords) {
		t.Errorf("%v, %q, %v", flat, xLabel, err)
	}
	for name, clouds := range map[string][]*ot.Points{
		"none": nil, "a line": {{Dim: 1, Coords: []float64{1}}}, "two dimensions": {x, two}, "empty": {{Dim: 2}},
	} {
		if _, _, _, err := Plane(clouds...); !errors.Is(err, ot.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
