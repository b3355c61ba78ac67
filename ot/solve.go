package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"rot.example/rot/chisq"
)

// A Method is a kind of transport that Solve computes.
type Method string

// The methods of Solve.
const (
	MethodExact      Method = "exact" // plain or robust, to proven bounds
	MethodEntropic   Method = "entropic"
	MethodUnbalanced Method = "unbalanced"
	MethodPartial    Method = "partial"
)

// Methods lists the methods of Solve.
func Methods() []Method {
	return []Method{MethodExact, MethodEntropic, MethodUnbalanced, MethodPartial}
}

// SolveOptions says what Solve computes. The zero value asks for plain
// transport.
type SolveOptions struct {
	Method Method // "" means MethodExact

	Rho, TargetRho float64 // MethodExact: radii of the balls around the weights
	Auto           bool    // MethodExact: Rho is the elbow of Curve

	Epsilon    float64    // MethodEntropic: strength of the smoothing; 0: a hundredth of the mean cost
	NoPlan     bool       // MethodEntropic: no plan, which would be dense
	Mass       float64    // MethodPartial: part of the mass to move
	OneSided   bool       // MethodPartial: the source alone leaves mass behind
	Divergence Divergence // MethodUnbalanced: penalty on the weights; MethodExact: what the radii bound
	Penalty    float64    // MethodUnbalanced: its weight, in units of cost

	Tol      float64 // 0 means the default of the method
	MaxIters int     // 0 means the default of the method
	Progress func(Progress)
	Stage    func(name string) // called when another part of the work starts

	Sweeper Sweeper // helps with large problems, MethodExact and MethodPartial; may be nil
}

// Gamma returns the largest part of a side that a radius rho has room to set
// aside.
func (o *SolveOptions) Gamma(rho float64) float64 {
	switch o.Divergence {
	case TV:
		return min(rho, 1)
	case KL:
		return -math.Expm1(-rho)
	}
	return chisq.Ball{Rho: rho}.Gamma()
}

// Radius returns the least radius of a ball of d that has room to set aside a
// part gamma of a side: γ/(2(1−γ)) of Chi2, −log(1−γ) of KL, γ of TV. It returns
// chisq.ErrRadius for a part outside [0, 1).
func (d Divergence) Radius(gamma float64) (float64, error) {
	ball, err := chisq.FromGamma(gamma)
	switch {
	case err != nil:
		return 0, err
	case d == TV:
		return gamma, nil
	case d == KL:
		return -math.Log1p(-gamma), nil
	}
	return ball.Rho, nil
}

// A Solution is a Result with the question that it answers, and what became of
// the weights of both sides.
type Solution struct {
	*Result
	Problem        *Problem
	Options        SolveOptions      // Method is filled in, and Rho where it was chosen
	Curve          *CurveResult      // that an automatic radius was chosen by; nil without one
	Short          *ConvergenceError // nil when the tolerance was reached
	Stopped        error             // why the context ended the solve; nil when it did not
	Sorted         bool              // the problem was on a line and solved by sorting
	Source, Target *Side
	Seconds        float64 // that the curve and the solver took
}

// Solve computes the transport that opts ask for. It returns the errors of the
// method; with a *ConvergenceError, and where ctx ends the solve, comes the best
// Solution that was found, if there is one. Its bounds hold.
func Solve(ctx context.Context, p *Problem, opts *SolveOptions) (*Solution, error) {
	s := &Solution{Problem: p}
	if opts != nil {
		s.Options = *opts
	}
	if s.Options.Method == "" {
		s.Options.Method = MethodExact
	}
	if s.Options.Stage == nil {
		s.Options.Stage = func(string) {}
	}
	start := time.Now()
	var err error
	s.Result, err = s.solve(ctx)
	switch {
	case err != nil && s.Result == nil:
		return nil, err
	case errors.As(err, &s.Short) || err == nil:
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		s.Stopped = err
	default:
		return nil, err
	}
	s.Seconds = time.Since(start).Seconds()
	s.Options.Stage("looking at the weights")
	s.addSides()
	return s, err
}

// addSides sums up the weights of both sides.
func (s *Solution) addSides() {
	moves := s.Options.Method == MethodPartial || s.Options.Method == MethodUnbalanced
	s.Source = newSide("source", s.Problem, s.Result, moves || s.Options.Rho > 0)
	s.Target = newSide("target", s.Problem, s.Result, moves && !s.Options.OneSided || s.Options.TargetRho > 0)
}

// NewSolution returns the Solution of r, a Result for p and opts that was kept
// or sent from elsewhere. It returns an error that wraps ErrShape where the
// arrays of r are not those of p.
func NewSolution(p *Problem, r *Result, opts *SolveOptions) (*Solution, error) {
	m, n := p.Cost.Dims()
	for _, v := range []struct {
		name string
		got  []float64
		want int
	}{{"A", r.A, m}, {"BaseA", r.BaseA, m}, {"F", r.F, m}, {"B", r.B, n}, {"BaseB", r.BaseB, n}, {"G", r.G, n}} {
		if len(v.got) != v.want {
			return nil, fmt.Errorf("ot: %s of the result has %d entries, want %d: %w", v.name, len(v.got), v.want, ErrShape)
		}
	}
	if q := r.Plan; q != nil {
		if len(q.J) != len(q.I) || len(q.Mass) != len(q.I) {
			return nil, fmt.Errorf("ot: the plan of the result has %d rows, %d columns and %d masses: %w", len(q.I), len(q.J), len(q.Mass), ErrShape)
		}
		for k, i := range q.I {
			if j := q.J[k]; i < 0 || int(i) >= m || j < 0 || int(j) >= n {
				return nil, fmt.Errorf("ot: the plan of the result moves mass from %d to %d, and the problem is %d×%d: %w", i, j, m, n, ErrShape)
			}
		}
	}
	s := &Solution{Problem: p, Result: r}
	if opts != nil {
		s.Options = *opts
	}
	if s.Options.Method == "" {
		s.Options.Method = MethodExact
	}
	s.addSides()
	return s, nil
}

// solve runs the method, after it has chosen the radius where that is automatic.
func (s *Solution) solve(ctx context.Context) (*Result, error) {
	o := &s.Options
	if o.Auto && o.Method == MethodExact {
		o.Stage("looking for the elbow")
		c, err := Curve(ctx, s.Problem, nil, &CurveOptions{Tol: o.Tol, Progress: o.Progress, Sweeper: o.Sweeper})
		var short *ConvergenceError
		if err != nil && (c == nil || !errors.As(err, &short)) {
			return nil, err // A curve that is a little off still has an elbow.
		}
		o.Rho, s.Curve = c.Elbow, c
	}
	o.Stage("solving " + s.Kind())
	switch o.Method {
	case MethodEntropic:
		return Entropic(ctx, s.Problem, &EntropicOptions{Epsilon: o.Epsilon, Tol: o.Tol, MaxIters: o.MaxIters, Progress: o.Progress, NoPlan: o.NoPlan})
	case MethodUnbalanced:
		return Unbalanced(ctx, s.Problem, &UnbalancedOptions{Divergence: o.Divergence, Penalty: o.Penalty, Tol: o.Tol, MaxIters: o.MaxIters, Progress: o.Progress})
	case MethodPartial:
		return Partial(ctx, s.Problem, &PartialOptions{Mass: o.Mass, OneSided: o.OneSided, Tol: o.Tol, MaxIters: o.MaxIters, Progress: o.Progress, Sweeper: o.Sweeper})
	}
	c := s.Problem.Cost
	if s.Sorted = !s.Robust() && c.Dim() == 1 && c.Metric() != Cosine && c.most == 0; s.Sorted {
		return OneD(ctx, s.Problem, &OneDOptions{Tol: o.Tol})
	}
	return Robust(ctx, s.Problem, &RobustOptions{
		Source: chisq.Ball{Rho: o.Rho}, Target: chisq.Ball{Rho: o.TargetRho}, Divergence: o.Divergence,
		Tol: o.Tol, MaxIters: o.MaxIters, Progress: o.Progress, Sweeper: o.Sweeper,
	})
}

// Robust reports whether a radius allows weights to move.
func (s *Solution) Robust() bool { return s.Options.Rho > 0 || s.Options.TargetRho > 0 }
