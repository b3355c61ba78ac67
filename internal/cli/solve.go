package cli

import (
	"context"
	"errors"
	"fmt"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// solve runs the method that o asks for. For an automatic radius it first
// looks for the elbow, and sets o.rho.
func (o *distOptions) solve(ctx context.Context, problem *ot.Problem, p *progress) (*ot.Result, error) {
	if o.auto {
		p.stage("looking for the elbow")
		c, err := ot.Curve(ctx, problem, nil, &ot.CurveOptions{Tol: o.tol, Progress: p.report})
		var short *ot.ConvergenceError
		if err != nil && (c == nil || !errors.As(err, &short)) {
			return nil, err // A curve that is a little off still has an elbow.
		}
		o.rho, o.sharpness, o.curve = c.Elbow, c.Sharpness, c
	}
	p.stage("solving " + o.what())
	switch o.method {
	case methodEntropic:
		return ot.Entropic(ctx, problem, &ot.EntropicOptions{
			Epsilon: o.epsilon, Tol: o.tol, MaxIters: o.maxIters, Progress: p.report,
			NoPlan: o.plan == "" && o.plot == "", // it is dense
		})
	case methodUnbalanced:
		div, err := ot.ParseDivergence(o.divergence)
		if err != nil {
			return nil, err
		}
		return ot.Unbalanced(ctx, problem, &ot.UnbalancedOptions{Divergence: div, Penalty: o.penalty, Tol: o.tol, MaxIters: o.maxIters, Progress: p.report})
	case methodPartial:
		return ot.Partial(ctx, problem, &ot.PartialOptions{Mass: o.mass, Tol: o.tol, MaxIters: o.maxIters, Progress: p.report})
	}
	if o.sorts(problem) {
		return ot.OneD(ctx, problem, nil)
	}
	return ot.Robust(ctx, problem, &ot.RobustOptions{
		Source: chisq.Ball{Rho: o.rho}, Target: chisq.Ball{Rho: o.targetRho},
		Tol: o.tol, MaxIters: o.maxIters, Progress: p.report,
	})
}

// sorts says whether the problem is on a line, where sorting solves it.
func (o *distOptions) sorts(problem *ot.Problem) bool {
	return o.method == methodExact && !o.robust() && problem.Cost.Dim() == 1 && problem.Cost.Metric() != ot.Cosine
}

// robust says whether any weights may move.
func (o *distOptions) robust() bool { return o.rho > 0 || o.targetRho > 0 }

// what is the problem in words.
func (o *distOptions) what() string {
	switch {
	case o.method == methodPartial:
		return fmt.Sprintf("partial transport of %s of the mass", percent(o.mass))
	case o.method == methodUnbalanced:
		return fmt.Sprintf("unbalanced transport (%s, penalty %s)", o.divergence, digits(o.penalty, 4))
	case o.method == methodEntropic:
		return "entropic transport"
	case o.robust():
		return "robust transport"
	}
	return "optimal transport"
}

// title is what, with the radii.
func (d *distance) title() string {
	o := d.options
	s := capital(o.what())
	if o.rho > 0 {
		s += fmt.Sprintf(", ρ = %s (γ = %s)", digits(o.rho, 4), percent(chisq.Ball{Rho: o.rho}.Gamma()))
	}
	if o.targetRho > 0 {
		s += fmt.Sprintf(", target ρ = %s", digits(o.targetRho, 4))
	}
	return s
}
