package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// FID returns the Fréchet distance between the features of two sets of images, by
// their means and covariances (Heusel et al. 2017); see Frechet. For features
// that do not fit into memory collect Moments instead.
func FID(x, y Vectors) (float64, error) {
	var a, b Moments
	if err := a.Add(x); err != nil {
		return 0, err
	}
	if err := b.Add(y); err != nil {
		return 0, err
	}
	return Frechet(&a, &b)
}

// Frechet returns the squared 2-Wasserstein distance between normal distributions
// that have the moments a and b,
//
//	‖μ₁ − μ₂‖² + tr S₁ + tr S₂ − 2 tr (S₁S₂)^½.
//
// With S = FᵀF for each covariance, the last trace is the sum of the singular
// values of F₁F₂ᵀ. A pivoted Cholesky factorization gives F, of as many rows as
// the covariance has rank, so that fewer vectors than dimensions are no
// difficulty; and unlike a square root of S₁S₂ it does not halve the digits.
//
// It returns ErrShape for different dimensions and ErrFew where there are fewer
// than two vectors. The value is biased upwards for small samples: compare only
// what was computed from equally many.
func Frechet(a, b *Moments) (float64, error) {
	if a.dim != b.dim {
		return 0, fmt.Errorf("metrics: FID: dimensions %d and %d: %w", a.dim, b.dim, ErrShape)
	}
	s1, err := a.Covariance()
	if err != nil {
		return 0, fmt.Errorf("metrics: FID: %w", err)
	}
	s2, err := b.Covariance()
	if err != nil {
		return 0, fmt.Errorf("metrics: FID: %w", err)
	}
	m1, m2 := a.Mean(), b.Mean()
	sum := 0.0
	for i := range m1 {
		d := m1[i] - m2[i]
		sum += d*d + s1.At(i, i) + s2.At(i, i)
	}
	cross, err := traceOfRoot(s1, s2)
	if err != nil {
		return 0, fmt.Errorf("metrics: FID: %w", err)
	}
	if sum -= 2 * cross; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, fmt.Errorf("metrics: FID: the moments are too large: %w", ErrValue)
	}
	return max(0, sum), nil // below zero by rounding only
}

// traceOfRoot is tr (S₁S₂)^½.
func traceOfRoot(s1, s2 *mat.SymDense) (float64, error) {
	f1, f2 := factor(s1), factor(s2)
	if f1 == nil || f2 == nil {
		return 0, nil
	}
	var product mat.Dense
	product.Mul(f1, f2.T())
	var svd mat.SVD
	if !svd.Factorize(&product, mat.SVDNone) {
		return 0, fmt.Errorf("the singular values do not converge: %w", ErrValue)
	}
	sum := 0.0
	for _, v := range svd.Values(nil) {
		sum += v
	}
	return sum, nil
}

// factor returns F with S = FᵀF and as many rows as S has rank, nil for none.
// What it leaves out of a variance is rounding, relative to that variance: it
// factors the correlations, whatever the units of the columns.
func factor(s *mat.SymDense) *mat.Dense {
	d := s.SymmetricDim()
	sd := make([]float64, d)
	for i := range sd {
		sd[i] = math.Sqrt(max(0, s.At(i, i)))
	}
	c := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			if sd[i] > 0 && sd[j] > 0 {
				c.SetSym(i, j, s.At(i, j)/sd[i]/sd[j])
			}
		}
	}
	var chol mat.PivotedCholesky
	chol.Factorize(c, -1)
	rank := chol.Rank()
	if rank == 0 {
		return nil
	}
	u := chol.RawU()
	f := mat.NewDense(rank, d, nil)
	for j, column := range chol.ColumnPivots(nil) {
		for i := range min(rank, j+1) {
			f.Set(i, column, u.At(i, j)*sd[column])
		}
	}
	return f
}
