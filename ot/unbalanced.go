package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// A Divergence measures how far a marginal is from the weights it replaces.
type Divergence uint8

// The divergences: all are those of the balls of Robust, Chi2 and KL those of
// Unbalanced.
const (
	Chi2 Divergence = iota // ½ Σ (w − a)²/a, half-scaled as everywhere here
	KL                     // Σ w·log(w/a) − w + a, natural logarithm; in a ball, where both sum to one, Σ w·log(w/a)
	TV                     // ½ Σ |w − a|, total variation: the mass that is elsewhere
)

func (d Divergence) String() string {
	switch d {
	case Chi2:
		return "chi2"
	case KL:
		return "kl"
	case TV:
		return "tv"
	}
	return fmt.Sprintf("Divergence(%d)", uint8(d))
}

// ParseDivergence returns the divergence that String writes as s.
func ParseDivergence(s string) (Divergence, error) {
	switch s {
	case "chi2":
		return Chi2, nil
	case "kl":
		return KL, nil
	case "tv":
		return TV, nil
	}
	return 0, fmt.Errorf("ot: unknown divergence %q (want chi2, kl, tv): %w", s, ErrOption)
}

// of is the divergence of w from a. Weights that agree but for rounding do:
// a large penalty would make much of what no plan in float64 can avoid.
func (d Divergence) of(w, a []float64) float64 {
	var s sum
	for i, x := range w {
		switch {
		case math.Abs(x-a[i]) <= 4*eps*a[i]:
		case d == Chi2:
			s.add((x - a[i]) * (x - a[i]) / (2 * a[i]))
		case d == TV:
			s.add(math.Abs(x-a[i]) / 2)
		case x == 0:
			s.add(a[i])
		case x < a[i]/2:
			s.add(x*math.Log(x/a[i]) - x + a[i])
		default: // the same without cancellation, which a large penalty would blow up
			d := (x - a[i]) / a[i]
			s.add(a[i] * ((1+d)*math.Log1p(d) - d))
		}
	}
	return s.total()
}

// bound is min over s ≥ 0 of P·φ(s) + f·s, the share of a potential f in the
// dual: f − f²/2P (P/2 from f = P on) or P(1 − exp(−f/P)).
func (d Divergence) bound(f, penalty float64) float64 {
	if d == KL {
		return -penalty * math.Expm1(-f/penalty)
	}
	f = min(f, penalty)
	return f - f*(f/penalty)/2
}

// least is Σ w_i·bound(φ_i), proved.
func (d Divergence) least(w weights, phi []float64, penalty float64) bound {
	var s dd
	var size, exact float64 // what is rounded in float64, and in twice the precision
	for i, f := range phi {
		switch {
		case w.hi[i] == 0:
		case d == KL: // Expm1 is right to one rounding, f/P to another
			v := d.bound(f, penalty)
			s = s.plus(w.at(i).times(v))
			size += w.hi[i] * (math.Abs(v) + math.Min(math.Abs(f), penalty))
		default:
			f = math.Min(f, penalty)
			square := exactProduct(f, f).over(dd{hi: 2 * penalty})
			s = s.plus(w.at(i).mul(dd{hi: f}.minus(square)))
			exact += w.hi[i] * (math.Abs(f) + square.hi)
		}
	}
	return bound{s, 8*eps*size + sumError(len(phi), 4*exact)}
}

// weighed is Σ w_i·s(φ_i)·|φ_i| with the mass w·s that a potential φ leaves: what
// a rounding of the potentials is worth.
func (d Divergence) weighed(w weights, phi []float64, penalty float64) float64 {
	var size float64
	for i, f := range phi {
		if w.hi[i] > 0 {
			mass := math.Max(0, 1-f/penalty)
			if d == KL {
				mass = math.Exp(-f / penalty)
			}
			size += w.hi[i] * mass * math.Abs(f)
		}
	}
	return size
}

// UnbalancedOptions tunes Unbalanced. The zero value is ready to use.
type UnbalancedOptions struct {
	Divergence    Divergence // Chi2 unless set
	Penalty       float64    // price of moving the source marginal; 0 means 1
	TargetPenalty float64    // the same for the target; 0 means Penalty

	Tol      float64        // relative duality gap; 0 means 1e-9
	MaxIters int            // pivots; 0 means no limit
	Progress func(Progress) // called now and then; may be nil
}

// Unbalanced lets both marginals go, at a price: it minimizes
//
//	⟨C, π⟩ + P₁·D(π1 | a) + P₂·D(πᵀ1 | b)   over π ≥ 0,
//
// whose dual, for the half chi-square divergence, is
//
//	max Σ a_i (F_i − F_i²/2P₁) + Σ b_j (G_j − G_j²/2P₂),   F_i + G_j ≤ C_ij, F ≤ P₁, G ≤ P₂,
//
// and for KL has P(1 − exp(−F/P)) in place of F − F²/2P (docs/math.md §7.3).
// There is no entropic smoothing: an active set of arcs is pivoted to the exact
// optimum, so the gap is at rounding level. Chi2 uses no pair whose cost exceeds
// P₁+P₂ and gives points without a cheaper one weight 0; KL only fades them.
// Time grows with the penalties, as the problem turns into plain transport: 2000
// points a side take a fraction of a second while P is about the cost of a move,
// and seconds at a thousand times that.
//
// Value has all three terms and Transport the first. Costs may be negative.
// Unbalanced returns ErrOption for a bad penalty, ErrShape or ErrWeights for a
// malformed p, ctx.Err() when cancelled, and a *ConvergenceError with its best
// Result when MaxIters or rounding ends it above Tol.
func Unbalanced(ctx context.Context, p *Problem, opts *UnbalancedOptions) (*Result, error) {
	var o UnbalancedOptions
	if opts != nil {
		o = *opts
	}
	if err := o.defaults(); err != nil {
		return nil, err
	}
	if r := nothingPays(p, &o); r != nil {
		return r, nil
	}
	return p.inUnits(func(s *scaledProblem) (*Result, error) {
		q := o
		q.Penalty, q.TargetPenalty = inRange(math.Ldexp(o.Penalty, -s.exp)), inRange(math.Ldexp(o.TargetPenalty, -s.exp))
		return unbalanced(ctx, s.Problem, &q)
	})
}

// nothingPays is the answer where costs dwarf the penalties so much that no unit
// suits both: nothing is moved. It is nil for all other problems.
func nothingPays(p *Problem, o *UnbalancedOptions) *Result {
	if p == nil || p.Cost == nil || p.Cost.metric != Given {
		return nil
	}
	if s := p.scaled(0); s.exp == 0 || math.Ldexp(math.Min(o.Penalty, o.TargetPenalty), -s.exp) > 1e-300 {
		return nil
	}
	low := math.Inf(1)
	for _, c := range p.Cost.matrix {
		low = math.Min(low, c)
	}
	a, b, err := p.exactWeights()
	if err != nil || low < 1e4*(o.Penalty+o.TargetPenalty) {
		return nil
	}
	u := &penalized{p: p, o: o, a: a, b: b}
	f, g := make([]float64, p.Cost.m), make([]float64, p.Cost.n)
	fillWith(f, 5e3*o.Penalty) // as good as infinite for both divergences
	fillWith(g, 5e3*o.TargetPenalty)
	return u.conclude(&Plan{}, f, g)
}

// inRange keeps a penalty away from 0 and infinity.
func inRange(v float64) float64 { return math.Min(math.Max(v, 1e-307), 1e307) }

// unbalanced is Unbalanced on costs of ordinary size.
func unbalanced(ctx context.Context, p *Problem, o *UnbalancedOptions) (*Result, error) {
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	rows := newCostRows(p.Cost)
	typical, low, high, err := rows.stats(ctx, a.hi, b.hi)
	if err != nil {
		return nil, err
	}
	if o.Divergence == KL && -low > 500*(o.Penalty+o.TargetPenalty) {
		return nil, fmt.Errorf("ot: cost %g is too negative for a KL penalty of %g + %g, the mass overflows: %w", low, o.Penalty, o.TargetPenalty, ErrOption)
	}
	u := &penalized{p: p, o: o, a: a, b: b, low: low, size: math.Max(math.Abs(low), math.Abs(high))}
	var best *Result
	if math.Min(o.Penalty, o.TargetPenalty) >= stiffPenalty*(high-low) {
		// Such penalties leave the marginals in proportion, or next to it.
		plain, err := exact(ctx, p, o.Tol, newWatch("unbalanced", o.MaxIters, o.Progress))
		if plain == nil {
			return nil, err
		}
		plain.Plan.scale(u.share(plain.Value))
		best = u.conclude(plain.Plan, plain.F, plain.G)
		best.Iters = plain.Iters
		if stopped(err) {
			return best, err
		}
		if best.within(shortcutTol, best.noise) {
			return best, nil
		}
	}
	large, small := math.Max(o.Penalty, o.TargetPenalty), math.Min(o.Penalty, o.TargetPenalty)
	for _, attempt := range []struct {
		worth bool
		solve func(context.Context) (*Result, error)
	}{
		{small*freePenalty <= large, u.oneFree},
		{o.Divergence == Chi2 && large >= stiffPenalty*u.size, u.oneStiff},
	} {
		if !attempt.worth {
			continue
		}
		r, err := attempt.solve(ctx)
		if err != nil {
			return best, err
		}
		if best != nil {
			r.take(best)
		}
		if best = r; best.within(shortcutTol, best.noise) {
			return best, nil
		}
	}
	q := newRelaxedForest(a.hi, b.hi, o.Divergence, o.Penalty, o.TargetPenalty)
	limit := q.solve(ctx, rows, typical-low, o)
	if limit != nil && !stopped(limit) {
		return nil, limit
	}
	if ctx.Err() != nil {
		late, cancel := afterwards(ctx)
		defer cancel()
		ctx = late
	}
	r, err := u.fromForest(ctx, q, rows)
	if err != nil {
		return best, errors.Join(limit, err)
	}
	if best != nil {
		r.take(best)
	}
	for try := 0; try < 3 && limit == nil && !r.within(o.Tol, r.noise); try++ {
		// A guard against cycling may have ended the last round too soon.
		if limit = q.solve(ctx, rows, 0, o); limit != nil && !stopped(limit) {
			return nil, limit
		}
		retried, err := u.fromForest(ctx, q, rows)
		if err != nil {
			break
		}
		r.take(retried)
	}
	switch {
	case limit != nil && !errors.Is(limit, errLimit{}):
		return r, fmt.Errorf("ot: unbalanced stopped: %w", limit)
	case !r.within(o.Tol, r.noise):
		return r, &ConvergenceError{Solver: "unbalanced", Iters: r.Iters, Gap: r.RelGap(), Tol: o.Tol}
	}
	return r, nil
}

// fromForest certifies what a forest says.
func (u *penalized) fromForest(ctx context.Context, q *relaxedForest, rows *costRows) (*Result, error) {
	f, g, err := q.potentials(ctx, rows, u.b.hi)
	if err != nil {
		return nil, err
	}
	plan := q.plan()
	u.p.Cost.lowerPair(f, g, plan.cost(u.p.Cost))
	for i := range f {
		f[i] = down(f[i]) // rounded once, too
	}
	r := u.conclude(plan, f, g)
	r.Iters = q.pivots
	return r, nil
}

// shortcutTol is how good a shortcut must be for the forest to be left out.
const shortcutTol = 1e-13

// stiffPenalty is how large penalties must be, in units of the spread of costs,
// for plain transport to be worth a look: its gap is the ratio of the two, or
// less.
const stiffPenalty = 1e4

// leastPositive is the least cost above 0.
func (c *Cost) leastPositive() float64 {
	least := math.Inf(1)
	for i := range c.m {
		for j := range c.n {
			if v := c.At(i, j); v > 0 && v < least {
				least = v
			}
		}
	}
	return least
}

// share is how much of the mass is best moved where both marginals keep their
// proportions and all of it would cost c.
func (u *penalized) share(c float64) float64 {
	c /= u.o.Penalty + u.o.TargetPenalty
	if u.o.Divergence == KL {
		return math.Exp(-c)
	}
	return math.Max(0, 1-c)
}

func (p *Plan) scale(by float64) {
	for k := range p.Mass {
		p.Mass[k] *= by
	}
}

// freePenalty is how much smaller one penalty must be than the other for a side
// that costs nothing to be worth a look.
const freePenalty = 1e6

// oneFree takes the marginal with the smaller penalty as free, or next to it:
// every row of the other side goes to its nearest, as far as that pays.
func (u *penalized) oneFree(ctx context.Context) (*Result, error) {
	in, err := newInstance(u.p, u.o.Penalty > u.o.TargetPenalty) // its targets keep to their weights
	if err != nil {
		return nil, err
	}
	near, err := in.nearest(ctx, make([]float64, in.m))
	if err != nil {
		return nil, err
	}
	penalty := math.Max(u.o.Penalty, u.o.TargetPenalty)
	m, n := u.p.Cost.Dims()
	plan, f, g := &Plan{}, make([]float64, m), make([]float64, n)
	psi := g
	if in.swapped() {
		psi = f
	}
	for j, c := range near.best(make([]float64, in.m)) {
		mass := in.b[j] * math.Max(0, 1-c/penalty)
		if u.o.Divergence == KL {
			mass = in.b[j] * math.Exp(-c/penalty)
		}
		if mass > 0 {
			plan.add(in.rows[near.src[j]], in.cols[j], mass)
		}
		psi[in.cols[j]] = c
	}
	if in.swapped() {
		plan.I, plan.J = plan.J, plan.I
	}
	in.byRows(plan)
	return u.concludeRounded(plan, f, g, 0), nil
}

// concludeRounded is conclude for potentials of rows with weight, right for
// costs as computed and rounded once.
func (u *penalized) concludeRounded(plan *Plan, f, g []float64, pivots int) *Result {
	u.p.Cost.lowerPair(f, g, plan.cost(u.p.Cost))
	for i, v := range f {
		if v != 0 {
			f[i] = down(v)
		}
	}
	r := &Result{F: f, G: g, BaseA: u.a.hi, BaseB: u.b.hi}
	r.priceIdle(u.p.Cost)
	r = u.conclude(plan, r.F, r.G)
	r.Iters = pivots
	return r
}

// oneStiff takes the marginal with the larger penalty as fixed, or next to it,
// and solves for the other by the quadratic simplex.
func (u *penalized) oneStiff(ctx context.Context) (*Result, error) {
	in, err := newInstance(u.p, u.o.Penalty > u.o.TargetPenalty)
	if err != nil {
		return nil, err
	}
	l := newLists(in, listLength)
	if err := in.sweep(ctx, l, make([]float64, in.m), 0, in.n); err != nil {
		return nil, err
	}
	f := newForest(in, l)
	for j := range in.n {
		f.link(l.src[j*l.k], int32(j), l.cost[j*l.k], in.b[j])
	}
	f.set(1/math.Min(u.o.Penalty, u.o.TargetPenalty), 0, 0)
	f.settleAll()
	w := newWatch("unbalanced", u.o.MaxIters, u.o.Progress)
	if err := f.optimize(ctx, w, true); err != nil && !errors.Is(err, errLimit{}) {
		return nil, err
	}
	f.polish()
	near, err := in.nearest(ctx, f.u[:in.m])
	if err != nil {
		return nil, err
	}
	m, n := u.p.Cost.Dims()
	plan, phi, psi := &Plan{}, make([]float64, m), make([]float64, n)
	rows, cols, x, y := in.rows, in.cols, phi, psi
	f.eachFlow(func(i, j int32, mass float64) { plan.add(rows[i], cols[j], mass) })
	if in.swapped() {
		plan.I, plan.J = plan.J, plan.I
		x, y = psi, phi
	}
	for i, v := range f.u[:in.m] {
		x[rows[i]] = -v
	}
	for j, v := range near.best(f.u) {
		y[cols[j]] = v
	}
	return u.concludeRounded(plan, phi, psi, f.pivots), nil
}

// penalized certifies plans and potentials of an unbalanced problem.
type penalized struct {
	p    *Problem
	o    *UnbalancedOptions
	a, b weights
	low  float64 // the least cost
	size float64 // of the largest cost
}

// conclude makes a Result of a plan and of potentials with F_i + G_j ≤ C_ij,
// shifted by the constant for which they prove most, or nearly so.
func (u *penalized) conclude(plan *Plan, f, g []float64) *Result {
	p1, p2, div := u.o.Penalty, u.o.TargetPenalty, u.o.Divergence
	r := &Result{Plan: plan, BaseA: u.a.hi, BaseB: u.b.hi, F: f, G: g}
	lower := div.least(u.a, f, p1).plus(div.least(u.b, g, p2))
	shift := (u.a.mean(f).value.float()/p1 - u.b.mean(g).value.float()/p2) / (1/p1 + 1/p2)
	if shift != 0 {
		f2, g2 := make([]float64, len(f)), make([]float64, len(g))
		for i, v := range f {
			f2[i] = down(v - shift)
		}
		for j, v := range g {
			g2[j] = down(v + shift)
		}
		if better := div.least(u.a, f2, p1).plus(div.least(u.b, g2, p2)); better.floor() > lower.floor() {
			lower, r.F, r.G = better, f2, g2
		}
	}
	r.priceOf(u.p.Cost)
	r.Value = r.Transport + p1*div.of(r.A, u.a.hi) + p2*div.of(r.B, u.b.hi)
	r.Lower = math.Min(lower.floor(), r.Value)
	if u.low >= 0 && !(r.Lower >= 0) { // no term is negative; NaN where tiny penalties overflow
		r.Lower = 0
		clear(r.F)
		clear(r.G)
	}
	r.noise = 2*lower.err + u.p.Cost.blur(r.Transport) + 8*eps*(div.weighed(u.a, r.F, p1)+div.weighed(u.b, r.G, p2))
	if r.Lower == 0 && r.Value > 0 {
		// Where nothing need be paid, masses that are off by 1e-11, as light ones
		// may be beside heavy ones, still cost this much.
		r.noise += 1e-22 * math.Min(p1+p2, 100*u.p.Cost.leastPositive())
	}
	return r
}

func (o *UnbalancedOptions) defaults() error {
	if o.Divergence > KL {
		return fmt.Errorf("ot: unbalanced transport with %v: %w", o.Divergence, ErrOption)
	}
	if o.Penalty == 0 {
		o.Penalty = 1
	}
	if o.TargetPenalty == 0 {
		o.TargetPenalty = o.Penalty
	}
	if o.Tol == 0 {
		o.Tol = 1e-9
	}
	for _, v := range []float64{o.Penalty, o.TargetPenalty, o.Tol} {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("ot: penalties %g and %g, tolerance %g: %w", o.Penalty, o.TargetPenalty, o.Tol, ErrOption)
		}
	}
	return nil
}

// solve finds the optimal forest. Large penalties make large trees, slow to
// pivot: it starts with penalties of the size of the costs and raises them.
func (q *relaxedForest) solve(ctx context.Context, rows *costRows, spread float64, o *UnbalancedOptions) error {
	const step = 8
	s := newRelaxedPricer(q, rows)
	if !q.covered {
		q.covered = true
		if err := s.cover(ctx); err != nil {
			return err
		}
	}
	progress := func(pivots int) {
		if o.Progress != nil {
			o.Progress(Progress{Solver: "unbalanced", Stage: fmt.Sprintf("penalty %.3g", q.p1), Iters: pivots, Done: math.NaN()})
		}
	}
	scale := 1.0
	for spread > 0 && scale*max(o.Penalty, o.TargetPenalty) > step*spread {
		scale /= step
	}
	for ; ; scale = min(1, scale*step) {
		q.retune(scale*o.Penalty, scale*o.TargetPenalty)
		if err := s.solve(ctx, o.MaxIters, progress); err != nil {
			return err
		}
		if scale == 1 {
			return nil
		}
	}
}

// plan reads the plan off the forest.
func (q *relaxedForest) plan() *Plan {
	p := &Plan{}
	q.eachFlow(p.add)
	return p
}

// cost is ⟨p, C⟩.
func (p *Plan) cost(c *Cost) float64 {
	var s sum
	for k, mass := range p.Mass {
		if mass == 0 {
			continue // which may be of a forbidden pair
		}
		price := c.At(int(p.I[k]), int(p.J[k]))
		if math.IsInf(price, 1) {
			return price
		}
		s.add(mass * price)
	}
	return s.total()
}

// potentials are the forest's potentials, made feasible.
func (q *relaxedForest) potentials(ctx context.Context, rows *costRows, b []float64) (f, g []float64, err error) {
	f = make([]float64, q.m)
	for i := range f {
		f[i] = -q.h[i]
	}
	return rows.repair(ctx, f, q.h[q.m:], b)
}
