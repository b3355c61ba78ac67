//go:build !amd64

package ot

// useAVX2, useAVX512 and useTiles are false where there is no assembly.
var useAVX2, useAVX512, useTiles = false, false, false

func (s *screen) masks(b0 int, y *target32, q *prices32, mask []byte, thr float32) {
	s.masksGo(b0, y, q, mask, thr)
}

// Nothing calls these where useAVX512 is false.
func dotTile512(*tileMasks) { panic("no AVX-512") }

func maxTile512(*tileMasks) { panic("no AVX-512") }

func diffTile512(*tileMasks) { panic("no AVX-512") }

func anyTile512(*uint64, *uint32, int) { panic("no AVX-512") }
