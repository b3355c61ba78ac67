package metrics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"rot.example/rot/internal/parallel"
)

// PrecisionRecall judges generated images by their features (Kynkäänniemi et
// al. 2019). Around each vector of a set lies a ball that reaches to its k-th
// nearest neighbour in the set, 0 meaning the 3rd. Precision is the share of
// fake vectors in some ball of the real ones, recall the share of real vectors
// in some ball of the fake ones: quality and variety. The boundary belongs to
// the ball.
//
// It returns ErrShape, ErrValue, and ErrFew unless each set has more than k
// vectors. Its time grows as the square of the number of vectors.
func PrecisionRecall(real, fake Vectors, k int) (precision, recall float64, err error) {
	if k == 0 {
		k = 3
	}
	r, f, err := spacesOf(real, fake, k)
	if err != nil {
		return 0, 0, fmt.Errorf("metrics: precision and recall: %w", err)
	}
	realRadii, fakeRadii := r.radii(k), f.radii(k)
	inReal, inFake := make([]bool, f.n), make([]bool, r.n)
	f.meet(r, func(i, j int, d float64) { inReal[i] = inReal[i] || d <= realRadii[j] })
	r.meet(f, func(i, j int, d float64) { inFake[i] = inFake[i] || d <= fakeRadii[j] })
	return share(inReal), share(inFake), nil
}

// DensityCoverage judges generated images by their features (Naeem et al.
// 2020), and is less easily moved by outliers among the real ones than
// precision and recall. With balls as there, of the k-th nearest neighbours
// among the real vectors, 0 meaning the 5th, density is the mean number of
// balls that a fake vector lies in, divided by k, which may exceed 1; coverage
// is the share of balls with a fake vector. Its errors are those of
// PrecisionRecall.
func DensityCoverage(real, fake Vectors, k int) (density, coverage float64, err error) {
	if k == 0 {
		k = 5
	}
	r, f, err := spacesOf(real, fake, k)
	if err != nil {
		return 0, 0, fmt.Errorf("metrics: density and coverage: %w", err)
	}
	radii := r.radii(k)
	count := make([]int, r.n)
	r.meet(f, func(i, _ int, d float64) {
		if d <= radii[i] {
			count[i]++
		}
	})
	hit, total := make([]bool, r.n), 0
	for i, c := range count {
		hit[i] = c > 0
		total += c
	}
	return float64(total) / float64(k) / float64(f.n), share(hit), nil
}

// share is the part of marks that are true.
func share(marks []bool) float64 {
	n := 0
	for _, m := range marks {
		if m {
			n++
		}
	}
	return float64(n) / float64(len(marks))
}

// A space is vectors with their squared norms.
type space struct {
	n, dim int
	rows   []float64
	norm2  []float64
}

// spacesOf centres both sets at the mean of the real ones, which distances do
// not see but their rounding does.
func spacesOf(real, fake Vectors, k int) (r, f *space, err error) {
	if k < 1 {
		return nil, nil, fmt.Errorf("neighbour %d: %w", k, ErrValue)
	}
	if err := checkPair(real, fake, k+1); err != nil {
		return nil, nil, err
	}
	mean := make([]float64, real.Dim)
	for i, v := range real.Values {
		mean[i%real.Dim] += float64(v) / float64(real.Len())
	}
	return newSpace(real, mean), newSpace(fake, mean), nil
}

func newSpace(v Vectors, centre []float64) *space {
	s := &space{n: v.Len(), dim: v.Dim, rows: v.wide(nil), norm2: make([]float64, v.Len())}
	for i := range s.n {
		floats.Sub(s.row(i), centre)
		s.norm2[i] = floats.Dot(s.row(i), s.row(i))
	}
	return s
}

func (s *space) row(i int) []float64 { return s.rows[i*s.dim : (i+1)*s.dim] }

// meet calls f with the squared distance of each row i of s to each row j of o,
// those of one i on one goroutine and in order. Equal rows have distance 0: all
// products are added up in the same order.
func (s *space) meet(o *space, f func(i, j int, d float64)) {
	const rows = 32 // of each set, in the cache together
	parallel.For((s.n+rows-1)/rows, func(t int) {
		for first := 0; first < o.n; first += rows {
			for i := t * rows; i < min(s.n, (t+1)*rows); i++ {
				for j := first; j < min(o.n, first+rows); j++ {
					f(i, j, max(0, s.norm2[i]+o.norm2[j]-2*floats.Dot(s.row(i), o.row(j))))
				}
			}
		}
	})
}

// radii are the squared distances of each row to its k-th nearest other one.
func (s *space) radii(k int) []float64 {
	nearest := make([][]float64, s.n) // the k smallest so far, sorted
	for i := range nearest {
		nearest[i] = slices.Repeat([]float64{math.Inf(1)}, k)
	}
	s.meet(s, func(i, j int, d float64) {
		best := nearest[i]
		if i == j || d >= best[k-1] {
			return
		}
		at, _ := slices.BinarySearch(best, d)
		copy(best[at+1:], best[at:k-1])
		best[at] = d
	})
	out := make([]float64, s.n)
	for i, best := range nearest {
		out[i] = best[k-1]
	}
	return out
}
