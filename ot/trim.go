package ot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// trimSource is Partial where the source alone leaves mass behind, for a mass
// below 1: plans with π1 ≤ a and πᵀ1 = mass·b (docs/math.md §7.4). It is plain
// transport with one more target, a depot that takes the rest in at no cost.
func trimSource(ctx context.Context, p *Problem, mass, tol float64, w *watch) (*Result, error) {
	in, err := newInstance(p, false)
	if err != nil {
		return nil, err
	}
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	s := &trimSolve{p: p, in: in, a: a, b: b, mass: mass, tol: tol, w: w}
	if r, err := s.allNearest(ctx); r != nil || err != nil {
		return r, err
	}
	pairs := float64(in.m) * float64(in.n+1)
	if in.matrix == nil && pairs > depotPairs {
		r, err := s.byDepot(ctx)
		if r == nil || err == nil || !fellShort(err) || pairs > partialLimit || w.max > 0 && w.iters >= w.max {
			return r, err
		}
	}
	if pairs > partialLimit {
		return nil, fmt.Errorf("ot: Partial of a given matrix builds one of %d×%d costs, more than %d: %w", in.m, in.n+1, partialLimit, ErrShape)
	}
	return s.byMatrix(ctx)
}

// trimSolve is trimSource at work.
type trimSolve struct {
	p         *Problem
	in        *instance
	a, b      weights // of the problem's rows
	mass, tol float64
	w         *watch
}

// allNearest is the answer where so little is moved that every target can have
// all of it from its nearest source, else nil.
func (s *trimSolve) allNearest(ctx context.Context) (*Result, error) {
	least := math.Inf(1)
	for _, v := range s.in.a {
		least = math.Min(least, v)
	}
	if s.mass > 0.5 && s.mass > least { // most of it is in few places then
		return nil, nil
	}
	u := make([]float64, s.in.m)
	near, err := s.in.nearest(ctx, u)
	if err != nil {
		return nil, err
	}
	sent, plan := make([]float64, s.in.m), &Plan{}
	for j, b := range s.in.b {
		i := near.src[j*near.k]
		sent[i] += s.mass * b
		plan.add(i, int32(j), s.mass*b)
		if sent[i] > s.in.a[i]*(1-1e-14) {
			return nil, nil
		}
	}
	return s.conclude(ctx, plan, u, 0)
}

// extended are the weights with the depot.
func (s *trimSolve) extended() (a, b weights) {
	return s.a.pick(s.in.rows), s.b.pick(s.in.cols).sharing(s.mass)
}

// sharing is the weights scaled to mass, and one more that has the rest.
func (w weights) sharing(mass float64) weights {
	n := len(w.hi)
	out := weights{make([]float64, n+1), make([]float64, n+1)}
	for i := range n {
		x := w.at(i).times(mass)
		out.hi[i], out.lo[i] = x.hi, x.lo
	}
	rest := exactDifference(1, mass)
	out.hi[n], out.lo[n] = rest.hi, rest.lo
	return out
}

// byDepot solves without a matrix.
func (s *trimSolve) byDepot(ctx context.Context) (*Result, error) {
	a, b := s.extended()
	return solveByDepots(ctx, s.in.withSink(b.hi), a, b, s.w, s.conclude)
}

// byMatrix spells the depot out.
func (s *trimSolve) byMatrix(ctx context.Context) (*Result, error) {
	a, b := s.extended()
	return solveSpelledOut(ctx, s.in.spelledOut(0, 1), a, b, s.tol, s.w, s.conclude)
}

// conclude makes a Result of a plan with a depot and the prices of its sources.
func (s *trimSolve) conclude(ctx context.Context, big *Plan, u []float64, iters int) (*Result, error) {
	in := s.in
	near, err := in.nearestAtLast(ctx, u)
	if err != nil {
		return nil, err
	}
	m, n := s.p.Cost.Dims()
	r := &Result{Plan: &Plan{}, Iters: iters, F: make([]float64, m), G: make([]float64, n), BaseA: s.a.hi, BaseB: s.b.hi}
	got := make([]sum, in.n)
	for k, mass := range big.Mass {
		if j := big.J[k]; mass > 0 && int(j) < in.n {
			got[j].add(mass)
		}
	}
	for k, mass := range big.Mass {
		if i, j := big.I[k], big.J[k]; mass > 0 && int(j) < in.n {
			// A share near the rounding of the whole mass is not quite what it should be.
			if f := s.mass * in.b[j] / got[j].total(); math.Abs(f-1) > 1e-13 {
				mass *= f
			}
			r.Plan.add(in.rows[i], in.cols[j], mass)
		}
	}
	for j := range got {
		if got[j].total() == 0 { // less than that rounding
			r.Plan.add(in.rows[near.src[j*near.k]], in.cols[j], s.mass*in.b[j])
		}
	}
	in.byRows(r.Plan)
	for i, k := range in.rows {
		r.F[k] = -u[i]
	}
	for j, v := range near.best(u) {
		r.G[in.cols[j]] = v
	}
	r.priceOf(s.p.Cost)
	s.p.Cost.lowerPair(r.F, r.G, r.Value/s.mass)
	kept := s.b.mean(r.G)
	kept = bound{kept.value.times(s.mass), s.mass * kept.err * (1 + 4*eps)}
	x := s.a.leastPart(r.F, s.mass).plus(kept)
	noise := 2*x.err + s.mass*s.p.Cost.blur(r.Value/s.mass) + 8*eps*(s.a.size(r.F)+s.b.size(r.G))
	r.Lower = math.Min(x.floor(), r.Value)
	r.neverNegative(s.p.Cost)
	r.priceIdle(s.p.Cost)
	if ctx.Err() != nil {
		return r, fmt.Errorf("ot: %s stopped: %w", s.w.solver, ctx.Err())
	}
	if !r.within(s.tol, noise) {
		return r, &ConvergenceError{Solver: "partial", Iters: r.Iters, Gap: r.RelGap(), Tol: s.tol}
	}
	return r, nil
}

// leastPart bounds from below Σ v_i φ_i for any 0 ≤ v ≤ w with Σ v = mass: for
// any θ it is mass·θ − Σ w_i (θ − φ_i)₊, and best where the weights of smaller φ
// sum to the mass.
func (w weights) leastPart(phi []float64, mass float64) bound {
	order := positive(w.hi)
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(phi[i], phi[j]) })
	theta := 0.0
	below := 0.0
	for _, i := range order {
		theta = phi[i]
		if below += w.hi[i]; below >= mass {
			break
		}
	}
	value := exactProduct(mass, theta)
	size := math.Abs(value.hi)
	for _, i := range order {
		if phi[i] >= theta {
			break
		}
		y := w.at(int(i)).mul(exactDifference(theta, phi[i]))
		value = value.minus(y)
		size += math.Abs(y.hi)
	}
	return bound{value, sumError(len(order)+2, size)}
}

// withSink is an instance of points with one more target, a depot that takes
// mass in at no cost; b are the weights of all targets.
func (in *instance) withSink(b []float64) *instance {
	out := *in
	out.screen = nil
	out.b, out.n = b, in.n+1
	out.y = in.y.withFirst() // a place that is in use: nothing is measured from it
	out.cols = append(slices.Clone(in.cols), int32(in.n))
	out.depots = &depots{targets: []depot{{in.n, make([]float64, out.m)}}}
	return &out
}

// coarseSink is coarse for an instance whose last target is a depot.
func (in *instance) coarseSink(k int) *instance {
	bare := *in
	bare.depots = nil
	points := bare.sub(upTo(in.m), upTo(in.n-1))
	c := points.coarse(min(k, points.m, points.n))
	rest := in.b[in.n-1]
	for j := range c.b {
		c.b[j] *= 1 - rest
	}
	return c.withSink(append(c.b, rest))
}
