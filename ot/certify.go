package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"rot.example/rot/chisq"
)

// A candidate is what a solver hands over to be certified: a plan and source
// prices of its instance. Nothing else of the solver's state is trusted.
type candidate struct {
	plan   *Plan
	u      []float64  // price of every source: φ = −u
	s      []float64  // of every target, ψ = −s; nil when that side is hard
	values []float64  // least cost + u of every target if known, else nil
	lists  *lists     // that a sweep can start from, if there are any
	lambda [2]float64 // multipliers of the balls
	iters  int
}

// tolerance checks the two options that every solver has.
func tolerance(tol float64, maxIters int) (float64, error) {
	switch {
	case math.IsNaN(tol) || tol < 0:
		return 0, fmt.Errorf("ot: tolerance %v: %w", tol, ErrOption)
	case maxIters < 0:
		return 0, fmt.Errorf("ot: %d iterations at most: %w", maxIters, ErrOption)
	case tol == 0:
		return 1e-9, nil
	}
	return tol, nil
}

// conclude makes a Result of a candidate, with bounds that hold whatever the
// solver did (docs/math.md §3): the plan is made feasible by mixing, the
// prices prove a lower bound.
func conclude(ctx context.Context, p *Problem, in *instance, c candidate, source, target chisq.Ball, tol float64, w *watch) (*Result, error) {
	c.sane(in)
	c.centre(in)
	if c.values == nil {
		near := c.lists
		if near == nil {
			near = newLists(in, 1)
		}
		if err := in.sweep(ctx, near, c.u, 0, in.n); err != nil {
			return nil, err
		}
		c.values = near.best(c.u)
	}
	if in.swapped() { // as the instance sees it
		source, target = target, source
	}
	psi := c.targetPotentials()
	r := &Result{Iters: c.iters, SourceLambda: c.lambda[0], TargetLambda: c.lambda[1]}
	plan := feasible(in, c.plan, source, target)

	// Back to the problem's own rows and columns.
	m, n := p.Cost.m, p.Cost.n
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	r.BaseA, r.BaseB = a.hi, b.hi
	r.F, r.G = make([]float64, m), make([]float64, n)
	f, g, rows, cols := r.F, r.G, in.rows, in.cols
	if in.swapped() {
		f, g = g, f
		source, target = target, source
	}
	for i, v := range c.u {
		f[rows[i]] = -v
	}
	for j, v := range psi {
		g[cols[j]] = v
	}
	r.Plan = &Plan{}
	for k, mass := range plan.Mass {
		if mass > 0 {
			r.Plan.add(rows[plan.I[k]], cols[plan.J[k]], mass)
		}
	}
	if in.swapped() {
		r.Plan.I, r.Plan.J = r.Plan.J, r.Plan.I
		r.SourceLambda, r.TargetLambda = r.TargetLambda, r.SourceLambda
	}
	in.byRows(r.Plan)
	r.priceOf(p.Cost)
	proof := newDualProof(p.Cost, r.F, r.G, r.Value, a, b, source, target)
	r.Lower = math.Min(proof.bound.floor(), r.Value)
	r.neverNegative(p.Cost)
	r.priceIdle(p.Cost)
	w.done = 1
	w.report()
	if !r.within(tol, proof.noise) {
		return r, &ConvergenceError{Solver: w.solver, Iters: c.iters, Gap: r.RelGap(), Tol: tol}
	}
	return r, nil
}

// neverNegative raises a bound below 0 to 0, which the potentials 0 prove, for
// costs that are never negative: those of points.
func (r *Result) neverNegative(c *Cost) {
	if c.metric != Given && !(r.Lower > 0) {
		r.Lower = 0
		clear(r.F)
		clear(r.G)
	}
}

// concludeStopped is conclude for a solve that a limit or its context ended:
// with the bounds reached so far, if making them takes no longer than a person
// who pressed Ctrl-C waits.
func concludeStopped(ctx context.Context, p *Problem, in *instance, c candidate, source, target chisq.Ball, tol float64, w *watch) (*Result, error) {
	if ctx.Err() == nil {
		return conclude(ctx, p, in, c, source, target, tol, w)
	}
	late, cancel := afterwards(ctx)
	defer cancel()
	r, err := conclude(late, p, in, c, source, target, tol, w)
	if err != nil && !errors.As(err, new(*ConvergenceError)) {
		r = nil
	}
	return r, fmt.Errorf("ot: %s stopped: %w", w.solver, ctx.Err())
}

// afterwards is a context for what is left to do after ctx has ended.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
}

// stopped says that a solve ended early, in a state that makes a result.
func stopped(err error) bool {
	return errors.Is(err, errLimit{}) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// nothing is what is known before a solve: a plan of some kind, level prices.
func (in *instance) nothing() candidate {
	c := candidate{plan: &Plan{}, u: make([]float64, in.m)}
	northWest(c.plan, in.a, in.b, 1)
	return c
}

// star is the answer where one side is a single point: everything goes there,
// and the weights of the other side are those that its costs ask for.
func star(in *instance, source, target chisq.Ball) candidate {
	c := candidate{plan: &Plan{}, u: make([]float64, in.m), values: make([]float64, in.n)}
	side, ball, base := 0, source, in.a
	if in.m == 1 {
		side, ball, base = 1, target, in.b
	}
	costs := make([]float64, len(base))
	for k := range costs {
		if side == 0 {
			costs[k] = in.cost(k, 0)
			c.u[k] = -costs[k]
		} else {
			costs[k] = in.cost(0, k)
			c.values[k] = costs[k]
		}
	}
	w := base
	if ball.Rho > 0 {
		solved, sol, err := ball.Solve(nil, costs, base)
		if err == nil {
			w, c.lambda[side] = solved, sol.Lambda
		}
	} else {
		c.lambda[side] = math.Inf(1)
	}
	for k, mass := range w {
		if side == 0 {
			c.plan.add(int32(k), 0, mass)
		} else {
			c.plan.add(0, int32(k), mass)
		}
	}
	return c
}

// priceOf fills in marginals and costs of the plan.
func (r *Result) priceOf(c *Cost) {
	a, b := make([]sum, c.m), make([]sum, c.n)
	var value sum
	for k, mass := range r.Plan.Mass {
		i, j := int(r.Plan.I[k]), int(r.Plan.J[k])
		a[i].add(mass)
		b[j].add(mass)
		value.add(mass * c.At(i, j))
	}
	r.A, r.B = totals(a), totals(b)
	r.Value = value.total()
	r.Transport = r.Value
}

func totals(s []sum) []float64 {
	out := make([]float64, len(s))
	for i := range s {
		out[i] = s[i].total()
	}
	return out
}

// priceIdle gives rows and columns of weight zero the largest potentials that
// keep F_i + G_j ≤ C_ij, so that they can be ranked with the others.
func (r *Result) priceIdle(c *Cost) {
	for i, a := range r.BaseA {
		if a == 0 {
			r.F[i] = math.Inf(1)
			for j, b := range r.BaseB {
				if b > 0 {
					r.F[i] = math.Min(r.F[i], c.At(i, j)-r.G[j])
				}
			}
		}
	}
	for j, b := range r.BaseB {
		if b == 0 {
			r.G[j] = math.Inf(1)
			for i := range r.F {
				r.G[j] = math.Min(r.G[j], c.At(i, j)-r.F[i])
			}
		}
	}
}

// centre shifts the prices of two movable marginals so that their means are 0: a
// common level costs digits and proves nothing.
func (c *candidate) centre(in *instance) {
	if c.s == nil {
		return
	}
	for _, side := range []struct{ v, w []float64 }{{c.u, in.a}, {c.s, in.b}} {
		m := mean(side.v, side.w)
		for i := range side.v {
			side.v[i] -= m
		}
	}
	c.values = nil
}

// sane replaces what is not a number: multipliers that overflowed leave prices
// and masses that prove nothing.
func (c *candidate) sane(in *instance) {
	if !finite(c.u) || !finite(c.s) || !finite(c.values) {
		c.u, c.values, c.lists = make([]float64, in.m), nil, nil
		if c.s != nil {
			c.s = make([]float64, in.n)
		}
	}
	if !finite(c.plan.Mass) {
		c.plan = &Plan{}
		northWest(c.plan, in.a, in.b, 1)
	}
}

func finite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// targetPotentials are the ψ that go with φ = −u: φ_i + ψ_j ≤ C_ij for all
// pairs. Of a hard side they are as large as can be, else −s and a constant.
func (c *candidate) targetPotentials() []float64 {
	if c.s == nil {
		return c.values
	}
	least := math.Inf(1)
	for j, v := range c.values {
		least = math.Min(least, v+c.s[j])
	}
	psi := make([]float64, len(c.s))
	for j, s := range c.s {
		psi[j] = math.Min(least-s, c.values[j]) // rounding must not lift it above
	}
	return psi
}

// lowerBound estimates the dual value of φ = −u and ψ: no rounding is taken
// into account.
func lowerBound(in *instance, u, psi []float64, source, target chisq.Ball) float64 {
	return weights{hi: in.a}.least(scaled(u, -1), source.Rho).value.float() + weights{hi: in.b}.least(psi, target.Rho).value.float()
}

// feasible returns the plan, moved towards a plan with marginals a and b just
// as far as its own marginals leave the balls, and scaled to mass one.
func feasible(in *instance, p *Plan, source, target chisq.Ball) *Plan {
	a, b := in.a, in.b
	w, v := make([]float64, in.m), make([]float64, in.n)
	var all sum
	for _, mass := range p.Mass {
		all.add(mass)
	}
	total := all.total()
	soft := source.Rho > 0 && target.Rho > 0
	if soft && total <= 0 { // nothing to scale: a plan that keeps the weights
		p = &Plan{}
		northWest(p, a, b, 1)
		return p
	}
	for k, mass := range p.Mass {
		if soft { // a hard side has the right total by itself
			mass /= total
			p.Mass[k] = mass
		}
		w[p.I[k]] += mass
		v[p.J[k]] += mass
	}
	t := 0.0
	for _, side := range []struct {
		ball chisq.Ball
		w, a []float64
	}{{source, w, a}, {target, v, b}} {
		slack := 1e-12*side.ball.Rho + 4e-16*math.Sqrt(2*side.ball.Rho) // rounding of the weights themselves
		if rho := divergence(side.w, side.a); side.ball.Rho > 0 && rho > side.ball.Rho+slack {
			t = math.Max(t, 1-math.Sqrt(side.ball.Rho/rho))
		}
	}
	if t == 0 {
		return p
	}
	for k := range p.Mass {
		p.Mass[k] *= 1 - t
	}
	northWest(p, a, b, t)
	return p
}

// northWest adds t times the plan that fills targets from sources in order.
func northWest(p *Plan, a, b []float64, t float64) {
	i, j := 0, 0
	ra, rb := a[0], b[0]
	for i < len(a) && j < len(b) {
		f := math.Min(ra, rb)
		p.add(int32(i), int32(j), t*f)
		ra -= f
		rb -= f
		if ra <= rb && i < len(a)-1 || j == len(b)-1 {
			if i++; i < len(a) {
				ra += a[i]
			}
		} else if j++; j < len(b) {
			rb += b[j]
		}
	}
}
