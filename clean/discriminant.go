package clean

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rot.example/rot/internal/parallel"
	"rot.example/rot/internal/standout"
)

// A sketcher is rows that draw discriminants for others, with what all of these
// have in common.
type sketcher struct {
	rows   []int
	others []int         // that the lines are for
	mean   []float64     // of rows
	outer  *mat.SymDense // sum of the outer products of rows from there on
}

// halved divides the rows into halves that draw lines for each other, at most so
// many of each: nobody draws his own.
func (r *rows) halved(rng *rand.Rand, most int) [2]*sketcher {
	perm := rng.Perm(r.n)
	parts := [2][]int{perm[:r.n/2], perm[r.n/2:]}
	var out [2]*sketcher
	for k, part := range parts {
		s := &sketcher{rows: part[:min(len(part), most)], others: parts[1-k], mean: make([]float64, r.d), outer: mat.NewSymDense(r.d, nil)}
		for _, i := range s.rows {
			for j, v := range r.row(i) {
				s.mean[j] += v / float64(len(s.rows))
			}
		}
		s.outer.SymOuterK(1, r.centred(s.rows, s.mean).T())
		out[k] = s
	}
	return out
}

// centred returns some rows from their mean on, at least one.
func (r *rows) centred(some []int, mean []float64) *mat.Dense {
	out := mat.NewDense(max(1, len(some)), r.d, nil)
	for k, i := range some {
		row := out.RawRowView(k)
		for j, v := range r.row(i) {
			row[j] = v - mean[j]
		}
	}
	return out
}

// alongDiscriminant returns how far each row lies from the others along the
// line from the bulk, the rows of low scores, to those of the highest, by
// standout.Standard, and the elbow of that; nil where there is no line.
func (r *rows) alongDiscriminant(score []float64, halves [2]*sketcher) ([]float64, *standout.Elbow) {
	sorted := slices.Sorted(slices.Values(score))
	bulk, head := sorted[int(crowdBulk*float64(r.n))], sorted[r.n-max(crowdRows, int(crowdHead*float64(r.n)))]
	apart := r.along(score, bulk, head, halves)
	if apart == nil {
		return nil, nil
	}
	e, err := standout.FindElbow(apart)
	if err != nil {
		return nil, nil
	}
	return apart, &e
}

// along returns how far each row lies from the others along the line from the
// rows whose score is below bulk to those whose score is head or more, by
// standout.Standard; nil where there is no line.
func (r *rows) along(score []float64, bulk, head float64, halves [2]*sketcher) []float64 {
	apart := make([]float64, r.n)
	for _, half := range halves {
		line := r.discriminant(half, score, bulk, head)
		if line == nil {
			return nil
		}
		for k, v := range standout.Standard(r.places(half.others, line)) {
			apart[half.others[k]] = v
		}
	}
	return apart
}

// places returns where some rows lie along a line.
func (r *rows) places(some []int, line []float64) []float64 {
	at := make([]float64, len(some))
	parallel.For(len(at), func(k int) {
		for j, v := range r.row(some[k]) {
			at[k] += v * line[j]
		}
	})
	return at
}

// discriminant returns the direction from the bulk, the rows whose score is
// below bulk, to those whose score is head or more, in units of the bulk's spread;
// nil where there is none. The spread is that of all rows less what the others
// bring to it, which are fewer.
func (r *rows) discriminant(s *sketcher, score []float64, bulk, head float64) []float64 {
	var others, above []int
	for _, i := range s.rows {
		if score[i] >= bulk {
			others = append(others, i)
		}
		if score[i] >= head {
			above = append(above, i)
		}
	}
	below := float64(len(s.rows) - len(others))
	if below == 0 || len(above) == 0 {
		return nil
	}
	far := r.centred(others, s.mean)
	var spread mat.SymDense
	spread.SymRankK(s.outer, -1, far.T())
	// From here on all is seen from s.mean; the bulk's lies opposite the others'.
	low, way := make([]float64, r.d), make([]float64, r.d)
	for k := range others {
		for j, v := range far.RawRowView(k) {
			low[j] -= v / below
		}
	}
	for _, i := range above {
		for j, v := range r.row(i) {
			way[j] += (v - s.mean[j]) / float64(len(above))
		}
	}
	total := 0.0
	for i := range r.d {
		for j := i; j < r.d; j++ {
			spread.SetSym(i, j, spread.At(i, j)/below-low[i]*low[j])
		}
		total += spread.At(i, i)
		way[i] -= low[i]
	}
	for j := range r.d {
		spread.SetSym(j, j, spread.At(j, j)+crowdRidge*total/float64(r.d))
	}
	var chol mat.Cholesky
	if !chol.Factorize(&spread) {
		return nil
	}
	var line mat.VecDense
	if err := chol.SolveVecTo(&line, mat.NewVecDense(r.d, way)); err != nil {
		return nil
	}
	return line.RawVector().Data
}

// narrowed returns the rows in fewer columns, each a random mixture of all; r
// itself where it has no more than that.
func (r *rows) narrowed(columns int) *rows {
	if r.d <= columns {
		return r
	}
	rng := rand.New(rand.NewPCG(3, uint64(r.d)))
	mix := make([]float64, r.d*columns)
	for i := range mix {
		mix[i] = rng.NormFloat64()
	}
	out := &rows{n: r.n, d: columns, v: make([]float64, r.n*columns)}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
		blas64.General{Rows: r.n, Cols: r.d, Stride: r.d, Data: r.v},
		blas64.General{Rows: r.d, Cols: columns, Stride: columns, Data: mix}, 0,
		blas64.General{Rows: r.n, Cols: columns, Stride: columns, Data: out.v})
	return out
}
