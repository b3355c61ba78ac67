package ot

import (
	"context"
	"math"
)

// tighten finds the λ whose weights have divergence rho, from the forest at
// hand. optimal: the forest is the answer for the λ at hand, as it is after
// another radius.
func (o *oneSided) tighten(ctx context.Context, rho float64, optimal bool) error {
	s := &ballSearch{oneSided: o, rho: rho, hi: math.Inf(1), far: 0.01, reach: firstReach}
	switch {
	case o.loose > 0:
		s.far = 0.5
	case o.in.planar(): // where a sweep is cheap, and trees so large that a λ off by little costs thousands of pivots
		s.far = 0
	}
	if optimal {
		s.last = o.lambda
	}
	for it := range mostLambdas {
		if done, err := s.step(ctx, it); done || err != nil {
			return err
		}
	}
	return nil
}

// A ballSearch looks for the λ that makes the ball tight. Steps are inexact at
// first: one round over the lists' blocks, none when λ hardly moved. What such
// a step says about λ may be wrong, so a conflict or the end is settled by
// exact steps.
type ballSearch struct {
	*oneSided
	rho    float64
	lo, hi float64 // bracket on λ
	exact  bool
	doubts int     // conflicts so far
	last   float64 // λ when the lists were last swept
	far    float64 // lists hold while λ stays that near to it, relatively
	reach  float64 // by what factor a step may exceed that of fixed prices
	up     bool    // the last step went to a larger λ
}

const (
	mostLambdas   = 200   // far more than any solve has taken; the certificate tells
	mostInexact   = 16    // steps, then exact ones
	mostDoubts    = 3     // conflicts, then exact steps
	ballTight     = 1e-11 // of ρ: what the certificate loses to a slack ball
	ballLoose     = 1e-6  // the same where a loose answer is asked for
	bracketClosed = 4e-16 // relative width that rounding leaves
	firstReach    = 8     // times the step of fixed prices, near the end
	nearRadius    = 0.01  // relative distance to ρ that is near the end
)

// forget opens the bracket: it rests on steps that may have been wrong.
func (s *ballSearch) forget() { s.lo, s.hi = 0, math.Inf(1) }

// doubt counts a conflict between steps.
func (s *ballSearch) doubt() {
	if s.doubts++; s.doubts > mostDoubts {
		s.exact = true
	}
}

// step pivots at the present λ and moves on to the next.
func (s *ballSearch) step(ctx context.Context, it int) (done bool, err error) {
	if !s.exact && (it == mostInexact || s.hi-s.lo < 1e-9*s.hi) {
		s.exact = true
		s.forget()
	}
	if err := s.pivot(ctx); err != nil {
		return false, err
	}
	at := s.radius()
	if at.rho <= s.rho && s.cheapest() {
		s.f.polish()
		s.lambda, s.values = 0, s.near.values // ties among nearest neighbours leave the ball slack
		return true, nil
	}
	if s.loose > 0 && math.Abs(at.rho-s.rho) < ballLoose*s.rho {
		if good, err := s.goodEnough(ctx, s.rho); err != nil || good {
			return good, err
		}
		if err := s.f.pivotAll(ctx, s.w); err != nil {
			return false, err
		}
		s.forget()
		at = s.radius()
	}
	if math.Abs(at.rho-s.rho) < ballTight*s.rho {
		before := s.f.pivots
		if err := s.f.optimize(ctx, s.w, true); err != nil {
			return false, err
		}
		if s.f.pivots == before {
			s.values = s.f.l.best(s.f.u)
			return true, nil
		}
		s.doubt()
		s.forget()
		at = s.radius()
	}
	return s.advance(ctx, at)
}

// pivot makes the forest optimal for the present λ, as far as is asked for.
func (s *ballSearch) pivot(ctx context.Context) error {
	s.f.settleAll()
	s.f.precision()
	if s.exact || math.Abs(s.lambda-s.last) > s.far*s.last || s.loose > 0 && s.lambda != s.last && s.stiff() {
		s.last = s.lambda
		return s.f.optimize(ctx, s.w, s.exact)
	}
	return s.f.pivotAll(ctx, s.w)
}

// advance sets the next λ. done: there is none, rounding decides.
func (s *ballSearch) advance(ctx context.Context, at divergenceAt) (done bool, err error) {
	if at.rho > s.rho {
		s.lo = math.Max(s.lo, s.lambda)
	} else {
		s.hi = math.Min(s.hi, s.lambda)
	}
	next, err := s.newton(ctx, at)
	if err != nil {
		return false, err
	}
	next = s.within(at.rho, next)
	switch {
	case math.IsInf(s.hi, 1):
		if next > 64*s.lambda || next <= s.lambda*(1+1e-15) {
			next = 4 * s.lambda
		}
	case next > s.lo*(1+1e-16) && next < s.hi*(1-1e-16):
	case !s.exact:
		return false, s.verify(ctx)
	case s.hi <= s.lo*(1+bracketClosed):
		return true, nil // rounding decides; the certificate will tell
	case s.lo == 0:
		next = s.hi / 2
	default:
		next = math.Sqrt(s.lo * s.hi)
	}
	next = math.Max(next, s.lambda/16) // ties may end the descent on the way
	if next < s.floor {
		if s.lambda == s.floor { // ties among nearest neighbours: the ball does not bind
			return true, s.f.optimize(ctx, s.w, true)
		}
		next = s.floor
	}
	s.lambda = next
	s.f.set(1/next, 0, 0)
	return false, nil
}

// newton is the λ that would make the ball tight if the forest stayed, or,
// where sources are about to wake up, if those did.
func (s *ballSearch) newton(ctx context.Context, at divergenceAt) (float64, error) {
	next := math.Inf(1)
	if s.rho > at.fixed {
		next = math.Sqrt(at.moving / (s.rho - at.fixed))
	}
	if at.rho > s.rho && next > 1.5*s.lambda {
		guess, err := s.predict(ctx, s.rho)
		return math.Max(guess, 1.25*s.lambda), err // a timid guess must not creep
	}
	return next, nil
}

// within keeps a step near the end from going too far. If the forest stayed,
// the prices of a tree would move together, and the radius hardly change where
// the outliers have a tree of their own; if prices stayed, it would go with
// 1/λ². The truth is in between, and what a step overshoots in stiff problems
// costs thousands of pivots there and back.
func (s *ballSearch) within(rho, next float64) float64 {
	if math.Abs(rho-s.rho) > nearRadius*s.rho {
		return next
	}
	if up := rho > s.rho; up != s.up {
		s.up, s.reach = up, firstReach
	}
	limit := s.lambda * (1 + s.reach*(math.Sqrt(rho/s.rho)-1))
	if s.up && next <= limit || !s.up && next >= limit || !s.stiff() {
		return next
	}
	s.reach *= 4 // a timid step must not creep
	return limit
}

// verify makes sure of the present λ: the bracket rests on an inexact step,
// perhaps.
func (s *ballSearch) verify(ctx context.Context) error {
	s.doubt()
	s.reach = firstReach
	if err := s.f.optimize(ctx, s.w, true); err != nil {
		return err
	}
	if s.radius().rho > s.rho {
		s.lo, s.hi = s.lambda, math.Inf(1)
	} else {
		s.lo, s.hi = 0, s.lambda
	}
	return nil
}
