package oracle

import (
	"math"
	"math/big"

	"rot.example/rot/ot"
)

// marginalTol is how far a marginal may be from what it should be, relative to
// its own weight.
const marginalTol = 1e-12

// ulp is the distance from 1 to the next float64.
const ulp = 1.0 / (1 << 52)

// A flow is a plan in exact numbers.
type flow struct {
	in         *Instance
	a, b       []number // weights of the problem, any total
	sumA, sumB number
	w, v       []number // row and column sums
	mass, cost number   // Σπ, ⟨C,π⟩
	size       float64  // Σπ|C|
	blur       float64  // by how much float64 evaluation of the costs may be off
}

// newFlow adds up a plan. It reports what can be wrong with single entries.
func newFlow(in *Instance, p *ot.Plan, v *Verdict) *flow {
	f := &flow{in: in, a: raw(in.A, in.M), b: raw(in.B, in.N), w: make([]number, in.M), v: make([]number, in.N)}
	f.sumA, f.sumB = sum(f.a), sum(f.b)
	if len(p.I) != len(p.Mass) || len(p.J) != len(p.Mass) {
		v.fail(Infeasible, math.Inf(1), "plan has %d, %d and %d entries", len(p.I), len(p.J), len(p.Mass))
		return nil
	}
	for k, mass := range p.Mass {
		i, j := int(p.I[k]), int(p.J[k])
		if i < 0 || i >= in.M || j < 0 || j >= in.N {
			v.fail(Infeasible, math.Inf(1), "plan uses row %d, column %d", i, j)
			return nil
		}
		if math.IsNaN(mass) || math.IsInf(mass, 0) || mass < 0 {
			v.fail(Infeasible, math.Inf(1), "mass %v from %d to %d", mass, i, j)
			return nil
		}
		if mass == 0 {
			continue
		}
		if f.a[i].sign() == 0 || f.b[j].sign() == 0 {
			v.fail(Infeasible, mass, "mass %g from %d to %d, one of which has weight 0", mass, i, j)
		}
		c, ok := in.cost(i, j)
		if !ok {
			v.fail(Infeasible, mass, "mass %g on the forbidden arc from %d to %d", mass, i, j)
			continue
		}
		x := exactly(mass)
		f.w[i], f.v[j], f.mass = f.w[i].plus(x), f.v[j].plus(x), f.mass.plus(x)
		f.cost = f.cost.plus(x.times(c))
		size := math.Abs(c.float())
		f.size += mass * size
		f.blur += mass * in.costBlur(size)
	}
	return f
}

// costBlur is how far a cost evaluated in float64 may be from c: half an ulp
// for each difference, product and sum; unit rows of Cosine are off by a few
// ulps themselves, and its cost is half the square of a difference.
func (in *Instance) costBlur(c float64) float64 {
	switch in.Metric {
	case ot.Given:
		return 0
	case ot.Cosine:
		unit := float64(in.Dim+8) * ulp
		return 2*unit*math.Sqrt(2*c) + unit*unit + unit*c
	}
	return float64(in.Dim+4) / 2 * ulp * c
}

// hard checks the sums of rows or columns against weights that must be kept,
// or that must not be exceeded if atMost is set.
func (f *flow) hard(side string, got, weight []number, total number, atMost bool, v *Verdict) {
	worst, at := 0.0, -1
	for i, w := range weight {
		if w.sign() == 0 {
			continue // mass there was reported before
		}
		// relative error of got against w/total
		d := got[i].times(total).minus(w)
		if atMost && d.sign() < 0 {
			continue
		}
		if got[i].minus(w.over(total)).abs().float() <= 8*math.SmallestNonzeroFloat64 {
			continue // numbers so small have few digits
		}
		if e := math.Abs(approx(quotient(d, w))); e > worst {
			worst, at = e, i
		}
	}
	if worst > marginalTol {
		v.fail(Infeasible, worst, "%s %d has mass %.17g instead of %.17g, relative error %.3g", side, at,
			got[at].float(), approx(quotient(weight[at], total)), worst)
	}
}

// total checks the mass of the plan.
func (f *flow) total(want float64, v *Verdict) {
	e := math.Abs(f.mass.minus(exactly(want)).float()) / want
	if e > marginalTol {
		v.fail(Infeasible, e, "total mass %.17g instead of %.17g", f.mass.float(), want)
	}
}

// soft checks a chi-square ball: the distance from the weights, √(Σ (w−a)²/a),
// may exceed √(2ρ) by 1e-12 of itself, and by the 1e-12 that hard marginals may.
func (f *flow) soft(side string, got, weight []number, total number, rho float64, v *Verdict) {
	var s number // Σ (got·total − w)²/w, which is total·Σ(u−a)²/a
	for i, w := range weight {
		if w.sign() > 0 {
			d := got[i].times(total).minus(w)
			s = s.plus(d.times(d).over(w))
		}
	}
	far, _ := s.over(total).root()
	if limit := math.Sqrt(2*rho)*(1+marginalTol) + marginalTol; far.float() > limit {
		v.fail(Infeasible, far.float()/limit-1, "%s weights leave the ball: divergence %.17g, radius %.17g", side, far.float()*far.float()/2, rho)
	}
}

// divergence is P·D(got | weight), and how far float64 evaluation of it may be off.
func (f *flow) divergence(got, weight []number, total number, penalty float64) (*big.Rat, float64) {
	p := exactly(penalty)
	var s number // total·D
	var blur float64
	scale := total.float()
	for i, w := range weight {
		if w.sign() == 0 {
			continue
		}
		g := got[i].times(total)
		d := g.minus(w)
		share := g.float() / scale
		var slope float64
		switch {
		case f.in.Divergence == ot.Chi2:
			s = s.plus(d.times(d).over(w.shift(1)))
			slope = math.Abs(approx(quotient(d, w)))
		case g.sign() == 0:
			s = s.plus(w)
		default:
			l := log(g, w)
			s = s.plus(fromBig(l).times(g).minus(d))
			slope, _ = l.Float64()
			slope = math.Abs(slope)
		}
		blur += penalty * (8*ulp*(slope*share+math.Abs(d.float())/scale) + 64*ulp*ulp*share)
	}
	return new(big.Rat).Mul(p.rat(), quotient(s, total)), blur
}
