package chisq

import (
	"fmt"
	"math"
)

// A Ball is the set of weights within chi-square distance Rho of uniform:
// w ≥ 0, mean 1, (1/2n) Σ (wᵢ − 1)² ≤ Rho. The zero Ball holds the uniform
// weights only; Rho = +Inf leaves the weights free in the simplex.
type Ball struct{ Rho float64 }

// FromGamma returns the smallest Ball in which a fraction gamma of the samples
// can have weight zero and the others share their mass evenly:
// ρ = γ / (2(1−γ)) (docs/math.md §1). It returns ErrRadius unless
// 0 ≤ gamma < 1.
func FromGamma(gamma float64) (Ball, error) {
	if !(gamma >= 0 && gamma < 1) {
		return Ball{}, fmt.Errorf("chisq: gamma is %v, want 0 ≤ gamma < 1: %w", gamma, ErrRadius)
	}
	return Ball{Rho: gamma / (2 * (1 - gamma))}, nil
}

// Gamma returns the largest fraction of the samples that can have weight zero
// in the ball, 2ρ/(1+2ρ). It is the inverse of FromGamma.
func (b Ball) Gamma() float64 {
	// Dividing by ρ keeps Rho = +Inf from becoming Inf/Inf.
	return 1 / (1 + 1/(2*b.Rho))
}

func (b Ball) check() error {
	if !(b.Rho >= 0) {
		return fmt.Errorf("chisq: rho is %v, want rho ≥ 0: %w", b.Rho, ErrRadius)
	}
	return nil
}

// Divergence returns (1/2n) Σ (wᵢ − 1)², the smallest radius of a Ball that
// holds the mean-1 weights w. It is NaN for an empty w.
func Divergence(w []float64) float64 {
	_, _, s2 := sums(w, nil, 1)
	return s2 / (2 * float64(len(w)))
}

// EffectiveSampleSize returns (Σw)² / Σw², the number of equally weighted
// samples whose mean would be as noisy as the weighted one. For mean-1 weights
// it is n/(1 + 2·Divergence(w)); it is 0 when all weights are.
func EffectiveSampleSize(w []float64) float64 {
	_, s1, s2 := sums(w, nil, 0)
	if s2 == 0 {
		return 0
	}
	return s1 / s2 * s1
}

// prepare returns the slice for n results: dst itself, or a new one for nil.
func prepare(dst []float64, n int) ([]float64, error) {
	switch {
	case n == 0:
		return nil, fmt.Errorf("chisq: no samples: %w", ErrLength)
	case dst == nil:
		return make([]float64, n), nil
	case len(dst) != n:
		return nil, fmt.Errorf("chisq: dst has length %d for %d samples: %w", len(dst), n, ErrLength)
	}
	return dst, nil
}

// finite returns the index of the first NaN or infinity in x, or −1.
func finite(x []float64) int {
	for i, v := range x {
		if v-v != 0 {
			return i
		}
	}
	return -1
}

// power2 returns the power of two that brings a spread to about 2⁴⁸⁰ (less for
// spreads below 2⁻⁵²⁰). Squares of that do not overflow, and ordinary scores
// beside an outlier of 1e300 stay clear of underflow.
func power2(spread float64) float64 {
	_, exp := math.Frexp(spread)
	return math.Ldexp(1, min(480-exp, 1000))
}
