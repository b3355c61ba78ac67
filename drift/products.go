package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// pairColumns is how many columns have their products compared; more are
// projected on as many.
const pairColumns = 32

// products are statistics of the second moments of the columns: the largest
// difference of one of them, and all together.
func products(ctx context.Context, x *scaled, l *labels, seed uint64) ([]score, error) {
	y := x
	if x.d > pairColumns {
		y = project(x, pairColumns, seed)
	}
	pairs := y.d * (y.d + 1) / 2
	most, sum := score{"one product", make([]float64, l.times)}, score{"products", make([]float64, l.times)}
	var mu sync.Mutex
	all := make([][]float64, y.d) // differences of the products with column j
	err := each(ctx, y.d, func(j int) {
		phi := make([]float64, x.n*(j+1))
		for i := range x.n {
			row := y.row(i)
			for k := range j + 1 {
				phi[i*(j+1)+k] = row[j] * row[k]
			}
		}
		for k := range j + 1 { // each in its own unit
			var mean, square float64
			for i := range x.n {
				mean += phi[i*(j+1)+k] / float64(x.n)
			}
			for i := range x.n {
				t := phi[i*(j+1)+k] - mean
				square += t * t / float64(x.n)
			}
			scale := 0.
			if square > 1e-24 {
				scale = 1 / math.Sqrt(square)
			}
			for i := range x.n {
				phi[i*(j+1)+k] = (phi[i*(j+1)+k] - mean) * scale
			}
		}
		diff := make([]float64, (j+1)*l.times)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, blas64.General{Rows: x.n, Cols: j + 1, Stride: j + 1, Data: phi},
			blas64.General{Rows: x.n, Cols: l.times, Stride: l.times, Data: l.v}, 0,
			blas64.General{Rows: j + 1, Cols: l.times, Stride: l.times, Data: diff})
		mu.Lock()
		all[j] = diff
		mu.Unlock()
	})
	if err != nil {
		return nil, err
	}
	for _, diff := range all {
		for k, v := range diff {
			b := k % l.times
			most.values[b] = max(most.values[b], math.Abs(v))
			sum.values[b] += v * v / float64(pairs)
		}
	}
	return []score{most, sum}, nil
}

// project is the rows in k random directions, centred and in units of their
// deviation.
func project(x *scaled, k int, seed uint64) *scaled {
	rng := rand.New(rand.NewPCG(seed, 3))
	directions := make([]float64, x.d*k)
	for i := range directions {
		directions[i] = rng.NormFloat64()
	}
	out := &scaled{n: x.n, d: k, v: make([]float64, x.n*k)}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General{Rows: x.n, Cols: x.d, Stride: x.d, Data: x.v},
		blas64.General{Rows: x.d, Cols: k, Stride: k, Data: directions}, 0, blas64.General{Rows: x.n, Cols: k, Stride: k, Data: out.v})
	values := make([]float64, x.n)
	for j := range k {
		for i := range values {
			values[i] = out.v[i*k+j]
		}
		mean, sd := moments(values)
		if sd == 0 {
			sd = 1
		}
		for i := range values {
			out.v[i*k+j] = (values[i] - mean) / sd
		}
	}
	return out
}
