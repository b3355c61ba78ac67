package oracle

import (
	"math"
	"math/big"

	"rot.example/rot/ot"
)

// leastIn is the least mean of v over weights in the ball of a divergence around
// a = w/Σw, or a little less where that is irrational.
func leastIn(d ot.Divergence, v, w []number, rho float64) *big.Rat {
	switch {
	case rho == 0:
		return mean(v, w)
	case d == ot.TV:
		return leastVariation(v, w, rho)
	case d == ot.KL:
		return leastTilted(v, w, rho)
	}
	return leastMean(v, w, rho)
}

// leastVariation is the least mean over weights at a total variation of at most
// rho: that much is taken from where v is largest and put where it is least.
func leastVariation(v, w []number, rho float64) *big.Rat {
	order, total := rising(v, w)
	left := exactly(math.Min(rho, 1)).times(total)
	low := v[order[0]]
	var s number
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		take := w[i]
		if left.less(take) {
			take = left
		}
		left = left.minus(take)
		s = s.plus(w[i].minus(take).times(v[i])).plus(take.times(low))
	}
	return quotient(s, total)
}

// leastTilted is what a multiplier λ proves about the least mean in a ball of
// KL, −λ log Σ a exp(−v/λ) − λρ rounded down, for a λ that is nearly the best; or
// the least v, if that is more.
func leastTilted(v, w []number, rho float64) *big.Rat {
	order, total := rising(v, w)
	low := v[order[0]]
	best := low.rat()
	// In float64, relative to the least value and in units of the range.
	x, a := make([]float64, len(order)), make([]float64, len(order))
	unit := 0
	if last := v[order[len(order)-1]].minus(low); last.sign() > 0 { // of about that size, so that nothing overflows
		unit = last.e + last.m.BitLen()
	}
	for k, i := range order {
		x[k], a[k] = v[i].minus(low).shift(-unit).float(), w[i].over(total).float()
	}
	lambda, level := tiltOf(x, a, rho)
	if !(lambda > 0) || math.IsInf(lambda, 0) {
		return best
	}
	l, c := exactly(lambda).shift(unit), low.plus(exactly(level).shift(unit))
	tiny := number{big.NewInt(1), -1400}
	var s number
	for _, i := range order {
		e := c.minus(v[i]).overUp(l)
		if e.less(whole(-1000)) {
			s = s.plus(w[i].times(tiny))
			continue
		}
		y := fromBig(expm1(e.bigFloat())).plus(whole(1))
		s = s.plus(w[i].times(y.plus(y.abs().shift(-500))))
	}
	log := fromBig(log(s, total))
	log = log.plus(log.abs().shift(-500))
	proof := c.minus(l.times(log)).minus(l.times(exactly(rho))).rat()
	if proof.Cmp(best) > 0 {
		return proof
	}
	return best
}

// tiltOf is about the multiplier at which weights a·exp(−x/λ) diverge by rho, and
// −λ log Σ a exp(−x/λ); zero where all of the mass may go to the least x. Values
// are rising and begin at 0.
func tiltOf(x, a []float64, rho float64) (lambda, level float64) {
	last := x[len(x)-1]
	var atLow, mean float64
	for k, v := range x {
		if v == 0 {
			atLow += a[k]
		}
		mean += a[k] * v
	}
	if last == 0 || -math.Log(atLow) <= rho {
		return 0, 0
	}
	at := func(l float64) (kl, level float64) {
		centre := 0.0
		if last < l {
			centre = mean
		}
		var s float64
		for k, v := range x {
			e := (centre - v) / l
			if centre > 0 {
				s += a[k] * rest(e)
			} else {
				s += a[k] * math.Exp(e)
			}
		}
		log := math.Log(s)
		if centre > 0 {
			log = math.Log1p(s)
		}
		for k, v := range x {
			switch e := (centre-v)/l - log; {
			case e < -700:
				kl += a[k]
			case math.Abs(e) > 0.5:
				kl += a[k] * (1 + math.Exp(e)*(e-1))
			default: // the same without cancellation
				kl += a[k] * (e*math.Expm1(e) - rest(e))
			}
		}
		return kl, centre - l*log
	}
	lo, hi := math.Log(last)-60, math.Log(last)+60 // of λ
	for hi < 709 {
		if kl, _ := at(math.Exp(hi)); kl < rho {
			break
		}
		hi += 60
	}
	for lo > -740 {
		if kl, _ := at(math.Exp(lo)); kl > rho {
			break
		}
		lo -= 60
	}
	for range 100 {
		middle := (lo + hi) / 2
		if kl, _ := at(math.Exp(middle)); kl > rho {
			lo = middle
		} else {
			hi = middle
		}
	}
	lambda = math.Exp(hi)
	_, level = at(lambda)
	return lambda, level
}

// rest is eˣ − 1 − x.
func rest(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Expm1(x) - x
	}
	s, term := 0.0, x
	for k := 2.0; k < 20; k++ {
		term *= x / k
		s += term
	}
	return s
}

// within checks that weights keep to a ball, by the rules of soft.
func (f *flow) within(side string, got, weight []number, total number, rho float64, v *Verdict) {
	switch f.in.Divergence {
	case ot.TV:
		var s number
		for i, w := range weight {
			s = s.plus(got[i].times(total).minus(w).abs())
		}
		far := approx(quotient(s.shift(-1), total))
		if limit := math.Min(rho, 1)*(1+marginalTol) + marginalTol; far > limit {
			v.fail(Infeasible, far/limit-1, "%s weights leave the ball: total variation %.17g, radius %.17g", side, far, rho)
		}
	case ot.KL:
		d, _ := f.divergence(got, weight, total, 1)
		far := math.Sqrt(2 * math.Max(0, approx(d)))
		if limit := math.Sqrt(2*rho)*(1+marginalTol) + marginalTol; far > limit {
			v.fail(Infeasible, far/limit-1, "%s weights leave the ball: KL divergence %.17g, radius %.17g", side, approx(d), rho)
		}
	default:
		f.soft(side, got, weight, total, rho, v)
	}
}

// depots adds to a table the depots of total variation, with masses from and to
// that may be elsewhere on either side (docs/math.md §5.1).
func (t *table) depots(from, to number, a, b []number) {
	m, n := len(t.supply), len(t.demand)
	least := func(better *price, c price) {
		if better.times < 0 || c.minus(*better).negative() {
			*better = c
		}
	}
	none := price{times: -1}
	nearest, farther, all := make([]price, n), make([]price, m), none
	for j := range n {
		nearest[j] = none
	}
	for i := range m {
		farther[i] = none
		for j := range n {
			if a[i].sign() > 0 {
				least(&nearest[j], t.cost[i][j])
			}
			if b[j].sign() > 0 {
				least(&farther[i], t.cost[i][j])
			}
			if a[i].sign() > 0 && b[j].sign() > 0 {
				least(&all, t.cost[i][j])
			}
		}
	}
	for i := range m {
		t.cost[i] = append(t.cost[i], price{}, farther[i])
	}
	t.cost = append(t.cost, append(nearest, price{}, all), append(make([]price, n), price{times: 1}, price{}))
	t.supply = append(t.supply, from, to)
	t.demand = append(t.demand, from, to)
}
