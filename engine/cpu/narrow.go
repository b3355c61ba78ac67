package cpu

import (
	"math"
	"sync"
	"unsafe"

	"github.com/gomlx/compute/dtypes/bfloat16"
)

// Where a processor multiplies bfloat16 by itself, products and convolutions of
// it are not widened before: both sides are put in order in bfloat16, and sums are
// float32.

// A narrowKernel is what multiplies bfloat16. Each has its own order of sums.
type narrowKernel int

const (
	narrowNone   narrowKernel = iota // float32 does
	narrowGo                         // as AMX does it, in Go: for tests
	narrowAMX                        // the tile registers
	narrowAVX512                     // VDPBF16PS
)

// narrowBest is the fastest kernel that the processor has.
var narrowBest = sync.OnceValue(func() narrowKernel {
	for _, k := range []narrowKernel{narrowAMX, narrowAVX512} {
		if hasNarrow(k) {
			return k
		}
	}
	return narrowNone
})

// narrowTest is the kernel in tests that choose one.
var narrowTest narrowKernel

// narrowBy is the kernel that multiplies bfloat16.
func narrowBy() narrowKernel {
	switch {
	case narrowTest != narrowNone:
		return narrowTest
	case Instructions() == "AVX-512": // which tests turn off
		return narrowBest()
	}
	return narrowNone
}

// multipliesNarrow reports whether products of bfloat16 are computed as such.
func multipliesNarrow() bool { return narrowBy() != narrowNone }

// NarrowKernels is Kernels for graphs with products and convolutions of bfloat16:
// a processor that multiplies it has another order of sums.
func NarrowKernels() string {
	switch narrowBy() {
	case narrowAMX:
		return Kernels() + ", bfloat16 by AMX"
	case narrowAVX512:
		return Kernels() + ", bfloat16 by AVX-512"
	}
	return Kernels()
}

// Blocks of the result are 32 rows by 32 columns, and a sum takes 32 k, a chunk,
// at a time.
const (
	narrowSize  = 32
	narrowHalf  = narrowSize / 2
	chunkBytes  = 2 * narrowSize          // of a row of the left side
	squareBytes = chunkBytes * narrowHalf // of 16 columns of the right side
	// narrowDepth is the number of chunks that a block takes at a time: with so
	// many the right side takes two thirds of the first cache.
	narrowDepth = 16
)

// A narrowBlock is what the kernel is told: 32 columns of the result and one or
// more groups of 32 rows. The layout is known to the assembly.
type narrowBlock struct {
	a, b, c unsafe.Pointer
	aRow    int // bytes from one row of the left side to the next
	bNext   int // bytes from the first 16 columns of the right side to the others
	cRow    int // bytes from one row of the result to the next
	chunks  int
	groups  int
	add     int // 1: add to c; 0: set it
}

// blockGo computes c[i][j] = Σₖ a[i][k]·b[k][j] as AMX does: of each chunk the
// even and the odd k are added up, then both sums to each other, and that to the
// result. The k of the right side are in pairs: for each pair there are the two
// numbers of the first column, of the second one, and so on.
func blockGo(t *narrowBlock) {
	for r := range t.groups * narrowSize {
		row := unsafe.Slice((*bfloat)(unsafe.Add(t.a, r*t.aRow)), t.chunks*narrowSize)
		for j := range narrowSize {
			c := (*float32)(unsafe.Add(t.c, r*t.cRow+4*j))
			sum := float32(0)
			if t.add != 0 {
				sum = *c
			}
			for k := range t.chunks {
				from := unsafe.Add(t.b, j/narrowHalf*t.bNext+k*squareBytes+j%narrowHalf*4)
				var even, odd float32
				for i := range narrowHalf {
					y := (*[2]bfloat)(unsafe.Add(from, i*chunkBytes))
					even += row[k*narrowSize+2*i].Float32() * y[0].Float32()
					odd += row[k*narrowSize+2*i+1].Float32() * y[1].Float32()
				}
				sum += even + odd
			}
			*c = sum
		}
	}
}

// sound reports whether a kernel computes what blockGo does, but for rounding, for
// one block of small numbers. Its instructions are put together by hand and few
// machines have them, so that a processor is not taken at its word.
func sound(kernel func(*narrowBlock)) bool {
	const chunks, groups, row = 3, 2, narrowSize + 5
	left := make([]bfloat, groups*narrowSize*chunks*narrowSize)
	right := make([]bfloat, 2*chunks*narrowSize*narrowHalf)
	for i := range left {
		left[i] = bfloat16.FromFloat32(float32(i*37%101-50) / 64)
	}
	for i := range right {
		right[i] = bfloat16.FromFloat32(float32(i*53%89-44) / 32)
	}
	for add := range 2 {
		var results [2][groups * narrowSize * row]float32
		for k, compute := range []func(*narrowBlock){kernel, blockGo} {
			for i := range results[k] {
				results[k][i] = float32(i % 7)
			}
			compute(&narrowBlock{
				a: unsafe.Pointer(&left[0]), b: unsafe.Pointer(&right[0]), c: unsafe.Pointer(&results[k]),
				aRow: chunks * chunkBytes, bNext: chunks * squareBytes, cRow: 4 * row, chunks: chunks, groups: groups, add: add,
			})
		}
		for i, v := range results[1] {
			if math.Abs(float64(results[0][i]-v)) > 1e-4*(1+math.Abs(float64(v))) {
				return false
			}
		}
	}
	return true
}

// pairsGo makes row i of 16 numbers of 32 bits of the first n ≤ 16 numbers, off
// bytes after the beginning, of lines 2i and 2i+1.
func pairsGo(dst unsafe.Pointer, lines *[narrowSize]unsafe.Pointer, off, n int) {
	to := (*[narrowHalf][narrowHalf][2]bfloat)(dst)
	for i := range to {
		for j := range to[i] {
			to[i][j] = [2]bfloat{}
			if j < n {
				to[i][j] = [2]bfloat{*(*bfloat)(unsafe.Add(lines[2*i], off+2*j)), *(*bfloat)(unsafe.Add(lines[2*i+1], off+2*j))}
			}
		}
	}
}

// squaresGo makes 16·count rows of 16 numbers of 32 bits of 16 rows of 16·count,
// step bytes apart.
func squaresGo(dst, src unsafe.Pointer, count, step int) {
	for k := range count * narrowHalf {
		for j := range narrowHalf {
			*(*uint32)(unsafe.Add(dst, (k*narrowHalf+j)*4)) = *(*uint32)(unsafe.Add(src, j*step+k*4))
		}
	}
}

// chunksOf is the number of chunks that k numbers take.
func chunksOf(k int) int { return (k + narrowSize - 1) / narrowSize }

// narrowRow is the number of bytes from one row of the left side to the next:
// an odd number of lines of the cache, so that rows do not meet there.
func narrowRow(k int) int { return (chunksOf(k) | 1) * chunkBytes }

// A narrowSide is 16 rows of the left side or 16 columns of the right one: number
// k of row or column j is 2·(j·wide + k·deep) bytes after src.
type narrowSide struct {
	src        unsafe.Pointer
	wide, deep int // strides, in elements
	n, k       int // how many there are
}

// packRight packs 16 columns of the right side.
func packRight(dst unsafe.Pointer, s narrowSide) {
	chunk := 0
	if s.deep == 1 && s.n >= narrowHalf {
		if chunk = s.k / narrowSize; chunk > 0 {
			squares(dst, s.src, chunk, 2*s.wide)
		}
	}
	for ; chunk < chunksOf(s.k); chunk++ {
		packSquare(unsafe.Add(dst, chunk*squareBytes), s, chunk*narrowSize)
	}
}

// packSquare packs 32 k of 16 columns.
func packSquare(dst unsafe.Pointer, s narrowSide, k int) {
	if s.wide == 1 {
		var lines [narrowSize]unsafe.Pointer
		for i := range lines {
			lines[i] = unsafe.Pointer(&zeroLine)
			if k+i < s.k {
				lines[i] = unsafe.Add(s.src, 2*(k+i)*s.deep)
			}
		}
		pairs(dst, &lines, 0, min(narrowHalf, s.n))
		return
	}
	to := (*[narrowHalf][narrowHalf][2]bfloat)(dst)
	*to = [narrowHalf][narrowHalf][2]bfloat{}
	for i := range min(narrowSize, s.k-k) {
		for j := range min(narrowHalf, s.n) {
			to[i/2][j][i%2] = *(*bfloat)(unsafe.Add(s.src, 2*(j*s.wide+(k+i)*s.deep)))
		}
	}
}

// packLeft puts 16 rows of the left side in order, row bytes apart.
func packLeft(dst unsafe.Pointer, row int, s narrowSide) {
	chunks := chunksOf(s.k)
	if s.deep == 1 {
		for j := range min(narrowHalf, s.n) {
			to := unsafe.Slice((*bfloat)(unsafe.Add(dst, j*row)), chunks*narrowSize)
			clear(to[copy(to, unsafe.Slice((*bfloat)(unsafe.Add(s.src, 2*j*s.wide)), s.k)):])
		}
		return
	}
	var tiles [2][narrowHalf][chunkBytes]byte
	for k := range chunks {
		packSquare(unsafe.Pointer(&tiles[0]), s, k*narrowSize)
		squares(unsafe.Pointer(&tiles[1]), unsafe.Pointer(&tiles[0]), 1, chunkBytes)
		for j := range narrowHalf {
			*(*[chunkBytes]byte)(unsafe.Add(dst, j*row+k*chunkBytes)) = tiles[1][j]
		}
	}
}

// zeroLine is what lies where there are no more k.
var zeroLine [narrowSize]bfloat
