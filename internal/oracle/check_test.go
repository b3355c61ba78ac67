package oracle

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"rot.example/rot/ot"
)

// samples are small instances, one or more a method, whose results are right.
func samples(t *testing.T) []*Instance {
	t.Helper()
	x := []float64{0, 0.3, 1.1, -0.4, 2.5, 0.7, 0.2, 1.9}
	y := []float64{0.1, 0.25, 1, -0.6, 2, 1.3}
	a, b := []float64{1, 2, 0, 3}, []float64{2, 1, 1}
	base := Instance{M: 4, N: 3, Dim: 2, X: x, Y: y, A: a, B: b}
	line := Instance{M: 8, N: 6, Dim: 1, X: x, Y: y}
	matrix := Instance{M: 4, N: 3, Metric: ot.Given, Matrix: []float64{1, 5, 2, 0.5, 3, 8, 1, 1, 1, 4, -2, 6}, A: a, B: b}
	var all []*Instance
	for _, metric := range []ot.Metric{ot.Euclidean, ot.SqEuclidean, ot.Cityblock, ot.Cosine, ot.Given} {
		from := base
		if metric == ot.Given {
			from = matrix
		}
		if metric == ot.Cosine { // no row is zero
			from.X = append([]float64{1}, x[1:]...)
		}
		from.Metric = metric
		for _, method := range []func(*Instance){
			func(in *Instance) { in.Method = Exact },
			func(in *Instance) { in.Method, in.Rho = Robust, 0.05 },
			func(in *Instance) { in.Method, in.TargetRho = Robust, 0.02 },
			func(in *Instance) { in.Method, in.Rho, in.TargetRho = Robust, 0.03, 0.02 },
			func(in *Instance) { in.Method, in.Rho, in.Divergence = Robust, 0.05, ot.KL },
			func(in *Instance) { in.Method, in.Rho, in.TargetRho, in.Divergence = Robust, 0.03, 0.02, ot.KL },
			func(in *Instance) { in.Method, in.Rho, in.Divergence = Robust, 0.05, ot.TV },
			func(in *Instance) { in.Method, in.Rho, in.TargetRho, in.Divergence = Robust, 0.03, 0.02, ot.TV },
			func(in *Instance) { in.Method, in.Mass = Partial, 0.6 },
			func(in *Instance) { in.Method, in.Mass, in.OneSided = Partial, 0.6, true },
			func(in *Instance) { in.Method, in.Penalty, in.TargetPenalty = Unbalanced, 3, 2 },
			func(in *Instance) {
				in.Method, in.Divergence, in.Penalty, in.TargetPenalty = Unbalanced, ot.KL, 3, 2
			},
			func(in *Instance) { in.Method = Entropic },
		} {
			in := from
			method(&in)
			all = append(all, &in)
		}
	}
	for _, metric := range []ot.Metric{ot.Euclidean, ot.SqEuclidean, ot.Cityblock} {
		in := line
		in.Metric, in.Method = metric, OneD
		all = append(all, &in)
	}
	return all
}

func (in *Instance) solved(t *testing.T) *ot.Result {
	t.Helper()
	r, err := in.Solve(context.Background())
	if err != nil {
		t.Fatalf("%v: %v", in, err)
	}
	return r
}

// copied is a result whose numbers can be changed.
func copied(r *ot.Result) *ot.Result {
	c := *r
	c.Plan = &ot.Plan{I: slices.Clone(r.Plan.I), J: slices.Clone(r.Plan.J), Mass: slices.Clone(r.Plan.Mass)}
	for _, v := range []*[]float64{&c.A, &c.B, &c.F, &c.G, &c.BaseA, &c.BaseB} {
		*v = slices.Clone(*v)
	}
	return &c
}

func (v *Verdict) has(kind Kind) bool {
	return slices.ContainsFunc(v.Failures, func(f Failure) bool { return f.Kind == kind })
}

// TestSpoiled spoils true results one number at a time: each has to be noticed.
func TestSpoiled(t *testing.T) {
	for _, in := range samples(t) {
		t.Run(fmt.Sprintf("%s %v %g %g %v", in.Method, in.Metric, in.Rho, in.TargetRho, in.Divergence), func(t *testing.T) {
			r := in.solved(t)
			if v := Check(in, r, nil); len(v.Failures) > 0 || v.Stopped {
				t.Fatalf("a true result: %+v", v)
			}
			notice := func(what string, kind Kind, spoil func(*ot.Result)) {
				t.Helper()
				c := copied(r)
				spoil(c)
				if v := Check(in, c, nil); !v.has(kind) {
					t.Errorf("%s: not noticed as %s: %+v", what, kind, v.Failures)
				}
			}
			in.spoilBounds(r, notice)
			in.spoilPlan(r, notice)
			for i := range r.F {
				if in.A == nil || in.A[i] > 0 {
					// Lower holds for the best potentials of the targets as well: spoil both.
					notice(fmt.Sprintf("F[%d]", i), Unproved, func(c *ot.Result) {
						c.F[i] += 100
						c.G[0] += 100
					})
				}
			}
		})
	}
}

// spoilBounds changes Value and Lower by as little as makes them false.
func (in *Instance) spoilBounds(r *ot.Result, notice func(string, Kind, func(*ot.Result))) {
	proof, _ := in.dual(r.F, false)
	if other, _ := in.dual(r.G, true); other.Cmp(proof) > 0 {
		proof = other
	}
	// The least float64 that is not proved: at most one ulp above the truth.
	lie := approx(proof)
	for in.proves(proof, exactly(lie).rat(), 1) {
		lie = math.Nextafter(lie, math.Inf(1))
	}
	notice("lower above its proof", Unproved, func(c *ot.Result) { c.Lower = lie })
	f := newFlow(in, r.Plan, &Verdict{})
	least := 20*ulp*(f.size+math.Abs(r.Value)+in.Penalty+in.TargetPenalty) + 4*f.blur // within a few ulps it would be right
	for _, by := range []float64{least, -least, 1e-9, -1e-9} {
		notice("value", WrongValue, func(c *ot.Result) { c.Value += by })
		notice("transport", WrongValue, func(c *ot.Result) { c.Transport += by })
	}
	notice("lower above value", Order, func(c *ot.Result) { c.Lower = math.Nextafter(c.Value, math.Inf(1)) })
	if in.Method != Entropic {
		notice("a weak lower bound without an error", WideGap, func(c *ot.Result) { c.Lower -= 1e-8 * (1 + math.Abs(c.Lower)) })
	}
	notice("no value", NotANumber, func(c *ot.Result) { c.Value = math.NaN() })
	notice("no lower", NotANumber, func(c *ot.Result) { c.Lower = math.Inf(-1) })
	notice("no potential", NotANumber, func(c *ot.Result) { c.F[0] = math.NaN() })
	notice("potentials missing", NoAnswer, func(c *ot.Result) { c.G = nil })
}

// spoilPlan changes masses and marginals.
func (in *Instance) spoilPlan(r *ot.Result, notice func(string, Kind, func(*ot.Result))) {
	for k := range r.Plan.Mass {
		kind := Infeasible
		switch {
		case in.Method == Unbalanced: // any plan is feasible; this one has another value
			kind = WrongSums
		case in.Method == Partial: // a row that is not full may take more
			kind = WrongSums
		case in.Rho > 0 && in.TargetRho > 0: // a ball has room for a little
			kind = WrongSums
		}
		notice(fmt.Sprintf("mass %d up", k), kind, func(c *ot.Result) { c.Plan.Mass[k] *= 1 + 1e-11*in.magnify(c, k) })
		notice(fmt.Sprintf("mass %d down", k), kind, func(c *ot.Result) { c.Plan.Mass[k] *= 1 - 1e-11*in.magnify(c, k) })
	}
	notice("negative mass", Infeasible, func(c *ot.Result) { c.Plan.Mass[0] = -c.Plan.Mass[0] })
	notice("a row too far", Infeasible, func(c *ot.Result) { c.Plan.I[0] = int32(in.M) })
	notice("a column too far", Infeasible, func(c *ot.Result) { c.Plan.J[0] = -1 })
	notice("a short plan", Infeasible, func(c *ot.Result) { c.Plan.J = c.Plan.J[1:] })
	notice("A", WrongSums, func(c *ot.Result) { c.A[in.M-1] *= 1 + 1e-11 })
	notice("B", WrongSums, func(c *ot.Result) { c.B[0] *= 1 + 1e-11 })
	notice("BaseA", WrongSums, func(c *ot.Result) { c.BaseA[0] *= 1 - 1e-11 })
	notice("BaseB", WrongSums, func(c *ot.Result) { c.BaseB[0] *= 1 - 1e-11 })
	if in.A != nil { // row 2 has weight 0
		notice("mass on a row of weight 0", Infeasible, func(c *ot.Result) {
			c.Plan.I, c.Plan.J, c.Plan.Mass = append(c.Plan.I, 2), append(c.Plan.J, 0), append(c.Plan.Mass, 1e-30)
		})
	}
	if in.Method == Robust && in.Rho > 0 {
		notice("out of the ball", Infeasible, func(c *ot.Result) { in.toOneRow(c) })
	}
	if in.Method == Robust || in.Method == Partial {
		notice("too much mass", Infeasible, func(c *ot.Result) {
			for k := range c.Plan.Mass {
				c.Plan.Mass[k] *= 1 + 1e-11
			}
		})
	}
}

// magnify is how many times the smaller marginal of entry k exceeds its mass:
// a change of that many times the tolerance shows in the marginal.
func (in *Instance) magnify(r *ot.Result, k int) float64 {
	return math.Max(r.A[r.Plan.I[k]], r.B[r.Plan.J[k]]) / r.Plan.Mass[k]
}

// toOneRow moves all mass to the first source that has weight.
func (in *Instance) toOneRow(r *ot.Result) {
	for k := range r.Plan.I {
		r.Plan.I[k] = 0
	}
}

// TestRefusals: errors are answers only where there is none.
func TestRefusals(t *testing.T) {
	in := &Instance{M: 1, N: 1, Metric: ot.Given, Matrix: []float64{math.Inf(1)}, Method: Exact}
	if v := Check(in, nil, ot.ErrValue); !v.has(Refused) || v.Refused {
		t.Errorf("an error without a reason: %+v", v)
	}
	in.NoPlanExists = true
	if v := Check(in, nil, ot.ErrValue); len(v.Failures) > 0 || !v.Refused {
		t.Errorf("an error with a reason: %+v", v)
	}
	if v := Check(in, nil, nil); !v.has(NoAnswer) {
		t.Errorf("nothing at all: %+v", v)
	}
	r := &ot.Result{Plan: &ot.Plan{I: []int32{0}, J: []int32{0}, Mass: []float64{1}}, A: []float64{1}, B: []float64{1}, F: []float64{0}, G: []float64{0}, BaseA: []float64{1}, BaseB: []float64{1}}
	if v := Check(in, r, nil); !v.has(NoAnswer) || !v.has(Infeasible) {
		t.Errorf("a plan where there is none: %+v", v)
	}
}

// TestSpoiledCurve spoils the points of a true curve.
func TestSpoiledCurve(t *testing.T) {
	for _, in := range samples(t) {
		if in.Method != Exact {
			continue
		}
		in.Method, in.Rhos = Curve, []float64{0, 0.01, 0.1, 1}
		ctx := context.Background()
		a := Run(ctx, in)
		if v := a.Check(ctx); len(v.Failures) > 0 || v.Stopped {
			t.Fatalf("%v: a true curve: %+v", in, v)
		}
		right := slices.Clone(a.curve.Points)
		for k := range right {
			for _, tt := range []struct {
				what  string
				kind  Kind
				spoil func(*ot.CurvePoint)
			}{
				{"lower and value up", FalseLower, func(p *ot.CurvePoint) { p.Lower, p.Value = p.Value+1e-3, p.Value+1e-3 }},
				{"lower and value down", WrongValue, func(p *ot.CurvePoint) { p.Value, p.Lower = p.Lower-1e-3, p.Lower-1e-3 }},
				{"lower above value", Order, func(p *ot.CurvePoint) { p.Lower = math.Nextafter(p.Value, math.Inf(1)) }},
				{"a wide gap", WideGap, func(p *ot.CurvePoint) { p.Lower -= 0.01 + 0.01*math.Abs(a.curve.Plain) }},
				{"no value", NotANumber, func(p *ot.CurvePoint) { p.Value = math.NaN() }},
				{"no slope", NotANumber, func(p *ot.CurvePoint) { p.Lambda = math.NaN() }},
			} {
				a.curve.Points = slices.Clone(right)
				tt.spoil(&a.curve.Points[k])
				if v := a.Check(ctx); !v.has(tt.kind) {
					t.Errorf("%v, point %d: %s: not noticed as %s: %+v", in, k, tt.what, tt.kind, v.Failures)
				}
			}
		}
	}
}
