package oracle

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"rot.example/rot/ot"
)

// dual is the dual objective of the potentials f, whose partners are the best
// that they leave: g_j = min_i (C_ij − f_i). With bySource the potentials are
// those of the targets. No plan is cheaper than what dual returns.
//
// The objective grows with g, so that these g are at least as good as any the
// solver may have returned with f.
func (in *Instance) dual(f []float64, bySource bool) (*big.Rat, potentials) {
	a, b := raw(in.A, in.M), raw(in.B, in.N)
	pot := potentials{a: a, b: b}
	mine, other := &pot.f, &pot.g
	weight := a
	if bySource {
		mine, other, weight = other, mine, b
	}
	*mine = make([]number, len(f))
	for i, v := range f {
		if weight[i].sign() > 0 {
			(*mine)[i] = exactly(v)
		}
	}
	for _, v := range in.transform(f, weight, bySource) {
		if v == nil { // out of reach: as large as one likes
			huge := number{big.NewInt(1), 1100}
			v = &huge
		}
		*other = append(*other, *v)
	}
	value := new(big.Rat)
	switch in.Method {
	case Robust:
		value.Add(leastIn(in.Divergence, pot.f, a, in.Rho), leastIn(in.Divergence, pot.g, b, in.TargetRho))
	case Partial:
		stay := whole(1).minus(exactly(in.Mass))
		value = capped(pot.f, a, stay)
		if in.OneSided {
			value.Add(value, new(big.Rat).Mul(mean(pot.g, b), exactly(in.Mass).rat()))
		} else {
			value.Add(value, capped(pot.g, b, stay))
		}
	case Unbalanced:
		value.Add(in.conjugate(pot.f, a, in.Penalty), in.conjugate(pot.g, b, in.TargetPenalty))
	default:
		value.Add(mean(pot.f, a), mean(pot.g, b))
	}
	return value, pot
}

// capped is the largest mean of min(v, t) − stay·t over all caps t, which is
// what potentials v prove where a part of the mass may stay. It caps v.
func capped(v, w []number, stay number) *big.Rat {
	order, total := rising(v, w)
	// The slope in t is the share of weight above t, less stay.
	limit := stay.times(total)
	above := total
	t := v[order[0]]
	for _, i := range order {
		if above.cmp(limit) <= 0 {
			break
		}
		t = v[i]
		above = above.minus(w[i])
	}
	var top number
	for _, i := range order {
		if t.less(v[i]) {
			v[i] = t
		}
		top = top.plus(w[i].times(v[i]))
	}
	return quotient(top.minus(limit.times(t)), total)
}

// conjugate is the mean of g(v): v − v²/2p up to p/2 for the half chi-square
// divergence, p(1 − e^(−v/p)), rounded down, for KL (docs/math.md §7.3).
func (in *Instance) conjugate(v, w []number, penalty float64) *big.Rat {
	p := exactly(penalty)
	var top, bottom number
	for i, x := range w {
		if x.sign() == 0 {
			continue
		}
		bottom = bottom.plus(x)
		if in.Divergence == ot.KL {
			top = top.plus(x.times(klShare(v[i], p)))
			continue
		}
		t := v[i]
		if p.less(t) {
			t = p
		}
		top = top.plus(x.times(t.times(p).shift(1).minus(t.times(t)))) // still to be divided by 2p
	}
	if in.Divergence != ot.KL {
		bottom = bottom.times(p).shift(1)
	}
	return quotient(top, bottom)
}

// klShare is p(1 − e^(−v/p)), rounded down.
func klShare(v, p number) number {
	x := v.neg().overUp(p)
	large := number{big.NewInt(1), 30}
	switch {
	case x.sign() == 0:
		return number{}
	case !x.less(large): // beyond any plan
		return number{big.NewInt(-1), 1 << 20}
	case x.less(large.neg()):
		return p.minus(p.shift(-500))
	}
	s := fromBig(expm1(x.bigFloat())).times(p).neg()
	return s.minus(s.abs().shift(-500))
}

// fromBig is a big.Float as a number.
func fromBig(x *big.Float) number {
	if x.Sign() == 0 {
		return number{}
	}
	e := x.MantExp(nil)
	m, _ := new(big.Float).SetMantExp(x, bits-e).Int(nil)
	return number{m, e - bits}.trim()
}

// potentials are a feasible pair and the weights of its sides.
type potentials struct{ f, g, a, b []number }

// size is what the rounding of potentials is relative to: the sum of the sizes
// of the terms of the dual objective, for weights that sum to one. A constant
// moved from one side to the other changes the terms of plain and robust
// transport and not the objective; it is chosen to make them small. The terms
// of Partial are those of docs/math.md §7.4.
func (p potentials) size(in *Instance) float64 {
	var terms []weighted
	var tops, offset float64
	for _, side := range []struct {
		v, w []number
		sign float64
	}{{p.f, p.a, 1}, {p.g, p.b, -1}} {
		total := sum(side.w).float()
		top := math.Inf(-1)
		for i, w := range side.w {
			if w.sign() > 0 {
				top = math.Max(top, side.v[i].float())
			}
		}
		tops += top
		for i, w := range side.w {
			if w.sign() == 0 {
				continue
			}
			v := side.v[i].float()
			if in.Method == Partial && !in.OneSided {
				v -= top
			}
			terms = append(terms, weighted{side.sign * v, w.float() / total})
		}
	}
	var s float64
	switch {
	case in.Method == Partial && !in.OneSided:
		s = in.Mass * math.Abs(tops)
	case in.Method == Unbalanced:
	default:
		offset = median(terms)
	}
	for _, t := range terms {
		s += t.w * math.Abs(t.v-offset)
	}
	if !(s <= math.MaxFloat64) {
		return math.MaxFloat64
	}
	return s
}

type weighted struct{ v, w float64 }

// median is the smallest value that half of the weight does not exceed.
func median(terms []weighted) float64 {
	slices.SortFunc(terms, func(x, y weighted) int { return cmp.Compare(x.v, y.v) })
	var total, at float64
	for _, t := range terms {
		total += t.w
	}
	for _, t := range terms {
		if at += t.w; 2*at >= total {
			return t.v
		}
	}
	return 0
}

// upperMedian is the largest value that half of the weight does not fall below.
func upperMedian(terms []weighted) float64 {
	mirrored := make([]weighted, len(terms))
	for k, t := range terms {
		mirrored[k] = weighted{-t.v, t.w}
	}
	return -median(mirrored)
}
