package clean

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/chisq"
)

// The recipe of Find. These numbers were chosen together over the 26 sets of
// docs/benchmarks.md, where the neighbours of each do about as well.
const (
	passes       = 2    // the first finds what the second leaves out
	poolRows     = 1000 // a round looks at so many rows, or all
	coarseRounds = 16   // a pass
	coarsePoints = 32
	coarseNear   = 1 // points that a row's cost is the mean of
	fineRounds   = 8
	finePoints   = 256
	fineNear     = 3 // one of which may be the row itself
	// half is the part of the rows that a core may do without, as in the minimum
	// covariance determinant.
	half = 0.5
	// least is a weight that keeps rows of weight 0 in the draw when there are
	// not enough others.
	least = 1e-6
)

// A finder scores rows by transport to cores made from the rows themselves
// (docs/math.md §13.2).
type finder struct {
	rows     *rows
	core     int
	seed     uint64
	unscaled bool
	progress func(done, total int)
	done     int
	model    *Model // takes down what the scores are made of; nil if nobody asks
}

// scores are those of the last pass, half of them by coarse cores, which see a
// clump of outliers, and half by fine ones, which see the gaps of the data.
func (f *finder) scores(ctx context.Context) ([]float64, error) {
	n := f.rows.n
	w := slices.Repeat([]float64{1}, n)
	var coarse []float64
	var err error
	for pass := range passes {
		if coarse, w, err = f.coarse(ctx, w, uint64(pass)); err != nil {
			return nil, err
		}
	}
	fine, err := f.fine(ctx, w)
	if err != nil {
		return nil, err
	}
	sum, score := make([]float64, n), make([]float64, n)
	addStandard(sum, coarse, coarse, 0.5)
	addStandard(sum, fine, fine, 0.5)
	addStandard(score, sum, sum, 1)
	if f.model != nil {
		f.model.ranges = [2]standardized{standardOf(coarse), standardOf(fine)}
		f.model.total = standardOf(sum)
	}
	return score, nil
}

// coarse is one pass: the mean scores against random cores of rows that have
// weight, and the mean weights for these scores.
func (f *finder) coarse(ctx context.Context, w []float64, pass uint64) (score, weight []float64, err error) {
	n := f.rows.n
	ball, err := chisq.FromGamma(half)
	if err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewPCG(f.seed, pass))
	score, weight = make([]float64, n), make([]float64, n)
	for range coarseRounds {
		pool := draw(rng, n)
		core, err := f.means(ctx, pool, drawWeighted(rng, pool, w, min(coarsePoints, len(pool)/2)), w)
		if err != nil {
			return nil, nil, err
		}
		h, err := f.cost(ctx, core, coarseNear)
		if err != nil {
			return nil, nil, err
		}
		addStandard(score, h, h, 1./coarseRounds)
		if f.model != nil && pass == passes-1 {
			f.model.rounds = append(f.model.rounds, modelRound{0, min(coarseNear, core.n), core, standardOf(h)})
		}
		if h, err = ball.Minimize(h, h); err != nil {
			return nil, nil, err
		}
		for i, v := range h {
			weight[i] += v / coarseRounds
		}
		f.tick()
	}
	return score, weight, nil
}

// fine is the mean scores against random rows that have weight.
func (f *finder) fine(ctx context.Context, w []float64) ([]float64, error) {
	n := f.rows.n
	rng := rand.New(rand.NewPCG(f.seed, passes))
	score := make([]float64, n)
	for range fineRounds {
		pool := draw(rng, n)
		core := f.rows.pick(drawWeighted(rng, pool, w, min(finePoints, len(pool)/2)))
		h, err := f.cost(ctx, core, fineNear)
		if err != nil {
			return nil, err
		}
		addStandard(score, h, h, 1./fineRounds)
		if f.model != nil {
			f.model.rounds = append(f.model.rounds, modelRound{1, min(fineNear, core.n), core, standardOf(h)})
		}
		f.tick()
	}
	return score, nil
}

func (f *finder) tick() {
	f.done++
	f.progress(f.done, passes*coarseRounds+fineRounds)
}

// means replaces each drawn row by the weighted mean of its nearest in the
// pool, which pulls it off a row that lies alone.
func (f *finder) means(ctx context.Context, pool, drawn []int, w []float64) (*rows, error) {
	k := max(1, min(f.core, len(pool)/4))
	out := &rows{n: len(drawn), d: f.rows.d, v: make([]float64, len(drawn)*f.rows.d)}
	err := each(ctx, len(drawn), func(lo, hi int) {
		all := make([]near, len(pool))
		for j := lo; j < hi; j++ {
			c := f.rows.row(drawn[j])
			for a, i := range pool {
				all[a] = near{distance(c, f.rows.row(i)), i}
			}
			slices.SortFunc(all, byDistance)
			y := out.row(j)
			var total float64
			for _, e := range all[:k] {
				share := w[e.place] + least
				total += share
				for t, v := range f.rows.row(e.place) {
					y[t] += share * v
				}
			}
			for t := range y {
				y[t] /= total
			}
		}
	})
	return out, err
}

// cost is the mean distance of every row to its nearest points of a core, which
// are near many. For one point it is the transport potential of a row where the
// core may take what it needs from any row.
func (f *finder) cost(ctx context.Context, core *rows, near int) ([]float64, error) {
	near = min(near, core.n)
	h := make([]float64, f.rows.n)
	err := each(ctx, len(h), func(lo, hi int) {
		best, squares := make([]float64, near), make([]float64, (hi-lo)*core.n)
		const points = 8 // stay in the processor's cache for all rows
		for j := 0; j < core.n; j += points {
			for i := range hi - lo {
				core.squares(squares[i*core.n+j:i*core.n+min(j+points, core.n)], f.rows.row(lo+i), j)
			}
		}
		for i := range hi - lo {
			best = noneNear(best, core.n)
			keepNearest(best, squares[i*core.n:(i+1)*core.n])
			h[lo+i] = meanRoot(best)
		}
	})
	return h, err
}

// draw is the numbers of poolRows rows out of n, or of all.
func draw(rng *rand.Rand, n int) []int {
	return rng.Perm(n)[:min(n, poolRows)]
}

// drawWeighted draws k of the pool without replacement, each time with a
// probability in proportion to its weight: the largest of log(u)/w, by
// Efraimidis and Spirakis (2006).
func drawWeighted(rng *rand.Rand, pool []int, w []float64, k int) []int {
	keys := make([]near, len(pool))
	for a, i := range pool {
		keys[a] = near{-math.Log(1-rng.Float64()) / (w[i] + least), i}
	}
	slices.SortFunc(keys, byDistance)
	out := make([]int, k)
	for a := range out {
		out[a] = keys[a].place
	}
	return out
}
