package ot

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"
)

// stiffCurve is a problem large enough for radii below its elbow to be solved
// in rounds.
func stiffCurve(t testing.TB, d int) *Problem {
	r := rand.New(rand.NewPCG(37, uint64(d)))
	return problem(t, normal(r, 600, d, 30), normal(r, 560, d, 0), SqEuclidean)
}

// TestCurveRounds asserts that bounds hold what Robust proves where far outliers
// make small radii stiff, and that the curve is the same on any number of cores.
func TestCurveRounds(t *testing.T) {
	dense := []float64{0}
	for k := range 16 {
		dense = append(dense, 0.0015*float64(k+1))
	}
	for _, d := range []int{2, 16} {
		for name, rhos := range map[string][]float64{"default": nil, "dense": dense, "stiff": {0.001, 0.004, 0.02}, "one": {0.01}} {
			for _, tol := range []float64{0, 1e-9} {
				if tol > 0 && name == "dense" || testing.Short() && (tol > 0 || name == "dense" || name == "default") {
					continue
				}
				t.Run(fmt.Sprint(name, d, tol), func(t *testing.T) {
					p := stiffCurve(t, d)
					c, err := Curve(context.Background(), p, rhos, &CurveOptions{Tol: tol})
					if err != nil {
						t.Fatal(err)
					}
					want := tol
					if tol == 0 {
						want = 1e-4
					}
					checkCurve(t, p, c, want, []float64{0.0007, 0.0123, 0.035})
					for _, q := range c.Points {
						if tol == 1e-9 && !q.Solved {
							t.Errorf("ρ = %g not solved", q.Rho)
						}
					}
					before := runtime.GOMAXPROCS(1)
					again, err := Curve(context.Background(), p, rhos, &CurveOptions{Tol: tol})
					runtime.GOMAXPROCS(before)
					if err != nil {
						t.Fatal(err)
					}
					if !reflect.DeepEqual(c, again) {
						t.Error("another curve on one core")
					}
				})
			}
		}
	}
}

// TestCurveRoundsStop asserts that a curve whose radii are at work at the same
// time stops when asked to.
func TestCurveRoundsStop(t *testing.T) {
	p := stiffCurve(t, 2)
	for _, after := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		start := time.Now()
		_, err := Curve(ctx, p, nil, nil)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", after, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("stopped after %v, asked to after %v", took, after)
		}
	}
}
