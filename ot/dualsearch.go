package ot

import (
	"context"
	"fmt"
	"math"
)

// A dualSearch looks for potentials that prove a plan good, one pass over all
// pairs after another. The better of two potentials is always feasible: the
// largest that the other side leaves room for.
type dualSearch struct {
	p     *Problem
	c     *Certificate // takes the best bound found
	plan  *Plan
	given [2][]float64 // potentials to start with
	tol   float64
	sides [2]allowed

	units    *scaledProblem
	in, back *instance // back has the sides exchanged
	a, b     weights
	w        *watch
}

func newDualSearch(p *Problem, o *CertifyOptions, c *Certificate, plan *Plan) (*dualSearch, error) {
	s := &dualSearch{
		p: p, c: c, plan: plan, given: [2][]float64{o.F, o.G}, tol: o.Tol, sides: o.sides(),
		units: p.scaled(0), w: newWatch("certify", 0, o.Progress),
	}
	var err error
	if s.in, err = newInstance(s.units.Problem, false); err != nil {
		return nil, err
	}
	s.back = s.in.flipped()
	if s.a, s.b, err = p.exactWeights(); err != nil {
		return nil, err
	}
	s.a, s.b = s.a.pick(s.in.rows), s.b.pick(s.in.cols)
	for k := range s.sides {
		penalty := math.Ldexp(s.sides[k].penalty, -s.units.exp)
		if math.Ldexp(penalty, s.units.exp) != s.sides[k].penalty {
			return nil, fmt.Errorf("ot: a penalty of %g beside costs of quite another size: %w", s.sides[k].penalty, ErrOption)
		}
		s.sides[k].penalty = penalty
	}
	return s, nil
}

// run makes at most so many passes.
func (s *dualSearch) run(ctx context.Context, most int) error {
	f, err := s.start(ctx)
	if err != nil {
		return err
	}
	own := s.given[0] == nil && s.given[1] == nil
	for {
		g, err := s.best(ctx, s.in, f)
		if err != nil {
			return err
		}
		s.keep(f, g, false)
		last := s.c.Sweeps+1 >= most
		if s.c.Sweeps >= most || s.c.close(s.tol) {
			return nil
		}
		if last || !own {
			f, err := s.best(ctx, s.back, g)
			if err == nil {
				s.keep(f, g, true)
			}
			return err
		}
		s.follow(f, g)
	}
}

// start is the source potentials to begin with: the given ones, those that go
// with the given ones of the targets, or those of a smaller problem.
func (s *dualSearch) start(ctx context.Context) ([]float64, error) {
	switch {
	case s.given[0] != nil:
		return s.pick(s.given[0], s.in.rows), nil
	case s.given[1] != nil:
		return s.best(ctx, s.back, s.pick(s.given[1], s.in.cols))
	}
	if s.sides[0].penalty > 0 {
		return s.marginPotentials(), nil
	}
	f := make([]float64, s.in.m)
	if min(s.in.m, s.in.n) > 1 {
		u, err := coarsePrices(ctx, s.in)
		if err != nil {
			return nil, err
		}
		for i := range u {
			f[i] = -u[i]
		}
	}
	return f, nil
}

// pick translates potentials of the problem. Those of −∞, which some solvers
// give to points that they leave out, become low enough to change nothing.
func (s *dualSearch) pick(phi []float64, names []int32) []float64 {
	_, top := s.in.costScale()
	out := make([]float64, len(names))
	low := math.Inf(1)
	for i, k := range names {
		if out[i] = math.Ldexp(phi[k], -s.units.exp); !math.IsInf(out[i], -1) {
			low = math.Min(low, out[i])
		}
	}
	for i, v := range out {
		if math.IsInf(v, -1) {
			out[i] = math.Min(low, 0) - 2*top
		}
	}
	return out
}

// best is the largest potentials that those of the other side leave room for.
func (s *dualSearch) best(ctx context.Context, in *instance, phi []float64) ([]float64, error) {
	if err := s.w.enter(ctx, "looking for potentials"); err != nil {
		return nil, err
	}
	u := scaled(phi, -1)
	l, err := in.nearest(ctx, u)
	if err != nil {
		return nil, err
	}
	s.c.Sweeps++
	return l.best(u), nil
}

// follow raises the potentials of the sources to where their moves in the plan
// are worth making, which in an optimal plan all of them are.
func (s *dualSearch) follow(f, g []float64) {
	row, col := inverse(s.in.rows, s.p.Cost.m), inverse(s.in.cols, s.p.Cost.n)
	next := make([]float64, len(f))
	fillWith(next, math.Inf(1))
	for k, mass := range s.plan.Mass {
		i, j := row[s.plan.I[k]], col[s.plan.J[k]]
		if mass > 0 && i >= 0 && j >= 0 {
			next[i] = math.Min(next[i], s.in.cost(int(i), int(j))-g[j])
		}
	}
	for i, v := range next {
		if v > f[i] && !math.IsInf(v, 1) {
			f[i] = v
		}
	}
}

// inverse is the place of every index in names, −1 for those that are not there.
func inverse(names []int32, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = -1
	}
	for k, i := range names {
		out[i] = int32(k)
	}
	return out
}

// keep takes the pair if its bound is the best so far. One side was rounded
// last: that of the targets, or that of the sources.
func (s *dualSearch) keep(f, g []float64, sources bool) {
	f, g = scaled(f, 1), scaled(g, 1)
	value := math.Ldexp(s.c.Upper, -s.units.exp)
	if math.IsInf(value, 0) {
		value = 1
	}
	if sources {
		s.units.Cost.lowerPair(g, f, value)
	} else {
		s.units.Cost.lowerPair(f, g, value)
	}
	proved, f, g := s.prove(f, g)
	r := &Result{Value: math.Inf(1), Lower: proved.floor(), F: make([]float64, s.p.Cost.m), G: make([]float64, s.p.Cost.n)}
	for k, i := range s.in.rows {
		r.F[i] = f[k]
	}
	for k, j := range s.in.cols {
		r.G[j] = g[k]
	}
	exp := s.units.exp
	for _, phi := range [][]float64{r.F, r.G} {
		for k := range phi {
			phi[k] = math.Ldexp(phi[k], exp)
		}
	}
	lower := math.Ldexp(r.Lower, exp)
	if math.Abs(lower) < 0x1p-1000 { // rounded by more than usual
		lower = down(lower)
	}
	if !(lower > s.c.Lower) || math.IsInf(lower, 0) {
		return
	}
	a, b, err := s.p.weights()
	if err != nil {
		return
	}
	r.BaseA, r.BaseB = a, b
	r.priceIdle(s.p.Cost)
	s.c.Lower, s.c.F, s.c.G = lower, r.F, r.G
}
