package ot

import (
	"context"
	"math"
)

// targetTransform is G_j = min_i (C_ij − f_i) over the sources with w_i > 0.
func (r *costRows) targetTransform(ctx context.Context, f, w []float64) ([]float64, error) {
	m, n := r.c.Dims()
	buf, low := blockRows(n), blockRows(n)
	for _, l := range low {
		fillWith(l, math.Inf(1))
	}
	err := eachRow(ctx, m, n, func(b, i int) {
		if w[i] == 0 {
			return
		}
		c, l, fi := r.row(i, buf[b]), low[b], f[i]
		c = c[:len(l)]
		for j := range l {
			if v := c[j] - fi; v < l[j] {
				l[j] = v
			}
		}
	})
	g := low[0]
	for _, l := range low[1:] {
		for j, v := range l {
			g[j] = math.Min(g[j], v)
		}
	}
	return g, err
}

// sourceTransform is F_i = min_j (C_ij − g_j) over the targets with w_j > 0.
func (r *costRows) sourceTransform(ctx context.Context, g, w []float64) ([]float64, error) {
	m, n := r.c.Dims()
	buf := blockRows(n)
	masked := make([]float64, n)
	for j := range masked {
		masked[j] = g[j]
		if w[j] == 0 {
			masked[j] = math.Inf(-1)
		}
	}
	f := make([]float64, m)
	err := eachRow(ctx, m, n, func(b, i int) {
		c := r.row(i, buf[b])
		g := masked[:len(c)]
		low := math.Inf(1)
		for j := range c {
			if v := c[j] - g[j]; v < low {
				low = v
			}
		}
		f[i] = low
	})
	return f, err
}

// feasiblePair turns any potential f of the sources into a pair with
// F_i + G_j ≤ C_ij for all i and j: first the best G for f, then the best F for
// G. Points of weight zero do not weaken the pair.
func (r *costRows) feasiblePair(ctx context.Context, f, a, b []float64) (F, G []float64, err error) {
	if G, err = r.targetTransform(ctx, f, a); err != nil {
		return nil, nil, err
	}
	if F, err = r.sourceTransform(ctx, G, b); err != nil {
		return nil, nil, err
	}
	for i, v := range f {
		if a[i] > 0 { // F ≥ f but for the rounding of C_ij − (C_ij − f_i), which is large where C_ij is
			F[i] = math.Max(F[i], v)
		}
	}
	return F, G, r.release(ctx, F, G, b)
}

// release sets the potentials of targets without weight, which give way to all
// others.
func (r *costRows) release(ctx context.Context, f, g, b []float64) error {
	free := false
	for _, v := range b {
		free = free || v == 0
	}
	if !free {
		return nil
	}
	all, err := r.targetTransform(ctx, f, allOnes(len(f)))
	for j, v := range b {
		if v == 0 && err == nil {
			g[j] = all[j]
		}
	}
	return err
}

// repair makes potentials f and g that are feasible but for rounding feasible,
// and better where it can. The larger potential of a pair gives way: it has the
// larger rounding error, and lowering the smaller one by that would hurt.
// Points without weight come with potential −∞.
func (r *costRows) repair(ctx context.Context, f, g, b []float64) (F, G []float64, err error) {
	m, n := r.c.Dims()
	buf, low := blockRows(n), blockRows(n)
	for k := range low {
		copy(low[k], g)
	}
	F = make([]float64, m)
	err = eachRow(ctx, m, n, func(k, i int) {
		c, l := r.row(i, buf[k]), low[k]
		fi, size := f[i], math.Abs(f[i])
		for j, v := range c {
			if math.Abs(g[j]) <= size {
				fi = min(fi, v-g[j])
			}
		}
		F[i] = fi
		for j, v := range c {
			if math.Abs(g[j]) > size {
				l[j] = min(l[j], v-fi)
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	G = low[0]
	for _, l := range low[1:] {
		for j, v := range l {
			G[j] = min(G[j], v)
		}
	}
	better, err := r.sourceTransform(ctx, G, b)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range better {
		F[i] = max(F[i], v)
	}
	return F, G, r.release(ctx, F, G, b)
}
