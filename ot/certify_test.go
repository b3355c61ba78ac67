package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// normal draws n standard normal points; outliers of them move by 20 along the
// first axis.
func normal(r *rand.Rand, n, d, outliers int) *Points {
	p := &Points{Dim: d, Coords: make([]float64, n*d)}
	for k := range p.Coords {
		p.Coords[k] = r.NormFloat64()
	}
	for i := range outliers {
		p.Coords[i*d] += 20
	}
	return p
}

func randomWeights(r *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.2 + r.Float64()
	}
	return w
}

func problem(t testing.TB, x, y *Points, metric Metric) *Problem {
	t.Helper()
	p, err := NewProblem(x, y, metric)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// verify recomputes everything that a Result claims, from the plan, the
// potentials and the costs alone, and fails unless the gap is within tol.
func verify(t testing.TB, p *Problem, r *Result, rho1, rho2, tol float64) {
	t.Helper()
	a, b, err := p.weights()
	if err != nil {
		t.Fatal(err)
	}
	m, n := p.Cost.Dims()
	w, v := make([]float64, m), make([]float64, n)
	var value, mass, scale float64
	for k, f := range r.Plan.Mass {
		i, j := int(r.Plan.I[k]), int(r.Plan.J[k])
		if !(f >= 0) {
			t.Fatalf("plan entry %d,%d has mass %g", i, j, f)
		}
		w[i] += f
		v[j] += f
		mass += f
		value += f * p.Cost.At(i, j)
	}
	if math.Abs(mass-1) > 1e-12 {
		t.Errorf("plan has mass %g", mass)
	}
	phi, psi := r.F, r.G
	top := 0.0 // costs are compared in units of the largest: their squares must be numbers
	for i := range m {
		for j := range n {
			top = math.Max(top, math.Abs(p.Cost.At(i, j)))
		}
	}
	_, e := math.Frexp(top)
	if top > 1e100 || top < 1e-100 && top > 0 {
		c, err := NewMatrixCost(m, n, make([]float64, m*n))
		if err != nil {
			t.Fatal(err)
		}
		for k := range c.matrix {
			c.matrix[k] = math.Ldexp(p.Cost.At(k/n, k%n), -e)
		}
		small := *r
		small.F, small.G = ldexp(r.F, -e), ldexp(r.G, -e)
		small.Value, small.Lower = math.Ldexp(r.Value, -e), math.Ldexp(r.Lower, -e)
		verify(t, &Problem{Cost: c, A: p.A, B: p.B}, &small, rho1, rho2, tol)
		return
	}
	least, lowest := math.Inf(1), math.Inf(1) // of C − φ − ψ, of C
	for i := range m {
		for j := range n {
			c := p.Cost.At(i, j)
			scale += a[i] * b[j] * math.Abs(c)
			if a[i] > 0 && b[j] > 0 {
				least = math.Min(least, c-phi[i]-psi[j])
				lowest = math.Min(lowest, c)
			}
		}
	}
	lower := least
	for side, s := range []struct {
		rho             float64
		w, base, f, got []float64
	}{{rho1, w, a, phi, r.A}, {rho2, v, b, psi, r.B}} {
		var chi, mean, varc float64
		for i := range s.w {
			if math.Abs(s.w[i]-s.got[i]) > 1e-13 {
				t.Errorf("side %d: marginal %d is %g, result says %g", side, i, s.w[i], s.got[i])
			}
			if s.base[i] == 0 {
				if s.w[i] != 0 {
					t.Errorf("side %d: row %d has base weight 0 and mass %g", side, i, s.w[i])
				}
				continue
			}
			if s.rho == 0 && math.Abs(s.w[i]-s.base[i]) > 1e-13 {
				t.Errorf("side %d: marginal %d is %g, want %g", side, i, s.w[i], s.base[i])
			}
			chi += (s.w[i] - s.base[i]) * (s.w[i] - s.base[i]) / s.base[i] / 2
			mean += s.base[i] * s.f[i]
		}
		for i := range s.f {
			varc += s.base[i] * (s.f[i] - mean) * (s.f[i] - mean)
		}
		if chi > s.rho*(1+1e-9)+1e-20 {
			t.Errorf("side %d: divergence %g > ρ = %g", side, chi, s.rho)
		}
		std := mean - math.Sqrt(2*varc)*math.Sqrt(s.rho)
		if s.rho > 0 {
			_, sol, err := chisq.Ball{Rho: s.rho}.Solve(nil, s.f, s.base)
			if err == nil {
				std = math.Max(std, sol.Value)
			}
		}
		lower += std
	}
	lower = math.Max(lower, lowest) // no plan is cheaper, whatever the potentials
	eps := 1e-11 * math.Max(math.Abs(value), scale)
	if !(math.Abs(value-r.Value) <= eps && lower >= r.Lower-eps) { // NaN fails too
		t.Errorf("value %.17g, bound %.17g; result says %.17g, %.17g", value, lower, r.Value, r.Lower)
	}
	if gap := r.Value - r.Lower; gap > tol*math.Abs(r.Value)+1e-14*scale || gap < -1e-12*math.Max(math.Abs(r.Value), scale) {
		t.Errorf("value %.17g lower %.17g gap %g (scale %g)", r.Value, r.Lower, gap, scale)
	}
}

func TestCertificates(t *testing.T) {
	for _, metric := range []Metric{SqEuclidean, Euclidean, Cityblock, Cosine} {
		for _, weighted := range []bool{false, true} {
			for _, size := range [][3]int{{1, 1, 2}, {1, 9, 2}, {9, 1, 2}, {2, 3, 1}, {40, 70, 2}, {150, 60, 16}, {200, 200, 3}, {600, 700, 2}} {
				r := rand.New(rand.NewPCG(5, uint64(size[0])))
				x, y := normal(r, size[0], size[2], size[0]/20), normal(r, size[1], size[2], 0)
				if weighted {
					x.Weights, y.Weights = randomWeights(r, size[0]), randomWeights(r, size[1])
				}
				p := problem(t, x, y, metric)
				for _, rho := range [][2]float64{{0, 0}, {1e-4, 0}, {0.01, 0}, {0, 0.01}, {0.0263, 0}, {0.05, 0}, {0.5, 0}, {50, 0}, {0.02, 0.02}, {0.05, 0.001}, {1e-4, 0.3}, {1, 2}, {1e-6, 1e-6}} {
					if size[0] > 500 && rho[0] != 0 && rho[0] != 0.01 {
						continue
					}
					t.Run(fmt.Sprint(metric, weighted, size, rho), func(t *testing.T) {
						res, err := Robust(context.Background(), p, &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}})
						if err != nil {
							t.Fatal(err)
						}
						verify(t, p, res, rho[0], rho[1], 1e-9)
					})
				}
			}
		}
	}
}
