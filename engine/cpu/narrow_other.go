//go:build !amd64

package cpu

import "unsafe"

// hasNarrow reports that the processor has no kernel.
func hasNarrow(narrowKernel) bool { return false }

func multiplyBlock(t *narrowBlock) { blockGo(t) }

func pairs(dst unsafe.Pointer, lines *[narrowSize]unsafe.Pointer, off, n int) {
	pairsGo(dst, lines, off, n)
}

func squares(dst, src unsafe.Pointer, count, step int) { squaresGo(dst, src, count, step) }
