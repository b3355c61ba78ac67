package ot

import (
	"math"

	"rot.example/rot/chisq"
)

// An examination compares a plan with the marginals that it should have.
type examination struct {
	p    *Problem
	plan *Plan // scaled to unit mass where its weights have another total
	a, b weights
	w, v []float64 // its marginals
	mass float64
}

// newExamination adds up a plan. Masses that sum to the total of the given
// weights rather than to one are scaled.
func newExamination(p *Problem, plan *Plan, a, b weights) *examination {
	x := &examination{p: p, plan: plan, a: a, b: b}
	x.add()
	best := 1.0
	source, target := p.Totals()
	for _, t := range []float64{source, target} {
		if math.Abs(math.Log(x.mass/t)) < math.Abs(math.Log(x.mass/best)) { // false for NaN
			best = t
		}
	}
	if best != 1 {
		x.plan = &Plan{I: plan.I, J: plan.J, Mass: scaled(plan.Mass, 1/best)}
		x.add()
	}
	return x
}

func (x *examination) add() {
	w, v := make([]sum, x.p.Cost.m), make([]sum, x.p.Cost.n)
	var all sum
	for k, mass := range x.plan.Mass {
		w[x.plan.I[k]].add(mass)
		v[x.plan.J[k]].add(mass)
		all.add(mass)
	}
	x.w, x.v, x.mass = totals(w), totals(v), all.total()
}

// examine fills in what is wrong and what the plan costs.
func (x *examination) examine(c *Certificate, source, target chisq.Ball) {
	c.Total = x.mass
	var negative, forbidden float64
	for k, mass := range x.plan.Mass {
		i, j := int(x.plan.I[k]), int(x.plan.J[k])
		if mass < 0 {
			negative -= mass
			c.blame(Fault{FaultNegative, i, j, mass, 0})
		} else if mass > 0 && math.IsInf(x.p.Cost.At(i, j), 1) {
			forbidden += mass
			c.blame(Fault{FaultForbidden, i, j, mass, 0})
		}
	}
	c.Value = x.plan.cost(x.p.Cost)
	c.Violation = negative + forbidden
	if source.Rho > 0 && target.Rho > 0 { // else a side that is fixed tells
		if off := math.Abs(x.mass - 1); off > 0 {
			c.blame(Fault{FaultTotal, -1, -1, x.mass, 1})
			c.Violation = math.Max(c.Violation, off)
		}
	}
	for side, s := range x.sides(source, target) {
		kind := [2]FaultKind{FaultSource, FaultTarget}[side]
		if s.ball.Rho > 0 {
			if t, rho := s.leaves(); t > 0 {
				kind = [2]FaultKind{FaultBall, FaultBallT}[side]
				off := t * s.misplaced()
				c.blameBy(off, Fault{kind, -1, -1, rho, s.ball.Rho})
				c.Violation = math.Max(c.Violation, off)
			}
			continue
		}
		for i, v := range s.w {
			f := Fault{kind, i, i, v, s.base.hi[i]}
			if v != f.Want {
				c.blame(f)
			}
		}
		c.Violation = math.Max(c.Violation, s.misplaced())
	}
}

func (c *Certificate) blame(f Fault) { c.blameBy(math.Abs(f.Have-f.Want), f) }

// blameBy keeps the largest fault, and of equal ones the first.
func (c *Certificate) blameBy(size float64, f Fault) {
	if c.Worst == nil || size > c.worst {
		c.Worst, c.worst = &f, size
	}
}

// A margin is one side of an examination.
type margin struct {
	ball chisq.Ball
	w    []float64 // what the plan has
	base weights   // what it should have, or be near to
}

func (x *examination) sides(source, target chisq.Ball) [2]margin {
	s := [2]margin{{source, x.w, x.a}, {target, x.v, x.b}}
	for k := range s { // a ball is about weights of mass one
		if s[k].ball.Rho > 0 && x.mass > 0 {
			s[k].w = scaled(s[k].w, 1/x.mass)
		}
	}
	return s
}

// misplaced is the part of the mass that is in the wrong place.
func (s *margin) misplaced() float64 {
	var more, less sum
	for i, v := range s.w {
		if off := v - s.base.hi[i]; off > 0 {
			more.add(off)
		} else {
			less.add(-off)
		}
	}
	return math.Max(more.total(), less.total())
}

// leaves says how far towards the base weights these must move to be in their
// ball, 0 for weights inside, and what their divergence is.
func (s *margin) leaves() (t, rho float64) {
	var d sum
	for i, v := range s.w {
		if a := s.base.hi[i]; a > 0 {
			d.add((v - a) * (v - a) / a)
		} else if v > 0 {
			return 1, math.Inf(1)
		}
	}
	rho = d.total() / 2
	slack := 1e-12*s.ball.Rho + 4e-16*math.Sqrt(2*s.ball.Rho) // rounding of the weights themselves
	if rho <= s.ball.Rho+slack {
		return 0, rho
	}
	return 1 - math.Sqrt(s.ball.Rho/rho), rho
}

// repaired is a feasible plan near the one examined: sources and then targets
// that move too much move less, in proportion, and what is then left goes from
// those that lack it to those that lack it, in order.
func (x *examination) repaired(source, target chisq.Ball) *Plan {
	var want [2][]float64
	for side, s := range x.sides(source, target) {
		want[side] = make([]float64, len(s.w))
		copy(want[side], s.base.hi)
		if s.ball.Rho > 0 {
			if t, _ := s.leaves(); t < 1 {
				for i, v := range s.w {
					want[side][i] = t*s.base.hi[i] + (1-t)*math.Max(v, 0)
				}
			}
		}
	}
	out := &Plan{}
	for k, mass := range x.plan.Mass {
		if mass > 0 && !math.IsInf(x.p.Cost.At(int(x.plan.I[k]), int(x.plan.J[k])), 1) {
			out.add(x.plan.I[k], x.plan.J[k], mass)
		}
	}
	missing := [2][]float64{out.shrink(out.I, want[0]), nil}
	missing[1] = out.shrink(out.J, want[1])
	missing[0] = out.missingMass(out.I, want[0])
	if total(missing[0]) > 0 && total(missing[1]) > 0 {
		northWest(out, missing[0], missing[1], 1)
	}
	return out
}

func total(v []float64) float64 {
	var s sum
	for _, x := range v {
		s.add(x)
	}
	return s.total()
}

// shrink scales the entries of every point with more mass than it wants, and
// returns what the others lack.
func (p *Plan) shrink(of []int32, want []float64) []float64 {
	have := make([]sum, len(want))
	for k, mass := range p.Mass {
		have[of[k]].add(mass)
	}
	for k, i := range of {
		if h := have[i].total(); h > want[i] {
			p.Mass[k] *= want[i] / h
		}
	}
	return p.missingMass(of, want)
}

// missingMass is what points want beyond what they have.
func (p *Plan) missingMass(of []int32, want []float64) []float64 {
	have := make([]sum, len(want))
	for k, mass := range p.Mass {
		have[of[k]].add(mass)
	}
	out := make([]float64, len(want))
	for i := range want {
		out[i] = math.Max(0, want[i]-have[i].total())
	}
	return out
}
