package ot

import (
	"math"
	"slices"

	"rot.example/rot/chisq"
)

// A bound is value − err, proved to hold in exact arithmetic: err takes in
// every rounding on the way to value.
type bound struct {
	value dd
	err   float64
}

// sumError bounds the error of a sum of n products in twice the precision,
// whose absolute values add up to size.
func sumError(n int, size float64) float64 {
	err := 4 * tiny * float64(n) * size
	if size > 0 && size < 1e-200 { // products of tiny numbers underflow
		err += 4 * math.SmallestNonzeroFloat64 * float64(n)
	}
	return err
}

func (b bound) plus(c bound) bound {
	v := b.value.plus(c.value)
	return bound{v, b.err + c.err + 2*tiny*math.Abs(v.hi)}
}

func (b bound) floor() float64 { return b.value.below(b.err) }

// weights are the weights of one side in twice the precision, hi + lo, with
// sum one. Without lo they are just hi.
type weights struct{ hi, lo []float64 }

func (w weights) at(i int) dd {
	if w.lo == nil {
		return dd{hi: w.hi[i]}
	}
	return dd{w.hi[i], w.lo[i]}
}

func (w weights) clone() weights { return weights{slices.Clone(w.hi), slices.Clone(w.lo)} }

// pick is the weights of some rows.
func (w weights) pick(rows []int32) weights {
	out := weights{make([]float64, len(rows)), make([]float64, len(rows))}
	for k, i := range rows {
		x := w.at(int(i))
		out.hi[k], out.lo[k] = x.hi, x.lo
	}
	return out
}

// mean is Σ w_i φ_i over the rows of positive weight.
func (w weights) mean(phi []float64) bound {
	var s dd
	var size float64
	for i, v := range phi {
		if w.hi[i] > 0 {
			x := w.at(i).times(v)
			s = s.plus(x)
			size += math.Abs(x.hi)
		}
	}
	return bound{s, sumError(len(phi), size)}
}

// least bounds from below the mean of φ under any weights in the ball of
// radius rho around w (docs/math.md §3). Three bounds hold, and the best is
// returned: the mean less √(2ρ) standard deviations; the dual of the weight
// program at its threshold and multiplier, which knows that no weight is
// negative; and the least φ.
func (w weights) least(phi []float64, rho float64) bound {
	best := w.mean(phi)
	if rho == 0 {
		return best
	}
	centre := best.value.float()
	t := make([]float64, len(phi)) // φ − centre, with relative error eps
	low := math.Inf(1)
	var squares sum
	for i, v := range phi {
		if w.hi[i] > 0 {
			t[i] = v - centre
			low = math.Min(low, v)
			squares.add(w.hi[i] * t[i] * t[i])
		}
	}
	std := math.Sqrt(2*rho) * math.Sqrt(squares.total()) * (1 + 16*eps) // a dozen roundings, none of which cancels
	best.value = best.value.add(-std)
	best.err += 2 * eps * std
	if !(low <= best.floor()) {
		best = bound{value: dd{hi: low}}
	}
	if _, sol, err := (chisq.Ball{Rho: rho}).Solve(nil, t, w.hi); err == nil && sol.Lambda > 0 && !math.IsInf(sol.Lambda, 1) {
		if b := w.threshold(phi, centre, sol.Lambda, sol.Threshold, rho); b.floor() > best.floor() {
			best = b
		}
	}
	return best
}

// threshold is the weight program's dual, which any λ > 0 and θ make a bound:
//
//	centre + θ − λ − λρ + λ/2 Σ w_i (1 − z_i²),   z_i = max(0, (θ + centre − φ_i)/λ).
func (w weights) threshold(phi []float64, centre, lambda, theta, rho float64) bound {
	var s dd
	size := 1.0
	slope := dd{hi: lambda}
	for i, v := range phi {
		if w.hi[i] == 0 {
			continue
		}
		z := exactDifference(centre, v).add(theta).over(slope)
		if z.hi < 0 {
			z = dd{}
		}
		square := z.mul(z)
		s = s.plus(w.at(i).mul(dd{hi: 1}.minus(square)))
		size += w.hi[i] * (1 + square.hi + z.hi*(math.Abs(v-centre)+math.Abs(theta))/lambda)
	}
	half := lambda / 2
	value := s.times(half).add(theta).add(-lambda).minus(exactProduct(lambda, rho)).add(centre)
	size = math.Abs(theta) + lambda*(1+rho) + half*size + math.Abs(centre)
	if math.IsInf(size, 0) || math.IsNaN(value.float()) {
		return bound{value: dd{hi: math.Inf(-1)}} // too wide a ball for this form
	}
	return bound{value, 16 * tiny * float64(len(phi)) * size}
}

// costError bounds how far costs as computed are from the true ones: C is at
// least (1 − relative)·c − absolute. Differences are taken before squares, so
// that nothing cancels; only the unit rows of Cosine are rounded themselves.
// value is about what the plan costs.
func (c *Cost) costError(value float64) (relative, absolute float64) {
	d := float64(c.dim)
	if c.metric == Given {
		return 0, 0
	}
	relative = (d + 8) * eps // differences, squares, up to d sums, a root and a factor
	if c.metric == Cosine {
		// A unit row is off by at most unit, so C ≥ c − k√c with k = 2√2·unit,
		// and k√c ≤ θc + k²/4θ for any θ: this one costs least.
		unit := (d/2 + 6) * eps
		k := 2 * math.Sqrt2 * unit
		theta := math.Min(k/(2*math.Sqrt(value)), 1e-10)
		relative += theta
		absolute = k * k / (4 * theta)
	}
	return relative, absolute
}

// blur is how much of a value may be rounding of the costs.
func (c *Cost) blur(value float64) float64 {
	relative, absolute := c.costError(value)
	return 2 * (relative*math.Abs(value) + absolute)
}

// lowerPair makes of potentials with f_i + g_j ≤ C_ij, but for one rounding,
// for costs as computed potentials for the true costs, with no exception.
// value is about what the plan costs.
func (c *Cost) lowerPair(f, g []float64, value float64) {
	relative, absolute := c.costError(value)
	for side, phi := range [2][]float64{f, g} {
		for i, v := range phi {
			if v == 0 && absolute == 0 {
				continue // nothing was rounded
			}
			if relative > 0 {
				v = down(v * (1 - relative))
			}
			if side == 1 {
				v = down(v - absolute)
			}
			phi[i] = v
		}
	}
}

// dualProof is what potentials prove about transport with marginals in two
// balls (ρ = 0: fixed): F and G, lowered by what rounding may have raised them
// so that F_i + G_j ≤ C_ij holds exactly, their bound, and how much of the
// bound was given up to rounding.
type dualProof struct {
	f, g  []float64
	bound bound
	noise float64
}

// newDualProof takes potentials with f_i + g_j ≤ C_ij for costs as computed,
// where g may be too large by one rounding, and about what the plan costs. It
// overwrites both.
func newDualProof(c *Cost, f, g []float64, value float64, a, b weights, source, target chisq.Ball) dualProof {
	c.lowerPair(f, g, value)
	x := proveDual(f, g, a, b, source, target)
	x.noise += c.blur(value)
	return x
}

// proveDual is what potentials with f_i + g_j ≤ C_ij prove.
func proveDual(f, g []float64, a, b weights, source, target chisq.Ball) dualProof {
	x := dualProof{f: f, g: g}
	x.bound = a.least(f, source.Rho).plus(b.least(g, target.Rho))
	x.noise = 2*x.bound.err + 8*eps*(a.size(f)+b.size(g)) // two or three roundings of each
	return x
}

// size is the mean of |φ|.
func (w weights) size(phi []float64) float64 {
	var s float64
	for i, v := range phi {
		if w.hi[i] > 0 {
			s += w.hi[i] * math.Abs(v)
		}
	}
	return s
}

// within decides for all solvers whether a result is as good as was asked
// for: its gap is at most tol relative to its value, or no larger than the
// rounding of the numbers that prove it.
func (r *Result) within(tol, noise float64) bool {
	return r.Gap() <= tol*math.Max(math.Abs(r.Value), math.Abs(r.Lower))+noise
}
