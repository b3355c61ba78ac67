package clean

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"rot.example/rot/internal/standout"
	"rot.example/rot/ot"
)

// Scores of foreign images that are alike differ by chance, so that some of them
// lie among the tail of the others. What tells them is their company: the nearest
// of an image of a crowd are of the crowd, and those of an odd one that belongs,
// a bag among clothes, are usual ones. So images that are each other's nearest
// share their scores. One that lies alone is near to images which are nearer to
// others: it has nobody to share with, and keeps its own. Means over the nearest
// that need not be mutual take it for usual, and are worse than none.
//
// The numbers were chosen over one half of the sets of docs/experiments.md
// (Foreign images near the others), with the other in sight; 0.01 to 0.05 and 5 to
// 20 do about as well.
const (
	evenPart  = 0.02 // of the images, the nearest of one
	evenTurns = 10
	evenLeast = 500  // images that it takes: of fewer the nearest are too few
	evenMost  = 2500 // that are compared with each other; more are divided at random
)

// Evened returns the scores of the rows of x, by standout.Standard, with those of
// rows that are near to each other made even (docs/math.md §13.2). The columns of
// x share a unit, as those of feature vectors do. Scores of fewer than 500 rows
// stay as they are. It returns an error that wraps ot.ErrShape where there is not
// one score for each row, and ctx.Err() when cancelled.
func Evened(ctx context.Context, x *ot.Points, score []float64) ([]float64, error) {
	if err := check("row", x); err != nil {
		return nil, err
	}
	n := x.Len()
	if len(score) != n {
		return nil, fmt.Errorf("clean: %d scores for %d rows: %w", len(score), n, ot.ErrShape)
	}
	if n < evenLeast {
		return standout.Standard(score), nil
	}
	order := lexical(x)
	all := (&rows{n: n, d: x.Dim, v: x.Coords}).pick(order)
	now := make([]float64, n)
	for k, i := range order {
		now[k] = score[i]
	}
	parts := (n + evenMost - 1) / evenMost
	perm := rand.New(rand.NewPCG(6, uint64(n))).Perm(n)
	for p := range parts {
		some := perm[p*n/parts : (p+1)*n/parts]
		slices.Sort(some) // equal rows of a part share everything, to the bit
		if err := all.pick(some).even(ctx, now, some); err != nil {
			return nil, err
		}
	}
	all.shareAmongEqual(now)
	return unsort(standout.Standard(now), order), nil
}

// even replaces the scores of the rows of r, which have the given numbers among
// them, by the means over those that are each other's nearest, turn after turn.
func (r *rows) even(ctx context.Context, score []float64, numbers []int) error {
	kin, err := r.mutual(ctx, 1+int(evenPart*float64(r.n)))
	if err != nil {
		return err
	}
	now, next := make([]float64, r.n), make([]float64, r.n)
	for a, i := range numbers {
		now[a] = score[i]
	}
	for range evenTurns {
		for a, some := range kin {
			next[a] = 0
			for _, b := range some {
				next[a] += now[b]
			}
			next[a] /= float64(len(some))
		}
		now, next = next, now
	}
	for a, i := range numbers {
		score[i] = now[a]
	}
	return nil
}

// mutual returns for each row those that are no farther away than its k-th nearest,
// nor it than theirs, in rising order. A row is the nearest to itself.
func (r *rows) mutual(ctx context.Context, k int) ([][]int, error) {
	type other struct {
		square float64
		place  int
	}
	near, far := make([][]other, r.n), make([]float64, r.n)
	err := each(ctx, r.n, func(lo, hi int) {
		best, squares := make([]float64, k), make([]float64, r.n)
		for i := lo; i < hi; i++ {
			r.squares(squares, r.row(i), 0)
			best = noneNear(best, r.n)
			keepNearest(best, squares)
			far[i] = best[len(best)-1]
			for j, v := range squares {
				if v <= far[i] {
					near[i] = append(near[i], other{v, j})
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([][]int, r.n)
	for i, some := range near {
		for _, o := range some {
			if o.square <= far[o.place] {
				out[i] = append(out[i], o.place)
			}
		}
	}
	return out, nil
}

// shareAmongEqual gives equal rows, which follow each other, the mean of their
// scores: those of several parts had other company.
func (r *rows) shareAmongEqual(score []float64) {
	for from := 0; from < r.n; {
		to, sum := from, 0.0
		for ; to < r.n && slices.Equal(r.row(from), r.row(to)); to++ {
			sum += score[to]
		}
		for i := from; i < to && to > from+1; i++ {
			score[i] = sum / float64(to-from)
		}
		from = to
	}
}
