package cpu

import "unsafe"

// depth is the number of k that a sum takes at a time: as many as a packed
// right side of 16 columns fits half the first cache with.
const depth = 256

// packedBytes is the size of the part of the right side of one product that is packed at a time,
// which bounds its memory.
const packedBytes = 4 << 20

// planProduct chooses the kernel for a product.
func planProduct[T float](d *matrixProduct, p *planner, s *step, kern tiles[T]) func(r *run) {
	size := int(unsafe.Sizeof(T(0)))
	if d.m <= dotCols && d.n > d.m {
		d.transpose()
	}
	w := &multiplier[T]{matrixProduct: d, kern: kern}
	switch {
	case d.k == 0:
		return func(r *run) {
			for i := range d.batch {
				clear(unsafe.Slice((*T)(d.at(r, d.c, i, size)), d.m*d.n))
			}
		}
	case d.n <= dotCols && d.a.col == 1 && d.k >= 16:
		w.panel = dotCols * d.k * size
		w.body = w.dots
	case d.a.row == 1 && d.a.col != 1:
		w.body = w.cols
	default:
		w.body = w.rows
		w.order = d.a.col != 1
	}
	if w.panel == 0 {
		w.panels = (d.n + tileCols - 1) / tileCols
		w.chunk = w.panels
		if d.batch == 1 {
			w.chunk = max(1, min(w.panels, packedBytes/(tileCols*d.k*size)))
		}
		w.panel = w.chunk * tileCols * d.k * size
	}
	if w.order {
		w.copyA = d.packed
		d.packed += (d.batch*d.m*d.k*size + align - 1) / align * align
	}
	d.temp = p.temp(s, d.packed+d.batch*w.panel+vectorBytes*4)
	w.chooseTasks(p.backend.workers.n)
	return w.run
}

// A multiplier runs a product.
type multiplier[T float] struct {
	*matrixProduct
	kern   tiles[T]
	body   func(f *frame, i, r0, r1, p0, p1 int)
	panels int  // of 16 columns
	chunk  int  // panels that are packed at a time
	panel  int  // bytes of the packed right side of one product
	order  bool // neither axis of a lies together: it is copied first
	copyA  int  // where to, in bytes
	band   int  // rows of a task
	group  int  // panels of a task
}

// largeTask is the number of products of two numbers from which on a task is long
// beside what it takes to begin one.
const largeTask = 1 << 23

// chooseTasks cuts the result into bands of rows, and those into groups of
// panels where there are few rows: into four tasks for each worker, or more if they
// stay large, since who has taken the last one lets the others wait. How it is cut
// changes no sum.
func (w *multiplier[T]) chooseTasks(workers int) {
	w.band = 96
	w.group = max(1, w.chunk)
	tasks := 4 * workers
	if all := w.batch * w.m * w.chunk * tileCols * w.k; workers > 1 {
		tasks = max(tasks, min(16*workers, all/largeTask))
	}
	if bands := (w.m + w.band - 1) / w.band; bands*w.batch < tasks {
		w.group = max(1, w.chunk*bands*w.batch/tasks)
		groups := (w.chunk + w.group - 1) / w.group
		w.group = max(1, (w.chunk+groups-1)/max(1, groups)) // equal ones
		if w.group > w.kern.most {
			w.group = (w.group + w.kern.most - 1) / w.kern.most * w.kern.most
		}
		if w.panels <= 1 {
			w.band = max(24, (w.m/(4*workers)+5)/6*6)
		}
	}
}

func (w *multiplier[T]) run(r *run) {
	size := int(unsafe.Sizeof(T(0)))
	w.copy(r, size)
	if w.order {
		w.orderA(r, size)
	}
	small := w.batch*w.m*w.n*w.k < 1<<16
	for first := 0; first < max(1, w.panels); first += max(1, w.chunk) {
		last := min(w.panels, first+w.chunk)
		if small {
			for i := range w.batch {
				w.pack(r, i, first, max(1, last))
				w.body(&r.frames[0], i, 0, w.m, first, last)
			}
			continue
		}
		w.part(r, first, last)
	}
}

// part computes panels first…last−1 of all products.
func (w *multiplier[T]) part(r *run, first, last int) {
	n := max(1, last-first)
	// Neighbouring panels lie in the same pages.
	few := max(1, min(wideCols/tileCols, w.batch*n/(4*r.e.backend.workers.n)))
	sets := (n + few - 1) / few
	r.tasks(w.batch*sets, func(_ *frame, i int) {
		from := i % sets * few
		w.pack(r, i/sets, first+from, first+min(n, from+few))
	})
	bands, groups := (w.m+w.band-1)/w.band, (n+w.group-1)/w.group
	r.tasks(w.batch*bands*groups, func(f *frame, t int) {
		i, band, group := t/(bands*groups), t/groups%bands, t%groups
		w.body(f, i, band*w.band, min(w.m, (band+1)*w.band), first+group*w.group, min(last, first+(group+1)*w.group))
	})
}

// place is where the k from one on of a panel are packed, of which there are m
// in a block, in elements.
func (w *multiplier[T]) place(q, k, m int) int {
	first := q / w.chunk * w.chunk
	return (k*min(w.chunk, w.panels-first) + (q-first)*m) * tileCols
}

// orderA copies the left side so that its rows lie together.
func (w *multiplier[T]) orderA(r *run, size int) {
	from := view{0, []int{w.batch, w.m, w.k}, []int{w.a.batch, w.a.row, w.a.col}}
	r.putAll(unsafe.Add(r.temps[w.temp], w.copyA), rowMajor(from.dims), w.at(r, w.a, 0, size), from, size)
}

// left is the left side of the i-th product, and its strides.
func (w *multiplier[T]) left(r *run, i, size int) (p unsafe.Pointer, row int) {
	if w.order {
		return unsafe.Add(r.temps[w.temp], w.copyA+i*w.m*w.k*size), w.k
	}
	return w.at(r, w.a, i, size), w.a.row
}

// packRows is the number of rows of the right side that are packed at a time: so
// many pages a processor knows at once.
const packRows = 64

// pack packs panels q0…q1−1 of the right side: 16 columns each, depth k at a time;
// for few columns those, one after the other.
func (w *multiplier[T]) pack(r *run, i, q0, q1 int) {
	size := int(unsafe.Sizeof(T(0)))
	src := w.at(r, w.b, i, size)
	base := unsafe.Add(r.temps[w.temp], w.packed+i*w.panel)
	if w.panels == 0 {
		dst := unsafe.Slice((*T)(base), dotCols*w.k)
		for j := range dotCols {
			c := min(j, w.n-1)
			for k := range w.k {
				dst[j*w.k+k] = *(*T)(unsafe.Add(src, (k*w.b.row+c*w.b.col)*size))
			}
		}
		return
	}
	for k := 0; k < w.k; k += depth {
		m := min(depth, w.k-k)
		for at := 0; at < m; at += packRows {
			rows := min(packRows, m-at)
			for q := q0; q < q1; q++ {
				dst := unsafe.Slice((*T)(unsafe.Add(base, (w.place(q, k, m)+at*tileCols)*size)), rows*tileCols)
				w.kern.pack(dst, unsafe.Add(src, ((k+at)*w.b.row+q*tileCols*w.b.col)*size), w.b.row, w.b.col, rows, min(tileCols, w.n-q*tileCols))
			}
		}
	}
}

// rows computes rows r0…r1−1 and panels p0…p1−1 where rows of a lie together.
func (w *multiplier[T]) rows(f *frame, i, r0, r1, p0, p1 int) {
	size := int(unsafe.Sizeof(T(0)))
	a, row := w.left(f.r, i, size)
	w.each(f, i, r0, r1, p0, p1, func(t *tile, at, k int) {
		for r := range tileRows {
			t.a[r] = unsafe.Add(a, (min(at+r, w.m-1)*row+k)*size)
		}
	}, w.kern.rows)
}

// cols does the same where columns of a lie together.
func (w *multiplier[T]) cols(f *frame, i, r0, r1, p0, p1 int) {
	size := int(unsafe.Sizeof(T(0)))
	a := w.at(f.r, w.a, i, size)
	f.t.step, f.t.next = w.a.col*size, tileCols*size
	w.each(f, i, r0, r1, p0, p1, func(t *tile, at, k int) {
		t.a[0] = unsafe.Add(a, (at+k*w.a.col)*size)
	}, w.kern.cols)
}

// each goes over the tiles of a part of the result, one block of the sum after
// the other. left sets the left side of a tile.
func (w *multiplier[T]) each(f *frame, i, r0, r1, p0, p1 int, left func(t *tile, at, k int), kern func(t *tile)) {
	size := int(unsafe.Sizeof(T(0)))
	base := unsafe.Add(f.r.temps[w.temp], w.packed+i*w.panel)
	c := w.at(f.r, w.c, i, size)
	t := &f.t
	direct := w.c.col == 1
	for k := 0; k < w.k; k += depth {
		m := min(depth, w.k-k)
		f.segs[0] = segment{n: m}
		t.segs, t.nseg = &f.segs[0], 1
		for q := p0; q < p1; q += t.panels {
			t.panels, t.panel = 1, m*tileCols*size
			if direct {
				t.panels = w.kern.take(p1 - q)
			}
			t.b = unsafe.Add(base, w.place(q, k, m)*size)
			t.cols = min(t.panels*tileCols, w.n-q*tileCols)
			for at := r0; at < r1; at += tileRows {
				left(t, at, k)
				for r := range tileRows {
					switch {
					case !direct:
						t.c[r] = unsafe.Add(unsafe.Pointer(&f.buf), r*tileCols*size)
					case at+r < r1:
						t.c[r] = unsafe.Add(c, ((at+r)*w.c.row+q*tileCols)*size)
					default:
						t.c[r] = unsafe.Pointer(&f.spare)
					}
				}
				t.add = 0
				if k > 0 && direct {
					t.add = 1
				}
				kern(t)
				if !direct {
					w.scatter(c, (*[tileRows * tileCols]T)(unsafe.Pointer(&f.buf)), at, r1, q*tileCols, t.cols, k > 0)
				}
			}
		}
	}
}

// scatter adds a tile to a result whose columns do not lie together.
func (w *multiplier[T]) scatter(c unsafe.Pointer, buf *[tileRows * tileCols]T, at, r1, col, cols int, add bool) {
	size := int(unsafe.Sizeof(T(0)))
	for r := range min(tileRows, r1-at) {
		for j := range cols {
			p := (*T)(unsafe.Add(c, ((at+r)*w.c.row+(col+j)*w.c.col)*size))
			if add {
				*p += buf[r*tileCols+j]
			} else {
				*p = buf[r*tileCols+j]
			}
		}
	}
}

// dots computes rows r0…r1−1 of a result with few columns.
func (w *multiplier[T]) dots(f *frame, i, r0, r1, _, _ int) {
	size := int(unsafe.Sizeof(T(0)))
	a := w.at(f.r, w.a, i, size)
	c := w.at(f.r, w.c, i, size)
	t := &f.t
	t.b, t.ldb = unsafe.Add(f.r.temps[w.temp], w.packed+i*w.panel), w.k*size
	f.segs[0] = segment{n: w.k}
	t.segs, t.nseg = &f.segs[0], 1
	out := (*[dotRows * dotCols]T)(unsafe.Pointer(&f.buf))
	for at := r0; at < r1; at += dotRows {
		for r := range dotRows {
			t.a[r] = unsafe.Add(a, min(at+r, w.m-1)*w.a.row*size)
		}
		w.kern.dot(t, out)
		for r := range min(dotRows, r1-at) {
			for j := range w.n {
				*(*T)(unsafe.Add(c, ((at+r)*w.c.row+j*w.c.col)*size)) = out[j*dotRows+r]
			}
		}
	}
}
