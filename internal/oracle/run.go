package oracle

import (
	"context"
	"errors"
	"math"
	"math/big"

	"rot.example/rot/ot"
)

// An Answer is what the solver said about an instance, not yet judged.
type Answer struct {
	in     *Instance
	result *ot.Result
	curve  *ot.CurveResult
	err    error
}

// Err is the error that the solver returned.
func (a *Answer) Err() error { return a.err }

// Result is what the solver returned, nil for Curve.
func (a *Answer) Result() *ot.Result { return a.result }

// Run solves an instance.
func Run(ctx context.Context, in *Instance) *Answer {
	a := &Answer{in: in}
	if in.Method != Curve {
		a.result, a.err = in.Solve(ctx)
		return a
	}
	p, err := in.Problem()
	if err != nil {
		a.err = err
		return a
	}
	a.curve, a.err = ot.Curve(ctx, p, in.Rhos, nil)
	return a
}

// Check judges the answer. That of Curve is held against robust transport at
// every radius, which is solved and judged for the purpose.
func (a *Answer) Check(ctx context.Context) *Verdict {
	if a.in.Method != Curve {
		return Check(a.in, a.result, a.err)
	}
	v := &Verdict{}
	var late *ot.ConvergenceError
	switch {
	case errors.As(a.err, &late), a.curve != nil && interrupted(a.err):
		v.Stopped = true
	case a.err != nil:
		if v.Refused = a.in.MayRefuse || a.in.NoPlanExists; !v.Refused {
			v.fail(Refused, 0, "error: %v", a.err)
		}
		return v
	}
	if a.curve == nil || len(a.curve.Points) != len(a.in.Rhos) {
		v.fail(NoAnswer, 0, "no curve of %d points", len(a.in.Rhos))
		return v
	}
	for _, p := range a.curve.Points {
		a.point(ctx, p, v)
	}
	return v
}

// curveTol is the gap of a point that the default options of Curve promise,
// relative to V(0).
const curveTol = 1e-4

// point checks one point of a curve.
func (a *Answer) point(ctx context.Context, p ot.CurvePoint, v *Verdict) {
	steep := p.Rho == 0 && math.IsInf(p.Lambda, 1) // as V may be there
	if x := p.Value - p.Lower; math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(p.Lambda) || math.IsInf(p.Lambda, 0) && !steep {
		v.fail(NotANumber, 0, "point %+v", p)
		return
	}
	if p.Lower > p.Value {
		v.fail(Order, (p.Lower-p.Value)/math.Abs(p.Value), "at radius %g lower %.17g is above value %.17g", p.Rho, p.Lower, p.Value)
	}
	one := *a.in
	one.Method, one.Rho, one.TargetRho = Robust, p.Rho, 0
	r, err := one.Solve(ctx)
	judged := Check(&one, r, err)
	for _, f := range judged.Failures {
		v.fail(f.Kind, f.Size, "robust at radius %g: %s", p.Rho, f.Text)
	}
	if r == nil || r.Plan == nil || len(judged.Failures) > 0 {
		return
	}
	proof, pot := one.dual(r.F, false)
	f := newFlow(&one, r.Plan, v)
	size := pot.size(&one) + f.size
	off := 2*marginalTol*size + f.blur // the plan's marginals are right to 1e-12
	if over := approx(new(big.Rat).Sub(exactly(p.Lower).rat(), f.cost.rat())); over > off {
		v.fail(FalseLower, over/math.Abs(p.Value), "at radius %g lower is %.17g, a plan costs %.17g", p.Rho, p.Lower, f.cost.float())
	}
	if under := approx(new(big.Rat).Sub(proof, exactly(p.Value).rat())); under > off {
		v.fail(WrongValue, under/math.Abs(p.Value), "at radius %g value is %.17g, no plan costs less than %.17g", p.Rho, p.Value, approx(proof))
	}
	allowed := curveTol*math.Abs(a.curve.Plain) + slack*(size+one.unit(p.Lower == 0)) + 4*f.blur
	if gap := p.Value - p.Lower; !v.Stopped && !(gap <= allowed) {
		v.fail(WideGap, gap/math.Abs(p.Value), "at radius %g no error at value %.17g, lower %.17g: gap %.3g, at most %.3g was promised", p.Rho, p.Value, p.Lower, gap, allowed)
	}
}
