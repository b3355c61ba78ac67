package oracle

import (
	"math"
	"math/big"

	"rot.example/rot/ot"
)

// tol is the relative gap that the default options promise.
const tol = 1e-9

// slack is how many ulps of its terms a sum may be off for the promise to count
// as kept.
const slack = 64 * ulp

// gap checks that a result without an error is as good as promised. The size
// is that of the potentials.
func (f *flow) gap(r *ot.Result, size float64, v *Verdict) {
	large := math.Max(math.Abs(r.Value), math.Abs(r.Lower))
	allowed := tol*large + slack*(size+f.size+f.in.unit(r.Lower == 0)) + 4*f.blur
	if gap := r.Value - r.Lower; !(gap <= allowed) {
		v.fail(WideGap, gap/large, "no error at value %.17g, lower %.17g: gap %.3g, at most %.3g was promised", r.Value, r.Lower, gap, allowed)
	}
}

// compare holds the bounds against the optimum.
func (in *Instance) compare(r *ot.Result, best *optimum, stopped bool, v *Verdict) {
	claim := new(big.Rat).Sub(exactly(r.Lower).rat(), best.value)
	if claim.Sign() > 0 && !in.proves(best.value, exactly(r.Lower).rat(), best.size) {
		v.fail(FalseLower, approx(claim)/math.Abs(approx(best.value)), "lower %.17g is above the optimum %.17g", r.Lower, approx(best.value))
	}
	if stopped || in.Method == Entropic {
		return
	}
	opt := approx(best.value)
	over := approx(new(big.Rat).Sub(exactly(r.Value).rat(), best.value))
	if allowed := tol*math.Abs(opt) + slack*(best.size+in.unit(r.Lower == 0 && in.Method != Partial)) + in.costBlur(math.Abs(opt)); over > allowed {
		v.fail(WideGap, over/math.Abs(opt), "value %.17g, the optimum is %.17g: off by %.3g, at most %.3g was promised", r.Value, opt, over, allowed)
	}
}

// unit is a cost in the middle of those that are not zero, times the mass that
// is moved. Where half of the weight has small costs and half has large ones it
// is a small one, unless the bound is the 0 that needs no proof: that may stand
// for a bound that rounding of the larger costs has made negative.
func (in *Instance) unit(bare bool) float64 {
	weight := func(w []float64, i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	var some []weighted
	step := max(1, in.M*in.N/2500)
	for k := 0; k < in.M*in.N; k += step {
		i, j := k/in.N, k%in.N
		if c := math.Abs(in.roughCost(i, j)); c > 0 && c <= math.MaxFloat64 {
			some = append(some, weighted{c, weight(in.A, i) * weight(in.B, j)})
		}
	}
	middle := median(some)
	if bare {
		middle = upperMedian(some)
	}
	if in.Method == Unbalanced {
		middle = math.Min(middle, in.Penalty+in.TargetPenalty)
	}
	if in.Metric == ot.Cosine { // computed from rows of length one
		middle = math.Max(middle, 1)
	}
	if in.Method == Partial {
		return in.Mass * middle
	}
	return middle
}
