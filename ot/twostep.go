package ot

import (
	"context"
	"math"
)

// begin pivots at the first multipliers.
func (s *twoSided) begin(ctx context.Context) error {
	if s.hard {
		s.f.set(1/s.x.l1, 1/s.x.l2, s.x.nu)
		s.f.settleAll()
		s.f.precision()
		if err := s.f.pivotAll(ctx, s.w); err != nil {
			return err
		}
		if err := s.f.wake(ctx, s.w); err != nil {
			return err
		}
	}
	return s.at(ctx, s.x, false)
}

// search goes along step until the dual's slope there is at most half of what
// it was, slope0, or still climbs at the full step. Inexact steps give up
// where it falls nearly as fast however near to the start they are: slope0 is
// of a forest that was not optimal there, and the one at hand knows better.
func (s *twoSided) search(ctx context.Context, from, step multipliers, slope0 float64, exact bool) error {
	t := 1.0
	lo, slopeLo, hi, slopeHi := 0.0, slope0, -1.0, 0.0
	futile := 0
	for range 25 {
		if err := s.at(ctx, from.plus(t, step), exact); err != nil {
			return err
		}
		slope := s.forestDual().slope(s.x, s.rho1, s.rho2).dot(step)
		if math.Abs(slope) <= 0.5*math.Abs(slope0) || t == 1 && slope > 0 {
			return nil
		}
		if slope < 0 {
			if lo == 0 && slope < 0.5*slopeHi && hi > 0 && !exact {
				if futile++; futile == 2 {
					return nil
				}
			}
			hi, slopeHi = t, slope
		} else {
			lo, slopeLo = t, slope
		}
		if !(hi-lo > 1e-14*hi) {
			return nil
		}
		t = lo + (hi-lo)*slopeLo/(slopeLo-slopeHi)
		t = math.Min(math.Max(t, lo+0.05*(hi-lo)), hi-0.05*(hi-lo))
	}
	return nil
}

// farStep is the least relative step that cautious shortens.
const farStep = 0.01

// cautious shortens a step that goes far. If the forest stayed, the prices of
// a tree would move together, and the peak of its own dual tells where to go;
// if prices stayed, the divergence of a side would go with 1/λ². The truth is in
// between, and what a step overshoots costs thousands of pivots there and back.
func (s *twoSided) cautious(t *treeDual, from, peak, slope multipliers) multipliers {
	x := multipliers{
		l1: between(from.l1, peak.l1, 1+slope.l1/s.rho1),
		l2: between(from.l2, peak.l2, 1+slope.l2/s.rho2),
	}
	if x.l1 == peak.l1 && x.l2 == peak.l2 {
		return peak
	}
	x.nu = t.balance(x.l1, x.l2)
	if !(slope.dot(x.plus(-1, from)) > 0) {
		return peak
	}
	return x
}

// between returns a multiplier on the way from one to the forest's peak: the
// step's logarithm is the geometric mean of the forest's and that of fixed
// prices. excess is how many times as large as its radius the divergence is.
func between(from, peak, excess float64) float64 {
	forest, prices := math.Log(peak/from), math.Log(excess)/2
	if math.Abs(forest) < farStep || !(prices*forest > 0) || math.Abs(prices) > math.Abs(forest) {
		return peak
	}
	return from * math.Exp(math.Copysign(math.Sqrt(forest*prices), forest))
}
