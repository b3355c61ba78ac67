package chisq

import (
	"math"
	"slices"
)

// moments are the mass, the mean and the standard deviation of a set of
// scores. The deviation is kept and not its square, which would underflow for
// ordinary scores beside an outlier of 1e300.
type moments struct{ mass, mean, dev float64 }

// merge returns the moments of the union (Chan, Golub, LeVeque 1979): sums of
// positive terms only, so nothing cancels.
func (m moments) merge(o moments) moments {
	if m.mass == 0 {
		return o
	}
	if o.mass == 0 {
		return m
	}
	mass := m.mass + o.mass
	p, q := math.Sqrt(m.mass/mass), math.Sqrt(o.mass/mass)
	d := o.mean - m.mean
	return moments{
		mass: mass,
		mean: m.mean + d*(o.mass/mass),
		dev:  math.Hypot(math.Hypot(p*m.dev, q*o.dev), p*q*d),
	}
}

// momentsOf returns the moments of x ≥ 0 with the given masses (nil: 1 each).
func momentsOf(x, mass []float64) moments {
	n, s1, s2 := sums(x, mass, 0)
	if n == 0 {
		return moments{}
	}
	if s2 < 0x1p-800 && s1 > 0 { // squares may have vanished
		if unit := power2(slices.Max(x)); unit > 1 {
			rescale(x, unit)
			m := momentsOf(x, mass)
			rescale(x, 1/unit)
			return moments{m.mass, m.mean / unit, m.dev / unit}
		}
	}
	mean := s1 / n
	if s1*mean > s2/2 {
		// Centring at 0 would cancel more than one bit: sum again around the
		// mean. The second s1 is the rounding error of the mean.
		c := mean
		_, s1, s2 = sums(x, mass, c)
		d := s1 / n
		return moments{n, c + d, math.Sqrt(max(0, s2-s1*d) / n)}
	}
	return moments{n, mean, math.Sqrt((s2 - s1*mean) / n)}
}

// rescale multiplies x by a power of two.
func rescale(x []float64, unit float64) {
	for i := range x {
		x[i] *= unit
	}
}

// sums returns the sums of mass, mass·(x−c) and mass·(x−c)². It adds blocks:
// the rounding error of 10⁶ terms stays near that of 4·10³.
func sums(x, mass []float64, c float64) (m, s1, s2 float64) {
	const block = 256
	for len(x) > 0 {
		k := min(block, len(x))
		if mass == nil {
			b1, b2 := blockSums(x[:k], c)
			m, s1, s2 = m+float64(k), s1+b1, s2+b2
		} else {
			b0, b1, b2 := weightedBlockSums(x[:k], mass[:k], c)
			m, s1, s2 = m+b0, s1+b1, s2+b2
			mass = mass[k:]
		}
		x = x[k:]
	}
	return m, s1, s2
}

// blockSums keeps four partial sums each, since one chain of additions would
// wait for the latency of every addition.
func blockSums(x []float64, c float64) (s1, s2 float64) {
	var p0, p1, p2, p3, q0, q1, q2, q3 float64
	for ; len(x) >= 4; x = x[4:] {
		d0, d1, d2, d3 := x[0]-c, x[1]-c, x[2]-c, x[3]-c
		p0, p1, p2, p3 = p0+d0, p1+d1, p2+d2, p3+d3
		q0, q1, q2, q3 = q0+d0*d0, q1+d1*d1, q2+d2*d2, q3+d3*d3
	}
	for _, v := range x {
		d := v - c
		p0 += d
		q0 += d * d
	}
	return (p0 + p1) + (p2 + p3), (q0 + q1) + (q2 + q3)
}

func weightedBlockSums(x, mass []float64, c float64) (m, s1, s2 float64) {
	mass = mass[:len(x)]
	for i, v := range x {
		w, d := mass[i], v-c
		m += w
		s1 += w * d
		s2 += w * d * d
	}
	return m, s1, s2
}
