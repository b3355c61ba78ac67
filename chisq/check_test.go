package chisq

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// radii are those that the property tests run through.
var radii = []float64{1e-14, 1e-8, 1e-4, 0.01, 0.025, 0.125, 0.5, 1, 3, 10, 1000}

// scoreKinds are the shapes that randomScores knows.
var scoreKinds = []string{"gauss", "ties", "decades", "outliers", "offset", "tower"}

func randomScores(r *rand.Rand, kind string, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		switch kind {
		case "gauss":
			x[i] = r.NormFloat64()
		case "ties":
			x[i] = float64(r.IntN(4))
		case "decades":
			x[i] = math.Pow(10, 12*r.Float64()-6)
		case "outliers":
			x[i] = r.NormFloat64()
			if r.IntN(10) == 0 {
				x[i] += 1e9 * r.ExpFloat64()
			}
		case "offset":
			x[i] = 1e9 + r.NormFloat64()
		case "tower": // makes Newton steps crawl, so that pivot steps have work
			x[i] = r.NormFloat64()
			if i%4 == 0 {
				x[i] = math.Ldexp(1, i%400)
			}
		}
	}
	return x
}

// randomBase returns positive base weights over decades, some of them zero;
// every third one is nil.
func randomBase(r *rand.Rand, n int) []float64 {
	kind := r.IntN(3)
	if kind == 0 {
		return nil
	}
	a := make([]float64, n)
	for i := range a {
		if kind == 1 {
			a[i] = r.ExpFloat64()
		} else {
			a[i] = math.Pow(10, -6*r.Float64())
		}
		if r.IntN(8) == 0 {
			a[i] = 0
		}
	}
	a[r.IntN(n)] = 0.5
	return a
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// checkFeasible fails the test unless w is in the ball of radius rho around a.
func checkFeasible(t *testing.T, w, a []float64, rho float64) {
	t.Helper()
	var excess, total, div float64 // excess is Σ w − Σ a
	for i := range w {
		if !(w[i] >= 0) {
			t.Fatalf("weight %d is %v", i, w[i])
		}
		excess += w[i] - a[i]
		total += a[i]
		if a[i] > 0 {
			d := w[i] - a[i]
			div += d * d / a[i] / 2
		} else if w[i] != 0 {
			t.Fatalf("weight %d is %v with base 0", i, w[i])
		}
	}
	if math.Abs(excess) > 1e-13*total {
		t.Fatalf("weights sum to %v and %v more", total, excess)
	}
	// A weight is only known to its last bit, 1e-16 of itself: the second
	// term is what that does to the divergence.
	if slack := 1e-11*rho + 1e-15*math.Sqrt(2*rho) + 1e-30; div/total > rho+slack {
		t.Fatalf("divergence %v is beyond radius %v", div/total, rho)
	}
}

// dualBound returns a lower bound of Σ e w over the ball around probability
// weights a, from any multipliers: lambda > 0 of the ball, nu of the mass
// (docs/math.md §2). It is what optimality is judged by.
func dualBound(e, a []float64, rho, lambda, nu float64) float64 {
	bound := nu - lambda*rho
	for i := range e {
		u := max(0, 1+(nu-e[i])/lambda)
		bound += a[i] * (u*(e[i]-nu) + lambda/2*(u-1)*(u-1))
	}
	return bound
}

// checkOptimal fails the test unless w, s minimize score in the ball around
// base, by feasibility and the duality gap. It is written for scores whose
// squares neither overflow nor vanish.
func checkOptimal(t *testing.T, score, base []float64, rho float64, w []float64, s Solution) {
	t.Helper()
	if base == nil {
		base = ones(len(score))
	}
	checkFeasible(t, w, base, rho)
	least, total := math.Inf(1), 0.0
	for i, a := range base {
		if a > 0 {
			least = min(least, score[i])
		}
		total += a
	}
	e, p := make([]float64, len(score)), make([]float64, len(score))
	var value float64
	for i := range score {
		p[i] = base[i] / total
		if p[i] > 0 {
			e[i] = score[i] - least
		}
		value += w[i] / total * e[i]
	}
	switch {
	case s.Lambda == 0:
		if value > 1e-290*slices.Max(e) || s.Threshold != least || s.Value != least {
			t.Fatalf("lambda 0: value %v above the least score, solution %+v, least %v", value, s, least)
		}
		return
	case math.IsInf(s.Lambda, 1):
		if rho != 0 || !slices.Equal(w, base) {
			t.Fatalf("lambda is infinite for rho %v", rho)
		}
		return
	}
	scale := s.Threshold - least
	if got := s.Value - least; math.Abs(got-value) > 1e-12*scale+1e-15*math.Abs(least) {
		t.Fatalf("Value is %v above the least score, weights say %v", got, value)
	}
	if gap := value - dualBound(e, p, rho, s.Lambda, scale-s.Lambda); math.Abs(gap) > 1e-11*scale+1e-14*math.Abs(least) {
		t.Fatalf("duality gap %v at scale %v, solution %+v", gap, scale, s)
	}
	for i := range w {
		want := base[i] * max(0, (scale-e[i])/s.Lambda)
		if math.Abs(w[i]-want) > 1e-12*base[i]*((scale+1e-3*math.Abs(least))/s.Lambda) {
			t.Fatalf("weight %d is %v, threshold and slope say %v", i, w[i], want)
		}
	}
}

// randomPoint returns some point of the ball that has no reason to be special.
func randomPoint(r *rand.Rand, n int, rho float64) []float64 {
	w := make([]float64, n)
	var mean float64
	for i := range w {
		w[i] = math.Exp(3 * r.NormFloat64())
		mean += w[i] / float64(n)
	}
	for i := range w {
		w[i] /= mean
	}
	shrink := r.Float64() * min(1, math.Sqrt(rho/Divergence(w)))
	for i := range w {
		w[i] = 1 + shrink*(w[i]-1)
	}
	return w
}

// diff describes the first place where got and want differ by more than tol.
func diff(got, want []float64, tol float64) string {
	if len(got) != len(want) {
		return fmt.Sprintf("length %d, want %d", len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			return fmt.Sprintf("[%d] = %v, want %v", i, got[i], want[i])
		}
	}
	return ""
}
