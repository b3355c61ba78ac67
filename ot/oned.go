package ot

import (
	"context"
	"fmt"
	"math"
)

// OneDOptions tunes OneD. There is nothing to tune yet.
type OneDOptions struct{}

// OneD is plain optimal transport of points on a line, in closed form. For a
// cost that is convex in x − y (Euclidean, which is Cityblock in one dimension,
// and SqEuclidean) the monotone plan is optimal: sort both sides and match mass
// in order, O((m+n) log(m+n)) in all (docs/math.md §7.1).
//
// The potentials follow from F_i + G_j = C_ij along the staircase of matched
// pairs. Such a cost is a Monge array on sorted points,
//
//	C_ij + C_kl ≤ C_il + C_kj   for i < k, j < l,
//
// so that every staircase is an optimal basis for some weights (Hoffman 1963);
// hence F_i + G_j ≤ C_ij holds for all pairs without looking at them, and the
// gap is at rounding level.
//
// OneD returns ErrShape for points of another dimension or a given matrix, and
// ErrOption for Cosine.
func OneD(ctx context.Context, p *Problem, opts *OneDOptions) (*Result, error) {
	a, b, err := p.weights()
	if err != nil {
		return nil, err
	}
	c := p.Cost
	if c.dim != 1 {
		return nil, fmt.Errorf("ot: OneD wants points of dimension 1, got %v of dimension %d: %w", c.metric, c.dim, ErrShape)
	}
	if c.metric == Cosine {
		return nil, fmt.Errorf("ot: OneD has no closed form for %v: %w", c.metric, ErrOption)
	}
	rows, err := sortedOrder(ctx, c.x)
	if err != nil {
		return nil, err
	}
	cols, err := sortedOrder(ctx, c.y)
	if err != nil {
		return nil, err
	}
	r := &Result{
		Plan:  &Plan{I: make([]int32, 0, c.m+c.n), J: make([]int32, 0, c.m+c.n), Mass: make([]float64, 0, c.m+c.n)},
		A:     make([]float64, c.m),
		B:     make([]float64, c.n),
		F:     make([]float64, c.m),
		G:     make([]float64, c.n),
		BaseA: a, BaseB: b,
	}
	if err := staircase(ctx, c, rows, cols, r); err != nil {
		return nil, err
	}
	var lower sum
	for i, f := range r.F {
		lower.add(a[i] * f)
	}
	for j, g := range r.G {
		lower.add(b[j] * g)
	}
	r.Transport = r.Value
	r.Lower = math.Min(lower.total(), r.Value) // they differ by rounding only
	if math.IsInf(r.Value, 0) || math.IsNaN(r.Value) {
		return nil, fmt.Errorf("ot: costs overflow: %w", ErrValue)
	}
	return r, nil
}

// staircase matches mass in sorted order and fills in plan, marginals,
// potentials and Value.
func staircase(ctx context.Context, c *Cost, rows, cols []int32, r *Result) error {
	var value, f, g sum // f and g are potentials at the head of the stairs
	i, j := 0, 0
	g.add(c.At(int(rows[0]), int(cols[0])))
	r.G[cols[0]] = g.total()
	left, want := r.BaseA[rows[0]], r.BaseB[cols[0]]
	for step := 0; ; step++ {
		if step&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ri, cj := rows[i], cols[j]
		lastRow, lastCol := i == c.m-1, j == c.n-1
		down := lastCol || !lastRow && left <= want
		mass := min(left, want)
		switch { // the two sums may differ by rounding: the last of a side takes what is left
		case lastRow && lastCol:
			mass = max(left, want)
		case lastRow:
			mass = want
		case lastCol:
			mass = left
		}
		if mass > 0 {
			r.Plan.add(ri, cj, mass)
			r.A[ri] += mass
			r.B[cj] += mass
			value.add(mass * c.At(int(ri), int(cj)))
		}
		if lastRow && lastCol {
			r.Value = value.total()
			return nil
		}
		if down {
			i++
			left, want = r.BaseA[rows[i]], max(0, want-mass)
			f.add(increment(c.metric, c.x[ri], c.x[rows[i]], c.y[cj]))
			r.F[rows[i]] = f.total()
		} else {
			j++
			left, want = max(0, left-mass), r.BaseB[cols[j]]
			g.add(increment(c.metric, c.y[cj], c.y[cols[j]], c.x[ri]))
			r.G[cols[j]] = g.total()
		}
	}
}

// increment is c(t, z) − c(s, z) for s ≤ t, without the cancellation that the
// difference of two costs would suffer.
func increment(metric Metric, s, t, z float64) float64 {
	switch {
	case metric == SqEuclidean:
		return (t - s) * ((t - z) + (s - z))
	case z <= s:
		return t - s
	case z >= t:
		return s - t
	}
	return (t - z) - (z - s)
}

// sortedOrder is the permutation that sorts x: a radix sort, whose passes take
// milliseconds for a million points, so that cancellation is prompt.
func sortedOrder(ctx context.Context, x []float64) ([]int32, error) {
	type entry struct {
		key uint64
		i   int32
	}
	const digit = 11
	src, dst := make([]entry, len(x)), make([]entry, len(x))
	for i, v := range x {
		k := math.Float64bits(v)
		if k>>63 != 0 { // order of the bits = order of the numbers
			k = ^k
		} else {
			k |= 1 << 63
		}
		src[i] = entry{k, int32(i)}
	}
	for shift := 0; shift < 64; shift += digit {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var start [1 << digit]int
		for _, e := range src {
			start[e.key>>shift&(1<<digit-1)]++
		}
		sum := 0
		for d, count := range start {
			start[d] = sum
			sum += count
		}
		for _, e := range src {
			d := e.key >> shift & (1<<digit - 1)
			dst[start[d]] = e
			start[d]++
		}
		src, dst = dst, src
	}
	order := make([]int32, len(x))
	for k, e := range src {
		order[k] = e.i
	}
	return order, nil
}
