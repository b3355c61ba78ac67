package ot

import (
	"math"
)

// The ball of KL, Σ w_i log(w_i/a_i) ≤ ρ around weights a, and its weight
// program: the least mean of φ over the ball (docs/math.md §5.2). Its weights are
// a tilted, w_i ∝ a_i·exp(−φ_i/λ), with the λ that makes the ball tight.

// tiltTerm is 1 + eˣ(x − 1): what weights a·eˣ add to the divergence from a, per
// unit of a. Near 0 it is x²/2.
func tiltTerm(x float64) float64 {
	if math.Abs(x) < 0.1 {
		// Σ x^n (n−1)/n!, n ≥ 2
		return x * x * (1.0/2 + x*(1.0/3+x*(1.0/8+x*(1.0/30+x*(1.0/144+x*(1.0/840+x*(1.0/5760+x*(1.0/45360+x/403200))))))))
	}
	if x < -745 { // e^x is 0
		return 1
	}
	return 1 + math.Exp(x)*(x-1)
}

// expRest is eˣ − 1 − x, near 0 with a small relative error as well.
func expRest(x float64) float64 {
	if math.Abs(x) < 0.1 {
		return x * x * (1.0/2 + x*(1.0/6+x*(1.0/24+x*(1.0/120+x*(1.0/720+x*(1.0/5040+x*(1.0/40320+x*(1.0/362880+x/3628800))))))))
	}
	return math.Expm1(x) - x
}

// A tilt is the solution of the weight program: w_i = a_i·exp(x_i) with
// x_i = (low + offset − φ_i)/λ − log.
type tilt struct {
	lambda float64 // 0: all mass goes to the least φ
	low    float64 // the least φ
	offset float64 // of a centre from it
	log    float64
}

// exponent is log(w/a) where the potential is phi.
func (t tilt) exponent(phi float64) float64 { return ((t.low-phi)+t.offset)/t.lambda - t.log }

// tiltAt is the tilt of φ by λ > 0, and its divergence. Potentials are taken
// relative to their mean where λ is large, else to the least: digits are lost
// either way otherwise.
func tiltAt(phi, a []float64, lambda float64) (t tilt, kl float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for i, v := range phi {
		if a[i] > 0 {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	var mass, first sum
	for i, v := range phi {
		if a[i] > 0 {
			mass.add(a[i])
			first.add(a[i] * (v - low))
		}
	}
	t = tilt{lambda: lambda, low: low}
	term := math.Exp
	if high-low < lambda {
		t.offset, term = first.total()/mass.total(), expRest
	}
	var s sum
	for i, v := range phi {
		if a[i] > 0 {
			s.add(a[i] * term(((low-v)+t.offset)/lambda))
		}
	}
	if t.log = math.Log(s.total() / mass.total()); high-low < lambda {
		t.log = math.Log1p(s.total() / mass.total())
	}
	var d sum
	for i, v := range phi {
		if a[i] > 0 {
			d.add(a[i] * tiltTerm(t.exponent(v)))
		}
	}
	return t, d.total()
}

// leastTilt solves the weight program: the least mean of φ over weights in the
// ball of radius rho > 0 around a.
func leastTilt(phi, a []float64, rho float64) tilt {
	low, high, atLow := math.Inf(1), math.Inf(-1), 0.0
	for i, v := range phi {
		if a[i] == 0 {
			continue
		}
		high = math.Max(high, v)
		if v < low {
			low, atLow = v, 0
		}
		if v == low {
			atLow += a[i]
		}
	}
	if low == high || -math.Log(math.Min(atLow, 1)) <= rho {
		return tilt{low: low}
	}
	divergence := func(lambda float64) float64 {
		_, kl := tiltAt(phi, a, lambda)
		return kl
	}
	// The divergence is at most half the square of (high − low)/λ, or a little more.
	lambda := fallingRoot(divergence, rho, math.Min((high-low)/math.Sqrt(rho), 1e300), 1e-300)
	t, _ := tiltAt(phi, a, lambda)
	return t
}

// fallingRoot is where a falling positive function of a positive number, about
// like a power, takes a value; at is a guess and floor the least answer.
func fallingRoot(f func(float64) float64, want, at, floor float64) float64 {
	type point struct{ x, y float64 } // logarithms of place, and of the function over want
	eval := func(x float64) point { return point{x, math.Log(f(math.Exp(x)) / want)} }
	end := math.Log(floor)
	p := eval(math.Log(at))
	lo, hi := p, p // lo.y ≥ 0 ≥ hi.y
	for step := 1.0; lo.y < 0 && lo.x > end; step *= 2 {
		hi = lo
		lo = eval(math.Max(lo.x-step, end))
	}
	for step := 1.0; hi.y > 0 && hi.x < 700; step *= 2 {
		lo = hi
		hi = eval(hi.x + step)
	}
	if !(lo.y >= 0 && hi.y <= 0) {
		if lo.y < 0 {
			return math.Exp(lo.x)
		}
		return math.Exp(hi.x)
	}
	for side := 0; hi.x-lo.x > 1e-15*math.Max(1, math.Abs(lo.x)) && lo.y > 1e-15 && hi.y < -1e-15; {
		// Illinois: regula falsi, in which an end that stays counts half. An
		// infinite end says where the function vanishes or overflows.
		x := lo.x + (hi.x-lo.x)*lo.y/(lo.y-hi.y)
		if math.IsInf(lo.y, 0) || math.IsInf(hi.y, 0) || !(x > lo.x && x < hi.x) {
			x = (lo.x + hi.x) / 2
			if x == lo.x || x == hi.x {
				break
			}
		}
		q := eval(x)
		if q.y >= 0 {
			if lo = q; side == 1 {
				hi.y /= 2
			}
			side = 1
		} else {
			if hi = q; side == -1 {
				lo.y /= 2
			}
			side = -1
		}
	}
	if lo.y <= -hi.y {
		return math.Exp(lo.x)
	}
	return math.Exp(hi.x)
}

// leastTilted bounds from below the mean of φ under any weights in the ball of
// KL of radius rho around w: for any λ > 0 it is
//
//	−λ log Σ w_i exp(−φ_i/λ) − λρ,
//
// and never less than the least φ (docs/math.md §5.2). slope is the λ, what more
// radius is worth.
func (w weights) leastTilted(phi []float64, rho float64) (best bound, slope float64) {
	mean := w.mean(phi)
	if rho == 0 {
		return mean, math.Inf(1)
	}
	low := math.Inf(1)
	for i, v := range phi {
		if w.hi[i] > 0 {
			low = math.Min(low, v)
		}
	}
	best = bound{value: dd{hi: low}}
	t := leastTilt(phi, w.hi, math.Max(rho, 8*tiny)) // a larger λ would lose more to rounding than it gains
	if t.lambda == 0 {
		return best, 0
	}
	for _, b := range []bound{w.tiltedNear(phi, t, rho), w.tiltedByMean(phi, mean, t.lambda, rho)} {
		if b.floor() > best.floor() {
			best = b
		}
	}
	return best, t.lambda
}

// mathError bounds the relative error of Exp, Expm1, Log and Log1p, of which
// each is right to one unit in the last place.
const mathError = 4 * eps

// tiltedNear is the bound of leastTilted with potentials taken relative to the
// level of the tilt: c − λ log Σ w exp((c − φ)/λ) − λρ with a sum of about 1.
func (w weights) tiltedNear(phi []float64, t tilt, rho float64) bound {
	lambda := t.lambda
	c := t.low + (t.offset - lambda*t.log)
	var s, off sum
	for i, v := range phi {
		if w.hi[i] > 0 {
			x := exactDifference(c, v).float() / lambda
			y := w.hi[i] * math.Exp(x)
			s.add(y)
			off.add(y * (4*eps*math.Abs(x) + mathError + 4*eps))
		}
	}
	total := s.total()
	log := math.Log(total)
	err := lambda * (off.total()/total + mathError*math.Abs(log) + 8*eps*math.Abs(log)) * (1 + 1e-6)
	value := dd{hi: c}.minus(exactProduct(lambda, log)).minus(exactProduct(lambda, rho))
	return tiltBound(value, err+8*tiny*(math.Abs(c)+lambda*(math.Abs(log)+rho+1)))
}

// tiltedByMean is the bound of leastTilted with potentials taken relative to
// their mean: the sum is then 1 + Σ w (eˣ − 1 − x), which keeps its digits where
// λ is large.
func (w weights) tiltedByMean(phi []float64, mean bound, lambda, rho float64) bound {
	c := mean.value.float()
	var s, off sum
	for i, v := range phi {
		if w.hi[i] > 0 {
			x := exactDifference(c, v).float() / lambda
			if x > 600 {
				return bound{value: dd{hi: math.Inf(-1)}}
			}
			y := w.hi[i] * expRest(x)
			s.add(y)
			off.add(y * (4*eps*(2+math.Abs(x)) + 4*mathError + 4*eps))
		}
	}
	// Σ w x is what rounding the mean has left over.
	rest := dd{hi: c}.minus(mean.value).float() / lambda
	log := math.Log1p(s.total() + rest)
	err := lambda*(off.total()+(mathError+8*eps)*math.Abs(log)+8*eps*math.Abs(rest))*(1+1e-6) + 2*mean.err
	value := dd{hi: c}.minus(exactProduct(lambda, log)).minus(exactProduct(lambda, rho))
	return tiltBound(value, err+8*tiny*(math.Abs(c)+lambda*(math.Abs(log)+rho+1)))
}

// tiltBound is a bound, or none where numbers overflowed.
func tiltBound(value dd, err float64) bound {
	if x := value.float() - err; math.IsNaN(x) || math.IsInf(x, 0) {
		return bound{value: dd{hi: math.Inf(-1)}}
	}
	return bound{value, err}
}
