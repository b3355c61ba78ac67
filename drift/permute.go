package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// test is the permutation test of the bulks. Each statistic is turned into a
// p-value by its distribution over all arrangements, the true one among them;
// how these p-values go together is one more statistic (Liu and Xie 2020), and
// the rank of the true arrangement by it is the p-value of the test.
func (c *comparison) test(ctx context.Context, r *Result) error {
	o, x := c.options, c.scaled
	l := newLabels(c.n, c.m, o.Permutations, o.Seed)
	cols, err := columnScores(ctx, x, l, o.Columns)
	if err != nil {
		return err
	}
	c.tick()
	scores := cols.scores
	far, err := distances(ctx, x, l, plainLook)
	if err != nil {
		return err
	}
	c.tick()
	scores = append(scores, far...)
	if y := x.alongAxes(o.Seed); y != nil {
		if far, err = distances(ctx, y, l, axesLook); err != nil {
			return err
		}
		scores = append(scores, far...)
	}
	cell, err := cells(ctx, x, l, o.Seed)
	if err != nil {
		return err
	}
	c.tick()
	scores = append(scores, cell)
	pairs, err := products(ctx, x, l, o.Seed)
	if err != nil {
		return err
	}
	c.tick()
	scores = append(scores, pairs...)
	if c.carrier, err = newCarrier(ctx, x); err != nil {
		return err
	}
	moved, err := c.transport(ctx, l)
	if err != nil {
		return err
	}
	scores = append(scores, moved)
	together := make([]float64, l.times)
	for _, s := range scores {
		p := tails(s.values)
		r.Statistics = append(r.Statistics, Statistic{s.name, p[0]})
		for b, v := range p {
			together[b] += cauchy(v) / float64(len(scores))
		}
	}
	r.PMoved = rank(together)
	r.Columns = c.shifts(cols)
	r.SetAside, r.Tested = c.aside, [2]int{c.n, c.m}
	return nil
}

// effect compares the distance of the bulks with that of two random halves of
// the reference with as many rows.
func (c *comparison) effect(ctx context.Context, r *Result) error {
	const rounds, most = 3, 1000
	rng := rand.New(rand.NewPCG(c.options.Seed, 4))
	size := min(c.n/2, c.m, most)
	if size == 0 {
		return nil
	}
	some := func(first, n, from, k int, perm []int) []int32 {
		out := make([]int32, 0, k)
		for _, i := range perm[from : from+k] {
			out = append(out, int32(first+i))
		}
		return out
	}
	for range rounds {
		old, fresh := rng.Perm(c.n), rng.Perm(c.m)
		half := some(0, c.n, 0, size, old)
		d, err := c.carrier.distance(ctx, half, some(c.n, c.m, 0, size, fresh))
		if err != nil {
			return err
		}
		noise, err := c.carrier.distance(ctx, half, some(0, c.n, size, size, old))
		if err != nil {
			return err
		}
		r.Distance += d / rounds
		r.Noise += noise / rounds
	}
	c.tick()
	switch {
	case r.Noise > 0:
		r.Effect = r.Distance / r.Noise
	case r.Distance > 0:
		r.Effect = math.Inf(1)
	default:
		r.Effect = 1
	}
	return nil
}

// rounding is a spread of a statistic, all of which are about 1 where samples
// differ, that errors of arithmetic make.
const rounding = 1e-12

// tails is, for every value, how likely one as high is, by the gamma
// distribution with the mean, deviation and skewness of all of them.
func tails(v []float64) []float64 {
	mean, sd := moments(v)
	p := make([]float64, len(v))
	if slices.Max(v)-slices.Min(v) < rounding {
		for i := range p {
			p[i] = 1
		}
		return p
	}
	skew := 0.
	for _, t := range v {
		z := (t - mean) / sd
		skew += z * z * z / float64(len(v))
	}
	for i, t := range v {
		z := (t - mean) / sd
		if skew < 0.05 {
			p[i] = 0.5 * math.Erfc(z/math.Sqrt2)
			continue
		}
		shape := 4 / (skew * skew)
		if x := shape + z*math.Sqrt(shape); x > 0 {
			p[i] = mathext.GammaIncRegComp(shape, x)
		} else {
			p[i] = 1
		}
	}
	return p
}

// upperTail is how likely the first value is by chance, of which the others are
// examples: their part that is as high, or below that what a gamma distribution
// with their mean, deviation and skewness says.
func upperTail(v []float64) float64 {
	if slices.Max(v)-slices.Min(v) < rounding {
		return 1
	}
	p := rank(v)
	mean, sd := moments(v[1:])
	if p > 0.05 || sd == 0 {
		return p
	}
	skew := 0.
	for _, t := range v[1:] {
		z := (t - mean) / sd
		skew += z * z * z / float64(len(v)-1)
	}
	skew = max(skew, 0.5) // rather too heavy a tail than too light a one
	shape := 4 / (skew * skew)
	return min(p, mathext.GammaIncRegComp(shape, max(0, shape+(v[0]-mean)/sd*math.Sqrt(shape))))
}

// rank is the part of the values that are at least as high as the first.
func rank(v []float64) float64 {
	count := 0
	for _, t := range v {
		if t >= v[0] {
			count++
		}
	}
	return float64(count) / float64(len(v))
}

// cauchy is the quantile of a Cauchy distribution that is exceeded with
// probability p, and 0 for one that is more likely than not: a statistic that
// sees nothing does not speak against those that do.
func cauchy(p float64) float64 {
	p = min(max(p, 1e-15), 0.5)
	return math.Tan((0.5 - p) * math.Pi)
}
