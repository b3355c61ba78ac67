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
	return nil
}
