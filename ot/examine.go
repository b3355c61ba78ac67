package ot

import "math"

// An examination compares a plan with the marginals that it should have.
type examination struct {
	p       *Problem
	plan    *Plan // scaled to unit mass where its weights have another total
	a, b    weights
	allowed [2]allowed
	w, v    []float64 // its marginals
	mass    float64
}

// newExamination adds up a plan. Masses that sum to the total of the given
// weights, or to the share of it that should move, rather than to one are scaled.
func newExamination(p *Problem, plan *Plan, a, b weights, sides [2]allowed) *examination {
	x := &examination{p: p, plan: plan, a: a, b: b, allowed: sides}
	x.add()
	if x.priced() {
		return x
	}
	best, whole := 1.0, x.mass/sides[0].mass
	source, target := p.Totals()
	for _, t := range []float64{source, target} {
		if math.Abs(math.Log(whole/t)) < math.Abs(math.Log(whole/best)) { // false for NaN
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
func (x *examination) examine(c *Certificate) {
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
	c.Value = x.price(x.plan)
	c.Violation = negative + forbidden
	if x.priced() {
		x.examinePriced(c)
		return
	}
	if !x.allowed[0].fixed() && !x.allowed[1].fixed() { // else a side that is fixed tells
		want := x.allowed[0].mass
		if off := math.Abs(x.mass - want); off > 0 {
			c.blame(Fault{FaultTotal, -1, -1, x.mass, want})
			c.Violation = math.Max(c.Violation, off)
		}
	}
	for side, s := range x.sides() {
		kind := [2]FaultKind{FaultSource, FaultTarget}[side]
		if s.ball() {
			if t, rho := s.leaves(); t > 0 {
				kind = [2]FaultKind{FaultBall, FaultBallT}[side]
				off := t * s.misplaced()
				c.blameBy(off, Fault{kind, -1, -1, rho, s.rho})
				c.Violation = math.Max(c.Violation, off)
			}
			continue
		}
		for i, v := range s.w {
			f := Fault{kind, i, i, v, s.base.hi[i]}
			if v > f.Want || v < f.Want && !s.part {
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
	allowed
	w    []float64 // what the plan has
	base weights   // what it should have, be near to, or not exceed
}

func (x *examination) sides() [2]margin {
	s := [2]margin{{x.allowed[0], x.w, x.a}, {x.allowed[1], x.v, x.b}}
	for k := range s {
		switch {
		case s[k].ball() && x.mass > 0: // a ball is about weights of mass one
			s[k].w = scaled(s[k].w, 1/x.mass)
		case s[k].mass < 1 && !s[k].part: // every point moves the same share
			s[k].base = weights{hi: scaled(s[k].base.hi, s[k].mass)}
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
	if s.part {
		return more.total()
	}
	return math.Max(more.total(), less.total())
}

// leaves says how far towards the base weights these must move to be in their
// ball, 0 for weights inside, and what their divergence is.
func (s *margin) leaves() (t, rho float64) {
	for i, v := range s.w {
		if s.base.hi[i] == 0 && v > 0 {
			return 1, math.Inf(1)
		}
	}
	w := s.w
	for i, v := range w {
		if v < 0 { // which is a fault of its own
			w = append([]float64(nil), w...)
			for k := i; k < len(w); k++ {
				w[k] = math.Max(0, w[k])
			}
			break
		}
	}
	return mixing(s.div, w, s.base.hi, s.rho), s.div.of(w, s.base.hi)
}

// repaired is a feasible plan near the one examined: sources and then targets
// that move too much move less, in proportion, and what is then left goes from
// those that lack it to those that lack it, in order.
func (x *examination) repaired() *Plan {
	var want [2][]float64
	for side, s := range x.sides() {
		want[side] = make([]float64, len(s.w))
		copy(want[side], s.base.hi)
		if s.ball() {
			if t, _ := s.leaves(); t < 1 {
				for i, v := range s.w {
					want[side][i] = t*s.base.hi[i] + (1-t)*math.Max(v, 0)
				}
			}
		}
	}
	out := &Plan{}
	for k, mass := range x.plan.Mass {
		if mass > 0 && x.usable(int(x.plan.I[k]), int(x.plan.J[k])) {
			out.add(x.plan.I[k], x.plan.J[k], mass)
		}
	}
	if x.priced() {
		return out
	}
	missing := [2][]float64{out.shrink(out.I, want[0]), nil}
	missing[1] = out.shrink(out.J, want[1])
	missing[0] = out.missingMass(out.I, want[0])
	if share := x.allowed[0].mass; share < 1 {
		sent := total(out.Mass)
		if sent > share {
			out.scale(share / sent)
			return out
		}
		for side := range missing { // of what is left, as much as should still move
			if all := total(missing[side]); all > 0 {
				missing[side] = scaled(missing[side], (share-sent)/all)
			}
		}
	}
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
