package ot

import "golang.org/x/sys/cpu"

// useAVX2 is a variable so that tests can compare both kernels.
var useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func maskAVX2(x8, y, u *float32, mask *byte, nblk, d, mode int, thr float32)

// masks sets bit l of mask[b] when source 8·(b0+b)+l has cost + price ≤ thr
// for the target y; len(mask) is a multiple of 4.
func (s *screen) masks(b0 int, y, u8 []float32, mask []byte, thr float32) {
	if !useAVX2 {
		s.masksGo(b0, y, u8, mask, thr)
		return
	}
	_, _, _ = s.x8[(b0+len(mask))*lanes*len(y)-1], u8[(b0+len(mask))*lanes-1], mask[0]
	maskAVX2(&s.x8[b0*lanes*len(y)], &y[0], &u8[b0*lanes], &mask[0], len(mask), len(y), s.mode, thr)
}
