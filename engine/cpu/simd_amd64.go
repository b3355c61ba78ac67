package cpu

import (
	"unsafe"

	"github.com/gomlx/compute"
	xcpu "golang.org/x/sys/cpu"
)

// avx2 says that the processor has the instructions of the assembly, and avx512
// that it has those of the larger tiles' faster kernels too.
var (
	avx2   = xcpu.X86.HasAVX2 && xcpu.X86.HasFMA
	avx512 = avx2 && xcpu.X86.HasAVX512F
)

// Instructions names what the kernels are written for: "AVX2", "AVX-512", or
// "portable code" where there is no assembly for the processor.
func Instructions() string {
	switch {
	case avx512:
		return "AVX-512"
	case avx2:
		return "AVX2"
	}
	return "portable code"
}

// Kernels names the order in which sums are taken and how they are rounded: where
// it is the same, so are the bits of all results, on any number of cores. AVX2 and
// AVX-512 have the same.
func Kernels() string {
	if avx2 {
		return "vector kernels 1"
	}
	return portableKernels
}

//go:noescape
func rowsAVX2(t *tile)

//go:noescape
func colsAVX2(t *tile)

//go:noescape
func dotAVX2(t *tile, out *[dotRows * dotCols]float32)

//go:noescape
func edgeAVX2(t *tile, out *[edgeSize]float32)

//go:noescape
func edgeAVX512(t *tile, out *[edgeSize]float32)

//go:noescape
func rowsAVX512(t *tile)

//go:noescape
func colsAVX512(t *tile)

//go:noescape
func rowsTwoAVX512(t *tile)

//go:noescape
func rowsThreeAVX512(t *tile)

//go:noescape
func rowsFourAVX512(t *tile)

//go:noescape
func colsTwoAVX512(t *tile)

//go:noescape
func colsThreeAVX512(t *tile)

//go:noescape
func colsFourAVX512(t *tile)

//go:noescape
func rowsTwoHalfAVX512(t *tile)

//go:noescape
func colsTwoHalfAVX512(t *tile)

//go:noescape
func colsFourHalfAVX512(t *tile)

//go:noescape
func packRowsAVX512(dst, src unsafe.Pointer, rows, n, srcStep int)

//go:noescape
func packSquaresAVX512(dst, src unsafe.Pointer, count, srcStep int)

var (
	avx2Tiles   = tiles[float32]{rowsAVX2, colsAVX2, dotAVX2, edgeAVX2, packAVX2, 1, edgeRows}
	avx512Tiles = tiles[float32]{rowsPanels, colsPanels, dotAVX2, edgeAVX512, packAVX512, 4, 2 * edgeRows}
)

// halfPanel reports whether half a register holds the columns of a tile's last
// panel, and the processor computes with the upper ones of these.
func halfPanel(t *tile) bool {
	return t.cols-(t.panels-1)*tileCols <= tileCols/2 && xcpu.X86.HasAVX512VL
}

// rowsPanels computes as many panels at once as the tile has.
func rowsPanels(t *tile) {
	switch t.panels {
	case 4:
		rowsFourAVX512(t)
	case 3:
		rowsThreeAVX512(t)
	case 2:
		if halfPanel(t) {
			rowsTwoHalfAVX512(t)
		} else {
			rowsTwoAVX512(t)
		}
	default:
		rowsAVX512(t)
	}
}

// colsPanels does the same where columns of the left side lie together.
func colsPanels(t *tile) {
	switch t.panels {
	case 4:
		if halfPanel(t) {
			colsFourHalfAVX512(t)
		} else {
			colsFourAVX512(t)
		}
	case 3:
		colsThreeAVX512(t)
	case 2:
		if halfPanel(t) {
			colsTwoHalfAVX512(t)
		} else {
			colsTwoAVX512(t)
		}
	default:
		colsAVX512(t)
	}
}

func packAVX2(dst []float32, src unsafe.Pointer, sk, sj, m, n int) {
	if n == tileCols && sj == 1 && m > 0 {
		moveRowsAVX2(unsafe.Pointer(&dst[0]), src, m, n, 4*tileCols, 4*sk)
	} else {
		packCols(dst, src, sk, sj, m, n)
	}
}

func packAVX512(dst []float32, src unsafe.Pointer, sk, sj, m, n int) {
	switch whole := m / tileCols; {
	case m == 0:
	case sj == 1:
		packRowsAVX512(unsafe.Pointer(&dst[0]), src, m, n, 4*sk)
	case sk == 1 && n == tileCols && whole > 0:
		packSquaresAVX512(unsafe.Pointer(&dst[0]), src, whole, 4*sj)
		if at := whole * tileCols; at < m {
			packCols(dst[at*tileCols:], unsafe.Add(src, 4*at), sk, sj, m-at, n)
		}
	default:
		packCols(dst, src, sk, sj, m, n)
	}
}

// tiles32 are the fastest kernels here.
func tiles32() tiles[float32] {
	switch {
	case avx512:
		return avx512Tiles
	case avx2:
		return avx2Tiles
	}
	return goTiles32()
}

//go:noescape
func addAVX2(o *operands, n int)

//go:noescape
func subAVX2(o *operands, n int)

//go:noescape
func mulAVX2(o *operands, n int)

//go:noescape
func addAVX512(o *operands, n int)

//go:noescape
func subAVX512(o *operands, n int)

//go:noescape
func mulAVX512(o *operands, n int)

//go:noescape
func divAVX2(o *operands, n int)

//go:noescape
func maxAVX2(o *operands, n int)

//go:noescape
func minAVX2(o *operands, n int)

//go:noescape
func negAVX2(o *operands, n int)

//go:noescape
func absAVX2(o *operands, n int)

//go:noescape
func signAVX2(o *operands, n int)

//go:noescape
func sqrtAVX2(o *operands, n int)

//go:noescape
func rsqrtAVX2(o *operands, n int)

//go:noescape
func expAVX2(o *operands, n int)

//go:noescape
func tanhAVX2(o *operands, n int)

//go:noescape
func logAVX2(o *operands, n int)

//go:noescape
func selectEqualAVX2(o *operands, n int)

//go:noescape
func selectNotEqualAVX2(o *operands, n int)

//go:noescape
func selectLessAVX2(o *operands, n int)

//go:noescape
func selectLessOrEqualAVX2(o *operands, n int)

//go:noescape
func selectGreaterAVX2(o *operands, n int)

//go:noescape
func selectGreaterOrEqualAVX2(o *operands, n int)

//go:noescape
func sumAVX2(dst, x unsafe.Pointer, n int)

//go:noescape
func moveRowsAVX2(dst, src unsafe.Pointer, rows, n, dstStep, srcStep int)

// moveRows is moveRowsGo for rows of any length that is not 0.
func moveRows(dst, src unsafe.Pointer, rows, n, dstStep, srcStep int) {
	if avx2 && n <= longRow {
		moveRowsAVX2(dst, src, rows, n, dstStep, srcStep)
	} else {
		moveRowsGo(dst, src, rows, n, dstStep, srcStep)
	}
}

// longRow is the length from which on copy is as fast as a loop of our own.
const longRow = 256

// vectorKernels are the kernels in assembly, on float32.
var vectorKernels = map[compute.OpType]kernel{
	compute.OpTypeAdd:   addAVX2,
	compute.OpTypeSub:   subAVX2,
	compute.OpTypeMul:   mulAVX2,
	compute.OpTypeDiv:   divAVX2,
	compute.OpTypeMax:   maxAVX2,
	compute.OpTypeMin:   minAVX2,
	compute.OpTypeNeg:   negAVX2,
	compute.OpTypeAbs:   absAVX2,
	compute.OpTypeSign:  signAVX2,
	compute.OpTypeSqrt:  sqrtAVX2,
	compute.OpTypeRsqrt: rsqrtAVX2,
	compute.OpTypeExp:   expAVX2,
	compute.OpTypeTanh:  tanhAVX2,
	compute.OpTypeLog:   logAVX2,
}

// wideKernels are those with AVX-512, for what is limited by loads and stores.
var wideKernels = map[compute.OpType]kernel{
	compute.OpTypeAdd: addAVX512,
	compute.OpTypeSub: subAVX512,
	compute.OpTypeMul: mulAVX512,
}

// vectorSelects are those of Where with a comparison.
var vectorSelects = map[compute.OpType]kernel{
	compute.OpTypeEqual:          selectEqualAVX2,
	compute.OpTypeNotEqual:       selectNotEqualAVX2,
	compute.OpTypeLessThan:       selectLessAVX2,
	compute.OpTypeLessOrEqual:    selectLessOrEqualAVX2,
	compute.OpTypeGreaterThan:    selectGreaterAVX2,
	compute.OpTypeGreaterOrEqual: selectGreaterOrEqualAVX2,
}

func vectorKernel(op compute.OpType) kernel {
	if k := wideKernels[op]; k != nil && avx512 {
		return k
	}
	if avx2 {
		return vectorKernels[op]
	}
	return nil
}

func vectorSelect(op compute.OpType) kernel {
	if avx2 {
		return vectorSelects[op]
	}
	return nil
}

// sum32 adds float32.
func sum32(dst, x unsafe.Pointer, n int) {
	if avx2 {
		sumAVX2(dst, x, n)
	} else {
		sum[float32](dst, x, n)
	}
}
