package clean

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// clusterRidge is the part of the mean variance that is added to each.
const clusterRidge = 0.1

// clusters are rows among which clusters are looked for.
type clusters struct {
	plain  *rows
	mean   []float64 // of the rows
	white  *rows     // the rows from there on, in units of their spread
	square []float64 // of the length of each
	spread mat.TriDense
	near   [][]int32 // the nearest of each row, itself first
}

// newClusters returns rows in units of their spread; nil where they have none.
func newClusters(plain *rows) *clusters {
	s := &clusters{plain: plain, mean: make([]float64, plain.d), square: make([]float64, plain.n)}
	every := make([]int, plain.n)
	for i := range every {
		every[i] = i
		for j, v := range plain.row(i) {
			s.mean[j] += v / float64(plain.n)
		}
	}
	white := plain.centred(every, s.mean)
	cov := mat.NewSymDense(plain.d, nil)
	cov.SymOuterK(1/float64(plain.n), white.T())
	total := mat.Trace(cov)
	for j := range plain.d {
		cov.SetSym(j, j, cov.At(j, j)+clusterRidge*total/float64(plain.d))
	}
	var chol mat.Cholesky
	if !(total > 0) || !chol.Factorize(cov) {
		return nil
	}
	chol.LTo(&s.spread)
	blas64.Trsm(blas.Right, blas.Trans, 1, s.spread.RawTriangular(), white.RawMatrix())
	s.white = &rows{n: plain.n, d: plain.d, v: white.RawMatrix().Data}
	for i := range s.square {
		for _, v := range s.white.row(i) {
			s.square[i] += v * v
		}
	}
	return s
}

// meet finds the nearest of each row, as many as clusters up to a size ask for.
func (s *clusters) meet(ctx context.Context, size int) error {
	n := s.plain.n
	k := min(kinOf(size), n)
	s.near = make([][]int32, n)
	return each(ctx, n, func(lo, hi int) {
		best, squares := make([]float64, k), make([]float64, n)
		var some []near
		for i := lo; i < hi; i++ {
			s.plain.squares(squares, s.plain.row(i), 0)
			squares[i] = -1 // before any that equal it
			best = noneNear(best, n)
			keepNearest(best, squares)
			some = some[:0]
			for j, v := range squares {
				if v <= best[k-1] {
					some = append(some, near{v, j})
				}
			}
			slices.SortFunc(some, byDistance)
			s.near[i] = make([]int32, k)
			for a := range s.near[i] {
				s.near[i][a] = int32(some[a].place)
			}
		}
	})
}

// grow turns the nearest of a row into the rows of a cluster: they draw a line, along
// which other rows lie farther than some of them, and so on. It returns the rows that
// drew the last line, and where all lie along it.
func (s *clusters) grow(start, size int) (seed []int, at []float64) {
	for _, j := range s.near[start][:max(size/clusterSeed, 8)] {
		seed = append(seed, int(j))
	}
	for turn := 1; ; turn++ {
		at = s.along(seed)
		next := highest(at, slices.Sorted(slices.Values(at)), size)
		if turn == clusterTurns || slices.Equal(next, seed) {
			return seed, at
		}
		seed = next
	}
}

// along returns where each row lies along the line from the mean of all to that of
// some: Fisher's discriminant, whose spread is that of all rows. Each of these is
// left out of the line that it is measured by, which leads to it otherwise.
func (s *clusters) along(some []int) []float64 {
	sum := make([]float64, s.white.d)
	for _, i := range some {
		for j, v := range s.white.row(i) {
			sum[j] += v
		}
	}
	at := make([]float64, s.white.n)
	blas64.Gemv(blas.NoTrans, 1/float64(len(some)),
		blas64.General{Rows: s.white.n, Cols: s.white.d, Stride: s.white.d, Data: s.white.v},
		blas64.Vector{N: s.white.d, Inc: 1, Data: sum}, 0,
		blas64.Vector{N: s.white.n, Inc: 1, Data: at})
	for _, i := range some {
		at[i] = (at[i]*float64(len(some)) - s.square[i]) / float64(len(some)-1)
	}
	return at
}

// places returns where rows lie along the line to some, in the coordinates that the
// rows had.
func (s *clusters) places(all *rows, some []int) []float64 {
	line := make([]float64, s.white.d)
	for _, i := range some {
		for j, v := range s.white.row(i) {
			line[j] += v / float64(len(some))
		}
	}
	blas64.Trsv(blas.Trans, s.spread.RawTriangular(), blas64.Vector{N: len(line), Inc: 1, Data: line})
	middle := 0.0
	for j, v := range s.mean {
		middle += v * line[j]
	}
	every := make([]int, all.n)
	for i := range every {
		every[i] = i
	}
	at := all.places(every, line)
	for i := range at {
		at[i] -= middle
	}
	return at
}

// highest returns the numbers of the k highest values, which are also given in rising
// order; of equal ones those of the lowest numbers.
func highest(values, sorted []float64, k int) []int {
	line := sorted[len(sorted)-k]
	above, _ := slices.BinarySearch(sorted[len(sorted)-k:], math.Nextafter(line, math.Inf(1)))
	out := make([]int, 0, k)
	for i, v := range values {
		if v > line || v == line && above > 0 {
			if out = append(out, i); v == line {
				above--
			}
		}
	}
	return out
}
