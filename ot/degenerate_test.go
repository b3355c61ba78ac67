package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"rot.example/rot/chisq"
)

// A degenerate case is a problem full of ties, or of numbers of very
// different size: where a simplex method cycles, stalls or loses digits.
type degenerate struct {
	name string
	make func(t testing.TB, r *rand.Rand) *Problem
}

// constant is n times the same point.
func constant(n, d int, at float64) *Points {
	return &Points{Dim: d, Coords: slices.Repeat([]float64{at}, n*d)}
}

// lattice is the integer grid of side×side points, moved.
func lattice(side int, dx, dy float64) *Points {
	p := &Points{Dim: 2}
	for k := range side * side {
		p.Coords = append(p.Coords, float64(k/side)+dx, float64(k%side)+dy)
	}
	return p
}

// repeated is every row of p, times over.
func repeated(p *Points, times int) *Points {
	return &Points{Dim: p.Dim, Coords: slices.Repeat(p.Coords, times)}
}

// moved adds by to all coordinates, after scaling.
func moved(p *Points, scale, by float64) *Points {
	q := &Points{Dim: p.Dim, Coords: scaled(p.Coords, scale)}
	for k := range q.Coords {
		q.Coords[k] += by
	}
	return q
}

// integerCosts is an n×n assignment problem with costs 0, 1 and 2.
func integerCosts(t testing.TB, r *rand.Rand, n int) *Problem {
	mat := make([]float64, n*n)
	for k := range mat {
		mat[k] = float64(r.IntN(3))
	}
	c, err := NewMatrixCost(n, n, mat)
	if err != nil {
		t.Fatal(err)
	}
	return &Problem{Cost: c}
}

var degenerates = []degenerate{
	{name: "one place", make: func(t testing.TB, _ *rand.Rand) *Problem {
		return problem(t, constant(200, 2, 1), constant(300, 2, 1), Euclidean)
	}},
	{name: "two places", make: func(t testing.TB, _ *rand.Rand) *Problem {
		return problem(t, constant(200, 2, 1), constant(300, 2, 4), SqEuclidean)
	}},
	{name: "same grid", make: func(t testing.TB, _ *rand.Rand) *Problem {
		return problem(t, lattice(30, 0, 0), lattice(30, 0, 0), SqEuclidean)
	}},
	{name: "moved grid", make: func(t testing.TB, _ *rand.Rand) *Problem {
		return problem(t, lattice(30, 0, 0), lattice(30, 3, 1), SqEuclidean)
	}},
	{name: "half-moved grid", make: func(t testing.TB, _ *rand.Rand) *Problem {
		return problem(t, lattice(30, 0, 0), lattice(30, 0.5, 0.5), Cityblock)
	}},
	{name: "grids of different size", make: func(t testing.TB, _ *rand.Rand) *Problem {
		return problem(t, lattice(30, 0, 0), lattice(20, 2, 2), Euclidean)
	}},
	{name: "duplicates", make: func(t testing.TB, r *rand.Rand) *Problem {
		return problem(t, repeated(normal(r, 20, 2, 1), 50), repeated(normal(r, 20, 2, 0), 50), SqEuclidean)
	}},
	{name: "duplicates of one sample", make: func(t testing.TB, r *rand.Rand) *Problem {
		x := normal(r, 20, 2, 1)
		return problem(t, repeated(x, 50), repeated(x, 30), Euclidean)
	}},
	{name: "costs 0 1 2", make: func(t testing.TB, r *rand.Rand) *Problem { return integerCosts(t, r, 300) }},
	{name: "far clusters", make: func(t testing.TB, r *rand.Rand) *Problem {
		x, y := normal(r, 600, 2, 0), normal(r, 600, 2, 0)
		for i := range 300 {
			x.Row(i)[0] += 1e6
			if i < 200 {
				y.Row(i)[0] += 1e6
			}
		}
		return problem(t, x, y, Euclidean)
	}},
	{name: "collinear", make: func(t testing.TB, r *rand.Rand) *Problem {
		x, y := normal(r, 400, 3, 20), normal(r, 400, 3, 0)
		for _, q := range []*Points{x, y} {
			for i := range q.Len() {
				v := q.Row(i)[0]
				copy(q.Row(i), []float64{v, 2 * v, -v})
			}
		}
		return problem(t, x, y, Euclidean)
	}},
	{name: "line", make: func(t testing.TB, r *rand.Rand) *Problem {
		return problem(t, normal(r, 500, 1, 25), normal(r, 400, 1, 0), Euclidean)
	}},
	{name: "integer line", make: func(t testing.TB, r *rand.Rand) *Problem {
		x, y := normal(r, 500, 1, 25), normal(r, 500, 1, 0)
		for _, q := range []*Points{x, y} {
			for k := range q.Coords {
				q.Coords[k] = math.Round(3 * q.Coords[k])
			}
		}
		return problem(t, x, y, Cityblock)
	}},
	{name: "1×2000", make: func(t testing.TB, r *rand.Rand) *Problem {
		return problem(t, normal(r, 1, 3, 0), normal(r, 2000, 3, 50), SqEuclidean)
	}},
	{name: "2000×3", make: func(t testing.TB, r *rand.Rand) *Problem {
		return problem(t, normal(r, 2000, 3, 100), normal(r, 3, 3, 0), SqEuclidean)
	}},
	{name: "3×2000", make: func(t testing.TB, r *rand.Rand) *Problem {
		return problem(t, normal(r, 3, 2, 0), normal(r, 2000, 2, 100), Euclidean)
	}},
	{name: "weights over 12 decades", make: func(t testing.TB, r *rand.Rand) *Problem {
		x, y := normal(r, 300, 2, 15), normal(r, 300, 2, 0)
		for _, q := range []*Points{x, y} {
			for range q.Len() {
				q.Weights = append(q.Weights, math.Pow(10, -12*r.Float64()))
			}
		}
		return problem(t, x, y, Euclidean)
	}},
	{name: "offset 1e8", make: func(t testing.TB, r *rand.Rand) *Problem {
		return problem(t, moved(normal(r, 500, 3, 25), 1, 1e8), moved(normal(r, 500, 3, 0), 1, 1e8), SqEuclidean)
	}},
	{name: "tiny", make: func(t testing.TB, r *rand.Rand) *Problem {
		return problem(t, moved(normal(r, 500, 3, 25), 1e-20, 0), moved(normal(r, 500, 3, 0), 1e-20, 0), SqEuclidean)
	}},
	{name: "huge", make: func(t testing.TB, r *rand.Rand) *Problem {
		return problem(t, moved(normal(r, 500, 3, 25), 1e20, 0), moved(normal(r, 500, 3, 0), 1e20, 0), Euclidean)
	}},
	{name: "tiny cluster, far from the middle", make: func(t testing.TB, r *rand.Rand) *Problem {
		x, y := moved(normal(r, 400, 2, 20), 1e-6, 0), moved(normal(r, 400, 2, 0), 1e-6, 0)
		for i := range 250 { // most points sit elsewhere, and the float32 screen with them
			x.Row(i)[0] += 1000
			y.Row(i)[0] += 1000
		}
		return problem(t, x, y, Euclidean)
	}},
}

// TestDegenerate is the promise that no input makes a solver cycle: each case
// ends within seconds, certified.
func TestDegenerate(t *testing.T) {
	rhos := [][2]float64{{0, 0}, {1e-5, 0}, {0.01, 0}, {0.05, 0}, {0, 0.3}, {0.001, 0.001}, {0.05, 0.02}, {2, 2}}
	if testing.Short() {
		rhos = [][2]float64{{0, 0}, {0.01, 0}, {0.05, 0.02}}
	}
	for _, c := range degenerates {
		p := c.make(t, rand.New(rand.NewPCG(12, 12)))
		for _, rho := range rhos {
			t.Run(fmt.Sprint(c.name, rho), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second) // none takes one second
				defer cancel()
				start := time.Now()
				r, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}})
				if err != nil {
					t.Fatalf("%v after %v", err, time.Since(start))
				}
				t.Log(time.Since(start))
				verify(t, p, r, rho[0], rho[1], 1e-9)
			})
		}
	}
}

// TestFarGarbage asserts that one row at 1e12, which any useful radius throws
// out, costs the answer no digits: the gap is relative to the value without
// that row, not to the largest cost. Plain transport must pay for the row.
func TestFarGarbage(t *testing.T) {
	for _, metric := range []Metric{Euclidean, SqEuclidean, Cityblock} {
		for _, far := range []float64{1e4, 1e8, 1e12, 1e16} {
			for _, rho := range [][2]float64{{0, 0}, {0.005, 0}, {0.05, 0}, {0.005, 0.005}, {0.05, 0.01}, {0, 0.05}} {
				t.Run(fmt.Sprint(metric, far, rho), func(t *testing.T) {
					if rho[0] > 0 && (far > 1e8 || far == 1e8 && metric == SqEuclidean) {
					}
					r := rand.New(rand.NewPCG(13, 13))
					x, y := normal(r, 400, 2, 0), normal(r, 300, 2, 0)
					x.Row(17)[0] = far
					p := problem(t, x, y, metric)
					got := certified(t, p, rho[0], rho[1])
					if gap := got.RelGap(); gap > 1e-9 || gap < -1e-12 {
						t.Errorf("value %g, lower %g: relative gap %g", got.Value, got.Lower, gap)
					}
					if rho[0] > 0 && (got.Value > 10 || got.SourceWeights()[17] > 1e-9) {
						t.Errorf("value %g, the far row has weight %g", got.Value, got.SourceWeights()[17])
					}
				})
			}
		}
	}
}
