package ot

import (
	"context"
	"fmt"
	"math"

	"rot.example/rot/chisq"
)

// allowed says which weights a plan may have on one side.
type allowed struct {
	div  Divergence
	rho  float64 // radius of the ball around the base weights; 0: no ball
	mass float64 // of the plan: 1, or the share that partial transport moves
	part bool    // any weights up to the base that sum to mass; else mass times the base

	penalty float64 // any weights, at a price; 0: none of this kind
}

// sides are what the plan of a problem may have.
func (o *CertifyOptions) sides() [2]allowed {
	mass := o.Mass
	if mass == 0 {
		mass = 1
	}
	return [2]allowed{
		{o.Divergence, o.Source.Rho, mass, mass < 1, o.Penalty},
		{o.Divergence, o.Target.Rho, mass, mass < 1 && !o.OneSided, o.TargetPenalty},
	}
}

// ball says that the weights may move within a ball.
func (s allowed) ball() bool { return s.rho > 0 }

// fixed says that the weights may not move.
func (s allowed) fixed() bool { return s.rho == 0 && !s.part && s.penalty == 0 }

// least bounds from below Σ w_i φ_i, and what the weights cost, over all weights
// that are allowed around base.
func (s allowed) least(base weights, phi []float64) bound {
	switch {
	case s.penalty > 0:
		return s.div.least(base, phi, s.penalty)
	case s.part:
		return base.leastPart(phi, s.mass)
	case s.mass < 1:
		m := base.mean(phi)
		return bound{m.value.times(s.mass), s.mass * m.err * (1 + 4*eps)}
	case s.div == KL:
		x, _ := base.leastTilted(phi, s.rho)
		return x
	case s.div == TV:
		x, _ := base.leastNear(phi, s.rho)
		return x
	}
	return base.least(phi, s.rho)
}

// solve finds the best plan of a problem.
func (o *CertifyOptions) solve(ctx context.Context, p *Problem) (*Result, error) {
	if o.Penalty > 0 {
		return Unbalanced(ctx, p, &UnbalancedOptions{Divergence: o.Divergence, Penalty: o.Penalty, TargetPenalty: o.TargetPenalty, Tol: o.Tol, Progress: o.Progress})
	}
	if o.Mass > 0 && o.Mass < 1 {
		return Partial(ctx, p, &PartialOptions{Mass: o.Mass, OneSided: o.OneSided, Tol: o.Tol, Progress: o.Progress})
	}
	return Robust(ctx, p, &RobustOptions{Source: o.Source, Target: o.Target, Divergence: o.Divergence, Tol: o.Tol, Progress: o.Progress})
}

// checkSides refuses radii, divergences and masses that no transport has.
func (o *CertifyOptions) checkSides() error {
	for _, ball := range []chisq.Ball{o.Source, o.Target} {
		if math.IsNaN(ball.Rho) || ball.Rho < 0 {
			return fmt.Errorf("ot: radius %v: %w", ball.Rho, ErrOption)
		}
	}
	for _, v := range []float64{o.Penalty, o.TargetPenalty} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("ot: penalty %v: %w", v, ErrOption)
		}
	}
	if o.Penalty > 0 && o.TargetPenalty == 0 {
		o.TargetPenalty = o.Penalty
	}
	switch {
	case o.TargetPenalty > 0 && o.Penalty == 0:
		return fmt.Errorf("ot: a penalty on the weights of the targets alone: %w", ErrOption)
	case o.Penalty > 0 && o.Divergence > KL:
		return fmt.Errorf("ot: unbalanced transport with %v: %w", o.Divergence, ErrOption)
	case o.Penalty > 0 && (o.Source.Rho > 0 || o.Target.Rho > 0 || o.Mass > 0 && o.Mass < 1):
		return fmt.Errorf("ot: a penalty on weights, and radii or a part of the mass: %w", ErrOption)
	case o.Divergence > TV:
		return fmt.Errorf("ot: balls of %v: %w", o.Divergence, ErrOption)
	case o.Mass != 0 && !(o.Mass > 0 && o.Mass <= 1):
		return fmt.Errorf("ot: mass %g, want more than 0 and at most 1: %w", o.Mass, ErrOption)
	case o.Mass > 0 && o.Mass < 1 && (o.Source.Rho > 0 || o.Target.Rho > 0):
		return fmt.Errorf("ot: a part of the mass, and radii: %w", ErrOption)
	}
	return nil
}
