package ot

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// A klSearch looks for the multipliers that make balls of KL tight. For given
// ones the forest is pivoted to its optimum; while it stays as it is, all that
// follows from the multipliers has a closed form.
type klSearch struct {
	*klSolve
	q      *relaxedForest
	pricer *relaxedPricer
	lambda [2]float64 // +Inf for a marginal that stays
	aim    [2]float64 // radii to reach, a hair inside those asked for
	floor  float64    // least λ that is tried
	swept  [2]float64 // λ when all pairs were last looked at
}

// tiltInside is how far inside its ball, relative to the radius, a search ends: mixing
// a plan that rounding leaves outside would cost more.
const tiltInside = 3e-13

// newKLSearch starts with all mass on nearest pairs.
func newKLSearch(ctx context.Context, k *klSolve) (*klSearch, error) {
	s := &klSearch{klSolve: k}
	spread := k.typicalCost()
	s.floor = 1e-14 * math.Max(math.Abs(k.low), 1e-9*spread)
	for side, rho := range k.radii {
		s.lambda[side], s.aim[side] = math.Inf(1), rho*(1-tiltInside)
		if rho > 0 {
			s.lambda[side] = math.Max(spread/64, 64*s.floor) // small ones make small trees, quick to pivot
		}
	}
	s.q = newRelaxedForest(k.base[0].hi, k.base[1].hi, KL, s.lambda[0], s.lambda[1])
	s.pricer = newRelaxedPricer(s.q, k.rows)
	if m, n := k.p.Cost.Dims(); k.p.Cost.metric != Given && m*n > depotPairs {
		in, err := newInstance(k.p, true)
		if err != nil {
			return nil, err
		}
		s.pricer.sweepWith(in)
	}
	if s.q.covered = true; k.radii[0] > 0 && k.radii[1] > 0 {
		s.q.level = k.low
	}
	if err := s.pricer.cover(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// typicalCost is a cost in the middle of some, or what is known to be paid, above
// the least of those. It is never 0.
func (k *klSolve) typicalCost() float64 {
	rows, cols := positive(k.base[0].hi), positive(k.base[1].hi)
	var some []float64
	for x := range 1000 {
		i, j := x%len(rows), (x/len(rows)+x*7919)%len(cols) // every row with other columns each time
		some = append(some, k.p.Cost.At(int(rows[i]), int(cols[j])))
	}
	slices.Sort(some)
	paid := math.Max(k.low-some[0], 0)
	for _, at := range []int{len(some) / 2, len(some) - 1} {
		if v := some[at] - some[0]; v > 0 {
			return math.Max(v, paid)
		}
	}
	for _, v := range []float64{paid, math.Abs(some[0])} { // all are alike
		if v > 0 {
			return v
		}
	}
	return 1 // nothing costs anything
}

// run ends with the multipliers that make the balls tight, or so small that it
// does not matter.
func (s *klSearch) run(ctx context.Context) error {
	if s.radii[0] > 0 && s.radii[1] > 0 {
		return s.climb(ctx)
	}
	side := 0
	if s.radii[0] == 0 {
		side = 1
	}
	return s.tighten(ctx, side)
}

// at pivots for multipliers: to the optimum, or with the arcs at hand.
func (s *klSearch) at(ctx context.Context, lambda [2]float64, exact bool) error {
	s.lambda = lambda
	for side, l := range lambda { // the lists hold for multipliers near to those that they were made for
		exact = exact || !math.IsInf(l, 1) && math.Abs(l-s.swept[side]) > 0.1*s.swept[side]
	}
	if s.radii[0] > 0 && s.radii[1] > 0 {
		// Where the costs are large beside the multipliers, masses would vanish:
		// what a unit earns makes them about one.
		if level := s.dual(s.model(lambda), lambda); !math.IsNaN(level) && !math.IsInf(level, 0) {
			s.q.level = level
		}
	}
	s.q.retune(lambda[0], lambda[1])
	return s.pivot(ctx, exact)
}

func (s *klSearch) pivot(ctx context.Context, exact bool) error {
	s.w.stage = "pivots"
	s.w.iters = s.q.pivots
	if err := s.w.poll(ctx); err != nil {
		return err
	}
	if s.w.max > 0 && s.q.pivots >= s.w.max {
		return errLimit{}
	}
	report := func(pivots int) {
		s.w.stage, s.w.iters = fmt.Sprintf("multiplier %.3g", math.Min(s.lambda[0], s.lambda[1])), pivots
		_ = s.w.poll(ctx) // the pivots look at the context themselves
	}
	if !exact {
		return s.pricer.pivot(ctx, s.w.max)
	}
	s.swept = s.lambda
	return s.pricer.solve(ctx, s.w.max, report)
}

// state is what the forest says about multipliers near to its own.
type state struct {
	kl  [2]float64 // divergences of the weights, scaled to mass one
	log float64    // of the mass before that
}

func (x state) finite() bool { return finite([]float64{x.kl[0], x.kl[1], x.log}) }

// dual is the dual value of the forest with two balls, for mass one, less what the
// radii take.
func (s *klSearch) dual(x state, lambda [2]float64) float64 {
	return s.q.level - (lambda[0]+lambda[1])*x.log
}

// model is the state at other multipliers, for the trees as they are.
func (s *klSearch) model(lambda [2]float64) state {
	q := s.q
	k1, k2 := 1/lambda[0], 1/lambda[1]
	var mass sum
	shifts := make([]float64, len(q.order))
	for t, order := range q.order {
		if len(order) < 2 {
			continue
		}
		topA, topB := math.Inf(-1), math.Inf(-1)
		for _, v := range order {
			if int(v) < q.m {
				topA = max(topA, q.h[v]*k1)
			} else {
				topB = max(topB, (q.level-q.h[v])*k2)
			}
		}
		var a, b float64
		for _, v := range order {
			if int(v) < q.m {
				a += q.nodes[v].base * math.Exp(q.h[v]*k1-topA)
			} else {
				b += q.nodes[v].base * math.Exp((q.level-q.h[v])*k2-topB)
			}
		}
		shifts[t] = (math.Log(b) + topB - math.Log(a) - topA) / (k1 + k2)
		mass.add(b * math.Exp(topB-shifts[t]*k2))
	}
	x := state{log: math.Log(mass.total())}
	if math.IsInf(lambda[0], 1) || math.IsInf(lambda[1], 1) {
		x.log = 0 // the marginal that stays has mass one
	}
	var kl [2]sum
	for t, order := range q.order {
		if len(order) < 2 {
			if len(order) == 1 && q.nodes[order[0]].base > 0 { // alone: without mass
				if v := order[0]; int(v) < q.m {
					kl[0].add(q.nodes[v].base)
				} else {
					kl[1].add(q.nodes[v].base)
				}
			}
			continue
		}
		for _, v := range order {
			h := q.h[v] + shifts[t]
			if int(v) < q.m {
				kl[0].add(q.nodes[v].base * tiltTerm(h*k1-x.log))
			} else {
				kl[1].add(q.nodes[v].base * tiltTerm((q.level-h)*k2-x.log))
			}
		}
	}
	x.kl = [2]float64{kl[0].total(), kl[1].total()}
	return x
}

// cost is that of the flows, for mass one.
func (s *klSearch) cost() float64 {
	var c, mass sum
	m := s.q.m
	for v, x := range s.q.nodes {
		if x.par >= 0 {
			mass.add(x.flow)
			if v < m { // costs lead from parent to child, so from target to source
				c.add(-x.flow * x.cost)
			} else {
				c.add(x.flow * x.cost)
			}
		}
	}
	return c.total() / mass.total()
}

// cheapest says that no plan is cheaper.
func (s *klSearch) cheapest() bool {
	return s.cost() <= s.low+math.Min(1e-12, s.tol/10)*math.Abs(s.low)
}

const (
	mostTilts  = 120   // far more than any search has taken; the certificate tells
	inexactMax = 12    // steps with the arcs at hand, then exact ones
	tiltTight  = 3e-13 // of a radius: what counts as tight, rounding of the weights aside
)

// tight is by how much of a radius a divergence may be off from it.
func tight(rho float64) float64 { return tiltTight + 4e-16/math.Sqrt(2*rho) }

// tighten finds the multiplier of one ball, by the closed form for the trees at
// hand, in a bracket.
func (s *klSearch) tighten(ctx context.Context, side int) error {
	lo, hi := 0.0, math.Inf(1)
	exact := false
	aim := s.aim[side]
	with := func(l float64) [2]float64 {
		x := s.lambda
		x[side] = l
		return x
	}
	l := s.lambda[side]
	for it := range mostTilts {
		if it == inexactMax && !exact {
			exact, lo, hi = true, 0, math.Inf(1)
		}
		if err := s.at(ctx, with(l), exact); err != nil {
			return err
		}
		kl := s.model(s.lambda).kl[side]
		if kl <= aim && s.cheapest() {
			return nil
		}
		if math.Abs(kl-aim) <= tight(aim)*aim {
			before := s.q.pivots
			if err := s.pivot(ctx, true); err != nil || s.q.pivots == before {
				return err
			}
			exact, lo, hi = true, 0, math.Inf(1)
			kl = s.model(s.lambda).kl[side]
		}
		if kl > aim {
			lo = math.Max(lo, l)
		} else {
			hi = math.Min(hi, l)
		}
		if !(hi > lo*(1+4e-16)) { // rounding decides, or an inexact step was wrong
			if exact {
				return s.at(ctx, with(math.Max(hi, l)), true)
			}
			exact, lo, hi = true, 0, math.Inf(1)
			continue
		}
		next := l * 8
		if far := with(l * 64); s.model(far).kl[side] < aim {
			next = fallingRoot(func(l float64) float64 { return s.model(with(l)).kl[side] }, aim, l, l/64)
		}
		next = math.Min(math.Max(next, l/64), l*64)
		if !(next > lo && next < hi) {
			switch {
			case lo == 0:
				next = hi / 16
			case math.IsInf(hi, 1):
				next = lo * 16
			default:
				next = math.Sqrt(lo) * math.Sqrt(hi)
			}
		}
		if next < s.floor {
			if l <= s.floor {
				return nil
			}
			next = s.floor
		}
		l = next
	}
	return nil
}
