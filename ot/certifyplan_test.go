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

// certifyProblem is a random problem of points, or of a matrix for d = 0.
func certifyProblem(t *testing.T, r *rand.Rand, m, n, d int, metric Metric) *Problem {
	t.Helper()
	if d == 0 {
		matrix := make([]float64, m*n)
		for k := range matrix {
			matrix[k] = r.Float64()*10 - 2
		}
		c, err := NewMatrixCost(m, n, matrix)
		if err != nil {
			t.Fatal(err)
		}
		return &Problem{Cost: c}
	}
	sample := func(n int, shift float64) *Points {
		x := &Points{Dim: d, Coords: make([]float64, n*d)}
		for k := range x.Coords {
			x.Coords[k] = r.NormFloat64() + shift
		}
		return x
	}
	p, err := NewProblem(sample(m, 0), sample(n, 1), metric)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func gappyWeights(r *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = r.ExpFloat64()
	}
	w[0] = 0
	return w
}

func TestCertifyOptimal(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 60 {
		m, n, d := 2+r.IntN(40), 2+r.IntN(40), r.IntN(4)
		p := certifyProblem(t, r, m, n, d, Metric(r.IntN(4)))
		if k%3 == 1 {
			p.A, p.B = gappyWeights(r, m), gappyWeights(r, n)
		}
		var source, target chisq.Ball
		if k%2 == 1 {
			source.Rho = 0.2 * r.Float64()
		}
		if k%4 == 3 {
			target.Rho = 0.2 * r.Float64()
		}
		best, err := Robust(ctx, p, &RobustOptions{Source: source, Target: target})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []CertifyOptions{
			{}, {F: best.F, G: best.G}, {F: best.F}, {G: best.G},
		} {
			o.Source, o.Target = source, target
			c, err := Certify(ctx, p, best.Plan, &o)
			if err != nil {
				t.Fatal(err)
			}
			if !c.Feasible || c.Violation > 1e-12 {
				t.Errorf("%d: violation %g (%+v) of a plan of our own", k, c.Violation, c.Worst)
			}
			if math.Abs(c.Value-best.Value) > 1e-12*math.Abs(best.Value)+1e-14 {
				t.Errorf("%d: value %v, want %v", k, c.Value, best.Value)
			}
			if c.Lower > best.Value+1e-12*math.Abs(best.Value) {
				t.Errorf("%d: lower bound %v above the optimum %v", k, c.Lower, best.Value)
			}
			if c.Gap() > 2e-9*math.Abs(c.Value)+1e-12 {
				t.Errorf("%d: gap %g of value %g with potentials %v, %v", k, c.Gap(), c.Value, o.F != nil, o.G != nil)
			}
		}
	}
}

// TestCertifyPoorPlans holds the answers about plans that are not optimal
// against the optimum.
func TestCertifyPoorPlans(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(3, 4))
	for k := range 40 {
		m, n := 2+r.IntN(60), 2+r.IntN(60)
		p := certifyProblem(t, r, m, n, 1+r.IntN(3), Metric(r.IntN(3)))
		best, err := Exact(ctx, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		plan := &Plan{}
		northWest(plan, best.BaseA, best.BaseB, 1)
		f := make([]float64, m)
		for i := range f {
			f[i] = best.F[i] + 0.1*r.NormFloat64()
		}
		for _, o := range []CertifyOptions{{}, {Sweeps: 1}, {Sweeps: 2}, {Sweeps: 7}, {F: f}} {
			c, err := Certify(ctx, p, plan, &o)
			if err != nil {
				t.Fatal(err)
			}
			if !c.Feasible || c.Value != plan.cost(p.Cost) || math.Abs(c.Upper-c.Value) > 1e-12*c.Value {
				t.Errorf("%d: feasible %v, value %v, upper %v, want %v", k, c.Feasible, c.Value, c.Upper, plan.cost(p.Cost))
			}
			if c.Lower > best.Value*(1+1e-12) {
				t.Errorf("%d: lower bound %v above the optimum %v", k, c.Lower, best.Value)
			}
			if o.Sweeps == 0 && o.F == nil && c.Lower < best.Lower*(1-1e-8) {
				t.Errorf("%d: lower bound %v, where %v can be proved", k, c.Lower, best.Lower)
			}
			if o.Sweeps > 0 && c.Sweeps > o.Sweeps {
				t.Errorf("%d: %d sweeps, asked for %d", k, c.Sweeps, o.Sweeps)
			}
		}
	}
}

// TestCertifyFollowsPlan proves an optimal plan good from the plan alone.
func TestCertifyFollowsPlan(t *testing.T) {
	ctx := context.Background()
	p := certifyProblem(t, rand.New(rand.NewPCG(5, 6)), 150, 150, 2, SqEuclidean)
	best, err := Exact(ctx, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Certify(ctx, p, best.Plan, &CertifyOptions{Sweeps: 150})
	if err != nil {
		t.Fatal(err)
	}
	if c.Solved || c.Gap() > 1e-9*c.Value {
		t.Errorf("gap %g of %g after %d sweeps (solved: %v)", c.Gap(), c.Value, c.Sweeps, c.Solved)
	}
}

func TestCertifyFaults(t *testing.T) {
	ctx := context.Background()
	cost, err := NewMatrixCost(2, 2, []float64{1, 2, math.Inf(1), 4})
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Cost: cost, A: []float64{1, 3}, B: []float64{1, 3}}
	tests := []struct {
		name      string
		mass      [4]float64 // (0,0), (0,1), (1,0), (1,1)
		rho       float64
		violation float64
		worst     FaultKind
		row       int
	}{
		{name: "right", mass: [4]float64{.25, 0, 0, .75}},
		{name: "right, in units of the weights", mass: [4]float64{1, 0, 0, 3}},
		{"a source sends too little", [4]float64{.25, 0, 0, .5}, 0, .25, FaultSource, 1},
		{"a target gets too much", [4]float64{.125, .125, 0, .75}, 0, .125, FaultTarget, 0},
		{"negative", [4]float64{.25, .25, 0.25, -.25}, 0, 0.75, FaultSource, 1},
		{"forbidden", [4]float64{0, .25, .25, .5}, 0, .25, FaultForbidden, 1},
		{"in the ball", [4]float64{.25, .1, 0, .65}, 1, 0, "", 0},
		{"out of the ball", [4]float64{.25, .75, 0, 0}, 1. / 6, .75 * (1 - math.Sqrt(1./9)), FaultBall, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan := &Plan{}
			for k, v := range tt.mass {
				if v != 0 {
					plan.add(int32(k/2), int32(k%2), v)
				}
			}
			c, err := Certify(ctx, p, plan, &CertifyOptions{Source: chisq.Ball{Rho: tt.rho}})
			if err != nil {
				t.Fatal(err)
			}
			if c.Feasible != (tt.violation == 0) || math.Abs(c.Violation-tt.violation) > 1e-12 {
				t.Errorf("feasible %v, violation %v (%+v), want %v", c.Feasible, c.Violation, c.Worst, tt.violation)
			}
			if tt.worst != "" && (c.Worst == nil || c.Worst.Kind != tt.worst || c.Worst.Row != tt.row) {
				t.Errorf("worst %+v, want %s in row %d", c.Worst, tt.worst, tt.row)
			}
			if c.Gap() < 0 || math.IsNaN(c.Gap()) {
				t.Errorf("gap %v", c.Gap())
			}
		})
	}
}

// TestCertifyRepairs checks that the upper bound belongs to a feasible plan.
func TestCertifyRepairs(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for k := range 50 {
		m, n := 2+r.IntN(20), 2+r.IntN(20)
		p := certifyProblem(t, r, m, n, 2, Euclidean)
		p.A, p.B = gappyWeights(r, m), gappyWeights(r, n)
		a, b, err := p.exactWeights()
		if err != nil {
			t.Fatal(err)
		}
		plan := &Plan{}
		for range 40 {
			plan.add(int32(r.IntN(m)), int32(r.IntN(n)), r.ExpFloat64()/40)
		}
		var source, target chisq.Ball
		if k%2 == 1 {
			source.Rho = r.Float64()
		}
		if k%4 > 1 {
			target.Rho = r.Float64()
		}
		for _, o := range []CertifyOptions{
			{Source: source, Target: target}, {Source: source, Target: target, Divergence: KL}, {Source: source, Target: target, Divergence: TV},
			{Mass: 0.1 + 0.8*r.Float64()}, {Mass: 0.1 + 0.8*r.Float64(), OneSided: true},
		} {
			fixed := newExamination(p, plan, a, b, o.sides()).repaired()
			var c Certificate
			newExamination(p, fixed, a, b, o.sides()).examine(&c)
			if c.Violation > 1e-12 {
				t.Errorf("%d, %v, mass %v: violation %g after repair: %+v", k, o.Divergence, o.Mass, c.Violation, c.Worst)
			}
		}
	}
}

func TestCertifyRefuses(t *testing.T) {
	p := certifyProblem(t, rand.New(rand.NewPCG(9, 9)), 3, 4, 2, Euclidean)
	good := &Plan{}
	good.add(0, 0, 1)
	tests := []struct {
		name string
		plan *Plan
		o    CertifyOptions
		want error
	}{
		{"no plan", nil, CertifyOptions{}, ErrShape},
		{"lengths", &Plan{I: []int32{1}, Mass: []float64{1}}, CertifyOptions{}, ErrShape},
		{"index", &Plan{I: []int32{3}, J: []int32{0}, Mass: []float64{1}}, CertifyOptions{}, ErrShape},
		{"NaN", &Plan{I: []int32{0}, J: []int32{0}, Mass: []float64{math.NaN()}}, CertifyOptions{}, ErrValue},
		{"potentials", good, CertifyOptions{F: []float64{1}}, ErrShape},
		{"potential", good, CertifyOptions{G: []float64{1, 2, 3, math.Inf(1)}}, ErrValue},
		{"radius", good, CertifyOptions{Source: chisq.Ball{Rho: -1}}, ErrOption},
		{"tolerance", good, CertifyOptions{Tol: math.NaN()}, ErrOption},
		{"slack", good, CertifyOptions{Slack: -1}, ErrOption},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Certify(context.Background(), p, tt.plan, &tt.o); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestCertifyCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := certifyProblem(t, rand.New(rand.NewPCG(9, 9)), 30, 40, 2, Euclidean)
	plan := &Plan{}
	plan.add(0, 0, 1)
	c, err := Certify(ctx, p, plan, nil)
	if !errors.Is(err, context.Canceled) || c == nil || c.Feasible || c.Lower < 0 {
		t.Errorf("got %+v, %v", c, err)
	}
}

// TestCertifyKinds: plans of every kind of robust transport are feasible and
// optimal by their own rule, and not by a stricter one.
func TestCertifyKinds(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(11, 11))
	p := problem(t, normal(r, 50, 2, 20), normal(r, 40, 2, 0), SqEuclidean)
	for _, o := range []CertifyOptions{
		{Source: chisq.Ball{Rho: 0.1}}, {Source: chisq.Ball{Rho: 0.1}, Target: chisq.Ball{Rho: 0.05}},
		{Source: chisq.Ball{Rho: 0.1}, Divergence: KL}, {Source: chisq.Ball{Rho: 0.1}, Target: chisq.Ball{Rho: 0.05}, Divergence: KL},
		{Source: chisq.Ball{Rho: 0.1}, Divergence: TV}, {Source: chisq.Ball{Rho: 0.1}, Target: chisq.Ball{Rho: 0.05}, Divergence: TV},
		{Mass: 0.9}, {Mass: 0.9, OneSided: true},
	} {
		best, err := o.solve(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%v, radii %g and %g, mass %g, one-sided %v", o.Divergence, o.Source.Rho, o.Target.Rho, o.Mass, o.OneSided)
		for _, given := range []*Result{nil, best} {
			ask := o
			if given != nil {
				ask.F = given.F
			}
			c, err := Certify(ctx, p, best.Plan, &ask)
			if err != nil {
				t.Fatal(err)
			}
			if !c.Feasible || c.Violation > 1e-12 || math.Abs(c.Upper-best.Value) > 1e-9*best.Value || c.RelGap() > 1e-8 {
				t.Errorf("%s: %+v, the optimum is %v", name, c, best.Value)
			}
		}
		// Three times as much is asked of the same plan.
		strict := o
		strict.Source.Rho, strict.Target.Rho = o.Source.Rho/3, o.Target.Rho/3
		if o.Mass > 0 {
			strict.Mass = 0.95
		}
		c, err := Certify(ctx, p, best.Plan, &strict)
		if err != nil {
			t.Fatal(err)
		}
		want, err := strict.solve(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		if c.Feasible || c.Worst == nil || c.Upper < want.Lower || math.Abs(c.Lower-want.Lower) > 1e-9*want.Value {
			t.Errorf("%s: by a stricter rule %+v, the optimum of which is %v", name, c, want.Value)
		}
	}
	// A part of weights that do not sum to one.
	p.A = make([]float64, 50)
	for i := range p.A {
		p.A[i] = 3
	}
	part, err := Partial(ctx, p, &PartialOptions{Mass: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	big := &Plan{I: part.Plan.I, J: part.Plan.J, Mass: scaled(part.Plan.Mass, 150)}
	if c, err := Certify(ctx, p, big, &CertifyOptions{Mass: 0.5}); err != nil || !c.Feasible || c.RelGap() > 1e-8 {
		t.Errorf("half of a total of 150: %+v, %v", c, err)
	}
	for _, o := range []CertifyOptions{{Mass: 1.5}, {Mass: math.NaN()}, {Mass: 0.5, Source: chisq.Ball{Rho: 1}}, {Divergence: TV + 1}} {
		if _, err := Certify(ctx, p, part.Plan, &o); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: got %v", o, err)
		}
	}
}
