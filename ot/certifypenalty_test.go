package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// penaltyCase is a problem of Unbalanced and its answer.
type penaltyCase struct {
	name string
	p    *Problem
	o    UnbalancedOptions
	r    *Result
}

// penaltyCases are problems of all kinds: points and matrices, equal and unequal
// weights and penalties, rows without weight, costs of any size.
func penaltyCases(t *testing.T) []penaltyCase {
	t.Helper()
	r := rand.New(rand.NewPCG(61, 61))
	var all []penaltyCase
	for k := range 24 {
		m, n, d := 1+r.IntN(30), 1+r.IntN(30), 1+r.IntN(3)
		x, y := normal(r, m, d, m/8), normal(r, n, d, 0)
		if k%3 > 0 {
			x.Weights, y.Weights = randomWeights(r, m), randomWeights(r, n)
		}
		if k%3 == 2 && m > 3 && n > 3 {
			x.Weights[1], y.Weights[2] = 0, 0
		}
		p := problem(t, x, y, []Metric{SqEuclidean, Euclidean, Cityblock, Cosine}[k%4])
		if k%5 == 4 {
			p = tableOf(t, p).problem(t)
			if k%2 == 0 {
				for i := range p.Cost.matrix {
					p.Cost.matrix[i] -= 0.3
				}
			}
		}
		o := UnbalancedOptions{Divergence: Divergence(k / 2 % 2), Penalty: math.Exp(3 * r.NormFloat64())}
		if k%4 == 1 {
			o.TargetPenalty = math.Exp(2 * r.NormFloat64())
		}
		if k%6 == 5 { // in other units
			exp := []int{-700, 600}[k/6%2]
			q := tableOf(t, p).problem(t)
			for i, c := range q.Cost.matrix {
				q.Cost.matrix[i] = math.Ldexp(c, exp)
			}
			p, o.Penalty, o.TargetPenalty = q, math.Ldexp(o.Penalty, exp), math.Ldexp(o.TargetPenalty, exp)
		}
		res, err := Unbalanced(context.Background(), p, &o)
		if err != nil {
			t.Fatalf("case %d: %v", k, err)
		}
		all = append(all, penaltyCase{fmt.Sprint(k, " ", o.Divergence), p, o, res})
	}
	return all
}

// certify is Certify as the case asks for.
func (c *penaltyCase) certify(t *testing.T, plan *Plan, more CertifyOptions) *Certificate {
	t.Helper()
	more.Divergence, more.Penalty, more.TargetPenalty = c.o.Divergence, c.o.Penalty, c.o.TargetPenalty
	got, err := Certify(context.Background(), c.p, plan, &more)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	// Whatever the plan and the potentials, the optimum lies between the bounds.
	size := 1e-11*math.Max(math.Abs(c.r.Value), math.Abs(c.r.Lower)) + c.r.noise
	if got.Lower > c.r.Value+size || got.Upper < c.r.Lower-size || math.IsNaN(got.Lower) || math.IsNaN(got.Upper) {
		t.Errorf("%s: certified [%.17g, %.17g], the optimum lies in [%.17g, %.17g]", c.name, got.Lower, got.Upper, c.r.Lower, c.r.Value)
	}
	for i, f := range got.F {
		for j, g := range got.G {
			if cost := c.p.Cost.At(i, j); f+g > cost+1e-9*(math.Abs(f)+math.Abs(g)+math.Abs(cost)) {
				t.Fatalf("%s: potentials %g and %g of a pair that costs %g", c.name, f, g, cost)
			}
		}
	}
	return got
}

// TestCertifyUnbalanced asserts that the plans of Unbalanced are certified as
// optimal, by a solve as well as by what the plans themselves say.
func TestCertifyUnbalanced(t *testing.T) {
	for _, c := range penaltyCases(t) {
		for _, sweeps := range []int{0, 2} {
			got := c.certify(t, c.r.Plan, CertifyOptions{Sweeps: sweeps})
			if !got.Feasible || got.Worst != nil {
				t.Errorf("%s: not feasible, %v", c.name, got.Worst)
			}
			if math.Abs(got.Value-c.r.Value) > 1e-12*math.Abs(c.r.Value) || got.Upper != got.Value {
				t.Errorf("%s: costs %.17g and %.17g, Unbalanced says %.17g", c.name, got.Value, got.Upper, c.r.Value)
			}
			limit := 1e-9
			if sweeps > 0 {
				limit = 1e-6
			}
			if got.Gap() > limit*math.Abs(c.r.Value)+2*c.r.noise+c.r.Gap() {
				t.Errorf("%s, %d sweeps: gap %g of %g", c.name, sweeps, got.Gap(), got.Value)
			}
			if sweeps > 0 && (got.Solved || got.Sweeps > sweeps) {
				t.Errorf("%s: %d sweeps, solved %v", c.name, got.Sweeps, got.Solved)
			}
		}
		got := c.certify(t, c.r.Plan, CertifyOptions{F: c.r.F, G: c.r.G})
		if got.Gap() > 1e-9*math.Abs(c.r.Value)+2*c.r.noise+c.r.Gap() {
			t.Errorf("%s: gap %g of %g by the potentials", c.name, got.Gap(), got.Value)
		}
	}
}

// TestCertifyUnbalancedBounds asserts that bounds hold for plans and potentials
// that are far from optimal.
func TestCertifyUnbalancedBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 62))
	for _, c := range penaltyCases(t) {
		m, n := c.p.Cost.Dims()
		plans := []*Plan{{}, c.r.Plan.clone(), c.r.Plan.clone(), c.r.Plan.clone()}
		plans[1].scale(0.7)
		plans[2].scale(3)
		for k := range plans[3].Mass {
			plans[3].Mass[k] *= 2 * r.Float64()
		}
		for _, plan := range plans {
			for _, o := range []CertifyOptions{{}, {Sweeps: 1}, {Sweeps: 3}, {F: make([]float64, m)}, {F: noisy(r, m, c.o.Penalty), G: noisy(r, n, c.o.Penalty)}, {G: noisy(r, n, 100*c.o.Penalty)}} {
				got := c.certify(t, plan, o)
				if !got.Feasible || got.Value != got.Upper {
					t.Errorf("%s: feasible %v, costs %g and %g", c.name, got.Feasible, got.Value, got.Upper)
				}
				if o.F == nil && o.G == nil && o.Sweeps == 0 && got.Lower < c.r.Lower-1e-9*math.Abs(c.r.Value)-2*c.r.noise {
					t.Errorf("%s: solved to %g, Unbalanced proves %g", c.name, got.Lower, c.r.Lower)
				}
			}
		}
	}
}

func noisy(r *rand.Rand, n int, size float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = size * r.NormFloat64()
	}
	return v
}

func (p *Plan) clone() *Plan {
	q := &Plan{}
	for k, mass := range p.Mass {
		q.add(p.I[k], p.J[k], mass)
	}
	return q
}

// TestCertifyUnbalancedByHand: one source, one target, cost c = 1, p = 2; the
// plan of mass s costs s + 2(s−1)² with chi-square on both sides, and the best
// is s = 1 − c/2p.
func TestCertifyUnbalancedByHand(t *testing.T) {
	c, err := NewMatrixCost(1, 1, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Cost: c}
	for _, s := range []float64{0, 0.5, 0.75, 1, 2} {
		got, err := Certify(context.Background(), p, &Plan{I: []int32{0}, J: []int32{0}, Mass: []float64{s}}, &CertifyOptions{Penalty: 2})
		if err != nil {
			t.Fatal(err)
		}
		want := s + 2*(s-1)*(s-1)
		if math.Abs(got.Value-want) > 1e-15 || math.Abs(got.Lower-0.875) > 1e-14 || !got.Feasible || got.Total != s {
			t.Errorf("mass %g: costs %g, want %g; at least %g, want 0.875; feasible %v, mass %g", s, got.Value, want, got.Lower, got.Feasible, got.Total)
		}
	}
}

// TestCertifyUnbalancedFaults asserts that what no plan may do is found.
func TestCertifyUnbalancedFaults(t *testing.T) {
	c, err := NewMatrixCost(2, 3, []float64{1, 2, 3, math.Inf(1), 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Cost: c, A: []float64{1, 1}, B: []float64{1, 1, 0}}
	for _, tt := range []struct {
		i, j int32
		mass float64
		kind FaultKind
	}{
		{0, 1, -0.25, FaultNegative},
		{1, 0, 0.25, FaultForbidden},
		{0, 2, 0.25, FaultTarget},
	} {
		for _, div := range []Divergence{Chi2, KL} {
			got, err := Certify(context.Background(), p, &Plan{I: []int32{0, tt.i}, J: []int32{0, tt.j}, Mass: []float64{0.5, tt.mass}}, &CertifyOptions{Penalty: 3, Divergence: div})
			if err != nil {
				t.Fatal(err)
			}
			if got.Feasible || got.Worst == nil || got.Worst.Kind != tt.kind || math.Abs(got.Violation-0.25) > 1e-15 {
				t.Errorf("%v: feasible %v, violation %g, %v", tt.kind, got.Feasible, got.Violation, got.Worst)
			}
			if math.IsInf(got.Upper, 0) || math.IsNaN(got.Upper) || got.Upper < got.Lower {
				t.Errorf("%v: repaired [%g, %g]", tt.kind, got.Lower, got.Upper)
			}
		}
	}
	for _, o := range []CertifyOptions{
		{Penalty: -1}, {Penalty: math.NaN()}, {Penalty: math.Inf(1)}, {TargetPenalty: 1}, {Penalty: 1, Divergence: TV}, {Penalty: 1, Mass: 0.5}, {Penalty: 1, Source: chisq.Ball{Rho: 0.1}},
	} {
		if _, err := Certify(context.Background(), p, &Plan{}, &o); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
