package clean

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// The recipe of Against, chosen over the same sets as that of Find.
const (
	compareRounds = 8
	comparePoints = 256 // of the reference, a round
	// compareGamma is the part of the rows that transport may leave behind.
	// Anything from 0.05 to 0.2 ranks the rows equally well, so that it need not
	// be known how many outliers there are.
	compareGamma = 0.1
	// batch is the least number of rows whose crowding says something. Fewer
	// are scored by their distance alone.
	batch = 20
	// doubt is the number of rows from which half of a price is believed. Two
	// small samples of one kind differ in where they crowd by chance.
	doubt = 50
)

// A comparer scores rows by robust transport to a reference (docs/math.md
// §13.1).
type comparer struct {
	rows, reference *rows
	seed            uint64
	progress        func(done, total int)
	done            int
}

// newComparer scales both by what the reference is like, and orders their rows.
func newComparer(x, reference *ot.Points, order, refOrder []int, o Options) *comparer {
	s := newScaler(reference, refOrder, o.Unscaled, o.Groups)
	s.extend(x, order)
	return &comparer{rows: s.apply(x, order), reference: s.apply(reference, refOrder), seed: o.Seed, progress: o.Progress}
}

// compare is the view of transport. A row of the reference is judged by the
// rounds whose core it had no part in.
func (c *comparer) compare(ctx context.Context) (view, error) {
	n, m := c.rows.n, c.reference.n
	rng := rand.New(rand.NewPCG(c.seed, 0))
	out := view{make([]float64, n), make([]float64, m)}
	times := make([]float64, m)
	var perm []int
	for round := range compareRounds {
		// Rounds go in pairs, so that each row is free in one of the two.
		if round%2 == 0 {
			perm = rng.Perm(n)
		} else {
			slices.Reverse(perm)
		}
		size := n
		if n >= 2*batch {
			size = min(n/2, poolRows)
		}
		targets := rng.Perm(m)
		k := min(comparePoints, m/2)
		core, rest := c.reference.pick(targets[:k]), c.reference.pick(targets[k:])
		price, err := c.prices(ctx, c.rows.pick(perm[:size]), core)
		if err != nil {
			return out, err
		}
		h, err := transform(ctx, c.rows, core, price)
		if err != nil {
			return out, err
		}
		like, err := transform(ctx, rest, core, price)
		if err != nil {
			return out, err
		}
		addStandard(out.rows, h, like, 1./compareRounds)
		own := make([]float64, len(like))
		addStandard(own, like, like, 1)
		for a, i := range targets[k:] {
			out.reference[i] += own[a]
			times[i]++
		}
		c.tick()
	}
	for i, t := range times {
		out.reference[i] /= t // NaN for a row that was in every core
	}
	return out, nil
}

func (c *comparer) tick() {
	c.done++
	c.progress(c.done, compareRounds+2)
}

// prices are the potentials ψ of the core when the pool is carried there: low
// where more rows crowd than the reference has, which makes the potentials of
// these rows high even if none of them is far away.
func (c *comparer) prices(ctx context.Context, pool, core *rows) ([]float64, error) {
	if pool.n < batch || pool.d == 0 {
		return make([]float64, core.n), nil
	}
	p, err := ot.NewProblem(&ot.Points{Dim: pool.d, Coords: pool.v}, &ot.Points{Dim: core.d, Coords: core.v}, ot.Euclidean)
	if err != nil {
		return nil, err
	}
	ball, err := chisq.FromGamma(compareGamma)
	if err != nil {
		return nil, err
	}
	// A rank does not need more digits than this.
	r, err := ot.Robust(ctx, p, &ot.RobustOptions{Source: ball, Tol: 1e-6})
	var short *ot.ConvergenceError
	if err != nil && !(r != nil && errors.As(err, &short)) {
		return nil, err
	}
	n := float64(min(c.rows.n, c.reference.n))
	for j := range r.G {
		r.G[j] *= n / (n + doubt)
	}
	return r.G, nil
}

// transform is min_j c(x, y_j) − ψ_j for every row: the potential of a row, also
// of one that was not in the pool or that got weight 0, where the solver's own
// are all the same.
func transform(ctx context.Context, x, core *rows, price []float64) ([]float64, error) {
	h := make([]float64, x.n)
	err := each(ctx, x.n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			h[i] = math.Inf(1)
			for j, v := range price {
				h[i] = min(h[i], distance(x.row(i), core.row(j))-v)
			}
		}
	})
	return h, err
}
