package cpu

import "unsafe"

// A narrowProduct runs a product of bfloat16 with sums in float32.
type narrowProduct struct {
	*matrixProduct
	groups, pairs  int // of 32 rows and of 32 columns
	row            int // bytes of a row of the left side in order
	aBytes, bBytes int // of both sides of one product
	band, strip    int // groups and pairs of a task
}

// planNarrow plans a product of bfloat16.
func planNarrow(d *matrixProduct, p *planner, s *step) func(r *run) {
	w := &narrowProduct{matrixProduct: d, row: narrowRow(d.k)}
	w.groups, w.pairs = (d.m+narrowSize-1)/narrowSize, (d.n+narrowSize-1)/narrowSize
	w.aBytes, w.bBytes = w.groups*narrowSize*w.row, w.pairs*2*chunksOf(d.k)*squareBytes
	d.temp = p.temp(s, d.packed+d.batch*(w.aBytes+w.bBytes))
	workers := p.backend.workers.n
	w.band, w.strip = min(4, w.groups), w.pairs
	tasks := func() int {
		return d.batch * ((w.groups + w.band - 1) / w.band) * ((w.pairs + w.strip - 1) / w.strip)
	}
	for tasks() < 4*workers && w.strip > 1 {
		w.strip = (w.strip + 1) / 2
	}
	for tasks() < 4*workers && w.band > 1 {
		w.band = (w.band + 1) / 2
	}
	p.scratch = max(p.scratch, w.band*narrowSize*narrowSize*4)
	return w.run
}

func (w *narrowProduct) run(r *run) {
	w.copy(r, 2)
	halves := 2 * w.groups
	r.tasks(w.batch*halves, func(_ *frame, t int) {
		i, at := t/halves, t%halves*narrowHalf
		if at < w.m {
			src := unsafe.Add(w.at(r, w.a, i, 2), 2*at*w.a.row)
			packLeft(unsafe.Add(w.left(r, i), at*w.row), w.row, narrowSide{src, w.a.row, w.a.col, w.m - at, w.k})
		}
	})
	cols := 2 * w.pairs
	r.tasks(w.batch*cols, func(_ *frame, t int) {
		i, q := t/cols, t%cols
		if at := q * narrowHalf; at < w.n {
			src := unsafe.Add(w.at(r, w.b, i, 2), 2*at*w.b.col)
			packRight(unsafe.Add(w.right(r, i), q*chunksOf(w.k)*squareBytes), narrowSide{src, w.b.col, w.b.row, w.n - at, w.k})
		}
	})
	bands, strips := (w.groups+w.band-1)/w.band, (w.pairs+w.strip-1)/w.strip
	r.tasks(w.batch*bands*strips, func(f *frame, t int) {
		i, band, strip := t/(bands*strips), t/strips%bands, t%strips
		b := narrowBlocks{
			a: w.left(r, i), b: w.right(r, i), c: w.at(r, w.c, i, 4),
			aRow: w.row, cRow: 4 * w.c.row, chunks: chunksOf(w.k), m: w.m, n: w.n,
		}
		b.compute(f, band*w.band, min(w.groups, (band+1)*w.band), strip*w.strip, min(w.pairs, (strip+1)*w.strip))
	})
}

// left and right are where the sides of the i-th product are in order.
func (w *narrowProduct) left(r *run, i int) unsafe.Pointer {
	return unsafe.Add(r.temps[w.temp], w.packed+i*w.aBytes)
}

func (w *narrowProduct) right(r *run, i int) unsafe.Pointer {
	return unsafe.Add(r.temps[w.temp], w.packed+w.batch*w.aBytes+i*w.bBytes)
}

// narrowBlocks are the blocks of a product whose sides are in order.
type narrowBlocks struct {
	a, b, c      unsafe.Pointer
	aRow, cRow   int // bytes
	chunks, m, n int
}

// compute computes groups g0…g1−1 of 32 rows and pairs q0…q1−1 of 16 columns.
// Blocks that are not whole are computed in the worker's memory.
func (w *narrowBlocks) compute(f *frame, g0, g1, q0, q1 int) {
	t := narrowBlock{aRow: w.aRow, bNext: w.chunks * squareBytes}
	wholeRows, wholeCols := max(g0, min(g1, w.m/narrowSize)), max(q0, min(q1, w.n/narrowSize))
	right := func(q, chunk int) unsafe.Pointer { return unsafe.Add(w.b, (2*q*w.chunks+chunk)*squareBytes) }
	if t.groups = wholeRows - g0; t.groups > 0 {
		t.cRow = w.cRow
		for k := 0; k < w.chunks; k += narrowDepth {
			t.chunks = min(narrowDepth, w.chunks-k)
			t.a = unsafe.Add(w.a, g0*narrowSize*w.aRow+k*chunkBytes)
			for q := q0; q < wholeCols; q++ {
				t.b, t.c = right(q, k), unsafe.Add(w.c, g0*narrowSize*w.cRow+q*narrowSize*4)
				multiplyBlock(&t)
			}
			t.add = 1
		}
	}
	t.add, t.chunks, t.cRow, t.c = 0, w.chunks, narrowSize*4, f.scratch
	for q := q0; q < q1; q++ {
		from := g0
		if q < wholeCols {
			from = wholeRows
		}
		if t.groups = g1 - from; t.groups == 0 {
			continue
		}
		t.a, t.b = unsafe.Add(w.a, from*narrowSize*w.aRow), right(q, 0)
		multiplyBlock(&t)
		cols := min(narrowSize, w.n-q*narrowSize)
		for i := range min(t.groups*narrowSize, w.m-from*narrowSize) {
			to := unsafe.Add(w.c, (from*narrowSize+i)*w.cRow+q*narrowSize*4)
			copy(unsafe.Slice((*float32)(to), cols), unsafe.Slice((*float32)(unsafe.Add(f.scratch, i*narrowSize*4)), cols))
		}
	}
}

// worthNarrow reports whether a product of bfloat16 has enough rows, columns and
// k for blocks, which are computed whole.
func worthNarrow(a, b []int, at *dotAttr) bool {
	cross := func(dims, batch, sum []int) int {
		n := 1
		for axis, k := range dims {
			if !contains(batch, axis) && !contains(sum, axis) {
				n *= k
			}
		}
		return n
	}
	depth := 1
	for _, axis := range at.aSum {
		depth *= a[axis]
	}
	m, n := cross(a, at.aBatch, at.aSum), cross(b, at.bBatch, at.bSum)
	return depth >= narrowHalf && min(m, n) >= narrowHalf/2 && fillsBlocks(m, n, depth)
}

// leastFill is the part of the blocks of AVX-512 from which on they take less time
// than float32: bfloat16 is multiplied twice as fast, and some of that goes into
// putting the sides in order.
const leastFill = 0.7

// fillsBlocks reports whether enough of the blocks of a product, which are computed
// whole, is numbers of it, by its lengths.
func fillsBlocks(lengths ...int) bool {
	if narrowBy() != narrowAVX512 {
		return true
	}
	part := 1.0
	for _, n := range lengths {
		part *= float64(n) / float64(chunksOf(n)*narrowSize)
	}
	return part >= leastFill
}
