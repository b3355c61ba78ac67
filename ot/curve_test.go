package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rot.example/rot/chisq"
)

// checkCurve asserts that the curve's bounds hold what Robust proves, at its
// points and at other radii.
func checkCurve(t testing.TB, p *Problem, c *CurveResult, tol float64, others []float64) {
	t.Helper()
	scale := tableOf(t, p).scale()
	eps := 1e-12 * scale
	for k, q := range c.Points {
		if k > 0 && !(q.Rho > c.Points[k-1].Rho) {
			t.Errorf("radius %g after %g", q.Rho, c.Points[k-1].Rho)
		}
		if q.Lambda < 0 {
			t.Errorf("ρ = %g: λ = %g", q.Rho, q.Lambda)
		}
		if !(q.Value-q.Lower <= tol*math.Abs(c.Plain)+1e-9*math.Abs(q.Value)+eps) {
			t.Errorf("ρ = %g: bounds [%.17g, %.17g], V(0) = %g", q.Rho, q.Lower, q.Value, c.Plain)
		}
		lower, upper := c.Bounds(q.Rho) // at least as good, but for w ≥ 0
		inside(t, p, q.Rho, math.Max(lower, q.Lower), math.Min(upper, q.Value), eps)
	}
	for _, rho := range others {
		lower, upper := c.Bounds(rho)
		inside(t, p, rho, lower, upper, eps)
	}
}

// inside asserts that V(ρ) lies within the bounds.
func inside(t testing.TB, p *Problem, rho, lower, upper, eps float64) {
	t.Helper()
	r := certified(t, p, rho, 0)
	if !(lower <= r.Value+eps && upper >= r.Lower-eps && lower <= upper+eps) {
		t.Errorf("ρ = %g: [%.17g, %.17g], Robust says [%.17g, %.17g]", rho, lower, upper, r.Lower, r.Value)
	}
}

func TestCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 31))
	x, y := normal(r, 200, 2, 10), normal(r, 180, 2, 0)
	weighted := &Points{Dim: 2, Coords: x.Coords, Weights: randomWeights(r, 200)}
	x16, y16 := normal(r, 150, 16, 10), normal(r, 150, 16, 0)
	for name, p := range map[string]*Problem{
		"plane":    problem(t, x, y, SqEuclidean),
		"weighted": problem(t, weighted, y, Euclidean),
		"16":       problem(t, x16, y16, SqEuclidean),
		"matrix":   tableOf(t, problem(t, x, y, Cityblock)).problem(t),
	} {
		for _, tol := range []float64{0, 1e-2, 1e-9} {
			if testing.Short() && tol > 0 {
				continue
			}
			t.Run(fmt.Sprint(name, tol), func(t *testing.T) {
				c, err := Curve(context.Background(), p, nil, &CurveOptions{Tol: tol})
				if err != nil {
					t.Fatal(err)
				}
				if len(c.Points) != len(DefaultRhos()) || c.Plain != c.Points[0].Value {
					t.Errorf("%d points, V(0) = %g and %g", len(c.Points), c.Plain, c.Points[0].Value)
				}
				others := []float64{c.RhoMax, 2 * c.RhoMax}
				for range 20 {
					others = append(others, 0.6*r.Float64()*r.Float64())
				}
				want := tol
				if tol == 0 {
					want = 1e-4
				}
				checkCurve(t, p, c, want, others)
				solved := 0
				for _, q := range c.Points {
					if q.Solved {
						solved++
					}
				}
				if tol == 1e-9 && solved < len(c.Points) || tol == 1e-2 && solved == len(c.Points) {
					t.Errorf("%d of %d points solved", solved, len(c.Points))
				}
			})
		}
	}
}

// TestCurveRadii asserts that radii may come in any order, twice, and from 0
// to beyond all bounds.
func TestCurveRadii(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 32))
	p := problem(t, normal(r, 60, 2, 3), normal(r, 70, 2, 0), Euclidean)
	for _, tt := range []struct{ radii, want []float64 }{
		{[]float64{0.05, 0.01, 0.05, 0, 0.02, 0}, []float64{0, 0.01, 0.02, 0.05}},
		{[]float64{0}, []float64{0}},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{1e-12, 1e-6}, []float64{1e-12, 1e-6}},
		{[]float64{1e6, 1e3, 1e-3}, []float64{1e-3, 1e3, 1e6}},
	} {
		in := slices.Clone(tt.radii)
		c, err := Curve(context.Background(), p, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, q := range c.Points {
			got = append(got, q.Rho)
		}
		if !slices.Equal(got, tt.want) || !slices.Equal(in, tt.radii) {
			t.Errorf("radii %v became %v, want %v", tt.radii, got, tt.want)
		}
		checkCurve(t, p, c, 1e-4, []float64{0.001, 0.01, 0.1, 1})
	}
}

// TestCurveFlat asserts sense where there is no curve: nothing costs anything,
// or all costs are equal or negative.
func TestCurveFlat(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 33))
	x := normal(r, 50, 2, 0)
	negative := tableOf(t, problem(t, x, normal(r, 40, 2, 0), Euclidean)).each(func(c float64) float64 { return c - 10 })
	for name, p := range map[string]*Problem{
		"identity":  problem(t, x, x, SqEuclidean),
		"one point": problem(t, constant(1, 2, 0), x, Euclidean),
		"one place": problem(t, constant(20, 2, 0), constant(20, 2, 3), Euclidean),
		"negative":  negative.problem(t),
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Curve(context.Background(), p, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkCurve(t, p, c, 1e-4, []float64{0.001, 0.1, 3})
			if math.IsNaN(c.Elbow) || c.Elbow < 0 || math.IsNaN(c.Sharpness) {
				t.Errorf("elbow %g, sharpness %g", c.Elbow, c.Sharpness)
			}
		})
	}
}

// TestCurveSlopes asserts that every point has a slope, also where the curve
// is so flat that plain transport bounds all of it.
func TestCurveSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 37))
	for name, p := range map[string]*Problem{
		"one source": problem(t, normal(r, 1, 2, 0), normal(r, 9, 2, 0), Euclidean),
		"one place":  problem(t, constant(20, 2, 0), constant(20, 2, 3), Euclidean),
	} {
		c, err := Curve(context.Background(), p, []float64{0.01, 0.1, 0.5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range c.Points {
			if q.Lambda != 0 {
				t.Errorf("%s: ρ = %g: λ = %g", name, q.Rho, q.Lambda)
			}
		}
	}
}

func TestCurveRandom(t *testing.T) {
	eachRandom(t, 60, func(t *testing.T, r *rand.Rand, p *Problem, rho1, rho2 float64) {
		c, err := Curve(context.Background(), p, []float64{0, rho1, rho2, 1e-3, 0.02, 0.3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkCurve(t, p, c, 1e-4, []float64{1e-7, 0.01, 0.1 * r.Float64(), r.Float64(), 20})
	})
}

// TestElbow asserts that far outliers are counted to within a step of the grid.
func TestElbow(t *testing.T) {
	for _, d := range []int{8, 2} {
		if testing.Short() && d == 2 {
			continue
		}
		for _, metric := range []Metric{Euclidean, SqEuclidean} {
			for _, outliers := range []int{0, 15, 30, 60} {
				r := rand.New(rand.NewPCG(34, 34))
				p := problem(t, normal(r, 300, d, outliers), normal(r, 300, d, 0), metric)
				c, err := Curve(context.Background(), p, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%v, %d dimensions, %d outliers: elbow %g, sharpness %.3g", metric, d, outliers, c.Elbow, c.Sharpness)
				if outliers == 0 {
					if c.Sharpness > 10 {
						t.Error(name)
					}
					continue
				}
				ball, err := chisq.FromGamma(float64(outliers) / 300)
				if err != nil {
					t.Fatal(err)
				}
				grid := DefaultRhos()
				k := slices.Index(grid, c.Elbow)
				if k < 1 || grid[k-1] > ball.Rho || grid[k+1] < ball.Rho || c.Sharpness < 20 {
					t.Errorf("%s, want %.3g", name, ball.Rho)
				}
			}
		}
	}
}

// TestElbowOfValues: two straight lines in √ρ bend where they meet and nowhere
// else; a level one bends nowhere.
func TestElbowOfValues(t *testing.T) {
	grid := DefaultRhos()
	lines := func(at, before, after float64) (values []float64) {
		for _, rho := range grid {
			s := math.Sqrt(rho)
			values = append(values, 5-before*min(s, math.Sqrt(at))-after*max(0, s-math.Sqrt(at)))
		}
		return values
	}
	for _, want := range []float64{0.0025, 0.05, 0.4} {
		if at, _ := Elbow(grid, lines(want, 3, 0.1)); at != want {
			t.Errorf("elbow at %g, want %g", at, want)
		}
	}
	for name, values := range map[string][]float64{"level": lines(0.05, 0, 0), "zero": make([]float64, len(grid))} {
		if at, _ := Elbow(grid, values); at != 0 {
			t.Errorf("%s: elbow at %g", name, at)
		}
	}
	if at, sharpness := Elbow(grid[:2], []float64{1, 0}); at != 0 || sharpness != 0 {
		t.Errorf("two values have an elbow at %g", at)
	}
}
