package metrics

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"rot.example/rot/internal/parallel"
)

// KIDOptions tunes KID. The zero value is ready to use.
type KIDOptions struct {
	Subsets int    // 0 means 100
	Size    int    // vectors of each set in a subset; 0 means 1000, or all if there are fewer
	Seed    uint64 // of the choice of subsets
}

// KID returns the kernel inception distance between the features of two sets of
// images (Bińkowski et al. 2018): the squared maximum mean discrepancy under
// the kernel (⟨x,y⟩/d + 1)³, estimated without bias on random subsets and
// averaged over them. It may be negative when the sets are alike. A subset has
// no vector twice, but subsets overlap: the standard error says how exact the
// average is for these vectors, not for others from the same source.
//
// It returns ErrShape, ErrValue, or ErrFew for fewer than two vectors or fewer
// than Size.
func KID(x, y Vectors, opts *KIDOptions) (Estimate, error) {
	var o KIDOptions
	if opts != nil {
		o = *opts
	}
	if o.Subsets < 0 || o.Size < 0 || o.Size == 1 {
		return Estimate{}, fmt.Errorf("metrics: KID: %d subsets of size %d: %w", o.Subsets, o.Size, ErrValue)
	}
	if err := checkPair(x, y, max(2, o.Size)); err != nil {
		return Estimate{}, fmt.Errorf("metrics: KID: %w", err)
	}
	if o.Subsets == 0 {
		o.Subsets = 100
	}
	if o.Size == 0 {
		o.Size = min(1000, x.Len(), y.Len())
	}
	parts := make([]float64, o.Subsets)
	parallel.For(len(parts), func(i int) {
		rng := rand.New(rand.NewPCG(o.Seed, uint64(i)))
		a := x.wide(pick(rng, x.Len(), o.Size))
		b := y.wide(pick(rng, y.Len(), o.Size))
		parts[i] = discrepancy(a, b, x.Dim)
	})
	return estimate(parts), nil
}

// pick returns k of the numbers 0 to n−1, each set of them equally likely.
func pick(rng *rand.Rand, n, k int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	for i := range k {
		j := i + rng.IntN(n-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[:k]
}

// discrepancy is the unbiased squared MMD between the rows of x and y.
func discrepancy(x, y []float64, d int) float64 {
	n, m := float64(len(x)/d), float64(len(y)/d)
	return kernelSum(x, x, d, true)/(n*(n-1)) + kernelSum(y, y, d, true)/(m*(m-1)) - 2*kernelSum(x, y, d, false)/(n*m)
}

// kernelSum adds up the kernel over all pairs of a row of x and one of y; where
// both are the same set, without those of a row and itself.
func kernelSum(x, y []float64, d int, same bool) float64 {
	const rows = 64 // of a tile
	n, m := len(x)/d, len(y)/d
	products := make([]float64, rows*rows)
	sum := 0.0
	for i := 0; i < n; i += rows {
		left := blas64.General{Rows: min(rows, n-i), Cols: d, Stride: d, Data: x[i*d:]}
		first := 0
		if same {
			first = i // the other triangle has the same values
		}
		for j := first; j < m; j += rows {
			right := blas64.General{Rows: min(rows, m-j), Cols: d, Stride: d, Data: y[j*d:]}
			c := blas64.General{Rows: left.Rows, Cols: right.Rows, Stride: rows, Data: products}
			blas64.Gemm(blas.NoTrans, blas.Trans, 1/float64(d), left, right, 0, c)
			part := 0.0
			for r := range c.Rows {
				for s, v := range products[r*rows : r*rows+c.Cols] {
					if !same || i+r != j+s {
						part += (v + 1) * (v + 1) * (v + 1)
					}
				}
			}
			if same && i != j {
				part *= 2
			}
			sum += part
		}
	}
	return sum
}
