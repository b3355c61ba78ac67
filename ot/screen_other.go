//go:build !amd64

package ot

// useAVX2 is false where there is no assembly.
var useAVX2 = false

func (s *screen) masks(b0 int, y, u8 []float32, mask []byte, thr float32) {
	s.masksGo(b0, y, u8, mask, thr)
}
