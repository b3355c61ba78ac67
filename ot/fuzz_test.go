package ot

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"rot.example/rot/chisq"
)

// fuzzRadius spreads a byte over the radii: 0, then 1e-12 to 1e3 in even
// steps of the logarithm.
func fuzzRadius(b uint8) float64 {
	if b < 32 {
		return 0
	}
	return math.Pow(10, -12+15*float64(b-32)/223)
}

// usual radii leave a solver room above rounding and below all mass in one place.
func usual(rho float64) bool { return rho == 0 || rho >= 1e-6 && rho <= 10 }

// fuzzInstance is one of randomInstance's kinds in the sizes given.
func fuzzInstance(seed uint64, m, n uint8) (p *Problem, wide bool, name string) {
	p, _, _, name = randomInstance(seed, []int{1 + int(m)%50, 1 + int(n)%50})
	return p, strings.Contains(name, "wide"), name
}

// FuzzRobust certifies random instances of all kinds.
func FuzzRobust(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint8(7*seed), uint8(30), uint8(100+10*seed), uint8(40*(seed%4)))
	}
	f.Fuzz(func(t *testing.T, seed uint64, m, n, r1, r2 uint8) {
		p, wide, name := fuzzInstance(seed, m, n)
		rho1, rho2 := fuzzRadius(r1), fuzzRadius(r2)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		r, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: rho1}, Target: chisq.Ball{Rho: rho2}})
		tol := 1e-9
		// To fall short and say so, with bounds that hold, is no error where
		// costs or radii span more than rounding can bear.
		if late := (*ConvergenceError)(nil); errors.As(err, &late) && (wide || !usual(rho1) || !usual(rho2) || late.Gap < 1e-6) {
			tol = math.Inf(1)
		} else if err != nil {
			t.Fatalf("%s, in fact %g, %g: %v", name, rho1, rho2, err)
		}
		verify(t, p, r, rho1, rho2, tol)
	})
}

// FuzzCurve compares the bounds of a curve with Robust, at its radii and
// between them.
func FuzzCurve(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint8(20), uint8(5*seed), []byte{0, 40, 120, 200, uint8(25 * seed)}, uint8(150))
	}
	f.Fuzz(func(t *testing.T, seed uint64, m, n uint8, radii []byte, between uint8) {
		p, wide, _ := fuzzInstance(seed, m, n)
		if wide || len(radii) == 0 || len(radii) > 12 {
			return
		}
		var rhos []float64
		for _, b := range radii {
			rhos = append(rhos, fuzzRadius(b))
		}
		tol := []float64{1e-4, 1e-9}[seed%2]
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		c, err := Curve(ctx, p, rhos, &CurveOptions{Tol: tol})
		if late := (*ConvergenceError)(nil); errors.As(err, &late) && (late.Gap < 1e-6 || slices.ContainsFunc(rhos, func(r float64) bool { return !usual(r) })) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkCurve(t, p, c, tol, []float64{fuzzRadius(between)})
	})
}
