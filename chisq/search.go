package chisq

import (
	"math"
	"slices"
)

// A search finds the support of the solution of docs/math.md §2.
//
// Scores come shifted so that the smallest is 0, and scaled by a power of two:
// differences of scores carry the solution, so a large common offset must not
// eat their digits.
//
// Every sample is known to be in the support, known to be outside, or still
// active. Two kinds of step shrink the active set. A Newton step takes all of
// the active samples for the support; the threshold that follows is never too
// low, so what lies above it is out. It ends the search when nothing does,
// most often after two to six steps. A pivot step splits the active set at
// one score and decides on which side of it the threshold is; it bounds the
// work when outliers at ever larger scales would make Newton steps crawl.
type search struct {
	rho2   float64   // 2ρ
	floor  float64   // least slope λ: 0 to minimize, 1 (as scaled) to project
	scores []float64 // first in, then active; what lies behind is used up
	masses []float64 // of scores; nil means 1 each

	in      moments   // samples in the support for certain
	settled int       // their number
	tail    float64   // mass outside the support for certain
	lo, hi  float64   // in ≤ lo ≤ active < hi ≤ outside; the threshold is in (lo, hi]
	active  []float64 // scores not decided yet
	mass    []float64 // their masses
	pivots  int
}

// newtonFirst is the number of Newton steps before the first pivot step,
// enough to end most searches without one; then the two kinds alternate.
const newtonFirst = 6

// A support is what a search finds: the samples below hi, their moments and
// the slope of their weights. The mean is centre + offset: alone, it would be
// too coarse where λ is a tiny part of it.
type support struct {
	hi, mass, tail         float64
	centre, offset, lambda float64
}

// weight returns the weight, relative to the base weight, of score e.
func (s *support) weight(e float64) float64 {
	if e >= s.hi {
		return 0
	}
	// Written around 1, weights close to the base keep all of their digits.
	w := 1 + s.tail/s.mass
	if s.lambda > 0 { // otherwise one score is left and its samples share evenly
		w += (s.centre - e + s.offset) / s.lambda
	}
	return max(0, w)
}

// threshold returns the score at which weights reach zero.
func (s *support) threshold() float64 {
	return s.centre + s.offset + s.lambda*(1+s.tail/s.mass)
}

// run finds the support.
func (s *search) run() support {
	s.active, s.mass = s.scores, s.masses
	s.hi = math.Inf(1)
	for step := 1; ; step++ {
		m := s.in.merge(momentsOf(s.active, s.mass))
		lambda := s.slope(m)
		n := len(s.active)
		if t := m.mean + lambda*((m.mass+s.tail)/m.mass); t > 0x1p-900 {
			s.drop(t)
		} else {
			lambda = 0 // only the smallest score is left, up to underflow
		}
		if len(s.active) == n {
			k := s.settled + n
			mass, excess, _ := sums(s.scores[:k], head(s.masses, k), m.mean)
			return support{s.hi, mass, s.tail, m.mean, excess / mass, lambda}
		}
		if step >= newtonFirst && len(s.active) > 0 {
			s.pivot()
		}
	}
}

// slope returns λ for a support with moments m: what makes the ball tight,
// but at least s.floor.
func (s *search) slope(m moments) float64 {
	if m.dev == 0 {
		return s.floor // no spread to weigh by
	}
	share := m.mass / (m.mass + s.tail)
	budget := s.rho2 - s.tail/m.mass // what rejecting the tail leaves
	lambda := m.dev / math.Sqrt(max(budget, 0)/share)
	if budget < 1e-12*s.rho2 {
		// Rejecting the tail takes all of the radius, up to rounding: weights
		// are even on the support, nearly, and λ is decided by the threshold
		// being at most hi.
		lambda = min(lambda, (s.hi-m.mean)*share)
	}
	return max(s.floor, lambda)
}

// above reports whether the threshold is above t, where m are the moments of
// what lies below t and tail is the mass of the rest.
func (s *search) above(t float64, m moments, tail float64) bool {
	gap := t - m.mean
	if m.mass == 0 || gap <= 0 { // gap is positive but for rounding
		return true
	}
	total := m.mass + tail
	spread := m.dev / gap
	return tail+total*spread*spread > s.rho2*m.mass || gap*m.mass < s.floor*total
}

// drop moves active scores that are not below t to the outside.
func (s *search) drop(t float64) {
	s.hi = min(s.hi, t)
	if s.mass == nil {
		k := 0
		for _, x := range s.active {
			s.active[k] = x
			if x < t {
				k++
			}
		}
		s.tail += float64(len(s.active) - k)
		s.active = s.active[:k]
		return
	}
	k := 0
	for i, x := range s.active {
		if x < t {
			s.active[k], s.mass[k] = x, s.mass[i]
			k++
		} else {
			s.tail += s.mass[i]
		}
	}
	s.active, s.mass = s.active[:k], s.mass[:k]
}

// pivot halves the active set, or nearly so.
func (s *search) pivot() {
	t := s.choose()
	k := s.partition(t)
	m := s.in.merge(momentsOf(s.active[:k], head(s.mass, k)))
	upper, _, _ := sums(s.active[k:], rest(s.mass, k), 0)
	if !s.above(t, m, s.tail+upper) {
		s.tail += upper
		s.hi = min(s.hi, t)
		s.active, s.mass = s.active[:k], head(s.mass, k)
		return
	}
	// Samples at t itself are in the support too: without them a pivot that
	// is the least active score would decide nothing.
	s.settle(k)
	k = s.partition(math.Nextafter(t, math.Inf(1)))
	s.in = m.merge(momentsOf(s.active[:k], head(s.mass, k)))
	s.settle(k)
	s.lo = t
}

// settle takes the first k active scores into the support.
func (s *search) settle(k int) {
	s.settled += k
	s.active, s.mass = s.active[k:], rest(s.mass, k)
}

// choose returns the median of a sample of the active scores and, every other
// time, the middle of the interval in which the threshold must lie, counted in
// floating-point numbers. The latter needs at most 64 steps whatever the
// scores are, so that no input makes the search quadratic.
func (s *search) choose() float64 {
	s.pivots++
	if s.pivots%2 == 0 {
		lo, hi := math.Float64bits(s.lo), math.Float64bits(s.hi)
		return math.Float64frombits(lo + (hi-lo)/2)
	}
	var sample [63]float64
	n := min(len(sample), len(s.active))
	for i := range n {
		sample[i] = s.active[i*len(s.active)/n]
	}
	slices.Sort(sample[:n])
	return sample[n/2]
}

// partition moves the active scores below t to the front and counts them.
func (s *search) partition(t float64) int {
	k := 0
	if s.mass == nil {
		for i, x := range s.active {
			s.active[i] = s.active[k]
			s.active[k] = x
			if x < t {
				k++
			}
		}
		return k
	}
	for i, x := range s.active {
		if x < t {
			s.active[i], s.active[k] = s.active[k], x
			s.mass[i], s.mass[k] = s.mass[k], s.mass[i]
			k++
		}
	}
	return k
}

func head(x []float64, k int) []float64 {
	if x == nil {
		return nil
	}
	return x[:k]
}

func rest(x []float64, k int) []float64 {
	if x == nil {
		return nil
	}
	return x[k:]
}
