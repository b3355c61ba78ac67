package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"rot.example/rot/chisq"
)

// TestEmptyPlan: both balls are so wide that no mass at all is in them, and
// the least cost is reached at two places. A plan must still have mass 1.
func TestEmptyPlan(t *testing.T) {
	for _, x := range []table{
		{[]float64{100, 100.1, 100.4, 100}, []float64{10, 1}, []float64{1, 100}},
		{[]float64{100, 100.2, 100.4, 100}, []float64{100, 1}, []float64{1, 10}},
		{[]float64{100, 100.1, 100.2, 100}, []float64{1, 10}, []float64{10, 1}},
	} {
		for _, rho := range [][2]float64{{3, 10}, {3, 3}, {3, 1}, {0.6, 0.6}, {0.4, 5}} {
			if r := certified(t, x.problem(t), rho[0], rho[1]); r.Value < 100-1e-9 {
				t.Errorf("ρ = %v: value %g with %d arcs", rho, r.Value, r.Plan.Len())
			}
		}
	}
}

// TestCreep: just below ρ_max two sources must wake up before the ball can be
// tight, and λ has to go a long way up for that.
func TestCreep(t *testing.T) {
	x := table{
		c: []float64{
			1.324031001612164, 0.41715950310103816, 0.5302565973894634, 0.2781445280195531,
			0.01054401065100897, 3.6070683422896703, 3.9264876650600544, 3.17104771616046,
			0.0032976055621691024, 3.0245367729165102, 3.317599514656839, 2.626457058756985,
			11.116700016305135, 2.364297536478216, 2.1179531122458313, 2.7427069950475684,
			0.047556884585490365, 2.4915641030871956, 2.7581810722305606, 2.131553694234289,
		},
		a: []float64{0.2846241107638428, 0.21760008422003735, 0.13421650893601317, 0.17213113236901914, 0.19142816371108745},
		b: []float64{0.04602317473784538, 0.08470128424323775, 0.008191402791977699, 0.8602813154818871},
	}
	certified(t, x.problem(t), 1.0973843046280471, 0)
	for _, s := range []struct {
		seed uint64
		m, n uint8
		rho  uint8
	}{{1159393, 81, 254, 211}} {
		p, _, name := fuzzInstance(s.seed, s.m, s.n)
		t.Run(name, func(t *testing.T) { certified(t, p, fuzzRadius(s.rho), 0) })
	}
}

// farApart are instances with one radius next to nothing and the other, by
// comparison, next to everything.
var farApart = []struct {
	seed       uint64
	m, n       uint8
	rho1, rho2 uint8
}{
	{155, 196, 99, 45, 239},
	{1005630, 255, 142, 77, 255},
	{1096263, 170, 234, 39, 251},
	{1101185, 241, 85, 255, 41},
	{1131421, 95, 31, 255, 50},
	{1160657, 146, 14, 250, 35},
	{1164673, 194, 110, 255, 69},
	{1190683, 91, 46, 118, 218},
	{1237752, 2, 124, 55, 143},
}

// TestRadiiFarApart: the gap may stay above the tolerance here, but Robust must
// say so, and its bounds hold.
func TestRadiiFarApart(t *testing.T) {
	for _, s := range farApart {
		p, _, name := fuzzInstance(s.seed, s.m, s.n)
		rho1, rho2 := fuzzRadius(s.rho1), fuzzRadius(s.rho2)
		t.Run(fmt.Sprint(name, ", in fact ", rho1, rho2), func(t *testing.T) {
			r, err := Robust(context.Background(), p, &RobustOptions{Source: chisq.Ball{Rho: rho1}, Target: chisq.Ball{Rho: rho2}})
			tol := 1e-9
			if late := (*ConvergenceError)(nil); errors.As(err, &late) {
				tol = math.Inf(1)
			} else if err != nil {
				t.Fatal(err)
			}
			verify(t, p, r, rho1, rho2, tol)
		})
	}
}

// TestCurveFarApart: a curve goes from one radius to the next with the forest
// at hand, which does not lead from everything to next to nothing.
func TestCurveFarApart(t *testing.T) {
	p, _, _ := fuzzInstance(55, 26, 119)
	rhos := []float64{fuzzRadius(48), fuzzRadius(49), fuzzRadius(230), fuzzRadius(238)}
	for _, rho := range rhos {
		certified(t, p, rho, 0)
	}
	c, err := Curve(context.Background(), p, rhos, &CurveOptions{Tol: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	checkCurve(t, p, c, 1e-9, nil)
}

// TestBarelyShort: one-sided, nothing special about it but costs of very
// different size, and the gap ends just above the tolerance.
func TestBarelyShort(t *testing.T) {
	p, _, _ := fuzzInstance(1175098, 79, 199)
	certified(t, p, fuzzRadius(208), 0)
}

// TestLostTarget: at a tiny λ flows are rounding noise, which can cut a row
// off its only arc in the forest. A hard marginal must be kept all the same.
func TestLostTarget(t *testing.T) {
	sizes := []int{520, 530, 600, 1100}
	p, _, _, _ := randomInstance(5001348, sizes)
	certified(t, p, 0, 10)
	p, _, _, _ = randomInstance(5000147, sizes) // a grid, uniform weights, costs from 100 on
	certified(t, p, 0, 0.01)
}
