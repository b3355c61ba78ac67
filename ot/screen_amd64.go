package ot

import "golang.org/x/sys/cpu"

// useAVX2, useAVX512 and useTiles, which is for the targets of a tile together,
// are variables so that tests can compare the kernels.
var (
	useAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	useAVX512 = useAVX2 && cpu.X86.HasAVX512F
	useTiles  = useAVX512
)

//go:noescape
func maskAVX2(x, y, u *float32, mask *byte, nblk, d, mode int, thr float32)

//go:noescape
func dotAVX2(x, y, base, u *float32, mask *byte, nblk, d, mode int, thr, norm float32)

//go:noescape
func mask512(x, y, u *float32, mask *byte, nblk, d, mode int, thr float32)

//go:noescape
func dot512(x, y, base, u *float32, mask *byte, nblk, d, mode int, thr, norm float32)

//go:noescape
func dotTile512(a *tileMasks)

//go:noescape
func maxTile512(a *tileMasks)

//go:noescape
func diffTile512(a *tileMasks)

//go:noescape
func anyTile512(mask *uint64, some *uint32, units int)

// masks sets bit l of mask[b] when source 8·(b0+b)+l has cost + price ≤ thr
// for the target y; len(mask) is a multiple of 4.
func (s *screen) masks(b0 int, y *target32, q *prices32, mask []byte, thr float32) {
	if !useAVX2 || s.single != nil {
		s.masksGo(b0, y, q, mask, thr)
		return
	}
	d, from, to := len(y.y), b0*lanes, (b0+len(mask))*lanes
	x, u := s.x[from*d:to*d], q.u[from:to]
	diff, dot := maskAVX2, dotAVX2
	if s.group == 2*lanes {
		diff, dot = mask512, dot512
	}
	switch {
	case !s.dot || len(mask)%8 != 0: // smaller errors than the threshold allows for
		diff(&x[0], &y.y[0], &u[0], &mask[0], len(mask), d, s.mode, thr)
	case s.mode == modeSquare:
		dot(&x[0], &y.minus2[0], &q.base[from], &u[0], &mask[0], len(mask), d, s.mode, thr-y.square, y.square)
	default:
		dot(&x[0], &y.minus2[0], &s.squares[from], &u[0], &mask[0], len(mask), d, s.mode, thr, y.square)
	}
}
