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

// bounds are certified bounds of V at one pair of radii.
type bounds struct{ lower, value float64 }

func boundsAt(t testing.TB, p *Problem, rho1, rho2 float64) bounds {
	t.Helper()
	r := certified(t, p, rho1, rho2)
	return bounds{r.Lower, r.Value}
}

// TestShapeInRadius asserts that V falls and is convex in ρ and in √ρ, on
// either side and along the diagonal, as far as the bounds can tell.
func TestShapeInRadius(t *testing.T) {
	roots := []float64{0, 1e-3, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 0.8, 1.5, 3}
	eachRandom(t, 60, func(t *testing.T, _ *rand.Rand, p *Problem, rho1, rho2 float64) {
		eps := 1e-12 * tableOf(t, p).scale()
		for name, at := range map[string]func(rho float64) bounds{
			"source":   func(rho float64) bounds { return boundsAt(t, p, rho, 0) },
			"target":   func(rho float64) bounds { return boundsAt(t, p, rho1, rho) },
			"diagonal": func(rho float64) bounds { return boundsAt(t, p, rho, 0.3*rho) },
		} {
			v := make([]bounds, len(roots))
			for k, root := range roots {
				v[k] = at(root * root)
			}
			for k := 1; k < len(v); k++ {
				if v[k].lower > v[k-1].value+eps {
					t.Errorf("%s: V rises from %.17g to %.17g at ρ = %g", name, v[k-1].value, v[k].lower, roots[k]*roots[k])
				}
			}
			for k := 1; k+1 < len(v); k++ {
				for _, power := range []float64{1, 2} { // of √ρ
					x0, x1, x2 := math.Pow(roots[k-1], power), math.Pow(roots[k], power), math.Pow(roots[k+1], power)
					s := (x1 - x0) / (x2 - x0)
					if chord := (1-s)*v[k-1].value + s*v[k+1].value; v[k].lower > chord+eps {
						t.Errorf("%s: V = %.17g at ρ = %g, chord %.17g in √ρ^%g", name, v[k].lower, roots[k]*roots[k], chord, power)
					}
				}
			}
		}
		if rho1 > 0 && rho2 > 0 { // joint convexity, half way to another pair
			a, b := boundsAt(t, p, rho1, rho2), boundsAt(t, p, 0.1*rho1, 3*rho2)
			if mid := boundsAt(t, p, 0.55*rho1, 2*rho2); mid.lower > (a.value+b.value)/2+eps {
				t.Errorf("V = %.17g half way between %.17g and %.17g", mid.lower, a.value, b.value)
			}
		}
	})
}

// TestSensitivity asserts ∂V/∂ρ = −λ: λ is the slope of a line below V
// everywhere, and finite differences agree with it.
func TestSensitivity(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	x, y := normal(r, 80, 2, 4), normal(r, 90, 2, 3)
	x.Weights = randomWeights(r, 80)
	p := problem(t, x, y, Euclidean)
	for _, rho := range [][2]float64{{0.001, 0}, {0.01, 0}, {0.05, 0}, {0, 0.02}, {0.01, 0.01}, {0.05, 0.02}, {0.002, 0.1}} {
		t.Run(fmt.Sprint(rho), func(t *testing.T) {
			at := certified(t, p, rho[0], rho[1])
			for side, lambda := range [2]float64{at.SourceLambda, at.TargetLambda} {
				if rho[side] == 0 {
					if !math.IsInf(lambda, 1) {
						t.Errorf("side %d is hard and has λ = %g", side, lambda)
					}
					continue
				}
				if !(lambda > 0) {
					t.Fatalf("side %d has λ = %g", side, lambda)
				}
				for _, by := range []float64{0.2, 0.9, 1.1, 4} {
					to := rho
					to[side] *= by
					if v := certified(t, p, to[0], to[1]); v.Value < at.Lower-lambda*(to[side]-rho[side])-1e-12 {
						t.Errorf("side %d: V(%v) = %.17g, below the tangent by %g", side, to, v.Value, at.Lower-lambda*(to[side]-rho[side])-v.Value)
					}
				}
				const h = 1e-4
				less, more := rho, rho
				less[side] *= 1 - h
				more[side] *= 1 + h
				slope := (certified(t, p, less[0], less[1]).Value - certified(t, p, more[0], more[1]).Value) / (more[side] - less[side])
				if math.Abs(slope-lambda) > 1e-3*lambda {
					t.Errorf("side %d: λ = %.8g, finite differences say %.8g", side, lambda, slope)
				}
			}
		})
	}
}

// TestRadiusLimits asserts the ends: no radius is plain transport, a large one
// nearest neighbours, and a tiny second one nearly one-sided.
func TestRadiusLimits(t *testing.T) {
	ctx := context.Background()
	eachRandom(t, 100, func(t *testing.T, _ *rand.Rand, p *Problem, rho1, _ float64) {
		x := tableOf(t, p)
		eps := 1e-12 * x.scale()
		exact, err := Exact(ctx, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, exact, 0, 0, 1e-9)
		if got := certified(t, p, 0, 0); got.Value != exact.Value {
			t.Errorf("V(0,0) = %.17g, Exact says %.17g", got.Value, exact.Value)
		}

		var nearest, back float64
		least := math.Inf(1)
		for j, b := range x.b {
			low := math.Inf(1)
			for i, a := range x.a {
				if a > 0 {
					low = math.Min(low, x.c[i*len(x.b)+j])
				}
			}
			if b > 0 {
				nearest += b * low
				least = math.Min(least, low)
			}
		}
		for i, a := range x.a {
			low := math.Inf(1)
			for j, b := range x.b {
				if b > 0 {
					low = math.Min(low, x.c[i*len(x.b)+j])
				}
			}
			if a > 0 {
				back += a * low
			}
		}
		rhoMax := 0.0 // the whole simplex
		for _, a := range slices.Concat(x.a, x.b) {
			if a > 0 {
				rhoMax = math.Max(rhoMax, 0.5/a)
			}
		}
		for _, tt := range []struct{ rho1, rho2, want float64 }{{rhoMax, 0, nearest}, {0, rhoMax, back}, {rhoMax, rhoMax, least}} {
			if got := certified(t, p, tt.rho1, tt.rho2); math.Abs(got.Value-tt.want) > eps {
				t.Errorf("V(%g,%g) = %.17g, want %.17g", tt.rho1, tt.rho2, got.Value, tt.want)
			}
		}

		// The potentials of one radius bound the next: V falls by √(2ρ)·Std ψ at most.
		const tiny = 1e-12
		one := certified(t, p, rho1, 0)
		two := certified(t, p, rho1, tiny)
		if low := one.Lower - math.Sqrt(2*tiny)*deviation(one.G, x.b); two.Value < low-eps || two.Lower > one.Value+eps {
			t.Errorf("V(%g,%g) in [%.17g, %.17g], want it in [%.17g, %.17g]", rho1, tiny, two.Lower, two.Value, low, one.Value)
		}
		soft := certified(t, p, tiny, 0)
		if low := exact.Lower - math.Sqrt(2*tiny)*deviation(exact.F, x.a); soft.Value < low-eps || soft.Lower > exact.Value+eps {
			t.Errorf("V(%g,0) in [%.17g, %.17g], want it in [%.17g, %.17g]", tiny, soft.Lower, soft.Value, low, exact.Value)
		}
	})
}

// deviation is the standard deviation of f under the weights a.
func deviation(f, a []float64) float64 {
	var mean, varc float64
	for i, v := range f {
		mean += a[i] * v
	}
	for i, v := range f {
		varc += a[i] * (v - mean) * (v - mean)
	}
	return math.Sqrt(varc)
}

// TestSinglePoint asserts that one point on a side leaves the weight program
// of the other.
func TestSinglePoint(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{1, 2, 5, 200} {
		many, one := normal(r, n, 2, n/10), normal(r, 1, 2, 0)
		many.Weights = randomWeights(r, n)
		p, q := problem(t, many, one, SqEuclidean), problem(t, one, many, SqEuclidean)
		cost := make([]float64, n)
		for i := range cost {
			cost[i] = p.Cost.At(i, 0)
		}
		for _, rho := range []float64{0, 1e-6, 0.01, 0.05, 0.3, 4} {
			for _, other := range []float64{0, 1e-3, 1} {
				_, sol, err := chisq.Ball{Rho: rho}.Solve(nil, cost, many.Weights)
				if err != nil {
					t.Fatal(err)
				}
				for name, got := range map[string]*Result{"source": certified(t, p, rho, other), "target": certified(t, q, other, rho)} {
					if math.Abs(got.Value-sol.Value) > 1e-12*sol.Value {
						t.Errorf("%d points as %s, ρ = %g, %g: %.17g, want %.17g", n, name, rho, other, got.Value, sol.Value)
					}
				}
			}
		}
	}
}

// TestTwoSources compares with a search over the weight of the first of two
// sources. For fixed weights, plain transport sends the targets that prefer
// the first source most to it.
func TestTwoSources(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for trial := range 200 {
		n := 1 + r.IntN(6)
		x := table{make([]float64, 2*n), []float64{0.2 + r.Float64(), 0.2 + r.Float64()}, randomWeights(r, n)}
		for k := range x.c {
			x.c[k] = math.Round(20*r.NormFloat64()) / 4
		}
		x = tableOf(t, x.problem(t))
		rho := []float64{0, 1e-4, 0.01, 0.1, 0.3, 2}[trial%6]
		reach := math.Sqrt(2 * rho * x.a[0] * x.a[1]) // ½ (w−a)²/(a₁a₂) = ρ
		want := leastOn(math.Max(0, x.a[0]-reach), math.Min(1, x.a[0]+reach), func(w float64) float64 {
			return fill(w, x.c[:n], x.c[n:], x.b)
		})
		if got := certified(t, x.problem(t), rho, 0); math.Abs(got.Value-want) > 1e-10*x.scale() {
			t.Errorf("trial %d: V = %.17g, search says %.17g", trial, got.Value, want)
		}
		if n == 2 { // two by two, both balls
			stretch := math.Sqrt(2 * 0.02 * x.b[0] * x.b[1])
			want := leastOn(math.Max(0, x.b[0]-stretch), math.Min(1, x.b[0]+stretch), func(v float64) float64 {
				return leastOn(math.Max(0, x.a[0]-reach), math.Min(1, x.a[0]+reach), func(w float64) float64 {
					return fill(w, x.c[:2], x.c[2:], []float64{v, 1 - v})
				})
			})
			if got := certified(t, x.problem(t), rho, 0.02); math.Abs(got.Value-want) > 1e-10*x.scale() {
				t.Errorf("trial %d: two-sided V = %.17g, search says %.17g", trial, got.Value, want)
			}
		}
	}
}

// leastOn is the minimum of a convex function on an interval.
func leastOn(lo, hi float64, f func(float64) float64) float64 {
	for range 120 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return f((lo + hi) / 2)
}

// fill is plain transport from two sources of weights w and 1−w.
func fill(w float64, c0, c1, b []float64) float64 {
	order := indices(len(b))
	slices.SortFunc(order, func(i, j int) int {
		if c0[i]-c1[i] < c0[j]-c1[j] {
			return -1
		}
		return 1
	})
	var value float64
	for _, j := range order {
		first := math.Min(w, b[j])
		w -= first
		value += first*c0[j] + (b[j]-first)*c1[j]
	}
	return value
}

// TestHugeRadius asserts that a radius beyond all others is nearest
// neighbours, up to the largest number there is.
func TestHugeRadius(t *testing.T) {
	p := cloud(t, 30, Euclidean)
	for _, rho := range []float64{1e3, 1e150, 1e300, math.MaxFloat64} {
		if rho > 1e300 {
		}
		for _, other := range []float64{0, 0.01, rho} {
			one, two := certified(t, p, 1e3, math.Min(other, 1e3)), certified(t, p, rho, other)
			agree(t, fmt.Sprint(rho, other), two, one, 1, one.Value)
			one, two = certified(t, p, math.Min(other, 1e3), 1e3), certified(t, p, other, rho)
			agree(t, fmt.Sprint(other, rho), two, one, 1, one.Value)
		}
	}
}
