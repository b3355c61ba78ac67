package chisq

import (
	"fmt"
	"math"
)

// A Solution describes the weights that Solve returns with it by three
// numbers: each weight is wᵢ = aᵢ·max(0, (Threshold − scoreᵢ)/Lambda).
type Solution struct {
	// Value is the weighted mean score Σ wᵢ scoreᵢ / Σ wᵢ.
	Value float64
	// Lambda is the multiplier of the ball: ∂Value/∂ρ = −Lambda. It is 0 where
	// all mass sits on the smallest score, with weights proportional to a
	// there, and +Inf for ρ = 0 unless all scores are equal.
	Lambda float64
	// Threshold is the score from which on weights are zero. It is the
	// smallest score for Lambda = 0 and +Inf for Lambda = +Inf.
	Threshold float64
}

// Minimize returns the weights in the ball that minimize Σ scoreᵢ wᵢ. It is
// Algorithm 3 of Balaji, Chellappa and Feizi (2020) in closed form
// (docs/math.md §2). Equal scores get equal weights; once the ball is large
// enough, all mass is shared by the samples with the smallest score. Scores
// count as equal when they differ by less than 1e-300 of the largest
// difference.
//
// The weights go to dst, which may be score itself but must not overlap it
// otherwise; a nil dst is allocated. Minimize returns ErrRadius, ErrLength or,
// for a score that is NaN or infinite, ErrScore.
func (b Ball) Minimize(dst, score []float64) ([]float64, error) {
	w, _, err := b.Solve(dst, score, nil)
	return w, err
}

// Solve minimizes Σ scoreᵢ wᵢ around base weights a:
//
//	w ≥ 0,  Σ w = Σ a,  ½ Σ (wᵢ − aᵢ)²/aᵢ ≤ ρ Σ a.
//
// A nil base means ones, which makes it Minimize; base weights with sum 1 give
// weights with sum 1. A base weight of zero gives weight zero, and so does one
// below 1e-323 of the sum. Solve returns ErrWeights for base weights that are
// negative, not finite or all zero, and otherwise behaves as Minimize does.
func (b Ball) Solve(dst, score, base []float64) ([]float64, Solution, error) {
	if err := b.check(); err != nil {
		return nil, Solution{}, err
	}
	dst, err := prepare(dst, len(score))
	if err != nil {
		return nil, Solution{}, err
	}
	if i := finite(score); i >= 0 {
		return nil, Solution{}, fmt.Errorf("chisq: score %d is %v: %w", i, score[i], ErrScore)
	}
	total, err := checkBase(base, len(score))
	if err != nil {
		return nil, Solution{}, err
	}
	w, s := program{x: score, sign: 1, base: base, total: total, rho: b.Rho}.solve(dst)
	return w, s, nil
}

// checkBase returns the sum of the base weights, n for nil.
func checkBase(base []float64, n int) (total float64, err error) {
	if base == nil {
		return float64(n), nil
	}
	if len(base) != n {
		return 0, fmt.Errorf("chisq: %d base weights for %d scores: %w", len(base), n, ErrLength)
	}
	for i, a := range base {
		if !(a >= 0) || math.IsInf(a, 1) {
			return 0, fmt.Errorf("chisq: base weight %d is %v: %w", i, a, ErrWeights)
		}
	}
	if _, total, _ = sums(base, nil, 0); total == 0 || math.IsInf(total, 1) {
		return 0, fmt.Errorf("chisq: base weights sum to %v: %w", total, ErrWeights)
	}
	return total, nil
}

// A program is the weight program of docs/math.md §2 for scores sign·x, with
// λ at least floor. Its input has been checked.
type program struct {
	x     []float64
	sign  float64
	base  []float64
	total float64 // Σ base
	rho   float64
	floor float64
}

// solve writes the weights to dst and returns it.
func (p program) solve(dst []float64) ([]float64, Solution) {
	least, spread := p.extent()
	if spread == 0 || p.rho == 0 {
		return p.uniform(dst, least, spread)
	}
	unit := power2(spread)
	scale := p.sign * unit // exact, as a power of two
	origin := least * unit

	s := search{rho2: 2 * p.rho, floor: p.floor * unit, scores: p.scratch(dst)}
	if p.base != nil {
		s.masses = make([]float64, len(p.x))
	}
	k := 0
	for i, x := range p.x {
		if p.base != nil {
			if s.masses[k] = p.base[i] / p.total; s.masses[k] == 0 {
				continue
			}
		}
		s.scores[k] = scale*x - origin
		k++
	}
	s.scores, s.masses = s.scores[:k], head(s.masses, k)
	sup := s.run()

	var value, part float64
	for i, x := range p.x {
		e, a := scale*x-origin, 1.0
		if p.base != nil {
			if a = p.base[i]; a/p.total == 0 {
				dst[i] = 0
				continue // e may be anything
			}
		}
		dst[i] = a * sup.weight(e)
		part += dst[i] * e
		if i&255 == 255 { // as in sums
			value, part = value+part, 0
		}
	}
	return dst, Solution{
		Value:     least + (value+part)/p.total/unit,
		Lambda:    sup.lambda / unit,
		Threshold: least + sup.threshold()/unit,
	}
}

// extent returns the smallest score and a number that is 0 only if all scores
// are equal and otherwise within a factor of two of the largest difference,
// which itself may overflow. Samples of base zero do not count.
func (p program) extent() (least, spread float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, x := range p.x {
		if p.base != nil && p.base[i]/p.total == 0 {
			continue
		}
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	if lo == hi {
		return p.sign * lo, 0
	}
	if p.sign < 0 {
		lo, hi = -hi, -lo
	}
	spread = hi - lo
	if math.IsInf(spread, 1) {
		spread = math.MaxFloat64
	}
	return lo, spread
}

// uniform answers when nothing can move or nothing is gained by moving.
func (p program) uniform(dst []float64, least, spread float64) ([]float64, Solution) {
	var value, part float64
	for i, x := range p.x {
		w := 1.0
		if p.base != nil {
			w = p.base[i]
		}
		part += w / p.total * x
		dst[i] = w
		if i&255 == 255 {
			value, part = value+part, 0
		}
	}
	if spread == 0 {
		return dst, Solution{Value: least, Threshold: least}
	}
	return dst, Solution{Value: p.sign * (value + part), Lambda: math.Inf(1), Threshold: math.Inf(1)}
}

// scratch returns room for the scores: dst, unless it is also an input that
// will be read again.
func (p program) scratch(dst []float64) []float64 {
	if &dst[0] == &p.x[0] || p.base != nil && &dst[0] == &p.base[0] {
		return make([]float64, len(p.x))
	}
	return dst
}
