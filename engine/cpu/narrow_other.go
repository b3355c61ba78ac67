//go:build !amd64

package cpu

import "unsafe"

// multipliesNarrow reports whether products of bfloat16 are computed as such.
func multipliesNarrow() bool { return portableNarrow }

// portableNarrow is for tests: products of bfloat16 as AMX does them, in Go.
var portableNarrow bool

func multiplyBlock(t *narrowBlock) { blockGo(t) }

func pairs(dst unsafe.Pointer, lines *[narrowSize]unsafe.Pointer, off, n int) {
	pairsGo(dst, lines, off, n)
}

func squares(dst, src unsafe.Pointer, count, step int) { squaresGo(dst, src, count, step) }
