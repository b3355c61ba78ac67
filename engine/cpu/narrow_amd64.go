package cpu

import (
	"sync"
	"unsafe"

	xcpu "golang.org/x/sys/cpu"
)

//go:noescape
func blockAMX(t *narrowBlock)

//go:noescape
func pairsAVX512(dst unsafe.Pointer, lines *[narrowSize]unsafe.Pointer, off, n int)

// amx reports whether products of bfloat16 may use the tile registers, for which
// the system is asked once, and whether they come out right.
var amx = sync.OnceValue(func() bool {
	x := &xcpu.X86
	return avx512 && x.HasAVX512BW && x.HasAVX512VL && x.HasAMXTile && x.HasAMXBF16 && allowAMX() && sound(blockAMX)
})

// portableNarrow is for tests: products of bfloat16 as AMX does them, in Go.
var portableNarrow bool

// multipliesNarrow reports whether products of bfloat16 are computed as such.
func multipliesNarrow() bool { return portableNarrow || avx512 && amx() }

// multiplyBlock computes a block.
func multiplyBlock(t *narrowBlock) {
	if portableNarrow {
		blockGo(t)
	} else {
		blockAMX(t)
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
