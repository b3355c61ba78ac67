package ot

import (
	"context"
	"math"
)

// twoSided solves with both marginals in balls (docs/math.md §6): an outer
// ascent on the multipliers around the forest.
type twoSided struct {
	in         *instance
	f          *forest
	x          multipliers
	rho1, rho2 float64
	hard       bool    // a multiplier is large beside the differences between neighbours (startHard)
	bound      float64 // what the problem without one ball costs: a plan as good is optimal
	w          *watch
}

// multipliers of the source ball, the target ball and the total mass.
type multipliers struct{ l1, l2, nu float64 }

func (x multipliers) plus(t float64, d multipliers) multipliers {
	return multipliers{x.l1 + t*d.l1, x.l2 + t*d.l2, x.nu + t*d.nu}
}

// far is how far y is from x, relative to their size.
func (x multipliers) far(y multipliers) float64 {
	d := y.plus(-1, x)
	return math.Max(math.Abs(d.l1)/x.l1, math.Max(math.Abs(d.l2)/x.l2, math.Abs(d.nu)/(x.l1+x.l2)))
}

func (x multipliers) dot(y multipliers) float64 { return x.l1*y.l1 + x.l2*y.l2 + x.nu*y.nu }

// newTwoSided starts without arcs, the multipliers at the scale of nearest
// costs and in the ratio that the two relaxations give.
func newTwoSided(ctx context.Context, in *instance, rho1, rho2 float64, relaxed [2]*relaxation, w *watch) (*twoSided, error) {
	l := relaxed[1].lists
	relaxed[1].lists = nil // they change with the forest
	if l == nil {
		l = newLists(in, listLength)
		if err := in.sweep(ctx, l, make([]float64, in.m), 0, in.n); err != nil {
			return nil, err
		}
	}
	s := &twoSided{in: in, f: newForest(in, l), rho1: rho1, rho2: rho2, w: w}
	s.bound = math.Max(relaxed[0].value, relaxed[1].value)
	_, top := in.costScale()
	s.f.least = 1e-15 * math.Abs(s.bound)
	low := math.Inf(1)
	var mu sum
	for j := range in.n {
		low = math.Min(low, l.cost[j*l.k])
		mu.add(in.b[j] * l.cost[j*l.k])
	}
	scale := math.Max(s.bound, mu.total()) - low
	if scale <= 1e-12*top {
		scale = 1e-3 * top
	}
	if scale == 0 {
		scale = 1 // nothing costs anything: any multipliers will do
	}
	ratio := 1.0
	if l1, l2 := relaxed[0].lambda, relaxed[1].lambda; l1 > 0 && l2 > 0 {
		ratio = math.Min(math.Max(l2/l1, 1e-3), 1e3)
	}
	s.x = multipliers{scale / (1 + ratio), scale * ratio / (1 + ratio), low}
	return s, s.guess(ctx)
}

// at solves for the given multipliers, from the forest at hand.
func (s *twoSided) at(ctx context.Context, x multipliers, exact bool) error {
	s.x = x
	s.f.set(1/x.l1, 1/x.l2, x.nu)
	s.f.settleAll()
	return s.f.optimize(ctx, s.w, exact)
}

// solve ascends on the dual: jump to the maximum of the forest's own dual,
// which has the same value and slope here; pivot there; search along the way
// if that overshot; rescale to mass one; until nothing is left to gain.
func (s *twoSided) solve(ctx context.Context) error {
	if err := s.w.enter(ctx, "pivots"); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.rescale(false)
	c := &climb{twoSided: s}
	c.restart()
	for range mostClimbs {
		if done, err := c.step(ctx); done || err != nil {
			return err
		}
	}
	return nil
}

const (
	mostClimbs  = 300   // far more than any solve has taken; the certificate tells
	slackBall   = 1e-12 // of ρ, and of the mass: what counts as tight
	idleClimbs  = 10    // steps without progress before exact ones, or the end
	deadRatio   = 1e-13 // a multiplier that small beside the other is gone
	stillStep   = 1e-15 // a step that small moves nothing
	quietStep   = 2e-14 // nor do steps whose rescaling leaves that little of them, without pivots
	quietClimbs = 3     // how many of these in a row are enough
	enoughFaith = 8     // by what factor the forest's own dual is trusted
)

// A climb is the state of twoSided.solve. Steps are inexact until they stop to
// gain.
type climb struct {
	*twoSided
	exact    bool
	idle     int     // steps without progress
	quiet    int     // steps that led nowhere, in a row
	gap, off float64 // least so far: of the dual, of the constraints
	dual     float64 // largest so far
}

func (c *climb) restart() {
	c.idle, c.gap, c.off, c.dual = 0, math.Inf(1), math.Inf(1), math.Inf(-1)
}

// step makes one step of the ascent, or says that there is none to make.
func (c *climb) step(ctx context.Context) (done bool, err error) {
	s := c.twoSided
	t := s.forestDual()
	g := t.slope(s.x, s.rho1, s.rho2)
	cost := s.f.cost()
	gap := math.Abs(g.l1)*s.x.l1 + math.Abs(g.l2)*s.x.l2 + math.Abs(g.nu*s.x.nu)
	off := math.Max(math.Max(math.Abs(g.l1)/s.rho1, math.Abs(g.l2)/s.rho2), math.Abs(g.nu))
	inside := g.l1 < slackBall*s.rho1 && g.l2 < slackBall*s.rho2 && math.Abs(g.nu) < slackBall
	if inside && cost <= s.bound+1e-13*math.Abs(s.bound) {
		return true, nil
	}
	if off < slackBall || inside && gap < slackBall*math.Abs(cost) {
		before := s.f.pivots
		if err := s.f.optimize(ctx, s.w, true); err != nil || s.f.pivots == before {
			return true, err
		}
		c.exact = true
		s.rescale(false)
		return false, nil
	}
	if c.stalled(gap, off) {
		if c.exact {
			return true, nil
		}
		c.exact = true
		c.restart()
	}
	from := s.x
	to := t.peak(from, s.rho1, s.rho2, enoughFaith)
	if s.hard && !c.exact {
		to = s.cautious(t, from, to, g)
	}
	low := deadRatio * (to.l1 + to.l2)
	if math.Min(to.l1, to.l2) < low && math.Min(from.l1, from.l2) <= low && c.exact {
		return true, nil // one multiplier is gone for good: rounding decides
	}
	to.l1, to.l2 = math.Max(to.l1, low), math.Max(to.l2, low)
	if from.far(to) < stillStep || c.quiet >= quietClimbs {
		if c.exact {
			return true, nil
		}
		c.exact, c.quiet = true, 0
		return false, s.f.optimize(ctx, s.w, true)
	}
	step, before := to.plus(-1, from), s.f.pivots
	if err := s.search(ctx, from, step, g.dot(step), c.exact); err != nil {
		return false, err
	}
	s.rescale(c.idle > 3)
	if c.quiet++; s.f.pivots > before || from.far(s.x) > quietStep {
		c.quiet = 0
	}
	return false, nil
}

// stalled notes what the last step gained and says whether too many in a row
// have gained nothing.
func (c *climb) stalled(gap, off float64) bool {
	x := c.x
	dual := x.l1 + x.l2 + x.nu - x.l1*(1+2*c.rho1) - x.l2*(1+2*c.rho2)
	c.idle++
	if gap < 0.7*c.gap {
		c.gap, c.idle = gap, 0
	}
	if off < 0.7*c.off {
		c.off, c.idle = off, 0
	}
	if dual > c.dual+1e-12*math.Abs(dual)+1e-15*math.Abs(x.nu) {
		c.dual, c.idle = dual, 0
	}
	return c.idle > idleClimbs
}

// rescale uses that (s·λ1, s·λ2) with the same λ1+λ2+ν has the solution π/s on
// the same forest: to mass one, or (steady) to the dual's maximum on that ray,
// which never descends.
func (s *twoSided) rescale(steady bool) {
	w, v := s.marginals()
	var mass, q1, q2 float64
	for i, x := range w {
		mass += x
		q1 += x * x / s.in.a[i]
	}
	for j, x := range v {
		q2 += x * x / s.in.b[j]
	}
	by := mass
	if steady {
		by = math.Sqrt((s.x.l1*q1 + s.x.l2*q2) / (s.x.l1*(1+2*s.rho1) + s.x.l2*(1+2*s.rho2)))
	}
	if !(by > 0) || math.Abs(by-1) < 1e-13 || math.IsInf(by, 1) {
		return
	}
	f := s.f
	for k := range f.nodes {
		f.nodes[k].flow /= by
	}
	shift := (by - 1) * s.x.l1
	for k := range f.u {
		f.u[k] -= shift
	}
	s.x = multipliers{s.x.l1 * by, s.x.l2 * by, s.x.nu - (by-1)*(s.x.l1+s.x.l2)}
	f.set(1/s.x.l1, 1/s.x.l2, s.x.nu)
}

func (s *twoSided) marginals() (w, v []float64) {
	w, v = make([]float64, s.in.m), make([]float64, s.in.n)
	s.f.eachFlow(func(i, j int32, mass float64) {
		w[i] += mass
		v[j] += mass
	})
	return w, v
}

// candidate hands over the current plan and prices. A rejected row's price may
// lie below −λ; the bound is no worse when it is clipped there.
func (s *twoSided) candidate() candidate {
	s.f.polish()
	plan := &Plan{}
	s.f.eachFlow(plan.add)
	c := candidate{plan: plan, u: make([]float64, s.in.m), s: make([]float64, s.in.n), iters: s.f.pivots, lambda: [2]float64{s.x.l1, s.x.l2}, lists: s.f.l}
	for i := range c.u {
		c.u[i] = math.Max(-s.x.l1, s.f.u[i])
	}
	for j := range c.s {
		c.s[j] = math.Max(-s.x.l2, s.x.nu-s.f.u[s.in.m+j])
	}
	return c
}
