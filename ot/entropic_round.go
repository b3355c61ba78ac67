package ot

import (
	"cmp"
	"context"
	"slices"
)

// rounded turns the plan of the potentials into one with exact marginals: rows
// and then columns that are too heavy are scaled down, and what is missing is
// filled in by a sparse plan between the deficits (north-west corner).
func (s *sinkhorn) rounded(ctx context.Context, keep bool) (*Result, error) {
	m, n := len(s.a), len(s.b)
	x, y := allOnes(m), allOnes(n)
	cost, mass := s.buf, blockRows(n)
	for _, c := range s.sums {
		clear(c)
	}
	err := eachRow(ctx, m, n, func(block, i int) {
		if s.a[i] == 0 {
			return
		}
		row := mass[block]
		sum := s.planRow(i, s.rows.row(i, cost[block]), row)
		if sum > s.a[i] {
			x[i] = s.a[i] / sum
		}
		addScaled(s.sums[block], row, x[i])
	})
	if err != nil {
		return nil, err
	}
	for j, b := range s.b {
		var sum float64
		for _, c := range s.sums {
			sum += c[j]
		}
		if sum > b {
			y[j] = b / sum
		}
	}

	r := &Result{A: make([]float64, m), B: make([]float64, n), BaseA: s.a, BaseB: s.b}
	least := 1e-9 / (float64(m) * float64(n))
	var plans [rowBlocks]Plan
	var transport [rowBlocks]sum
	for _, c := range s.sums {
		clear(c)
	}
	err = eachRow(ctx, m, n, func(block, i int) {
		if s.a[i] == 0 {
			return
		}
		c, row, col := s.rows.row(i, cost[block]), mass[block], s.sums[block]
		s.planRow(i, c, row)
		var all sum
		for j, v := range row {
			if v *= x[i] * y[j]; v < least {
				continue
			}
			all.add(v)
			transport[block].add(v * c[j])
			col[j] += v
			if keep {
				plans[block].add(int32(i), int32(j), v)
			}
		}
		r.A[i] = all.total()
	})
	if err != nil {
		return nil, err
	}
	for _, c := range s.sums {
		for j, v := range c {
			r.B[j] += v
		}
	}
	var value sum
	for _, t := range transport {
		value.add(t.total())
	}
	if keep {
		r.Plan = &Plan{}
		for _, p := range plans { // blocks in order: the plan is sorted by row, then column
			r.Plan.I = append(r.Plan.I, p.I...)
			r.Plan.J = append(r.Plan.J, p.J...)
			r.Plan.Mass = append(r.Plan.Mass, p.Mass...)
		}
	}
	s.fillDeficits(r, &value)
	r.Value = value.total()
	r.Transport = r.Value
	return r, nil
}

// planRow puts row i of the plan into dst and returns its sum.
func (s *sinkhorn) planRow(i int, cost, dst []float64) (sum float64) {
	inv := 1 / s.eps
	f, a := s.f[i], s.a[i]
	g, b, dst := s.g[:len(cost)], s.b[:len(cost)], dst[:len(cost)]
	for j, c := range cost {
		v := a * b[j] * fastExp(min((f+g[j]-c)*inv, 700))
		dst[j] = v
		sum += v
	}
	return sum
}

// fillDeficits matches the rows that lack mass with the columns that do.
func (s *sinkhorn) fillDeficits(r *Result, value *sum) {
	sorted := 0
	if r.Plan != nil {
		sorted = r.Plan.Len()
	}
	place := func(i, j int, mass float64) {
		r.A[i] += mass
		r.B[j] += mass
		value.add(mass * s.rows.c.At(i, j))
		if r.Plan == nil {
			return
		}
		lo, _ := slices.BinarySearch(r.Plan.I[:sorted], int32(i))
		hi, _ := slices.BinarySearch(r.Plan.I[:sorted], int32(i)+1)
		if k, ok := slices.BinarySearch(r.Plan.J[lo:hi], int32(j)); ok {
			r.Plan.Mass[lo+k] += mass
		} else {
			r.Plan.add(int32(i), int32(j), mass)
		}
	}
	// The heaviest come last: what rounding leaves over matters least there.
	rows, cols := byWeight(s.a), byWeight(s.b)
	next, j, want := 0, 0, 0.0
	for _, row := range rows {
		i := int(row)
		left := s.a[i] - r.A[i]
		for left > 0 {
			for want <= 0 && next < len(cols) {
				j = int(cols[next])
				next++
				want = s.b[j] - r.B[j]
			}
			if want <= 0 {
				return // what is left is rounding
			}
			mass := min(left, want)
			if max(left, want)-mass <= 1e-14*max(s.a[i], s.b[j]) { // rounding of the heavier one, which the lighter one must not pay for
				if mass = want; s.a[i] < s.b[j] {
					mass = left
				}
			}
			place(i, j, mass)
			left -= mass
			want -= mass
		}
	}
}

// byWeight are the indices of weights in rising order.
func byWeight(w []float64) []int32 {
	idx := upTo(len(w))
	slices.SortStableFunc(idx, func(i, j int32) int { return cmp.Compare(w[i], w[j]) })
	return idx
}
