package chisq

import "fmt"

// Project returns the point of the ball that is nearest to w in the Euclidean
// norm. w may be any vector of finite numbers.
//
// Where the ball is tight the answer is that of Minimize for the scores −w;
// where it is not, it is the projection on the simplex. Both have the form
// max(0, (wᵢ − c)/λ), with λ > 1 and λ = 1, and are found by one search
// (docs/math.md §2).
//
// The weights go to dst, which may be w itself but must not overlap it
// otherwise; a nil dst is allocated. Project returns ErrRadius, ErrLength or,
// for an entry that is NaN or infinite, ErrWeights.
func (b Ball) Project(dst, w []float64) ([]float64, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	dst, err := prepare(dst, len(w))
	if err != nil {
		return nil, err
	}
	if i := finite(w); i >= 0 {
		return nil, fmt.Errorf("chisq: weight %d is %v: %w", i, w[i], ErrWeights)
	}
	dst, _ = program{x: w, sign: -1, total: float64(len(w)), rho: b.Rho, floor: 1}.solve(dst)
	return dst, nil
}
