//go:build !amd64

package cpu

import (
	"unsafe"

	"github.com/gomlx/compute"
)

// Instructions names what the kernels are written for: "AVX2", "AVX-512", or
// "portable code" where there is no assembly for the processor.
func Instructions() string { return "portable code" }

// Kernels names the order in which sums are taken and how they are rounded: where
// it is the same, so are the bits of all results, on any number of cores.
func Kernels() string { return portableKernels }

func tiles32() tiles[float32] { return goTiles32() }

func sum32(dst, x unsafe.Pointer, n int) { sum[float32](dst, x, n) }

func vectorKernel(compute.OpType) kernel { return nil }

func vectorSelect(compute.OpType) kernel { return nil }

func moveRows(dst, src unsafe.Pointer, rows, n, dstStep, srcStep int) {
	moveRowsGo(dst, src, rows, n, dstStep, srcStep)
}

func roundMany(dst, src unsafe.Pointer, n int) int { return 0 }

func narrowMany(dst, src unsafe.Pointer, n int) int { return 0 }

func widenMany(dst, src unsafe.Pointer, n int) int { return 0 }
