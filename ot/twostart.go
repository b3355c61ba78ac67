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
	hard := math.Max(t.x.l1, t.x.l2) >= stiff*unit
	if hard || s.in.planar() {
		s.x = t.x
	}
	if !hard || math.Min(t.x.l1, t.x.l2) < stiff/10*unit {
		return nil
	}
	return s.startStiff(ctx, small, t)
}

// startStiff is for multipliers so large that neither marginal depends much on
// the details of the plan (see warmstart.go): the weights that a smaller
// version's potentials give on both sides, and the forest of plain OT between.
func (s *twoSided) startStiff(ctx context.Context, small *instance, t *twoSided) error {
	in := s.in
	u, err := in.extend(ctx, small, t.f.u[small.m:])
	if err != nil {
		return err
	}
	if err := in.sweep(ctx, s.f.l, u, 0, in.n); err != nil {
		return err
	}
	psi := s.f.l.best(u)
	w, p1, err := chisq.Ball{Rho: s.rho1}.Solve(nil, scaled(u, -1), in.a)
	if err != nil {
		return err
	}
	v, p2, err := chisq.Ball{Rho: s.rho2}.Solve(nil, psi, in.b)
	if err != nil || !(p1.Lambda > 0 && p2.Lambda > 0) {
		return err
	}
	rows, cols := positive(w), positive(v)
	off := math.Max(apart(p1.Lambda, t.x.l1), apart(p2.Lambda, t.x.l2))
	if off > otherWeights && in.planar() && min(len(rows), len(cols)) >= 4*probe {
		if err := in.betweenCells(ctx, small, t.f.u[small.m:], rows, cols, w, v, u); err != nil {
			return err
		}
	}
	plain, err := plainBetween(ctx, in, rows, cols, w, v, u, 0)
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
	s.x = multipliers{p1.Lambda, p2.Lambda, mean(psi, in.b) - mean(u, in.a)}
	if off > softWeights {
		return nil
	}
	_, p1, err = chisq.Ball{Rho: s.rho1}.Solve(nil, scaled(u, -1), in.a)
	if err != nil {
		return err
	}
	_, p2, err = chisq.Ball{Rho: s.rho2}.Solve(nil, psi, in.b)
	if err == nil && p1.Lambda > 0 && p2.Lambda > 0 {
		s.x.l1, s.x.l2 = p1.Lambda, p2.Lambda
	}
	return err
}

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
