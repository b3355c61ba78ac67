//go:build !amd64

package ot

// useAVX2 is false where there is no assembly.
var useAVX2 = false

func (s *screen) masks(b0 int, y *target32, q *prices32, mask []byte, thr float32) {
	s.masksGo(b0, y, q, mask, thr)
}
