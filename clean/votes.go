package clean

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rot.example/rot/internal/median"
)

// How many rows stand out without a reference is put to the vote: each view of
// the rows has a bulk from which it says what tail good rows would have, and the
// largest number of rows beyond that is how many of the worst are suspects. The
// numbers were chosen with the sets of docs/benchmarks.md in sight, all of them.
// Gaps vote only where no score stands out: heavy tails have both.
const (
	scoreHigh, scoreRate   = 0.8, 1 // quantile up to which a bulk reaches, and its rate in units of FDR
	longerHigh, longerRate = 0.9, 3 // the scores once more, where few rows are odd
	middleHigh, middleRate = 0.6, 2 // where as much as a third of the rows is
	axesHigh, axesRate     = 0.8, 3
	gapHigh, gapRate       = 0.9, 3   // where rows lie alone between others
	gapColumns             = 8        // in fewer the ends of any sample have wide gaps
	gapRows                = 2000     // that gaps are looked for among, at most
	fewRows, fewPart       = 5, 0.025 // fewer suspects may be the tail of a heavy distribution
	manyRows               = 200      // fewer have one vote, that of their scores: the bulk of each view is a guess then
	clipped                = 3        // deviations from the middle that count in one column
	wideGap                = 2.5      // how much farther out the rows before a chasm are
	mostAxes               = 200      // columns up to which there are principal axes
	axisLeast              = 1e-3     // part of the first axis' variance that an axis needs
)

// vote is how many of the rows of f, with the given scores, stand out at a rate
// q. It is an estimate.
func (f *finder) vote(ctx context.Context, score []float64, q float64) (int, error) {
	most := standing(score, scoreHigh, scoreRate*q)
	if len(score) >= manyRows {
		most = max(most, standing(score, longerHigh, longerRate*q))
	}
	byScores := most
	if len(score) >= manyRows && !f.unscaled {
		z := f.rows.clippedRows()
		most = max(most, standing(z.lengths(), middleHigh, middleRate*q))
		if axes := z.alongAxes(); axes != nil {
			most = max(most, standing(axes, axesHigh, axesRate*q))
		}
		if byScores == 0 && f.rows.d >= gapColumns {
			gaps, err := f.gaps(ctx)
			if err != nil {
				return 0, err
			}
			k := standing(gaps, gapHigh, gapRate*q)
			// Where most rows have equals the others need not be odd, and where the
			// worst by their scores are other rows, they are not what gaps voted for.
			if median.Of(gaps) > 0 && 2*shared(gaps, score, k) >= k {
				most = max(most, k)
			}
		}
	}
	if k, ok := chasm(score, most); ok {
		return k, nil
	}
	if most < fewRows || float64(most) < fewPart*float64(len(score)) {
		return count(discover(tails(score, scoreHigh, student5{}), q, 1)), nil
	}
	return most, nil
}

// shared is how many rows are among the k largest of both a and b.
func shared(a, b []float64, k int) int {
	largest := func(v []float64) []int {
		order := make([]int, len(v))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(v[j], v[i]) })
		return order[:k]
	}
	in := make(map[int]bool, k)
	for _, i := range largest(a) {
		in[i] = true
	}
	n := 0
	for _, i := range largest(b) {
		if in[i] {
			n++
		}
	}
	return n
}

// gaps is the mean distance of each row to its nearest among the others, or
// among some of them.
func (f *finder) gaps(ctx context.Context) ([]float64, error) {
	some := rand.New(rand.NewPCG(f.seed, passes+1)).Perm(f.rows.n)[:min(f.rows.n, gapRows)]
	return gapsAmong(ctx, f.rows, f.rows.pick(some), some)
}

// chasm is how many of the worst rows lie beyond a wide gap, if there is one:
// where scores fall to two fifths from one row to the next, the rows before the gap
// are no tail of the others, and those behind it, such as rows of a rare
// category, are not what they are. A gap behind a few freaks says nothing.
func chasm(score []float64, worst int) (rows int, ok bool) {
	s := slices.Sorted(slices.Values(score))
	slices.Reverse(s)
	middle := median.Of(score)
	for k := max(fewRows, len(s)/100); k <= worst && k < len(s); k++ {
		if s[k-1]-middle >= wideGap*(s[k]-middle) {
			return k, true
		}
	}
	return 0, false
}

// standing is how many values stand out from the quantiles of their bulk up to
// high.
func standing(v []float64, high, q float64) int {
	return count(discover(tails(v, high, normal{}), min(q, 0.999), 1))
}

func count(marks []bool) int {
	n := 0
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}

// clippedRows is the rows from the middle of each column on, and no farther away
// in one of them than clipped.
func (r *rows) clippedRows() *rows {
	out := &rows{n: r.n, d: r.d, v: make([]float64, len(r.v))}
	column := make([]float64, r.n)
	for j := range r.d {
		for i := range column {
			column[i] = r.v[i*r.d+j]
		}
		middle := median.Of(column)
		for i := range column {
			out.v[i*r.d+j] = min(max(r.v[i*r.d+j]-middle, -clipped), clipped)
		}
	}
	return out
}

// lengths are the distances of the rows from 0.
func (r *rows) lengths() []float64 {
	out := make([]float64, r.n)
	for i := range out {
		var sum float64
		for _, t := range r.row(i) {
			sum += t * t
		}
		out[i] = math.Sqrt(sum)
	}
	return out
}

// alongAxes is how far the rows are from the middle along all of their principal
// axes together, each in its own deviations and clipped; nil where there are too
// many columns to tell or the axes cannot be found.
func (r *rows) alongAxes() []float64 {
	if r.d == 0 || r.d > mostAxes {
		return nil
	}
	mean := make([]float64, r.d)
	for i := range r.n {
		for j, t := range r.row(i) {
			mean[j] += t / float64(r.n)
		}
	}
	centred := mat.NewDense(r.n, r.d, nil)
	for i := range r.n {
		for j, t := range r.row(i) {
			centred.Set(i, j, t-mean[j])
		}
	}
	var covariance mat.SymDense
	covariance.SymOuterK(1/float64(r.n), centred.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&covariance, true) {
		return nil
	}
	variance := eigen.Values(nil) // the largest last
	var vectors, at mat.Dense
	eigen.VectorsTo(&vectors)
	at.Mul(centred, &vectors)
	out := make([]float64, r.n)
	column := make([]float64, r.n)
	for k, s := range variance {
		if !(s > axisLeast*variance[len(variance)-1]) {
			continue
		}
		mat.Col(column, k, &at)
		middle, unit := median.Of(column), math.Sqrt(s)
		for i, t := range column {
			out[i] += min(math.Abs(t-middle)/unit, clipped)
		}
	}
	return out
}
