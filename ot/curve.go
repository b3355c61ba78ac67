package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rot/chisq"
)

// CurveOptions tunes Curve. The zero value is ready to use.
type CurveOptions struct {
	Tol      float64        // relative duality gap of every point; 0 means 1e-9
	Progress func(Progress) // called at most ten times a second; may be nil
}

// A CurvePoint is V at one radius, with its bounds.
type CurvePoint struct {
	Rho    float64
	Value  float64
	Lower  float64
	Lambda float64 // −∂V/∂ρ
}

// A CurveResult is V(ρ), the one-sided robust cost as a function of the source
// radius: convex, falling, flat from RhoMax on (docs/math.md §8).
type CurveResult struct {
	Points []CurvePoint // by rising ρ
	Plain  float64      // V(0), plain optimal transport
	Elbow  float64      // where the curve bends: a guess at the radius to use
	RhoMax float64      // from here on every target takes its nearest source

	bounds []dualBound
}

// A dualBound is what the potential of one point proves about every radius:
// V(ρ) ≥ fixed − √(2ρ)·std.
type dualBound struct{ fixed, std float64 }

// DefaultRhos is the grid that Curve uses for nil radii: dense where curves
// usually bend, up to the radius at which half of the rows may be garbage.
func DefaultRhos() []float64 {
	return []float64{0, 0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.13, 0.17, 0.22, 0.3, 0.4, 0.5}
}

// Curve solves the one-sided robust problem for each radius, from the largest
// down, every solve starting where the last one ended. Radii may come in any
// order; nil means DefaultRhos.
func Curve(ctx context.Context, p *Problem, rhos []float64, opts *CurveOptions) (*CurveResult, error) {
	var o CurveOptions
	if opts != nil {
		o = *opts
	}
	tol, err := tolerance(o.Tol, 0)
	if err != nil {
		return nil, err
	}
	if rhos == nil {
		rhos = DefaultRhos()
	}
	rhos = slices.Compact(slices.Sorted(slices.Values(rhos)))
	for _, rho := range rhos {
		if !(rho >= 0) || math.IsInf(rho, 1) {
			return nil, fmt.Errorf("ot: radius %v: %w", rho, ErrOption)
		}
	}
	if len(rhos) == 0 {
		return nil, fmt.Errorf("ot: a curve without radii: %w", ErrOption)
	}
	in, err := newInstance(p, false)
	if err != nil {
		return nil, err
	}
	w := newWatch("curve", 0, o.Progress)
	s, err := newOneSided(ctx, in, w)
	if err != nil {
		return nil, err
	}
	c := &CurveResult{RhoMax: s.rhoMax}
	var late *ConvergenceError
	for k, rho := range slices.Backward(rhos) {
		if rho == 0 {
			break
		}
		w.done = float64(len(rhos)-1-k) / float64(len(rhos)+1)
		if err := s.solve(ctx, rho); err != nil {
			return nil, err
		}
		r, err := conclude(ctx, p, in, s.candidate(), chisq.Ball{Rho: rho}, chisq.Ball{}, tol, newWatch("curve", 0, nil))
		if err != nil && !errors.As(err, &late) {
			return nil, err
		}
		c.add(rho, r)
	}
	plain, err := Exact(ctx, p, &ExactOptions{Tol: o.Tol})
	if err != nil && !errors.As(err, &late) {
		return nil, err
	}
	c.Plain = plain.Value
	plain.SourceLambda = 0
	if rhos[0] == 0 {
		c.add(0, plain)
	}
	slices.Reverse(c.Points)
	c.Elbow = c.elbow()
	w.done = 1
	w.report()
	if late != nil {
		return c, late
	}
	return c, nil
}

func (c *CurveResult) add(rho float64, r *Result) {
	c.Points = append(c.Points, CurvePoint{rho, r.Value, r.Lower, r.SourceLambda})
	var mean, varc, fixed float64
	for i, a := range r.BaseA {
		mean += a * r.F[i]
	}
	for i, a := range r.BaseA {
		varc += a * (r.F[i] - mean) * (r.F[i] - mean)
	}
	for j, b := range r.BaseB {
		fixed += b * r.G[j]
	}
	c.bounds = append(c.bounds, dualBound{mean + fixed, math.Sqrt(varc)})
}

// Bounds are a certified lower and upper bound of V(rho), also between the
// radii solved: every potential bounds V at all radii from below, chords bound
// a convex curve from above.
func (c *CurveResult) Bounds(rho float64) (lower, upper float64) {
	lower = math.Inf(-1)
	for _, b := range c.bounds {
		lower = math.Max(lower, b.fixed-math.Sqrt(2*rho)*b.std)
	}
	last := c.Points[len(c.Points)-1]
	lower = math.Max(lower, 0)
	before := CurvePoint{Rho: 0, Value: c.Plain}
	for _, q := range c.Points {
		if rho <= q.Rho {
			if q.Rho == before.Rho {
				return lower, q.Value
			}
			t := (rho - before.Rho) / (q.Rho - before.Rho)
			return lower, (1-t)*before.Value + t*q.Value
		}
		before = q
	}
	return lower, last.Value
}

// elbow is the point of the curve farthest below the chord from its first to
// its last bend: the largest vertical distance, V scaled to [0, 1].
func (c *CurveResult) elbow() float64 {
	pts := c.Points
	end := pts[len(pts)-1]
	for _, q := range pts { // the flat end says nothing about the bend
		if q.Rho >= c.RhoMax {
			end = q
			break
		}
	}
	first := CurvePoint{Rho: 0, Value: c.Plain}
	best, at := 0.0, 0.0
	for _, q := range pts {
		if q.Rho >= end.Rho || end.Rho == 0 {
			break
		}
		t := q.Rho / end.Rho
		if d := (1-t)*first.Value + t*end.Value - q.Value; d > best {
			best, at = d, q.Rho
		}
	}
	return at
}
