package metrics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rot.example/rot/internal/parallel"
)

const (
	blockRows = 256 // vectors that are added to the covariance at once
	tileCols  = 64  // columns of the covariance that a core works on: with blockRows rows they fit its cache
)

// Moments are the mean and covariance of vectors that come in batches. The
// zero value has seen none. Each block of vectors is centred at its own mean
// and merged by the update of Chan, Golub and LeVeque (1983), so that a mean
// far from zero costs no digits. The result depends on the vectors and their
// order, and not on how they were cut into batches.
type Moments struct {
	dim     int
	n       int       // vectors in mean and scatter
	mean    []float64 // [dim]
	scatter []float64 // Σ (x−mean)(x−mean)ᵀ, upper triangle of dim×dim
	pending []float32 // vectors that wait for their block to fill
}

// NewMoments returns the moments of n vectors whose mean and covariance (with
// divisor n−1) are known, from a file say.
func NewMoments(n int, mean []float64, cov mat.Symmetric) (*Moments, error) {
	d := len(mean)
	if d == 0 || cov.SymmetricDim() != d {
		return nil, fmt.Errorf("metrics: mean of dimension %d and covariance of %d: %w", d, cov.SymmetricDim(), ErrShape)
	}
	if n < 2 {
		return nil, fmt.Errorf("metrics: moments of %d vectors: %w", n, ErrFew)
	}
	m := &Moments{dim: d, n: n, mean: slices.Clone(mean), scatter: make([]float64, d*d)}
	for i := range d {
		if !(math.Abs(mean[i]) <= math.MaxFloat64) || !(cov.At(i, i) >= 0) {
			return nil, fmt.Errorf("metrics: column %d has mean %g and variance %g: %w", i, mean[i], cov.At(i, i), ErrValue)
		}
		for j := i; j < d; j++ {
			v := cov.At(i, j)
			if !(math.Abs(v) <= math.MaxFloat64) {
				return nil, fmt.Errorf("metrics: covariance %d, %d is %g: %w", i, j, v, ErrValue)
			}
			m.scatter[i*d+j] = v * float64(n-1)
		}
	}
	return m, nil
}

// Add takes in more vectors. After an error m is as it was.
func (m *Moments) Add(v Vectors) error {
	if err := v.check(); err != nil {
		return fmt.Errorf("metrics: moments: %w", err)
	}
	if m.dim == 0 {
		m.dim, m.mean, m.scatter = v.Dim, make([]float64, v.Dim), make([]float64, v.Dim*v.Dim)
	}
	if v.Dim != m.dim {
		return fmt.Errorf("metrics: moments of dimension %d and vectors of %d: %w", m.dim, v.Dim, ErrShape)
	}
	for rest := v.Values; len(rest) > 0; {
		n := min(len(rest), blockRows*m.dim-len(m.pending))
		m.pending, rest = append(m.pending, rest[:n]...), rest[n:]
		if len(m.pending) == blockRows*m.dim {
			m.absorb()
		}
	}
	return nil
}

// Merge takes in all vectors of o, which stays as it is.
func (m *Moments) Merge(o *Moments) error {
	if o.dim == 0 {
		return nil
	}
	if m.dim == 0 {
		m.dim, m.mean, m.scatter = o.dim, make([]float64, o.dim), make([]float64, o.dim*o.dim)
	}
	if m.dim != o.dim {
		return fmt.Errorf("metrics: moments of dimension %d and of %d: %w", m.dim, o.dim, ErrShape)
	}
	m.absorb()
	o = o.settled()
	for i, v := range o.scatter {
		m.scatter[i] += v
	}
	m.join(o.n, o.mean)
	return nil
}

// Len returns the number of vectors.
func (m *Moments) Len() int {
	if m.dim == 0 {
		return 0
	}
	return m.n + len(m.pending)/m.dim
}

// Dim returns the dimension of the vectors, 0 before the first.
func (m *Moments) Dim() int { return m.dim }

// Mean returns the mean of all vectors so far, nil without any.
func (m *Moments) Mean() []float64 { return slices.Clone(m.settled().mean) }

// Covariance returns the covariance of all vectors so far, with divisor n−1. It returns
// ErrFew for fewer than two.
func (m *Moments) Covariance() (*mat.SymDense, error) {
	if m.Len() < 2 {
		return nil, fmt.Errorf("metrics: covariance of %d vectors: %w", m.Len(), ErrFew)
	}
	s := m.settled()
	cov := slices.Clone(s.scatter)
	for i := range cov {
		cov[i] /= float64(s.n - 1)
	}
	return mat.NewSymDense(s.dim, cov), nil
}

// settled is m without pending vectors; where there are none, m itself.
func (m *Moments) settled() *Moments {
	if len(m.pending) == 0 {
		return m
	}
	s := &Moments{dim: m.dim, n: m.n, mean: slices.Clone(m.mean), scatter: slices.Clone(m.scatter), pending: m.pending}
	s.absorb()
	return s
}

// absorb moves the pending vectors to mean and scatter.
func (m *Moments) absorb() {
	d, k := m.dim, len(m.pending)/m.dim
	if k == 0 {
		return
	}
	mean := make([]float64, d)
	columns := make([]float64, d*k) // of the block, centred
	tiles := (d + tileCols - 1) / tileCols
	parallel.For(tiles, func(t int) {
		for j := t * tileCols; j < min(d, (t+1)*tileCols); j++ {
			column := columns[j*k : (j+1)*k]
			sum := 0.0
			for i := range column {
				column[i] = float64(m.pending[i*d+j])
				sum += column[i]
			}
			mean[j] = sum / float64(k)
			for i := range column {
				column[i] -= mean[j]
			}
		}
	})
	parallel.For(tiles*(tiles+1)/2, func(t int) {
		i, j := pairOf(t)
		left, right := tile(columns, i, d, k), tile(columns, j, d, k)
		at := m.scatter[i*tileCols*d+j*tileCols:]
		if i == j {
			blas64.Syrk(blas.NoTrans, 1, left, 1, blas64.Symmetric{Uplo: blas.Upper, N: left.Rows, Stride: d, Data: at})
		} else {
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, left, right, 1, blas64.General{Rows: left.Rows, Cols: right.Rows, Stride: d, Data: at})
		}
	})
	m.join(k, mean)
	m.pending = m.pending[:0]
}

// tile is the i-th group of columns.
func tile(columns []float64, i, d, k int) blas64.General {
	n := min(tileCols, d-i*tileCols)
	return blas64.General{Rows: n, Cols: k, Stride: k, Data: columns[i*tileCols*k:]}
}

// pairOf is the t-th pair i ≤ j in the order 0,0  0,1  1,1  0,2 …
func pairOf(t int) (i, j int) {
	for j = 0; t > j; j++ {
		t -= j + 1
	}
	return t, j
}

// join moves the mean for k more vectors of another mean, whose scatter around
// it is already in that of m.
func (m *Moments) join(k int, mean []float64) {
	total := float64(m.n + k)
	weight := float64(m.n) * float64(k) / total
	delta := make([]float64, m.dim)
	for j, v := range mean {
		delta[j] = v - m.mean[j]
		m.mean[j] += delta[j] * float64(k) / total
	}
	blas64.Syr(weight, blas64.Vector{N: m.dim, Inc: 1, Data: delta}, blas64.Symmetric{Uplo: blas.Upper, N: m.dim, Stride: m.dim, Data: m.scatter})
	m.n += k
}
