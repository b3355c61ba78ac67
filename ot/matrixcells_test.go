package ot

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMatrixCoords asserts that matrices of points in few dimensions get
// coordinates and others none, and that answers are those of the points.
func TestMatrixCoords(t *testing.T) {
	for _, tt := range []struct {
		name   string
		d      int
		metric Metric
		far    int
		want   bool
	}{
		{"plane", 2, SqEuclidean, 0, true},
		{"line", 1, Euclidean, 0, true},
		{"distances in the plane", 2, Euclidean, 0, true},
		{"city blocks", 2, Cityblock, 0, true},
		{"far outliers", 2, SqEuclidean, 50, true},
		{"many dimensions", 16, SqEuclidean, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(95, uint64(tt.d)))
			x, y := normal(r, 1100, tt.d, tt.far), normal(r, 900, tt.d, 0)
			x.Weights, y.Weights = randomWeights(r, 1100), randomWeights(r, 900)
			x.Weights[7], y.Weights[1] = 0, 0
			points := problem(t, x, y, tt.metric)
			p := tableOf(t, points).problem(t)
			in, err := newInstance(p, true)
			if err != nil {
				t.Fatal(err)
			}
			if in.findCoords(); (in.coords != nil) != tt.want {
				t.Errorf("coordinates: %v, want %v", in.coords != nil, tt.want)
			}
			got, want := certified(t, p, 0, 0), certified(t, points, 0, 0)
			if math.Abs(got.Value-want.Value) > 1e-9*want.Value {
				t.Errorf("value %.17g, of the points %.17g", got.Value, want.Value)
			}
		})
	}
}

// TestMatrixCoordsNone asserts that matrices that tell nothing of where points
// are have no coordinates.
func TestMatrixCoordsNone(t *testing.T) {
	const n = 600
	r := rand.New(rand.NewPCG(96, 0))
	for name, cost := range map[string]func(i, j int) float64{
		"random":   func(i, j int) float64 { return r.Float64() },
		"constant": func(i, j int) float64 { return 3 },
		"sums":     func(i, j int) float64 { return float64(i) + float64(j*j) },
		"one huge": func(i, j int) float64 { return float64(i/n) + 1e100*float64(i*j/(n-1)/(n-1)) },
	} {
		x := table{make([]float64, n*n), randomWeights(r, n), randomWeights(r, n)}
		for k := range x.c {
			x.c[k] = cost(k/n, k%n)
		}
		in, err := newInstance(x.problem(t), true)
		if err != nil {
			t.Fatal(err)
		}
		if in.findCoords(); in.coords != nil {
			t.Errorf("%s: coordinates found", name)
		}
	}
}
