package ot

import "golang.org/x/sys/cpu"

// useAVX2 is a variable so that tests can compare both kernels.
var useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func maskAVX2(x8, y, u *float32, mask *byte, nblk, d, mode int, thr float32)

//go:noescape
func dotAVX2(x8, y, base, u *float32, mask *byte, nblk, d, mode int, thr, norm float32)

// masks sets bit l of mask[b] when source 8·(b0+b)+l has cost + price ≤ thr
// for the target y; len(mask) is a multiple of 4.
func (s *screen) masks(b0 int, y *target32, q *prices32, mask []byte, thr float32) {
	if !useAVX2 {
		s.masksGo(b0, y, q, mask, thr)
		return
	}
	d, from, to := len(y.y), b0*lanes, (b0+len(mask))*lanes
	_, _, _ = s.x8[to*d-1], q.u[to-1], mask[0]
	switch {
	case !s.dot || len(mask)%8 != 0: // smaller errors than the threshold allows for
		maskAVX2(&s.x8[from*d], &y.y[0], &q.u[from], &mask[0], len(mask), d, s.mode, thr)
	case s.mode == modeSquare:
		dotAVX2(&s.x8[from*d], &y.minus2[0], &q.base[from], &q.u[from], &mask[0], len(mask), d, s.mode, thr-y.square, y.square)
	default:
		dotAVX2(&s.x8[from*d], &y.minus2[0], &s.squares[from], &q.u[from], &mask[0], len(mask), d, s.mode, thr, y.square)
	}
}
