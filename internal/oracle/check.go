package oracle

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"rot.example/rot/ot"
)

// A Kind says what is wrong with a result.
type Kind string

// What can be wrong.
const (
	Infeasible Kind = "plan"      // the plan is not feasible
	WrongValue Kind = "value"     // Value is not what the plan costs
	Unproved   Kind = "lower"     // the potentials do not prove Lower
	FalseLower Kind = "false"     // Lower is above the optimum
	Order      Kind = "order"     // Lower is above Value
	NotANumber Kind = "nan"       // a number is NaN or infinite
	WideGap    Kind = "gap"       // no error, and yet the bounds are far apart
	WrongSums  Kind = "marginals" // A, B, BaseA or BaseB are not what they should be
	Refused    Kind = "refused"   // an error where there is an answer
	NoAnswer   Kind = "missing"   // neither an error nor a result
)

// A Failure is one thing that is wrong.
type Failure struct {
	Kind Kind
	Size float64 // relative, where that means something; always finite
	Text string
}

// A Verdict is what Check found.
type Verdict struct {
	Failures []Failure
	Stopped  bool // the solver says that it stopped short of the tolerance
	Refused  bool // the solver refused the input, rightly
}

func (v *Verdict) fail(kind Kind, size float64, format string, args ...any) {
	if !(size < math.MaxFloat64) { // relative to nothing
		size = math.MaxFloat64
	}
	v.Failures = append(v.Failures, Failure{kind, size, fmt.Sprintf(format, args...)})
}

// smallOptimum is up to how many points a side the optimum itself is computed.
const smallOptimum = 12

// Check judges what a solver returned.
//
// Tolerances: a hard marginal, the total mass and the radius of a ball hold to
// 1e-12 relative; Value is ⟨C,π⟩ to 8 ulps of Σπ|C|, and as much more as the
// rounding of the costs themselves explains; Lower has none, but for 2^-280 of
// the potentials where costs are irrational. A result without an error has a
// gap of at most 1e-9 of Value, 64 ulps of the potentials and costs that the two
// bounds are sums of, and 64 ulps of a cost in the middle of those that are not
// zero: an optimum of less is zero up to rounding. The largest cost excuses nothing.
//
// A result that comes with the error of a context is held to the same, but for
// the gap.
func Check(in *Instance, r *ot.Result, err error) *Verdict {
	v := &Verdict{}
	var late *ot.ConvergenceError
	switch {
	case errors.As(err, &late), r != nil && interrupted(err):
		v.Stopped = true
	case err != nil:
		if v.Refused = in.MayRefuse || in.NoPlanExists; !v.Refused {
			v.fail(Refused, 0, "error: %v", err)
		}
		return v
	}
	if r == nil || r.Plan == nil {
		v.fail(NoAnswer, 0, "no result, error %v", err)
		return v
	}
	if in.NoPlanExists {
		v.fail(NoAnswer, 0, "a result, where no plan exists")
	}
	if !in.numbers(r, v) {
		return v
	}
	f := newFlow(in, r.Plan, v)
	if f == nil {
		return v
	}
	f.feasible(v)
	f.sums(r, v)
	f.value(r, v)
	if r.Lower > r.Value {
		v.fail(Order, (r.Lower-r.Value)/math.Abs(r.Value), "lower %.17g is above value %.17g", r.Lower, r.Value)
	}
	size := in.lower(r, v)
	if best := in.optimum(); best != nil {
		in.compare(r, best, v.Stopped, v)
	}
	if in.Method == Entropic || v.Stopped {
		return v
	}
	f.gap(r, size, v)
	return v
}

func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// numbers checks that there are as many as there should be, and all finite.
func (in *Instance) numbers(r *ot.Result, v *Verdict) bool {
	before := len(v.Failures)
	bad := func(name string, x float64) {
		v.fail(NotANumber, 0, "%s is %v", name, x)
	}
	for _, s := range []struct {
		name string
		x    float64
	}{{"value", r.Value}, {"lower", r.Lower}, {"transport", r.Transport}} {
		if math.IsNaN(s.x) || math.IsInf(s.x, 0) {
			bad(s.name, s.x)
		}
	}
	if math.IsNaN(r.SourceLambda + r.TargetLambda) { // infinite on a side that cannot move
		bad("a multiplier", math.NaN())
	}
	for _, s := range []struct {
		name      string
		x, weight []float64
		count     int
		mayBeInf  bool // where the weight is zero
	}{
		{"F", r.F, in.A, in.M, true}, {"G", r.G, in.B, in.N, true},
		{"A", r.A, nil, in.M, false}, {"B", r.B, nil, in.N, false},
		{"BaseA", r.BaseA, nil, in.M, false}, {"BaseB", r.BaseB, nil, in.N, false},
	} {
		if len(s.x) != s.count {
			v.fail(NoAnswer, 0, "%s has %d entries, want %d", s.name, len(s.x), s.count)
			continue
		}
		for i, x := range s.x {
			if math.IsNaN(x) || math.IsInf(x, 0) && !(s.mayBeInf && s.weight != nil && s.weight[i] == 0) {
				bad(fmt.Sprintf("%s[%d]", s.name, i), x)
				break
			}
		}
	}
	return len(v.Failures) == before
}

// feasible checks the constraints of the method.
func (f *flow) feasible(v *Verdict) {
	in := f.in
	switch in.Method {
	case Unbalanced: // nothing is required
	case Partial:
		f.hard("row", f.w, f.a, f.sumA, true, v)
		if in.OneSided {
			share := make([]number, len(f.b))
			for j, w := range f.b {
				share[j] = w.times(exactly(in.Mass))
			}
			f.hard("column", f.v, share, f.sumB, false, v)
		} else {
			f.hard("column", f.v, f.b, f.sumB, true, v)
		}
		f.total(in.Mass, v)
	case Robust:
		if in.Rho > 0 {
			f.within("source", f.w, f.a, f.sumA, in.Rho, v)
		} else {
			f.hard("row", f.w, f.a, f.sumA, false, v)
		}
		if in.TargetRho > 0 {
			f.within("target", f.v, f.b, f.sumB, in.TargetRho, v)
		} else {
			f.hard("column", f.v, f.b, f.sumB, false, v)
		}
		f.total(1, v)
	default:
		f.hard("row", f.w, f.a, f.sumA, false, v)
		f.hard("column", f.v, f.b, f.sumB, false, v)
		f.total(1, v)
	}
}

// sums checks that A and B are the marginals of the plan, and BaseA and BaseB
// the normalized weights.
func (f *flow) sums(r *ot.Result, v *Verdict) {
	for _, s := range []struct {
		name  string
		got   []float64
		want  []number
		total number
	}{{"A", r.A, f.w, whole(1)}, {"B", r.B, f.v, whole(1)}, {"BaseA", r.BaseA, f.a, f.sumA}, {"BaseB", r.BaseB, f.b, f.sumB}} {
		for i, got := range s.got {
			want := approx(quotient(s.want[i], s.total))
			if e := math.Abs(got - want); e > marginalTol*want {
				v.fail(WrongSums, e/want, "%s[%d] is %.17g, should be %.17g", s.name, i, got, want)
				break
			}
		}
	}
}

// value checks Value and Transport.
func (f *flow) value(r *ot.Result, v *Verdict) {
	blur := 8*ulp*f.size + f.blur
	f.equal("transport", r.Transport, f.cost.rat(), blur, v)
	value := f.cost.rat()
	if f.in.Method == Unbalanced {
		for _, s := range []struct {
			got, weight []number
			total       number
			penalty     float64
		}{{f.w, f.a, f.sumA, f.in.Penalty}, {f.v, f.b, f.sumB, f.in.TargetPenalty}} {
			d, b := f.divergence(s.got, s.weight, s.total, s.penalty)
			value.Add(value, d)
			blur += b + 8*ulp*math.Abs(approx(d))
		}
	}
	f.equal("value", r.Value, value, blur, v)
}

func (f *flow) equal(name string, got float64, want *big.Rat, blur float64, v *Verdict) {
	e := math.Abs(approx(new(big.Rat).Sub(exactly(got).rat(), want)))
	if e > blur+8*math.SmallestNonzeroFloat64 {
		v.fail(WrongValue, e/math.Abs(approx(want)), "%s is %.17g, the plan costs %.17g", name, got, approx(want))
	}
}

// lower checks that the potentials prove Lower, and returns their size.
func (in *Instance) lower(r *ot.Result, v *Verdict) float64 {
	claim := exactly(r.Lower).rat()
	proof, pot := in.dual(r.F, false)
	size := pot.size(in)
	if in.proves(proof, claim, size) {
		return size
	}
	if other, pot := in.dual(r.G, true); other.Cmp(proof) > 0 {
		proof, size = other, pot.size(in)
	}
	if !in.proves(proof, claim, size) {
		excess := approx(new(big.Rat).Sub(claim, proof))
		v.fail(Unproved, excess/math.Max(math.Abs(r.Value), math.Abs(approx(proof))),
			"lower is %.17g, the potentials prove %.17g: %.3g less, value is %.17g", r.Lower, approx(proof), excess, r.Value)
	}
	return size
}

// proves says that proof ≥ claim, up to the rounding of irrational costs.
func (in *Instance) proves(proof, claim *big.Rat, size float64) bool {
	if proof.Cmp(claim) >= 0 {
		return true
	}
	rootOfBall := in.Divergence != ot.TV && (in.Rho > 0 || in.TargetRho > 0)
	if in.Metric != ot.Euclidean && in.Metric != ot.Cosine && !rootOfBall && !(in.Method == Unbalanced && in.Divergence == ot.KL) {
		return false
	}
	least := exactly(size).plus(exactly(approx(claim)).abs()).shift(-280).rat()
	return least.Add(least, proof).Cmp(claim) >= 0
}
