package cpu

import (
	"unsafe"

	"github.com/gomlx/compute"
)

// A narrowConv runs a convolution of bfloat16 as products of blocks: for each
// pair of phases, rows of the left side are pixels of the output, or numbers of
// them where the sum goes over images (see gradient), and k goes over taps and
// channels. A task puts some rows in order and computes all columns of them.
type narrowConv struct {
	*convolution
	gradient bool
	parts    []narrowPart
	pairs    int // of 16 columns
	packed   int // memory of the step for the right sides
	groups   int // of 32 rows of a task
	deep     int // chunks that a task puts in order at a time
	tasks    int
	direct   bool // whole blocks are computed where they belong
}

// A narrowPart is the pixels of a pair of phases.
type narrowPart struct {
	phases  [2]phase
	taps    [2][]tap
	runs    []tapRun
	rows, k int
	at      int        // bytes into the right sides
	task    int        // the first
	meets   []tapPixel // over images: where the k-th number of the first pixel's sum is
}

// A tapPixel is a pixel of the input, and how many elements after the first one
// of all it is.
type tapPixel struct{ off, y, x int }

// A tapRun is taps along the second axis whose pixels lie together in the image.
type tapRun struct{ at, n int }

func planNarrowConv(c *convolution, p *planner, s *step, overBatch bool) func(r *run) {
	w := &narrowConv{convolution: c, gradient: overBatch, pairs: (c.outs + narrowSize - 1) / narrowSize}
	deepest, bytes := 0, 0
	for _, a := range c.axes[0].phases() {
		for _, b := range c.axes[1].phases() {
			q := narrowPart{phases: [2]phase{a, b}, taps: [2][]tap{inOrder(a.taps), inOrder(b.taps)}, at: bytes}
			q.rows = c.batch * a.count * b.count
			q.k = len(a.taps) * len(b.taps) * c.chans
			together := c.xC == 1 && c.axes[1].xStride == c.chans
			for i, t := range q.taps[1] {
				if i > 0 && together && t.at == q.taps[1][i-1].at+1 {
					q.runs[len(q.runs)-1].n++
				} else {
					q.runs = append(q.runs, tapRun{t.at, 1})
				}
			}
			if overBatch {
				q.meets = make([]tapPixel, q.k)
				for k := range q.meets {
					h, v, i := w.tapOf(&q, k)
					q.meets[k] = tapPixel{i*c.xC + h.at*c.axes[0].xStride + v.at*c.axes[1].xStride, h.at, v.at}
				}
			}
			bytes += 2 * w.pairs * chunksOf(q.k) * squareBytes
			deepest = max(deepest, chunksOf(q.k))
			w.parts = append(w.parts, q)
		}
	}
	w.packed = p.temp(s, bytes)
	h, v := &c.axes[0], &c.axes[1]
	w.direct = !overBatch && len(w.parts) == 1 && c.outs%narrowSize == 0 && v.yStride == c.outs && h.yStride == v.out*v.yStride && c.yB == h.out*h.yStride
	w.groups, w.deep = 4, deepest
	if overBatch {
		w.deep = min(deepest, narrowDepth)
	}
	for w.groups > 1 && (w.groups*narrowSize*narrowRow(w.deep*narrowSize) > 1<<19 || w.countTasks() < 4*p.backend.workers.n) {
		w.groups--
	}
	w.countTasks()
	p.scratch = max(p.scratch, w.resultBytes()+w.groups*narrowSize*narrowRow(w.deep*narrowSize))
	return w.run
}

// countTasks numbers the tasks.
func (w *narrowConv) countTasks() int {
	w.tasks = 0
	for i := range w.parts {
		q := &w.parts[i]
		q.task = w.tasks
		w.tasks += (q.rows + w.groups*narrowSize - 1) / (w.groups * narrowSize)
	}
	return w.tasks
}

// resultBytes is the size of the result of a task.
func (w *narrowConv) resultBytes() int { return w.groups * narrowSize * w.pairs * narrowSize * 4 }

func (w *narrowConv) run(r *run) {
	for i := range w.parts {
		q := &w.parts[i]
		r.tasks(2*w.pairs, func(_ *frame, col int) {
			if col*narrowHalf < w.outs {
				w.right(r, q, col)
			}
		})
	}
	r.tasks(w.tasks, func(f *frame, t int) {
		part := len(w.parts) - 1
		for w.parts[part].task > t {
			part--
		}
		q := &w.parts[part]
		size := w.groups * narrowSize
		first := (t - q.task) * size
		w.rows(f, q, first, min(q.rows, first+size))
	})
}

// tapOf is which taps and which channel the k-th number of a sum belongs to.
func (w *narrowConv) tapOf(q *narrowPart, k int) (h, v tap, c int) {
	n := len(q.taps[1])
	if w.gradient {
		return q.taps[0][k/n%len(q.taps[0])], q.taps[1][k%n], k / n / len(q.taps[0])
	}
	return q.taps[0][k/w.chans/n], q.taps[1][k/w.chans%n], k % w.chans
}

// right packs 16 columns of the right side of a part.
func (w *narrowConv) right(r *run, q *narrowPart, col int) {
	src := unsafe.Add(r.arrays[w.w], 2*(w.wOff+col*narrowHalf*w.wN))
	dst := unsafe.Add(r.temps[w.packed], q.at+col*chunksOf(q.k)*squareBytes)
	cols := min(narrowHalf, w.outs-col*narrowHalf)
	at := func(k int) unsafe.Pointer {
		h, v, c := w.tapOf(q, k)
		return unsafe.Add(src, 2*(h.kernel*w.axes[0].wStride+v.kernel*w.axes[1].wStride+c*w.wC))
	}
	if !w.gradient && w.wC == 1 && w.chans%narrowSize == 0 && cols == narrowHalf {
		for k := 0; k < q.k; k += w.chans {
			squares(unsafe.Add(dst, k/narrowSize*squareBytes), at(k), w.chans/narrowSize, 2*w.wN)
		}
		return
	}
	var lines [narrowSize]unsafe.Pointer
	for k := 0; k < q.k; k += narrowSize {
		for i := range lines {
			lines[i] = unsafe.Pointer(&zeroLine)
			if k+i < q.k {
				lines[i] = at(k + i)
			}
		}
		to := unsafe.Add(dst, k/narrowSize*squareBytes)
		if w.wN == 1 {
			pairs(to, &lines, 0, cols)
			continue
		}
		square := (*[narrowHalf][narrowHalf][2]bfloat)(to)
		for i := range lines {
			for j := range narrowHalf {
				square[i/2][j][i%2] = 0
				if k+i < q.k && j < cols {
					square[i/2][j][i%2] = *(*bfloat)(unsafe.Add(lines[i], 2*j*w.wN))
				}
			}
		}
	}
}

// rows computes rows first…last−1 of a part.
func (w *narrowConv) rows(f *frame, q *narrowPart, first, last int) {
	out := w.result(f.r)
	c, a := f.scratch, unsafe.Add(f.scratch, w.resultBytes())
	direct := w.direct && (last-first)%narrowSize == 0 && q.k > 0
	right := unsafe.Add(f.r.temps[w.packed], q.at)
	chunks := chunksOf(q.k)
	t := narrowBlock{bNext: chunks * squareBytes, cRow: w.pairs * narrowSize * 4, groups: (last - first + narrowSize - 1) / narrowSize}
	if direct {
		c, t.cRow = unsafe.Add(out, 4*first*w.outs), 4*w.outs
	}
	for from := 0; from < chunks; from += w.deep {
		n := min(w.deep, chunks-from)
		t.aRow = narrowRow(n * narrowSize)
		if w.gradient {
			w.overImages(f.r, q, a, t.aRow, first, last, from*narrowSize, n)
		} else {
			w.pixels(f.r, q, a, t.aRow, first, last)
		}
		for k := 0; k < n; k += narrowDepth {
			t.chunks = min(narrowDepth, n-k)
			t.a = unsafe.Add(a, k*chunkBytes)
			for pair := range w.pairs {
				t.b = unsafe.Add(right, (2*pair*chunks+from+k)*squareBytes)
				t.c = unsafe.Add(c, pair*narrowSize*4)
				multiplyBlock(&t)
			}
			t.add = 1
		}
	}
	if direct {
		return
	}
	for i := range last - first {
		to := unsafe.Slice((*float32)(unsafe.Add(out, 4*w.place(q, first+i))), w.outs)
		if q.k == 0 {
			clear(to)
		} else {
			copy(to, unsafe.Slice((*float32)(unsafe.Add(c, i*t.cRow)), w.outs))
		}
	}
}

// split is the number of the output or image, and the pixel of a row.
func (w *narrowConv) split(q *narrowPart, row int) (b, i, j int) {
	n := q.phases[1].count
	if w.gradient {
		return row % w.batch, row / w.batch / n, row / w.batch % n
	}
	return row / n / q.phases[0].count, row / n % q.phases[0].count, row % n
}

// place is where the result of a row goes, in elements.
func (w *narrowConv) place(q *narrowPart, row int) int {
	b, i, j := w.split(q, row)
	h, v := &q.phases[0], &q.phases[1]
	return b*w.yB + (h.first+i*h.step)*w.axes[0].yStride + (v.first+j*v.step)*w.axes[1].yStride
}

// pixels puts in order what the pixels of some rows meet, step bytes apart.
func (w *narrowConv) pixels(r *run, q *narrowPart, dst unsafe.Pointer, step, first, last int) {
	h, v := &w.axes[0], &w.axes[1]
	for row := first; row < last; row++ {
		b, i, j := w.split(q, row)
		line := unsafe.Slice((*bfloat)(unsafe.Add(dst, (row-first)*step)), chunksOf(q.k)*narrowSize)
		src := unsafe.Add(r.arrays[w.x], 2*(w.xOff+b*w.xB))
		for _, t := range q.taps[0] {
			y := i*q.phases[0].move + t.at
			if y < 0 || y >= h.in {
				n := len(q.taps[1]) * w.chans
				clear(line[:n])
				line = line[n:]
				continue
			}
			from := unsafe.Add(src, 2*y*h.xStride)
			for _, run := range q.runs {
				x := j*q.phases[1].move + run.at
				lo, hi := min(run.n, max(0, -x)), min(run.n, v.in-x)
				hi = max(lo, hi)
				clear(line[:lo*w.chans])
				if hi > lo {
					w.numbers(line[lo*w.chans:hi*w.chans], unsafe.Add(from, 2*(x+lo)*v.xStride))
				}
				clear(line[hi*w.chans : run.n*w.chans])
				line = line[run.n*w.chans:]
			}
		}
		clear(line)
	}
}

// numbers copies channels of a pixel, or of some that lie together.
func (w *narrowConv) numbers(dst []bfloat, src unsafe.Pointer) {
	if w.xC == 1 {
		copy(dst, unsafe.Slice((*bfloat)(src), len(dst)))
		return
	}
	for i := range dst {
		dst[i] = *(*bfloat)(unsafe.Add(src, 2*i*w.xC))
	}
}

// overImages puts n chunks of some rows in order, from the k-th number on, where
// the sum goes over images: rows are neighbours there.
func (w *narrowConv) overImages(r *run, q *narrowPart, dst unsafe.Pointer, step, first, last, k, n int) {
	h, v := &w.axes[0], &w.axes[1]
	var lines [narrowSize]unsafe.Pointer
	var tiles [2][narrowHalf][chunkBytes]byte
	for chunk := range n {
		meets := q.meets[k+chunk*narrowSize : min(q.k, k+(chunk+1)*narrowSize)]
		for row := first; row < last; {
			b, i, j := w.split(q, row)
			m := min(narrowHalf-(row-first)%narrowHalf, w.batch-b, last-row)
			y, x := i*q.phases[0].move, j*q.phases[1].move
			src := unsafe.Add(r.arrays[w.x], 2*(w.xOff+y*h.xStride+x*v.xStride+b))
			for l := range lines {
				lines[l] = unsafe.Pointer(&zeroLine)
				if l < len(meets) && uint(y+meets[l].y) < uint(h.in) && uint(x+meets[l].x) < uint(v.in) {
					lines[l] = unsafe.Add(src, 2*meets[l].off)
				}
			}
			pairs(unsafe.Pointer(&tiles[0]), &lines, 0, m)
			squares(unsafe.Pointer(&tiles[1]), unsafe.Pointer(&tiles[0]), 1, chunkBytes)
			to := unsafe.Add(dst, (row-first)*step+chunk*chunkBytes)
			for i := range m {
				*(*[chunkBytes]byte)(unsafe.Add(to, i*step)) = tiles[1][i]
			}
			row += m
		}
	}
}

// worthNarrowConv reports whether a convolution of bfloat16 has enough channels
// for blocks, and these lie together in pixels of the image x; with the batch instead
// of channels there, the sum goes over images.
func worthNarrowConv(x []int, axes *compute.ConvolveAxesConfig, outs int) bool {
	last := len(x) - 1
	return len(axes.InputSpatial) <= 2 && (axes.InputChannels == last || axes.InputBatch == last) && x[last] >= narrowHalf && outs >= narrowHalf/2 && fillsBlocks(outs)
}
