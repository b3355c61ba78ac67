package cpu

import "unsafe"

func (w *forward[T]) run(r *run) {
	groups := max(1, w.panels)
	r.tasks(len(w.parts)*groups, func(_ *frame, i int) { w.pack(r, &w.parts[i/groups], i%groups) })
	sets := (w.batch + w.images - 1) / w.images
	r.tasks(sets*w.bands, func(f *frame, i int) {
		w.task(f, i/w.bands*w.images, i%w.bands*w.band)
	})
}

// pack packs 16 channels of the kernel for a part, or all of few.
func (w *forward[T]) pack(r *run, q *phasePair, panel int) {
	if q.k == 0 {
		return
	}
	base := unsafe.Add(r.temps[w.temp], q.packed)
	src := unsafe.Add(r.arrays[w.w], w.wOff*w.size)
	k := 0
	q.eachTap(func(h, v tap) {
		at := unsafe.Add(src, (h.kernel*w.axes[0].wStride+v.kernel*w.axes[1].wStride)*w.size)
		if w.panels == 0 {
			for j := range dotCols {
				dst := unsafe.Slice((*T)(unsafe.Add(base, (j*q.k+k)*w.size)), w.chans)
				n := min(j, w.outs-1)
				for i := range dst {
					dst[i] = *(*T)(unsafe.Add(at, (i*w.wC+n*w.wN)*w.size))
				}
			}
			k += w.chans
			return
		}
		// The channels of a tap may be in two blocks.
		for c := 0; c < w.chans; {
			b := q.blockOf(k)
			n := min(w.chans-c, b.at+b.k-k)
			from := unsafe.Add(at, (c*w.wC+panel*tileCols*w.wN)*w.size)
			if w.isEdge(panel) {
				dst := unsafe.Slice((*T)(unsafe.Add(base, (b.at*w.panels+panel*b.k)*tileCols*w.size)), edgeCols*b.k)
				w.packEdge(dst[k-b.at:], from, b.k, n)
				c += n
				k += n
				continue
			}
			dst := unsafe.Slice((*T)(unsafe.Add(base, (b.at*w.panels+panel*b.k+k-b.at)*tileCols*w.size)), n*tileCols)
			w.kern.pack(dst, from, w.wC, w.wN, n, min(tileCols, w.outs-panel*tileCols))
			c += n
			k += n
		}
	})
}

func (w *forward[T]) isEdge(panel int) bool { return w.edge && panel == w.panels-1 }

// packEdge writes n channels of the last columns, each of which has ldb numbers
// for itself. What is no column is the last one again.
func (w *forward[T]) packEdge(dst []T, from unsafe.Pointer, ldb, n int) {
	for j := range edgeCols {
		at := unsafe.Add(from, min(j, w.outs%tileCols-1)*w.wN*w.size)
		for i := range n {
			dst[j*ldb+i] = *(*T)(unsafe.Add(at, i*w.wC*w.size))
		}
	}
}

func (q *phasePair) eachTap(f func(h, v tap)) {
	for _, h := range q.taps[0] {
		for _, v := range q.taps[1] {
			f(h, v)
		}
	}
}

func (q *phasePair) blockOf(k int) *sumBlock {
	for i := range q.blocks {
		if b := &q.blocks[i]; k < b.at+b.k {
			return b
		}
	}
	return nil
}

// task computes the pixels of some images from row first on.
func (w *forward[T]) task(f *frame, image, first int) {
	images := min(w.images, w.batch-image)
	move := w.parts[0].phases[0].move
	in, line, pixel, next := w.image(f, image, images, first)
	aOff := unsafe.Slice((*int)(unsafe.Add(f.scratch, (w.scratch+align-1)/align*align)), 2*w.pixels)
	cOff := aOff[w.pixels:]
	out := w.result(f.r)
	for i := range w.parts {
		q := &w.parts[i]
		h, v := q.phases[0], q.phases[1]
		n := 0
		f.ends = f.ends[:0]
		for k := range q.areas {
			g := &q.areas[k]
			for b := range images {
				for y := max(first, g.first[0]); y < min(first+w.band, g.last[0]); y++ {
					a := b*next + (y-first)*move*line
					c := (image+b)*w.yB + (h.first+y*h.step)*w.axes[0].yStride + v.first*w.axes[1].yStride
					for x := g.first[1]; x < g.last[1]; x++ {
						aOff[n] = (a + x*v.move*pixel) * w.size
						cOff[n] = (c + x*v.step*w.axes[1].yStride) * w.size
						n++
					}
				}
			}
			f.ends = append(f.ends, n)
		}
		if w.panels == 0 {
			w.dots(f, q, in, out, aOff[:n], cOff[:n])
		} else {
			w.tiles(f, q, in, out, aOff[:n], cOff[:n])
		}
	}
}

// tiles computes the pixels at cOff of the output from those at aOff of the
// image. Those of an area are up to f.ends.
func (w *forward[T]) tiles(f *frame, q *phasePair, in, out unsafe.Pointer, aOff, cOff []int) {
	t := &f.t
	base := unsafe.Add(f.r.temps[w.temp], q.packed)
	w.clear(f, q, out, cOff)
	whole := w.panels
	if w.edge {
		whole--
	}
	for i := range q.blocks {
		b := &q.blocks[i]
		for panel := 0; panel < w.panels; panel += t.panels {
			t.panels, t.panel = w.kern.take(whole-panel), b.k*tileCols*w.size
			t.b = unsafe.Add(base, (b.at*w.panels+panel*b.k)*tileCols*w.size)
			t.cols = min(t.panels*tileCols, w.outs-panel*tileCols)
			to := unsafe.Add(out, panel*tileCols*w.size)
			at := 0
			for k, end := range f.ends {
				g := &q.areas[k]
				if segs := g.sums[i]; len(segs) > 0 && at < end {
					t.segs, t.nseg, t.add = &segs[0], len(segs), 0
					if i > g.begin {
						t.add = 1
					}
					if w.isEdge(panel) {
						t.ldb = b.k * w.size
						w.edges(f, in, to, aOff[at:end], cOff[at:end])
					} else {
						w.area(f, in, to, aOff[at:end], cOff[at:end])
					}
				}
				at = end
			}
		}
	}
}

// clear sets pixels to zero that meet nothing.
func (w *forward[T]) clear(f *frame, q *phasePair, out unsafe.Pointer, cOff []int) {
	at := 0
	for k, end := range f.ends {
		if q.areas[k].begin < 0 {
			for _, c := range cOff[at:end] {
				clear(unsafe.Slice((*T)(unsafe.Add(out, c)), w.outs))
			}
		}
		at = end
	}
}

// area computes a panel of the pixels of an area.
func (w *forward[T]) area(f *frame, in, out unsafe.Pointer, aOff, cOff []int) {
	t := &f.t
	at := 0
	for ; at+tileRows <= len(aOff); at += tileRows {
		a, c := (*[tileRows]int)(aOff[at:]), (*[tileRows]int)(cOff[at:])
		for r := range tileRows {
			t.a[r] = unsafe.Add(in, a[r])
			t.c[r] = unsafe.Add(out, c[r])
		}
		w.kern.rows(t)
	}
	if at < len(aOff) {
		for r := range tileRows {
			k := min(at+r, len(aOff)-1)
			t.a[r], t.c[r] = unsafe.Add(in, aOff[k]), unsafe.Pointer(&f.spare)
			if at+r == k {
				t.c[r] = unsafe.Add(out, cOff[k])
			}
		}
		w.kern.rows(t)
	}
}

// edges is area for the last panel, of few columns.
func (w *forward[T]) edges(f *frame, in, out unsafe.Pointer, aOff, cOff []int) {
	t := &f.t
	sums := (*[edgeSize]T)(unsafe.Pointer(&f.buf))
	for at := 0; at < len(aOff); at += w.kern.edgeRows {
		for r := range w.kern.edgeRows {
			t.a[r] = unsafe.Add(in, aOff[min(at+r, len(aOff)-1)])
		}
		w.kern.edge(t, sums)
		for r := range min(w.kern.edgeRows, len(aOff)-at) {
			y := unsafe.Slice((*T)(unsafe.Add(out, cOff[at+r])), t.cols)
			if t.add != 0 {
				for j := range y {
					y[j] += sums[r*edgeCols+j]
				}
			} else {
				copyRun(y, sums[r*edgeCols:][:len(y)])
			}
		}
	}
}

// dots is tiles for few output channels.
func (w *forward[T]) dots(f *frame, q *phasePair, in, out unsafe.Pointer, aOff, cOff []int) {
	w.clear(f, q, out, cOff)
	t := &f.t
	t.b, t.ldb = unsafe.Add(f.r.temps[w.temp], q.packed), q.k*w.size
	sums := (*[dotRows * dotCols]T)(unsafe.Pointer(&f.buf))
	at := 0
	for k, end := range f.ends {
		if q.areas[k].begin < 0 {
			at = end
			continue
		}
		segs := q.areas[k].sums[0]
		t.segs, t.nseg = &segs[0], len(segs)
		for ; at < end; at += dotRows {
			for r := range dotRows {
				t.a[r] = unsafe.Add(in, aOff[min(at+r, end-1)])
			}
			w.kern.dot(t, sums)
			for r := range min(dotRows, end-at) {
				y := unsafe.Slice((*T)(unsafe.Add(out, cOff[at+r])), w.outs)
				for j := range y {
					y[j] = sums[j*dotRows+r]
				}
			}
		}
		at = end
	}
}

// image is where the images of a task are, for the pixel that the first tap of
// the first output pixel meets, and how far apart, in elements, rows, pixels
// and images are.
func (w *forward[T]) image(f *frame, image, images, first int) (in unsafe.Pointer, line, pixel, next int) {
	x := unsafe.Add(f.r.arrays[w.x], w.xOff*w.size)
	move := w.parts[0].phases[0].move
	top := w.from[0] + first*move
	if w.direct {
		line, pixel = w.axes[0].xStride, w.axes[1].xStride
		return unsafe.Add(x, (image*w.xB+top*line+w.from[1]*pixel)*w.size), line, pixel, w.xB
	}
	height := w.parts[0].phases[0].count
	rows := w.reach[0] + (min(w.band, height-first)-1)*move
	cols := w.all[1]
	line, pixel = cols*w.chans, w.chans
	next = rows * line
	dst := unsafe.Slice((*T)(f.scratch), images*next)
	for b := range images {
		for y := range rows {
			w.row(dst[b*next+y*line:b*next+(y+1)*line], x, image+b, top+y, cols)
		}
	}
	return f.scratch, line, pixel, next
}

// row copies row y of an image, with zeros where it has none.
func (w *forward[T]) row(dst []T, x unsafe.Pointer, image, y, cols int) {
	h, v := &w.axes[0], &w.axes[1]
	lo, hi := min(cols, max(0, -w.from[1])), max(0, min(cols, v.in-w.from[1]))
	if y < 0 || y >= h.in || hi <= lo {
		clear(dst)
		return
	}
	clear(dst[:lo*w.chans])
	clear(dst[hi*w.chans:])
	src := unsafe.Add(x, (image*w.xB+y*h.xStride+(w.from[1]+lo)*v.xStride)*w.size)
	dst = dst[lo*w.chans : hi*w.chans]
	if w.xC == 1 && v.xStride == w.chans {
		copy(dst, unsafe.Slice((*T)(src), len(dst)))
		return
	}
	for i := range hi - lo {
		for c := range w.chans {
			dst[i*w.chans+c] = *(*T)(unsafe.Add(src, (i*v.xStride+c*w.xC)*w.size))
		}
	}
}
