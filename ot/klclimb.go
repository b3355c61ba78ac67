package ot

import (
	"context"
	"math"
)

// climb finds the multipliers of two balls: an ascent on the dual
//
//	−(λ1 + λ2) log(mass) − λ1ρ1 − λ2ρ2,
//
// whose slope is what the divergences exceed the radii by. The forest's own dual,
// which has the same value and slope here, says where to go (docs/math.md §5.2).
func (s *klSearch) climb(ctx context.Context) error {
	if err := s.at(ctx, s.lambda, true); err != nil {
		return err
	}
	for tries := 0; tries < 40 && !s.model(s.lambda).finite(); tries++ { // masses overflow: too small a start
		s.q.level = s.low
		if err := s.at(ctx, [2]float64{16 * s.lambda[0], 16 * s.lambda[1]}, true); err != nil {
			return err
		}
	}
	exact, idle, best := false, 0, math.Inf(1)
	for it := range mostTilts {
		if it == inexactMax {
			exact = true
		}
		x := s.model(s.lambda)
		if s.inBalls(x) && s.cheapest() {
			return nil
		}
		off := s.off(x)
		if off <= 1 {
			before := s.q.pivots
			if err := s.pivot(ctx, true); err != nil || s.q.pivots == before {
				return err
			}
			exact = true
			continue
		}
		if idle++; off < 0.7*best {
			best, idle = off, 0
		}
		if idle > 8 {
			if exact {
				return nil // rounding decides; the certificate will tell
			}
			exact, idle, best = true, 0, math.Inf(1)
		}
		from := s.lambda
		to := s.peak(from)
		step := [2]float64{to[0] - from[0], to[1] - from[1]}
		if math.Abs(step[0]) <= 1e-15*from[0] && math.Abs(step[1]) <= 1e-15*from[1] {
			if exact {
				return nil
			}
			exact = true
			if err := s.pivot(ctx, true); err != nil {
				return err
			}
			continue
		}
		if err := s.search(ctx, from, step, s.slope(x, step), exact); err != nil {
			return err
		}
	}
	return nil
}

// inBalls says that no weights leave their ball.
func (s *klSearch) inBalls(x state) bool {
	return x.kl[0] <= s.aim[0]*(1+tight(s.aim[0])) && x.kl[1] <= s.aim[1]*(1+tight(s.aim[1]))
}

// off is how far from tight the balls are; 1 is tight enough. A ball whose
// multiplier is as good as zero need not be tight.
func (s *klSearch) off(x state) float64 {
	worst := 0.0
	for side, kl := range x.kl {
		over := kl/s.aim[side] - 1
		if over < 0 && s.lambda[side] <= 2*s.floor {
			continue
		}
		worst = math.Max(worst, math.Abs(over)/tight(s.aim[side]))
	}
	return worst
}

// slope is the dual's along a step.
func (s *klSearch) slope(x state, step [2]float64) float64 {
	return (x.kl[0]-s.aim[0])*step[0] + (x.kl[1]-s.aim[1])*step[1]
}

// search goes along step until the dual's slope there is at most half of what it
// was, slope0, or still climbs at the full step.
func (s *klSearch) search(ctx context.Context, from, step [2]float64, slope0 float64, exact bool) error {
	t, lo, hi, atLo, atHi := 1.0, 0.0, -1.0, slope0, 0.0
	for range 25 {
		if err := s.at(ctx, [2]float64{from[0] + t*step[0], from[1] + t*step[1]}, exact); err != nil {
			return err
		}
		slope := s.slope(s.model(s.lambda), step)
		if math.Abs(slope) <= 0.5*math.Abs(slope0) || t == 1 && slope > 0 {
			return nil
		}
		if slope < 0 {
			hi, atHi = t, slope
		} else {
			lo, atLo = t, slope
		}
		if !(hi-lo > 1e-14*hi) {
			return nil
		}
		t = lo + (hi-lo)*atLo/(atLo-atHi)
		t = math.Min(math.Max(t, lo+0.05*(hi-lo)), hi-0.05*(hi-lo))
	}
	return nil
}

// peak is where the forest's own dual is largest among multipliers within a
// factor of 16: Newton's method, with the slope's own differences.
func (s *klSearch) peak(from [2]float64) [2]float64 {
	value := func(l [2]float64) (float64, [2]float64) {
		x := s.model(l)
		return s.dual(x, l) - l[0]*s.aim[0] - l[1]*s.aim[1], [2]float64{x.kl[0] - s.aim[0], x.kl[1] - s.aim[1]}
	}
	var low, high [2]float64
	for k, l := range from {
		low[k], high[k] = math.Max(l/16, s.floor), l*16
	}
	at := from
	best, g := value(at)
	for range 40 {
		var h [2][2]float64 // of the dual in log λ, but for terms of the slope
		for k := range at {
			const by = 1e-6
			up, down := at, at
			up[k] *= 1 + by
			down[k] /= 1 + by
			_, gu := value(up)
			_, gd := value(down)
			for i := range g {
				h[i][k] = (gu[i] - gd[i]) / (2 * by) * at[i]
			}
		}
		r := [2]float64{g[0] * at[0], g[1] * at[1]}
		mixed := (h[0][1] + h[1][0]) / 2
		var free [2]bool
		for k := range at {
			free[k] = !(at[k] <= low[k] && g[k] < 0 || at[k] >= high[k] && g[k] > 0)
		}
		// Curved by at least the slope, no step is longer than one in log λ.
		d := newtonStep(h[0][0]-math.Abs(r[0]), mixed, h[1][1]-math.Abs(r[1]), r, free)
		moved := false
		for t := 1.0; t > 1e-6; t /= 4 {
			next := at
			for k := range at {
				if free[k] {
					next[k] = math.Min(math.Max(at[k]*math.Exp(math.Max(-2, math.Min(2, t*d[k]))), low[k]), high[k])
				}
			}
			v, gn := value(next)
			if v >= best || math.Abs(v-best) <= 1e-13*math.Abs(best) && norm2(gn, next) < norm2(g, at) {
				moved = math.Abs(next[0]-at[0]) > 1e-15*at[0] || math.Abs(next[1]-at[1]) > 1e-15*at[1]
				at, best, g = next, v, gn
				break
			}
		}
		if !moved {
			break
		}
	}
	return at
}

func norm2(g, at [2]float64) float64 { return math.Hypot(g[0]*at[0], g[1]*at[1]) }

// newtonStep solves the 2×2 system of a concave function, in the coordinates that
// are free.
func newtonStep(xx, xy, yy float64, slope [2]float64, free [2]bool) (d [2]float64) {
	single := func(k int, h float64) {
		if free[k] {
			if d[k] = -slope[k] / h; !(h < 0) {
				d[k] = math.Copysign(2, slope[k])
			}
		}
	}
	det := xx*yy - xy*xy
	if !free[0] || !free[1] || !(det > 1e-12*xx*yy) || !(xx < 0) || !(yy < 0) {
		single(0, xx)
		single(1, yy)
		return d
	}
	d[0] = -(slope[0]*yy - slope[1]*xy) / det
	d[1] = -(slope[1]*xx - slope[0]*xy) / det
	return d
}
