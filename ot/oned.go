package ot

import (
	"context"
	"fmt"
	"math"

	"rot.example/rot/chisq"
)

// OneDOptions tunes OneD. The zero value is ready to use.
type OneDOptions struct {
	Tol float64 // relative duality gap; 0 means 1e-9
}

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
// gap is at rounding level. Masses and potentials are added up in twice the
// precision of float64, so that rounding does not add up with them.
//
// OneD returns ErrShape for points of another dimension or a given matrix,
// ErrOption for Cosine, and a *ConvergenceError with its Result where rounding
// keeps the gap above Tol.
func OneD(ctx context.Context, p *Problem, opts *OneDOptions) (*Result, error) {
	var o OneDOptions
	if opts != nil {
		o = *opts
	}
	tol, err := tolerance(o.Tol, 0)
	if err != nil {
		return nil, err
	}
	return p.inUnits(func(s *scaledProblem) (*Result, error) { return oneD(ctx, s.Problem, tol) })
}

// oneD is OneD on costs of ordinary size.
func oneD(ctx context.Context, p *Problem, tol float64) (*Result, error) {
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	c := p.Cost
	if c.dim != 1 {
		return nil, fmt.Errorf("ot: OneD wants points of dimension 1, got %v of dimension %d: %w", c.metric, c.dim, ErrShape)
	}
	if c.metric == Cosine || c.most > 0 {
		return nil, fmt.Errorf("ot: OneD has no closed form for %v costs, truncated at %v: %w", c.metric, c.most, ErrOption)
	}
	s := &staircase{c: c, a: a, b: b, f: make([]dd, c.m), g: make([]dd, c.n)}
	if s.rows, err = sortedOrder(ctx, c.x); err != nil {
		return nil, err
	}
	if s.cols, err = sortedOrder(ctx, c.y); err != nil {
		return nil, err
	}
	if err := s.match(ctx); err != nil {
		return nil, err
	}
	r := &Result{Plan: &s.plan, BaseA: a.hi, BaseB: b.hi, F: make([]float64, c.m), G: make([]float64, c.n)}
	s.potentials(r.F, r.G)
	r.priceOf(c)
	proof := newDualProof(c, r.F, r.G, r.Value, a, b, chisq.Ball{}, chisq.Ball{})
	r.Lower = math.Min(proof.bound.floor(), r.Value)
	r.neverNegative(c)
	if math.IsInf(r.Value, 0) || math.IsNaN(r.Value) {
		return nil, fmt.Errorf("ot: costs overflow: %w", ErrValue)
	}
	if !r.within(tol, 0) && float64(c.m)*float64(c.n) <= refineLimit {
		// Near copies far from 0: the potentials along the stairs are too large.
		fine, err := exact(ctx, p, tol, newWatch("sorting", 0, nil))
		if fine == nil {
			return r, err
		}
		r.take(fine)
		if r.within(tol, 0) {
			return r, nil
		}
		return r, err
	}
	if !r.within(tol, proof.noise) {
		return r, &ConvergenceError{Solver: "sorting", Gap: r.RelGap(), Tol: tol}
	}
	return r, nil
}

// A staircase matches mass in sorted order.
type staircase struct {
	c          *Cost
	a, b       weights
	rows, cols []int32
	plan       Plan
	down       []bool // of every step: to the next row, else to the next column
	f, g       []dd   // potentials
}

// match fills in the plan and the steps. Rows without weight take part in the
// stairs, which gives them a potential, but never in the plan.
func (s *staircase) match(ctx context.Context) error {
	m, n := len(s.rows), len(s.cols)
	s.down = make([]bool, 0, m+n)
	i, j := 0, 0
	left, want := s.a.at(int(s.rows[0])), s.b.at(int(s.cols[0]))
	for {
		if len(s.down)&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ri, cj := s.rows[i], s.cols[j]
		mass, down := left, !want.less(left)
		if !down {
			mass = want
		}
		if mass.hi > 1e-15*math.Min(s.a.hi[ri], s.b.hi[cj]) { // less is what rounding left over
			s.plan.add(ri, cj, mass.hi)
		}
		if i == m-1 && j == n-1 {
			return nil
		}
		down = j == n-1 || down && i < m-1
		s.down = append(s.down, down)
		if down {
			i++
			left, want = s.a.at(int(s.rows[i])), want.minus(mass)
		} else {
			j++
			left, want = left.minus(mass), s.b.at(int(s.cols[j]))
		}
	}
}

// potentials fills in f and g, from the median by weight outwards: numbers only
// grow that way, and far points at an end cost the others no digits.
func (s *staircase) potentials(f, g []float64) {
	c := s.c
	middle, below := 0, 0.0
	for i, row := range s.rows {
		if below += s.a.hi[row]; below >= 0.5 {
			middle = i
			break
		}
	}
	start, i0, j0 := 0, 0, 0 // the first step in that row
	for ; i0 < middle; start++ {
		if s.down[start] {
			i0++
		} else {
			j0++
		}
	}
	s.g[s.cols[j0]] = exactCost(c.metric, c.x[s.rows[i0]], c.y[s.cols[j0]])
	i, j := i0, j0
	for _, down := range s.down[start:] {
		if down {
			i++
			s.f[s.rows[i]] = s.f[s.rows[i-1]].plus(increment(c.metric, c.x[s.rows[i-1]], c.x[s.rows[i]], c.y[s.cols[j]]))
		} else {
			j++
			s.g[s.cols[j]] = s.g[s.cols[j-1]].plus(increment(c.metric, c.y[s.cols[j-1]], c.y[s.cols[j]], c.x[s.rows[i]]))
		}
	}
	i, j = i0, j0
	for k := start - 1; k >= 0; k-- {
		if s.down[k] {
			i--
			s.f[s.rows[i]] = s.f[s.rows[i+1]].minus(increment(c.metric, c.x[s.rows[i]], c.x[s.rows[i+1]], c.y[s.cols[j]]))
		} else {
			j--
			s.g[s.cols[j]] = s.g[s.cols[j+1]].minus(increment(c.metric, c.y[s.cols[j]], c.y[s.cols[j+1]], c.x[s.rows[i]]))
		}
	}
	for i, v := range s.f {
		f[i] = down(v.float())
	}
	for j, v := range s.g {
		g[j] = down(v.float())
	}
}

// exactCost is a cost in twice the precision.
func exactCost(metric Metric, x, y float64) dd {
	d := exactDifference(x, y)
	switch {
	case metric == SqEuclidean:
		return d.mul(d)
	case d.hi < 0:
		return dd{}.minus(d)
	}
	return d
}

// increment is c(t, z) − c(s, z) for s ≤ t, without the cancellation that the
// difference of two costs would suffer.
func increment(metric Metric, s, t, z float64) dd {
	switch {
	case metric == SqEuclidean:
		return exactDifference(t, s).mul(exactDifference(t, z).plus(exactDifference(s, z)))
	case z <= s:
		return exactDifference(t, s)
	case z >= t:
		return exactDifference(s, t)
	}
	return exactDifference(t, z).minus(exactDifference(z, s))
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
