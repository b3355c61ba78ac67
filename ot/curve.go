package ot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rot.example/rot/chisq"
)

// CurveOptions tunes Curve. The zero value is ready to use.
type CurveOptions struct {
	// Tol is how far apart the bounds of a point may lie, relative to V(0); 0
	// means 1e-4, finer than a plot shows. A point is solved by itself only
	// where its neighbours do not bound it as closely already; with 1e-9 or
	// less every point is.
	Tol      float64
	Progress func(Progress) // called at most ten times a second; may be nil
	Sweeper  Sweeper        // helps with large problems; may be nil
}

// A CurvePoint is V at one radius, with its bounds.
type CurvePoint struct {
	Rho    float64
	Value  float64
	Lower  float64
	Lambda float64 // −∂V/∂ρ; +Inf at ρ = 0
	Solved bool    // by itself, not bounded by its neighbours
}

// A CurveResult is V(ρ), the one-sided robust cost as a function of the source
// radius: convex, falling, flat from RhoMax on (docs/math.md §8).
type CurveResult struct {
	Points []CurvePoint // by rising ρ
	Plain  float64      // V(0), plain optimal transport
	Elbow  float64      // where the curve bends most in √ρ: a guess at the radius to use
	RhoMax float64      // from here on every target takes its nearest source

	// Sharpness is how much more the curve bends at the elbow than at its
	// middle bend: some tens for far outliers, about 1 for none.
	Sharpness float64

	proofs []proof
}

// A proof is what one solved radius proves about all: V(ρ) ≥ fixed − √(2ρ)·std
// by its potentials, and a plan at its cost. V is convex in √ρ, not only in ρ:
// mixing two plans mixes their distances from the base weights.
type proof struct{ rho, value, lower, fixed, std float64 }

// DefaultRhos returns the grid that Curve uses for nil radii: dense where curves
// usually bend, up to the radius at which half of the rows may be garbage.
func DefaultRhos() []float64 {
	return []float64{0, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5}
}

// Curve computes V(ρ) at each radius with certified bounds, each solve starting
// where the last one ended. Radii may come in any order; nil means
// DefaultRhos. A *ConvergenceError comes with the curve when some point stayed
// short of the tolerance.
func Curve(ctx context.Context, p *Problem, rhos []float64, opts *CurveOptions) (*CurveResult, error) {
	var o CurveOptions
	if opts != nil {
		o = *opts
	}
	tol, err := tolerance(o.Tol, 0)
	if err != nil {
		return nil, err
	}
	if o.Tol == 0 {
		tol = 1e-4
	}
	if rhos == nil {
		rhos = DefaultRhos()
	}
	rhos = slices.Compact(slices.Sorted(slices.Values(rhos)))
	if len(rhos) == 0 {
		return nil, fmt.Errorf("ot: a curve without radii: %w", ErrOption)
	}
	for _, rho := range rhos {
		if !(rho >= 0 && rho <= 1e300) {
			return nil, fmt.Errorf("ot: radius %v: %w", rho, ErrOption)
		}
	}
	if p == nil || p.Cost == nil {
		return nil, fmt.Errorf("ot: problem without a cost: %w", ErrShape)
	}
	if p, err = p.withSweeper(o.Sweeper).withTable(ctx); err != nil {
		return nil, err
	}
	defer p.release(nil)
	whole := p.scaled(firstBid)
	var c *curve
	if whole.price > 0 {
		c, err = curveByPoints(ctx, p, tol, rhos, o.Progress)
	} else {
		c, err = newCurve(ctx, whole, tol, rhos, o.Progress)
	}
	if err != nil {
		return nil, err
	}
	c.w.done = 1
	c.w.report()
	if c.late != nil {
		return &c.CurveResult, c.late
	}
	return &c.CurveResult, nil
}

// curveByPoints is Curve where pairs are masked, or forbidden. A mask that plain
// transport has to pay may dwarf all other costs, so every radius is solved by
// itself, in its own units.
func curveByPoints(ctx context.Context, p *Problem, tol float64, rhos []float64, progress func(Progress)) (*curve, error) {
	c := &curve{p: p, tol: tol, rhos: rhos, w: newWatch("curve", 0, progress)}
	c.Points = make([]CurvePoint, len(rhos))
	plain, err := Exact(ctx, p, nil)
	if err := c.keep(plain, err); err != nil {
		return nil, err
	}
	c.Plain = plain.Value
	c.proofs = append(c.proofs, proof{value: plain.Value, lower: plain.Lower, fixed: math.Inf(-1)})
	for k, rho := range rhos {
		if rho == 0 {
			c.Points[k] = CurvePoint{Value: plain.Value, Lower: plain.Lower, Lambda: math.Inf(1), Solved: true}
			continue
		}
		c.w.done = float64(k) / float64(len(rhos))
		r, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: rho}})
		if err := c.keep(r, err); err != nil {
			return nil, err
		}
		c.Points[k] = CurvePoint{Rho: rho, Value: r.Value, Lower: r.Lower, Lambda: r.SourceLambda, Solved: true}
		c.proofs = append(c.proofs, proof{rho: rho, value: r.Value, lower: r.Lower, fixed: math.Inf(-1)})
	}
	c.RhoMax = math.Inf(1) // which pairs count is not known
	c.Elbow, c.Sharpness = c.elbow()
	return c, nil
}

// newCurve runs Curve in the units of s.
func newCurve(ctx context.Context, s *scaledProblem, tol float64, rhos []float64, progress func(Progress)) (*curve, error) {
	p := s.Problem
	g, err := p.merge()
	if err != nil {
		return nil, err
	}
	if g != nil { // the curve is the same, and nobody asks for weights
		p = g.Problem
	}
	in, err := newInstance(p, false)
	if err != nil {
		return nil, err
	}
	c := &curve{p: p, in: in, tol: tol, rhos: rhos, w: newWatch("curve", 0, progress)}
	c.Points = make([]CurvePoint, len(rhos))
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	c.rescale(s.exp)
	return c, nil
}

// rescale translates the curve to costs 2^exp times as large.
func (c *CurveResult) rescale(exp int) {
	if exp == 0 {
		return
	}
	c.Plain = math.Ldexp(c.Plain, exp)
	for k := range c.Points {
		p := &c.Points[k]
		p.Value, p.Lower, p.Lambda = math.Ldexp(p.Value, exp), math.Ldexp(p.Lower, exp), rescaleSlope(p.Lambda, exp)
	}
	for k := range c.proofs {
		q := &c.proofs[k]
		q.value, q.lower, q.fixed, q.std = math.Ldexp(q.value, exp), math.Ldexp(q.lower, exp), math.Ldexp(q.fixed, exp), math.Ldexp(q.std, exp)
	}
}

// curve is a CurveResult in the making.
type curve struct {
	CurveResult
	p     *Problem
	in    *instance
	s     *oneSided
	plain *Result
	tol   float64
	rhos  []float64
	w     *watch
	done  int
	late  *ConvergenceError
}

func (c *curve) run(ctx context.Context) (err error) {
	first := 0
	if c.rhos[0] == 0 {
		first = 1
	}
	rest, err := c.begin(ctx, first)
	if err != nil {
		return err
	}
	if first == 1 {
		c.Points[0] = pointOf(0, c.plain)
	}
	if err := c.solveAll(ctx, first, rest); err != nil {
		return err
	}
	c.Elbow, c.Sharpness = c.elbow()
	return nil
}

// close says that the radii solved bound this one closely enough.
func (c *curve) close(k int) bool {
	lower, upper := c.Bounds(c.rhos[k])
	return upper-lower <= c.tol*c.Plain
}

// fill takes the bounds as they are; the slope is that of the chord to the
// larger radius hi.
func (c *curve) fill(k, hi int) {
	lower, upper := c.Bounds(c.rhos[k])
	_, end := c.Bounds(c.rhos[hi])
	c.Points[k] = CurvePoint{Rho: c.rhos[k], Value: upper, Lower: lower}
	if hi > k {
		c.Points[k].Lambda = math.Max(0, (upper-end)/(c.rhos[hi]-c.rhos[k]))
	}
	c.done++
}

// descend solves the radii from the largest down to number first, each from the
// forest of the one before: forests stay small and change little.
func (c *curve) descend(ctx context.Context, first int) error {
	last := len(c.rhos) - 1
	for k := last; k >= first; k-- {
		if c.close(k) {
			c.fill(k, last)
			continue
		}
		c.w.done = float64(c.done) / float64(len(c.rhos))
		r, err := c.solve(ctx, c.s, c.rhos[k])
		if err := c.take(k, r, err); err != nil {
			return err
		}
	}
	return nil
}

// solve solves one radius from where s is.
func (c *curve) solve(ctx context.Context, s *oneSided, rho float64) (*Result, error) {
	if err := s.solve(ctx, rho); err != nil {
		return nil, err
	}
	r, err := conclude(ctx, c.p, s.in, s.candidate(), chisq.Ball{Rho: rho}, chisq.Ball{}, 1e-9, newWatch("curve", 0, nil))
	if fellShort(err) && r.Gap() > c.tol*math.Abs(c.Plain) {
		// The forest of a radius far from this one does not always lead here.
		var fresh *Result
		fresh, err = robust(ctx, c.p, RobustOptions{Source: chisq.Ball{Rho: rho}}, 1e-9)
		if fresh != nil {
			r.take(fresh)
		}
	}
	return r, err
}

// take makes a point of the result of one radius, which came with err.
func (c *curve) take(k int, r *Result, err error) error {
	if err := c.keep(r, err); err != nil {
		return err
	}
	c.Points[k] = pointOf(c.rhos[k], r)
	c.add(c.rhos[k], r)
	c.done++
	return nil
}

// keep notes the error of a point that stayed short of the curve's tolerance,
// and returns any other error that matters.
func (c *curve) keep(r *Result, err error) error {
	late := (*ConvergenceError)(nil)
	if !errors.As(err, &late) {
		return err
	}
	plain := c.Plain
	if plain == 0 {
		plain = r.Value
	}
	if r.Gap() > c.tol*math.Abs(plain) {
		c.late = late
	}
	return nil
}

func pointOf(rho float64, r *Result) CurvePoint {
	return CurvePoint{Rho: rho, Value: r.Value, Lower: r.Lower, Lambda: r.SourceLambda, Solved: true}
}

// add notes what one radius proves.
func (c *curve) add(rho float64, r *Result) {
	a, b, err := c.p.exactWeights()
	if err != nil {
		panic(err) // the problem has been solved
	}
	fixed := a.mean(r.F).plus(b.mean(r.G)).floor()
	m := a.mean(r.F).value.float()
	var varc sum
	for i, w := range a.hi {
		if w > 0 {
			varc.add(w * (r.F[i] - m) * (r.F[i] - m))
		}
	}
	c.proofs = append(c.proofs, proof{rho, r.Value, r.Lower, fixed, math.Sqrt(varc.total()) * (1 + 16*eps)})
	slices.SortFunc(c.proofs, func(x, y proof) int { return cmp.Compare(x.rho, y.rho) })
}

// Bounds returns a certified lower and upper bound of V(rho), also between the
// radii solved and beyond them (docs/math.md §8).
func (c *CurveResult) Bounds(rho float64) (lower, upper float64) {
	lower = math.Inf(-1)
	for _, q := range c.proofs {
		slope := math.Sqrt(2*rho) * q.std
		lower = math.Max(lower, down(q.fixed-slope)-4*eps*slope)
		if rho <= q.rho { // V falls
			lower = math.Max(lower, q.lower)
		}
	}
	upper = c.proofs[len(c.proofs)-1].value
	for k, q := range c.proofs {
		if rho <= q.rho {
			upper = q.value
			if k > 0 && rho < q.rho {
				before := c.proofs[k-1]
				t := (math.Sqrt(rho) - math.Sqrt(before.rho)) / (math.Sqrt(q.rho) - math.Sqrt(before.rho))
				upper = (1-t)*before.value + t*q.value
			}
			break
		}
	}
	return math.Min(lower, upper), upper
}

// elbow is that of the points, and of plain transport before them.
func (c *CurveResult) elbow() (at, sharpness float64) {
	var rhos, values []float64
	if c.Points[0].Rho > 0 {
		rhos, values = append(rhos, 0), append(values, c.Plain)
	}
	for _, p := range c.Points {
		rhos, values = append(rhos, p.Rho), append(values, p.Value)
	}
	return Elbow(rhos, values)
}

// FaintElbow is the sharpness of a curve below which its elbow is hardly one.
const FaintElbow = 3

// Elbow returns the radius at which a falling, convex curve bends most sharply,
// and its sharpness: how many times as sharp that bend is as the middle one of
// all radii. The curve is given by its values at rising radii, the first of
// which is 0. Bends are measured along √ρ, where far outliers make two straight
// lines that meet at their share (docs/math.md §8). A curve without a bend has
// its elbow at 0.
func Elbow(rhos, values []float64) (at, sharpness float64) {
	var bends []float64
	least := 1e-9 * math.Abs(values[0]) // less is rounding
	most := least
	for k := 1; k+1 < len(rhos); k++ {
		s0, s1, s2 := math.Sqrt(rhos[k-1]), math.Sqrt(rhos[k]), math.Sqrt(rhos[k+1])
		bend := ((values[k-1]-values[k])/(s1-s0) - (values[k]-values[k+1])/(s2-s1)) / (s2 - s0)
		if bend > most {
			most, at = bend, rhos[k]
		}
		bends = append(bends, bend)
	}
	if len(bends) == 0 {
		return 0, 0
	}
	slices.Sort(bends)
	if mid := math.Max(bends[len(bends)/2], least); mid > 0 {
		sharpness = bends[len(bends)-1] / mid
	}
	return at, sharpness
}
