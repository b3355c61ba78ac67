package cpu

import (
	"runtime"
	"unsafe"
)

// Matrix products and convolutions are made of tiles of the result, whose
// sums stay in registers: 6 rows by 16 columns, or by two to four such panels
// where a processor has the registers; where there are few columns 4 by 3, and 3
// or 6 by 4 where few are left.
const (
	tileRows = 6
	tileCols = 16
	wideCols = 4 * tileCols // of the widest
	dotRows  = 4
	dotCols  = 3
	edgeRows = 3
	edgeCols = 4
	edgeSize = 2 * edgeRows * edgeCols // of the larger one
)

// A tile is what a tile kernel is told. The layout is known to the assembly.
type tile struct {
	a    [tileRows]unsafe.Pointer // where the rows of the left side begin
	c    [tileRows]unsafe.Pointer // where the rows of the result begin
	b    unsafe.Pointer           // the right side, packed: 16 numbers for each k
	segs *segment                 // which numbers of a row the sum is over
	nseg int
	step int // cols kernel: bytes from one k to the next
	add  int // 1: add to c; 0: set it
	cols int // of the result that count; the others are not written
	ldb  int // dot and edge kernel: bytes from one column of the right side to the next
	next int // cols kernel: bytes from one k of the right side to the next
	// Panels of 16 columns side by side, up to four, and the bytes from the right
	// side of one to that of the next. All but the last are whole.
	panels, panel int
}

// A segment is n numbers of a row, from off bytes after its beginning on, and
// the k of the right side that the first of them goes with.
type segment struct{ off, n, k int }

// rowsGo computes c[r][j] = Σₖ a[r][k]·b[k][j]. The sum goes over the segments
// of the rows, in each of which the k are neighbours.
func rowsGo[T float](t *tile) {
	var acc [tileRows][tileCols]T
	size := int(unsafe.Sizeof(acc[0][0]))
	for _, s := range unsafe.Slice(t.segs, t.nseg) {
		for k := range s.n {
			v := (*[tileCols]T)(unsafe.Add(t.b, (s.k+k)*tileCols*size))
			for r := range acc {
				x := *(*T)(unsafe.Add(t.a[r], s.off+k*size))
				for j := range acc[r] {
					acc[r][j] += x * v[j]
				}
			}
		}
	}
	storeTile(t, &acc)
}

// colsGo is rowsGo for a left side whose rows are neighbours: row r is r
// numbers after a[0], and its k are step bytes apart. Those of the right side
// are next bytes apart, so that it need not be packed.
func colsGo[T float](t *tile) {
	var acc [tileRows][tileCols]T
	for _, s := range unsafe.Slice(t.segs, t.nseg) {
		for k := range s.n {
			v := (*[tileCols]T)(unsafe.Add(t.b, (s.k+k)*t.next))
			x := (*[tileRows]T)(unsafe.Add(t.a[0], s.off+k*t.step))
			for r := range acc {
				for j := range acc[r] {
					acc[r][j] += x[r] * v[j]
				}
			}
		}
	}
	storeTile(t, &acc)
}

func storeTile[T float](t *tile, acc *[tileRows][tileCols]T) {
	for r := range acc {
		c := unsafe.Slice((*T)(t.c[r]), t.cols)
		for j := range c {
			if t.add != 0 {
				c[j] += acc[r][j]
			} else {
				c[j] = acc[r][j]
			}
		}
	}
}

// dotGo computes out[4j+r] = Σₖ a[r][k]·b[j][k] for 4 rows and 3 columns, over
// segments as rowsGo does.
func dotGo[T float](t *tile, out *[dotRows * dotCols]T) {
	var acc [dotRows * dotCols]T
	size := int(unsafe.Sizeof(acc[0]))
	for _, s := range unsafe.Slice(t.segs, t.nseg) {
		for k := range s.n {
			for j := range dotCols {
				y := *(*T)(unsafe.Add(t.b, j*t.ldb+(s.k+k)*size))
				for r := range dotRows {
					acc[j*dotRows+r] += y * *(*T)(unsafe.Add(t.a[r], s.off+k*size))
				}
			}
		}
	}
	*out = acc
}

// edgeGo computes out[4r+j] = Σₖ a[r][k]·b[j][k] for 3 rows and 4 columns: what
// is left of a right side whose columns are not a multiple of 16.
func edgeGo[T float](t *tile, out *[edgeSize]T) {
	var acc [edgeRows * edgeCols]T
	size := int(unsafe.Sizeof(acc[0]))
	for _, s := range unsafe.Slice(t.segs, t.nseg) {
		for k := range s.n {
			for r := range edgeRows {
				x := *(*T)(unsafe.Add(t.a[r], s.off+k*size))
				for j := range edgeCols {
					acc[r*edgeCols+j] += x * *(*T)(unsafe.Add(t.b, j*t.ldb+(s.k+k)*size))
				}
			}
		}
	}
	copy(out[:], acc[:])
}

// tiles are the kernels for one type of numbers.
type tiles[T float] struct {
	rows, cols func(t *tile)
	dot        func(t *tile, out *[dotRows * dotCols]T)
	edge       func(t *tile, out *[edgeSize]T)
	pack       func(dst []T, src unsafe.Pointer, sk, sj, m, n int) // see packCols
	most       int                                                 // panels that rows and cols take at a time
	edgeRows   int                                                 // rows of edge
}

// take returns how many of the panels that are left a kernel should take: as many
// as it can, but so that it does not end with a single one, which takes longer.
func (k *tiles[T]) take(left int) int {
	if k.most == 4 && left == 5 {
		return 3
	}
	return max(1, min(left, k.most))
}

func tiles64() tiles[float64] {
	return tiles[float64]{rowsGo[float64], colsGo[float64], dotGo[float64], edgeGo[float64], packCols[float64], 1, edgeRows}
}

// portableKernels names the kernels in Go, whose products and sums some
// processors round once and others twice. The number goes up when a change of the
// code changes results.
const portableKernels = "portable kernels 1, " + runtime.GOARCH

func goTiles32() tiles[float32] {
	return tiles[float32]{rowsGo[float32], colsGo[float32], dotGo[float32], edgeGo[float32], packCols[float32], 1, edgeRows}
}

// packCols writes n ≤ 16 columns of a matrix, of which element k, j is
// src[k·sk + j·sj], as the kernels want the right side: 16 numbers for each of
// the m k, with zeros where there are no more columns.
func packCols[T float](dst []T, src unsafe.Pointer, sk, sj, m, n int) {
	size := int(unsafe.Sizeof(dst[0]))
	if n < tileCols {
		clear(dst[:m*tileCols])
	}
	if sj == 1 {
		for k := range m {
			s := unsafe.Slice((*T)(unsafe.Add(src, k*sk*size)), n)
			if n == tileCols {
				*(*[tileCols]T)(dst[k*tileCols:]) = [tileCols]T(s)
			} else {
				copy(dst[k*tileCols:], s)
			}
		}
		return
	}
	// Four columns at a time, each along k.
	j := 0
	for ; j+4 <= n && sk == 1; j += 4 {
		a := unsafe.Slice((*T)(unsafe.Add(src, j*sj*size)), m)
		b := unsafe.Slice((*T)(unsafe.Add(src, (j+1)*sj*size)), m)
		c := unsafe.Slice((*T)(unsafe.Add(src, (j+2)*sj*size)), m)
		e := unsafe.Slice((*T)(unsafe.Add(src, (j+3)*sj*size)), m)
		for k := range m {
			d := dst[k*tileCols+j : k*tileCols+j+4 : k*tileCols+j+4]
			d[0], d[1], d[2], d[3] = a[k], b[k], c[k], e[k]
		}
	}
	for ; j < n; j++ {
		for k := range m {
			dst[k*tileCols+j] = *(*T)(unsafe.Add(src, (k*sk+j*sj)*size))
		}
	}
}
