package cpu

import "unsafe"

//go:noescape
func roundAVX2(dst, src unsafe.Pointer, n int)

//go:noescape
func narrowAVX2(dst, src unsafe.Pointer, n int)

//go:noescape
func widenAVX2(dst, src unsafe.Pointer, n int)

// roundMany, narrowMany and widenMany do what roundToBfloat, storeBfloat and
// loadBfloat do, with the first of n numbers. They return how many these are.
func roundMany(dst, src unsafe.Pointer, n int) int {
	if n &^= 15; !avx2 || n == 0 {
		return 0
	}
	roundAVX2(dst, src, n)
	return n
}

func narrowMany(dst, src unsafe.Pointer, n int) int {
	if n &^= 15; !avx2 || n == 0 {
		return 0
	}
	narrowAVX2(dst, src, n)
	return n
}

func widenMany(dst, src unsafe.Pointer, n int) int {
	if n &^= 15; !avx2 || n == 0 {
		return 0
	}
	widenAVX2(dst, src, n)
	return n
}
