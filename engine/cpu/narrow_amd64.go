package cpu

import (
	"unsafe"

	xcpu "golang.org/x/sys/cpu"
)

//go:noescape
func blockAMX(t *narrowBlock)

//go:noescape
func blockAVX512(t *narrowBlock)

//go:noescape
func pairsAVX512(dst unsafe.Pointer, lines *[narrowSize]unsafe.Pointer, off, n int)

// hasNarrow reports whether the processor has a kernel and it comes out right. For
// the tile registers of AMX the system is asked.
func hasNarrow(k narrowKernel) bool {
	x := &xcpu.X86
	if !avx512 || !x.HasAVX512BW || !x.HasAVX512VL {
		return false
	}
	switch k {
	case narrowAMX:
		return x.HasAMXTile && x.HasAMXBF16 && allowAMX() && sound(blockAMX)
	case narrowAVX512:
		return x.HasAVX512BF16 && sound(blockAVX512)
	}
	return false
}

// multiplyBlock computes a block.
func multiplyBlock(t *narrowBlock) {
	switch narrowBy() {
	case narrowAMX:
		blockAMX(t)
	case narrowAVX512:
		blockAVX512(t)
	default:
		blockGo(t)
	}
}

// pairs is pairsGo, faster.
func pairs(dst unsafe.Pointer, lines *[narrowSize]unsafe.Pointer, off, n int) {
	if avx512 {
		pairsAVX512(dst, lines, off, n)
	} else {
		pairsGo(dst, lines, off, n)
	}
}

// squares is squaresGo, faster.
func squares(dst, src unsafe.Pointer, count, step int) {
	if avx512 {
		packSquaresAVX512(dst, src, count, step)
	} else {
		squaresGo(dst, src, count, step)
	}
}
