package ot

import (
	"context"
	"math"
)

// kernelLimit is the number of entries up to which sinkhorn keeps its kernel
// (32 MiB); beyond it every pass computes costs and exponentials anew.
const kernelLimit = 1 << 22

// maxOmega caps the over-relaxation: above it the fast modes suffer.
const maxOmega = 1.99

// sinkhorn alternates between the potentials of
//
//	π_ij = a_i b_j exp((f_i + g_j − C_ij)/ε)
//
// until π has marginals a and b. A pass first makes all row sums right, in the
// log domain, then corrects the columns; it needs each entry of the kernel once.
// With room for the kernel, passes in between work on its scaled entries and
// cost two multiply-adds an entry.
type sinkhorn struct {
	rows *costRows
	a, b []float64
	eps  float64
	f, g []float64

	kernel []float64 // m×n: b_j exp((f_i + g_j − C_ij)/ε), rows normalized; nil if too large
	u, v   []float64 // scalings of its rows and columns; v = 1 without kernel
	stale  bool      // the kernel has to be built again

	omega   float64   // over-relaxation, 1 for none
	history []float64 // errors since omega was last changed

	buf, sums [rowBlocks][]float64
	col       []float64 // column sums of the last pass
	off       []float64 // row sums of the last pass relative to a, before correction
}

func newSinkhorn(rows *costRows, a, b []float64) *sinkhorn {
	m, n := rows.c.Dims()
	s := &sinkhorn{rows: rows, a: a, b: b, f: make([]float64, m), g: make([]float64, n),
		u: allOnes(m), v: allOnes(n), buf: blockRows(n), sums: blockRows(n), col: make([]float64, n), off: allOnes(m), stale: true, omega: 1}
	if m*n <= kernelLimit {
		s.kernel = make([]float64, m*n)
	}
	return s
}

// anneal changes ε and keeps the potentials.
func (s *sinkhorn) anneal(eps float64) {
	s.absorb()
	s.eps = eps
	s.omega, s.history = 1, s.history[:0]
}

// absorb moves the scalings into the potentials.
func (s *sinkhorn) absorb() {
	for i, u := range s.u {
		s.f[i] += s.eps * math.Log(u)
		s.u[i] = 1
	}
	for j, v := range s.v {
		s.g[j] += s.eps * math.Log(v)
		s.v[j] = 1
	}
	s.stale = true
}

// pass corrects all rows, then all columns, and returns how far the row and
// column sums were from a and b in L1 norm when their turn came.
func (s *sinkhorn) pass(ctx context.Context) (miss float64, err error) {
	for _, c := range s.sums {
		clear(c)
	}
	if s.stale {
		err = s.rebuild(ctx)
	} else {
		err = s.scale(ctx)
	}
	if err != nil {
		return 0, err
	}
	clear(s.col)
	for _, c := range s.sums {
		for j, v := range c {
			s.col[j] += v
		}
	}
	var total sum
	for i, a := range s.a {
		total.add(a * math.Abs(s.off[i]-1))
	}
	var lost []int
	low, high := math.Inf(1), 0.0
	for j, b := range s.b {
		if b == 0 {
			continue
		}
		total.add(math.Abs(s.v[j]*s.col[j] - b))
		if s.col[j] < 1e-280 { // too far from everything for the linear domain
			lost = append(lost, j)
			continue
		}
		s.v[j] = b / s.col[j] * s.overshoot(s.v[j]*s.col[j]/b)
		low, high = min(low, s.v[j]), max(high, s.v[j])
	}
	// Scalings that wander off would cost precision.
	if s.kernel == nil || len(lost) > 0 || low < 1e-50 || high > 1e50 {
		s.absorb()
		s.rescue(lost)
	}
	s.adapt(total.total())
	return total.total(), nil
}

// overshoot is the extra factor of a scaling whose sum is theta times what it
// should be: theta^(1−ω), or 1 where that would not raise the dual objective
// (Thibault, Chizat, Dossal & Papadakis 2021).
func (s *sinkhorn) overshoot(theta float64) float64 {
	if s.omega == 1 || !(theta > 0.1 && theta < 10) {
		return 1
	}
	l := math.Log(theta)
	extra := math.Exp((1 - s.omega) * l)
	if theta-extra-s.omega*l < 0 {
		return 1
	}
	return extra
}

// adapt sets the over-relaxation from the observed rate of convergence, by the
// relation between the two in the theory of linear over-relaxation (Hageman &
// Young 1981): a rate λ at ω means a rate μ² = (λ+ω−1)²/(ω²λ) at 1, for which
// ω = 2/(1+√(1−μ²)) is best.
func (s *sinkhorn) adapt(miss float64) {
	const window = 20
	s.history = append(s.history, miss)
	k := len(s.history)
	if k < window {
		return
	}
	rate := math.Pow(s.history[k-1]/s.history[k-window/2-1], 2.0/window)
	switch {
	case rate > 1.1 && s.omega > 1: // overdone
		s.omega, s.history = 1, s.history[:0]
	case rate < 1 && rate > s.omega-1:
		mu2 := (rate + s.omega - 1) * (rate + s.omega - 1) / (s.omega * s.omega * rate)
		if mu2 < 1 {
			s.omega, s.history = min(2/(1+math.Sqrt(1-mu2)), maxOmega), s.history[:0]
		}
	case k >= 3*window:
		s.history = s.history[:0]
	}
}

// rebuild normalizes every row of the kernel in the log domain.
func (s *sinkhorn) rebuild(ctx context.Context) error {
	n := len(s.b)
	inv := 1 / s.eps
	err := eachRow(ctx, len(s.a), n, func(block, i int) {
		dst := s.buf[block]
		if s.kernel != nil {
			dst = s.kernel[i*n : (i+1)*n]
		}
		if s.a[i] == 0 {
			clear(dst)
			return
		}
		c := s.rows.row(i, s.buf[block])
		g, b, dst := s.g[:len(c)], s.b[:len(c)], dst[:len(c)]
		top := math.Inf(-1)
		for j, v := range c {
			z := (g[j] - v) * inv
			dst[j] = z
			if z > top && b[j] > 0 {
				top = z
			}
		}
		var sum float64
		for j, z := range dst {
			e := b[j] * fastExp(min(z-top, 0))
			dst[j] = e
			sum += e
		}
		f := -s.eps * (top + math.Log(sum))
		s.off[i] = fastExp(min((s.f[i]-f)*inv, 50))
		norm := 1 / sum
		s.f[i] = f
		for j := range dst {
			dst[j] *= norm
		}
		s.u[i] = s.overshoot(s.off[i])
		addScaled(s.sums[block], dst, s.a[i]*s.u[i])
	})
	s.stale = s.kernel == nil
	return err
}

// scale is a pass over a kernel that is already there.
func (s *sinkhorn) scale(ctx context.Context) error {
	n := len(s.b)
	return eachRow(ctx, len(s.a), n/4, func(block, i int) {
		if s.a[i] == 0 {
			return
		}
		k := s.kernel[i*n : (i+1)*n]
		sum := product(k, s.v)
		s.off[i] = s.u[i] * sum
		s.u[i] = s.overshoot(s.off[i]) / sum
		addScaled(s.sums[block], k, s.a[i]*s.u[i])
	})
}

// rescue sets the potentials of columns whose sums underflowed, from the
// potentials of the rows.
func (s *sinkhorn) rescue(lost []int) {
	for _, j := range lost {
		top := math.Inf(-1)
		for i, a := range s.a {
			if a > 0 {
				top = max(top, (s.f[i]-s.rows.c.At(i, j))/s.eps)
			}
		}
		var sum float64
		for i, a := range s.a {
			if a > 0 {
				sum += a * fastExp(min((s.f[i]-s.rows.c.At(i, j))/s.eps-top, 0))
			}
		}
		s.g[j] = -s.eps * (top + math.Log(sum))
	}
}

// product is Σ x_j y_j.
func product(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for j, v := range x {
		s0 += v * y[j]
	}
	return s0 + s1 + (s2 + s3)
}

// addScaled adds t·x to dst.
func addScaled(dst, x []float64, t float64) {
	x = x[:len(dst)]
	for len(dst) >= 4 && len(x) >= 4 {
		dst[0] += t * x[0]
		dst[1] += t * x[1]
		dst[2] += t * x[2]
		dst[3] += t * x[3]
		dst, x = dst[4:], x[4:]
	}
	for j, v := range x {
		dst[j] += t * v
	}
}
