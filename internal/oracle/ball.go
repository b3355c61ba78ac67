package oracle

import (
	"math/big"
	"slices"
)

// mean is Σ w_i v_i / Σ w_i.
func mean(v, w []number) *big.Rat {
	var top, bottom number
	for i, x := range w {
		top, bottom = top.plus(x.times(v[i])), bottom.plus(x)
	}
	return quotient(top, bottom)
}

// rising is the order of the values that have weight, and the total weight.
func rising(v, w []number) (order []int, total number) {
	for i := range v {
		if w[i].sign() > 0 {
			order = append(order, i)
			total = total.plus(w[i])
		}
	}
	slices.SortFunc(order, func(i, j int) int { return v[i].cmp(v[j]) })
	return order, total
}

// leastMean is the least mean of v over weights u in the chi-square ball of
// radius rho around a = w/Σw: u ≥ 0, Σu = 1, ½ Σ (u−a)²/a ≤ rho.
//
// The support of the minimizer is {v < t} for some t. With R = Σw and the sums
// s0 = Σw, s1 = Σwv, s2 = Σwv² over a support, the least mean is
//
//	[s1 − √((s2·s0 − s1²)(2ρ·s0 − (R−s0))/R)] / s0,
//
// and the true support reaches beyond t exactly if
//
//	(R−s0)(s0·t − s1)² + (s2·s0 − s1²)R > 2ρ·s0·(s0·t − s1)²
//
// (docs/math.md §2.2, written without fractions). Only the root is rounded, up.
func leastMean(v, w []number, rho float64) *big.Rat {
	if rho == 0 {
		return mean(v, w)
	}
	order, total := rising(v, w)
	two := exactly(rho).shift(1)
	var s0, s1, s2 number
	for k := 0; k < len(order); {
		t := v[order[k]]
		if k > 0 {
			d := s0.times(t).minus(s1)
			d = d.times(d)
			need := total.minus(s0).times(d).plus(s2.times(s0).minus(s1.times(s1)).times(total))
			if need.cmp(two.times(s0).times(d)) <= 0 {
				break
			}
		}
		for ; k < len(order) && v[order[k]].cmp(t) == 0; k++ {
			i := order[k]
			wv := w[i].times(v[i])
			s0, s1, s2 = s0.plus(w[i]), s1.plus(wv), s2.plus(wv.times(v[i]))
		}
	}
	inside := s2.times(s0).minus(s1.times(s1)).times(two.times(s0).minus(total.minus(s0)))
	if inside.sign() <= 0 { // all equal
		return quotient(s1, s0)
	}
	return quotient(s1.minus(inside.overUp(total).rootUp()), s0)
}
