package ot

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// unbalancedBound evaluates the dual of Unbalanced by its definition.
func unbalancedBound(r *Result, o *UnbalancedOptions) float64 {
	side := func(f, a []float64, penalty float64) (s float64) {
		for i, x := range f {
			switch {
			case a[i] == 0:
			case o.Divergence == KL:
				s += a[i] * penalty * -math.Expm1(-x/penalty)
			case x < penalty:
				s += a[i] * (x - x*x/(2*penalty))
			default:
				s += a[i] * penalty / 2
			}
		}
		return s
	}
	return side(r.F, r.BaseA, o.Penalty) + side(r.G, r.BaseB, o.TargetPenalty)
}

func checkUnbalanced(t *testing.T, p *Problem, o *UnbalancedOptions, r *Result) {
	t.Helper()
	checkResult(t, p, r)
	value := r.Transport + o.Penalty*o.Divergence.of(r.A, r.BaseA) + o.TargetPenalty*o.Divergence.of(r.B, r.BaseB)
	size := math.Max(math.Abs(value), math.Min(1, o.Penalty))
	if math.Abs(r.Value-value) > 1e-12*size {
		t.Errorf("Value = %v, the plan has %v", r.Value, value)
	}
	if d := unbalancedBound(r, o); math.Abs(r.Lower-d) > 1e-11*size {
		t.Errorf("Lower = %v, the potentials prove %v", r.Lower, d)
	}
	for i, w := range r.A {
		if r.BaseA[i] == 0 && w != 0 {
			t.Errorf("source %d has weight 0 and carries %v", i, w)
		}
	}
}

func TestUnbalanced(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for k := range 1500 {
		p := smallProblem(t, rng, 15)
		o := &UnbalancedOptions{
			Divergence:    Divergence(k % 2),
			Penalty:       math.Pow(10, float64(rng.IntN(7)-2)),
			TargetPenalty: math.Pow(10, float64(rng.IntN(7)-2)),
		}
		if p.Cost.Metric() == Given && o.Divergence == KL { // a cost of −3 at P = 0.01 makes e^150 of mass
			o.Penalty += 1
		}
		r, err := Unbalanced(context.Background(), p, o)
		if err != nil {
			t.Fatalf("instance %d, %+v: %v", k, *o, err)
		}
		checkUnbalanced(t, p, o, r)
		if r.RelGap() > 1e-11 && r.Gap() > 1e-13 {
			t.Errorf("instance %d, %+v: gap %v at %v", k, *o, r.Gap(), r.Value)
		}
	}
}

// TestUnbalancedPair has one point a side, solved by hand.
func TestUnbalancedPair(t *testing.T) {
	const c, p = 1.5, 2
	cost, err := NewMatrixCost(1, 1, []float64{c})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		div         Divergence
		mass, value float64
	}{
		{Chi2, 1 - c/(2*p), c - c*c/(4*p)},
		{KL, math.Exp(-c / (2 * p)), 2 * p * (1 - math.Exp(-c/(2*p)))},
	} {
		r, err := Unbalanced(context.Background(), &Problem{Cost: cost}, &UnbalancedOptions{Divergence: tt.div, Penalty: p})
		if err != nil {
			t.Fatal(err)
		}
		near(t, tt.div.String(), []float64{r.A[0], r.B[0], r.Value, r.Lower}, []float64{tt.mass, tt.mass, tt.value, tt.value}, 1e-14)
	}
}

// TestUnbalancedLimits: large penalties give plain transport, small ones forbid
// every move with Chi2.
func TestUnbalancedLimits(t *testing.T) {
	p := cloud(t, 60, Euclidean)
	exact, err := Exact(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, div := range []Divergence{Chi2, KL} {
		before := 0.0
		for _, penalty := range []float64{1e-6, 1e-2, 1, 100, 1e6} {
			o := &UnbalancedOptions{Divergence: div, Penalty: penalty, TargetPenalty: penalty}
			r, err := Unbalanced(context.Background(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			checkUnbalanced(t, p, o, r)
			if r.Value < before || r.Value > exact.Value {
				t.Errorf("%v at penalty %v, %v at a smaller one, exact %v", r.Value, penalty, before, exact.Value)
			}
			before = r.Value
			if penalty == 1e-6 && div == Chi2 && (r.Plan.Len() > 0 || math.Abs(r.Value-penalty) > 1e-18) {
				t.Errorf("penalty %v: %d entries, value %v", penalty, r.Plan.Len(), r.Value)
			}
		}
		if math.Abs(before-exact.Value) > 1e-5*exact.Value {
			t.Errorf("%v: penalty 1e6 gives %v, exact %v", div, before, exact.Value)
		}
	}
}

// TestUnbalancedSymmetry exchanges the two sides.
func TestUnbalancedSymmetry(t *testing.T) {
	p := cloud(t, 40, SqEuclidean)
	c := *p.Cost
	c.x, c.y = c.y, c.x
	for _, div := range []Divergence{Chi2, KL} {
		r, err := Unbalanced(context.Background(), p, &UnbalancedOptions{Divergence: div, Penalty: 2, TargetPenalty: 0.3})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Unbalanced(context.Background(), &Problem{Cost: &c}, &UnbalancedOptions{Divergence: div, Penalty: 0.3, TargetPenalty: 2})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Value-s.Value) > 1e-13 {
			t.Errorf("%v: %v one way, %v the other", div, r.Value, s.Value)
		}
		near(t, "A", r.A, s.B, 1e-12)
	}
}

func TestUnbalancedStops(t *testing.T) {
	p := cloud(t, 80, SqEuclidean)
	for _, div := range []Divergence{Chi2, KL} {
		o := &UnbalancedOptions{Divergence: div, Penalty: 5, TargetPenalty: 5}
		exact, err := Unbalanced(context.Background(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		if exact.Iters < 60 {
			t.Fatalf("only %d pivots", exact.Iters)
		}
		for _, limit := range []int{1, 20, 50} {
			calls := 0
			o.MaxIters, o.Progress = limit, func(Progress) { calls++ }
			r, err := Unbalanced(context.Background(), p, o)
			var stop *ConvergenceError
			if !errors.As(err, &stop) || r == nil || r.Iters != limit {
				t.Fatalf("limit %d: %v, %v", limit, r, err)
			}
			checkUnbalanced(t, p, o, r)
			if r.Lower > exact.Value || r.Value < exact.Value || calls == 0 {
				t.Errorf("bounds [%v, %v], exact %v, %d calls", r.Lower, r.Value, exact.Value, calls)
			}
		}
	}
}

func TestDivergence(t *testing.T) {
	for _, d := range []Divergence{Chi2, KL} {
		if got, err := ParseDivergence(d.String()); got != d || err != nil {
			t.Errorf("ParseDivergence(%v) = %v, %v", d, got, err)
		}
		// Fenchel: P·φ(s) + f·s ≥ bound(f) for all s, with equality somewhere.
		const penalty, f = 0.7, 0.4
		least := math.Inf(1)
		for k := range 100000 {
			s := float64(k) * 2e-5
			least = math.Min(least, penalty*d.of([]float64{s}, []float64{1})+f*s)
		}
		if got := d.bound(f, penalty); math.Abs(got-least) > 1e-9 {
			t.Errorf("%v: bound %v, minimum %v", d, got, least)
		}
	}
	if _, err := ParseDivergence("hellinger"); !errors.Is(err, ErrOption) {
		t.Errorf("error %v", err)
	}
}

func BenchmarkUnbalanced(b *testing.B) {
	p := cloud(b, 2000, SqEuclidean)
	for _, div := range []Divergence{Chi2, KL} {
		b.Run(div.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := Unbalanced(context.Background(), p, &UnbalancedOptions{Divergence: div}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
