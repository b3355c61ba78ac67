package ot

import "math"

// What Certify does with a plan of Unbalanced (docs/math.md §7.3): any plan of
// masses that are not negative is feasible, and pays for its weights.

// priced says that weights have a price.
func (x *examination) priced() bool { return x.allowed[0].penalty > 0 }

// usable says that mass may move from i to j. Where weights have a price, that
// of a row without weight is infinite.
func (x *examination) usable(i, j int) bool {
	return !math.IsInf(x.p.Cost.At(i, j), 1) && (!x.priced() || x.a.hi[i] > 0 && x.b.hi[j] > 0)
}

// examinePriced adds to c's faults mass of rows that have none.
func (x *examination) examinePriced(c *Certificate) {
	for side, s := range x.sides() {
		kind := [2]FaultKind{FaultSource, FaultTarget}[side]
		var all float64
		for i, v := range s.w {
			if s.base.hi[i] == 0 && v > 0 {
				c.blame(Fault{kind, i, i, v, 0})
				all += v
			}
		}
		c.Violation = math.Max(c.Violation, all)
	}
}

// price is what a plan costs, its weights included where they have a price.
func (x *examination) price(plan *Plan) float64 {
	cost := plan.cost(x.p.Cost)
	if !x.priced() {
		return cost
	}
	y := &examination{p: x.p, plan: plan}
	y.add()
	for side, w := range [2][]float64{y.w, y.v} {
		base := [2]weights{x.a, x.b}[side].hi
		s := x.allowed[side]
		for i, v := range w {
			if v > 0 && base[i] == 0 {
				return math.Inf(1)
			}
			w[i] = math.Max(0, v) // less is a fault of its own
		}
		cost += s.penalty * s.div.of(w, base)
	}
	return cost
}

// marginPotentials are the source potentials of a plan that is optimal: its
// weights say what they are, w = a(1 − φ/p) or a·exp(−φ/p).
func (s *dualSearch) marginPotentials() []float64 {
	w := make([]sum, s.p.Cost.m)
	for k, mass := range s.plan.Mass {
		w[s.plan.I[k]].add(math.Max(0, mass))
	}
	side := s.sides[0]
	f := make([]float64, s.in.m)
	for k, i := range s.in.rows {
		switch share := w[i].total() / s.a.hi[k]; {
		case side.div == Chi2:
			f[k] = side.penalty * (1 - share)
		case share > 0:
			f[k] = -side.penalty * math.Log(share)
		}
	}
	return f
}

// prove bounds the problem by potentials with f_i + g_j ≤ C_ij. Where weights
// have a price, a constant that goes from one side to the other may help; it
// returns the potentials that prove most.
func (s *dualSearch) prove(f, g []float64) (best bound, bestF, bestG []float64) {
	least := func(f, g []float64) bound { return s.sides[0].least(s.a, f).plus(s.sides[1].least(s.b, g)) }
	best, bestF, bestG = least(f, g), f, g
	p1, p2 := s.sides[0].penalty, s.sides[1].penalty
	if p1 == 0 {
		return best, bestF, bestG
	}
	shifts := []float64{(s.a.mean(f).value.float()/p1 - s.b.mean(g).value.float()/p2) / (1/p1 + 1/p2)}
	if s.sides[0].div == KL {
		shifts = append(shifts, (logTilted(s.b.hi, g, p2)-logTilted(s.a.hi, f, p1))/(1/p1+1/p2))
	}
	for _, shift := range shifts {
		if shift == 0 || math.IsNaN(shift) || math.IsInf(shift, 0) {
			continue
		}
		f2, g2 := make([]float64, len(f)), make([]float64, len(g))
		for i, v := range f {
			f2[i] = down(v - shift)
		}
		for j, v := range g {
			g2[j] = down(v + shift)
		}
		if b := least(f2, g2); b.floor() > best.floor() {
			best, bestF, bestG = b, f2, g2
		}
	}
	return best, bestF, bestG
}

// logTilted is log Σ w exp(−φ/p).
func logTilted(w, phi []float64, p float64) float64 {
	low := math.Inf(1)
	for _, v := range phi {
		low = math.Min(low, v)
	}
	var all float64
	for i, v := range phi {
		all += w[i] * math.Exp((low-v)/p)
	}
	return math.Log(all) - low/p
}
