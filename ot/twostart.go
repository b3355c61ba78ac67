package ot

import (
	"context"
	"math"

	"rot.example/rot/chisq"
)

// guess takes the multipliers from a smaller version of the instance: they
// change little with its size, and every round saved is a round of pivots.
func (s *twoSided) guess(ctx context.Context) error {
	size := min(s.in.m, s.in.n) / 4
	if size < probe {
		return nil
	}
	small := s.in.coarse(size)
	source, target := chisq.Ball{Rho: s.rho1}, chisq.Ball{Rho: s.rho2}
	var relaxed [2]*relaxation
	for side := range relaxed {
		var err error
		if relaxed[side], err = relax(ctx, small, source, target, side); err != nil {
			return err
		}
		if relaxed[side].fits {
			return nil
		}
	}
	t, err := newTwoSided(ctx, small, s.rho1, s.rho2, relaxed, newWatch("", 0, nil))
	if err != nil {
		return err
	}
	if err := t.solve(ctx); err != nil {
		return err
	}
	unit := resolution(t.f.l, t.f.u)
	s.hard = math.Max(t.x.l1, t.x.l2) >= stiff*unit
	if s.hard || s.in.planar() {
		s.x = t.x
	}
	if t.x.l1 < t.x.l2 && t.x.l1 < softSources*unit {
		s.hard = false // every target has a list of its own, so that none waits for others
	}
	if !s.hard {
		return nil
	}
	return s.startHard(ctx, small, t, unit)
}

// startHard is for a multiplier so large that the weights of its side depend
// little on the details of the plan (see warmstart.go): the prices of a smaller
// version, carried over, tell which sources matter to which targets. If both
// multipliers are that large, beside unit, it goes on with startStiff.
func (s *twoSided) startHard(ctx context.Context, small *instance, t *twoSided, unit float64) error {
	in := s.in
	u, err := in.extend(ctx, small, t.f.u[small.m:])
	if err != nil {
		return err
	}
	if err := in.sweep(ctx, s.f.l, u, 0, in.n); err != nil {
		return err
	}
	g := pricedWeights{u: u, psi: s.f.l.best(u)}
	var p1, p2 chisq.Solution
	if g.w, p1, err = (chisq.Ball{Rho: s.rho1}).Solve(nil, scaled(u, -1), in.a); err != nil {
		return err
	}
	g.v, p2, err = chisq.Ball{Rho: s.rho2}.Solve(nil, g.psi, in.b)
	if err != nil || !(p1.Lambda > 0 && p2.Lambda > 0) {
		return err
	}
	g.l1, g.l2 = p1.Lambda, p2.Lambda
	least := stiff * unit
	if in.planar() { // trees are larger, and cells have smaller multipliers than the whole
		s.x.l1, s.x.l2 = math.Sqrt(t.x.l1*g.l1), math.Sqrt(t.x.l2*g.l2)
		least /= 3
	}
	if math.Min(s.x.l1, s.x.l2) < least {
		return nil
	}
	return s.startStiff(ctx, small, t, g)
}

// pricedWeights are the weights w and v of tight balls, with multipliers l1 and
// l2, that prices u of sources and values psi of targets give.
type pricedWeights struct {
	u, psi, w, v []float64
	l1, l2       float64
}

// startStiff makes the forest that of plain OT between the weights of g, which
// are nearly right where both multipliers are large.
func (s *twoSided) startStiff(ctx context.Context, small *instance, t *twoSided, g pricedWeights) error {
	in, u, psi := s.in, g.u, g.psi
	rows, cols := positive(g.w), positive(g.v)
	off := math.Max(apart(g.l1, t.x.l1), apart(g.l2, t.x.l2))
	if off > otherWeights && in.planar() && min(len(rows), len(cols)) >= 4*probe {
		if err := in.betweenCells(ctx, small, t.f.u[small.m:], rows, cols, g.w, g.v, u); err != nil {
			return err
		}
	}
	plain, err := plainBetween(ctx, in, rows, cols, g.w, g.v, u, 0)
	if err != nil {
		return err
	}
	s.f = plain.forest(in, s.f.l, rows, cols)
	for k, i := range rows {
		u[i] = plain.u[k]
	}
	for k, j := range cols {
		psi[j] = plain.u[len(rows)+k]
	}
	if err := in.sweep(ctx, s.f.l, u, 0, in.n); err != nil {
		return err
	}
	s.x = multipliers{g.l1, g.l2, mean(psi, in.b) - mean(u, in.a)}
	if off > softWeights {
		return nil
	}
	_, p1, err := chisq.Ball{Rho: s.rho1}.Solve(nil, scaled(u, -1), in.a)
	if err != nil {
		return err
	}
	_, p2, err := chisq.Ball{Rho: s.rho2}.Solve(nil, psi, in.b)
	if err == nil && p1.Lambda > 0 && p2.Lambda > 0 {
		s.x.l1, s.x.l2 = p1.Lambda, p2.Lambda
	}
	return err
}

// softSources is the multiplier of the sources, in units of resolution, below
// which prices of a smaller version gain nothing if only targets are hard.
const softSources = stiff / 10

// By what factor the multipliers that a smaller version's potentials give to
// the whole may differ from its own.
const (
	otherWeights = 1.07 // beyond it the whole has other weights, and needs other prices
	softWeights  = 1.5  // beyond it multipliers overshoot when they follow the potentials
)

// apart is the ratio of the larger of two numbers to the smaller.
func apart(x, y float64) float64 { return math.Max(x/y, y/x) }

// betweenCells makes u the prices of plain OT between a quarter as many cells,
// of the sources with weights w and the targets with weights v: with prices of
// a smaller version that has other weights, mass would have to move far, with
// a pivot for every small piece of it. ψ are the values of the smaller
// version's targets, a start.
func (in *instance) betweenCells(ctx context.Context, small *instance, psi []float64, rows, cols []int32, w, v, u []float64) error {
	sub := in.between(rows, cols, w, v)
	cells := sub.coarse(min(sub.m, sub.n) / 4)
	first, err := cells.extend(ctx, small, psi)
	if err != nil {
		return err
	}
	supply, demand := integerMass(cells.a, cells.b)
	t, err := solveFrom(ctx, cells, supply, demand, first, true, 0, newWatch("", 0, nil))
	if err != nil {
		return err
	}
	prices, err := sub.extend(ctx, cells, t.u[cells.m:])
	for k, p := range prices {
		u[rows[k]] = p
	}
	return err
}
