package clean

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/internal/median"
)

const (
	// bent is where a view begins to count like its logarithm only when views
	// are added: one row far away must not have the last word by one of them.
	bent = 5
	// gapNear is how many neighbours a gap is the mean distance to.
	gapNear = 5
)

// A view is a score of the rows and, where the rows of the reference can be
// judged without themselves, of these. Those that cannot have NaN.
type view struct{ rows, reference []float64 }

// views looks at rows beside a reference in three ways: the sum of the price of
// transport and a forest that tells the two apart, that forest alone, and the
// gaps around a row. The rows have lost their order, and what is known of one
// of them depends on the others only as a set.
func (c *comparer) views(ctx context.Context) ([]view, error) {
	price, err := c.compare(ctx)
	if err != nil {
		return nil, err
	}
	if c.rows.n < batch || c.rows.d == 0 { // too few to be told from anything
		return []view{price}, nil
	}
	var byForest view
	if byForest.rows, byForest.reference, err = forestScores(ctx, c.rows, c.reference, c.seed); err != nil {
		return nil, err
	}
	c.tick()
	gaps, err := c.gaps(ctx)
	if err != nil {
		return nil, err
	}
	c.tick()
	sum := view{make([]float64, c.rows.n), make([]float64, c.reference.n)}
	sum.add(price)
	sum.add(byForest)
	return []view{sum, byForest, gaps}, nil
}

// add adds a view in its own unit, the mean distance of the rows from their
// middle, and bent. A few rows that are absurdly far do not make the unit.
func (v *view) add(w view) {
	middle := median.Of(w.rows)
	far := make([]float64, len(w.rows))
	for i, t := range w.rows {
		far[i] = math.Abs(t - middle)
	}
	slices.Sort(far)
	most := far[(len(far)-1)*99/100]
	unit := 0.
	for _, t := range far {
		unit += min(t, most) / float64(len(far))
	}
	if unit == 0 {
		unit = 1
	}
	for _, side := range []struct{ sum, part []float64 }{{v.rows, w.rows}, {v.reference, w.reference}} {
		for i, t := range side.part {
			if t = (t - middle) / unit; t > bent {
				t = bent * (1 + math.Log(t/bent))
			}
			side.sum[i] += t
		}
	}
}

// gaps is the mean distance of a row to its nearest in the reference.
func (c *comparer) gaps(ctx context.Context) (view, error) {
	perm := draw(rand.New(rand.NewPCG(c.seed, 1<<42)), c.reference.n)
	like := c.reference.pick(perm)
	rows, err := gapsAmong(ctx, c.rows, like, nil)
	if err != nil {
		return view{}, err
	}
	reference, err := gapsAmong(ctx, c.reference, like, perm)
	return view{rows, reference}, err
}

// gapsAmong is the mean distance of every row to its nearest in like. The rows
// of like are those numbers of x that picked has, if it is not nil, and no row
// is its own nearest.
func gapsAmong(ctx context.Context, x, like *rows, picked []int) ([]float64, error) {
	own := slices.Repeat([]int{-1}, x.n)
	for k, i := range picked {
		own[i] = k
	}
	out := make([]float64, x.n)
	err := each(ctx, x.n, func(lo, hi int) {
		best := make([]float64, max(1, min(gapNear, like.n-1)))
		for i := lo; i < hi; i++ {
			out[i] = gap(x.row(i), like, own[i], best)
		}
	})
	return out, err
}

// gap is the mean distance to the nearest of like, as many as best has room
// for, without the one at place own.
func gap(x []float64, like *rows, own int, best []float64) float64 {
	for k := range best {
		best[k] = math.Inf(1)
	}
	for j := range like.n {
		if j == own {
			continue
		}
		v := distance(x, like.row(j))
		for k := range best {
			if v < best[k] {
				v, best[k] = best[k], v
			}
		}
	}
	var sum float64
	for _, v := range best {
		sum += v
	}
	return sum / float64(len(best))
}

// choose is the view by which most rows stand out from the reference at the
// rate q. It knows nothing about which rows are good: only which are the
// reference's.
func choose(views []view, q float64) view {
	best, most := views[0], -1
	for _, v := range views {
		var own []float64
		for _, t := range v.reference {
			if !math.IsNaN(t) {
				own = append(own, t)
			}
		}
		p := conformal(v.rows, own)
		count := 0
		for _, out := range discover(p, q, goodShare(p)) {
			if out {
				count++
			}
		}
		if count > most {
			best, most = v, count
		}
	}
	return best
}
