package cpu

import "unsafe"

// gradient runs the gradient of a convolution with respect to its kernel,
// which is a convolution whose sum goes over images: its "channels" are the
// images, its "kernel" is the gradient with respect to the output of the other
// convolution, and its "batch" are the numbers of a pixel:
//
//	y[b, p, q, n] = Σ x[c; p·stride + r·kDil − pad, q·stride + s·kDil − pad; b] · w[c, r, s, n]
//
// It is the product of transposed patches with w. Numbers that lie side by
// side in an image are rows of the left side side by side; the sum goes over
// some images or some of their lines r at a time, for which both sides are in
// the second cache.
type gradient[T float] struct {
	*convolution
	kern   tiles[T]
	panels int  // of 16 n
	span   int  // rows of the left side that lie together
	many   int  // images at a time
	lines  int  // and lines of each
	direct bool // the right side is not packed
	// The image with zeros at the left and right and, if it is dilated, in
	// between: rows top… of what there would be with zeros above as well.
	top, rows, cols int
	tiles           []gradientTile
	groups          []gradientTask
	// A small result is computed in parts, each the sum over some images, in
	// memory of the step.
	parts, partial int
	add            kernel
}

// A gradientTile is six rows of the left side, from number at on of pixel p, q.
type gradientTile struct {
	p, q, at    int
	first, last int // s, from first to before last, that they meet
}

func (t *gradientTile) zero() bool { return t.first >= t.last }

func planGradient[T float](c *convolution, p *planner, s *step, kern tiles[T]) func(r *run) {
	w := &gradient[T]{convolution: c, kern: kern, add: addition[T]()}
	h, v := &c.axes[0], &c.axes[1]
	if c.batch == 1 {
		c.yB = v.yStride // any will do, and this one makes neighbours of the q
	}
	w.top = max(0, h.pad)
	w.rows = max(0, min((h.out-1)*h.stride+(h.kernel-1)*h.kDil, h.pad+(h.in-1)*h.inDil)+1-w.top)
	w.cols = (v.out-1)*v.stride + (v.kernel-1)*v.kDil + 1
	w.panels = (c.outs + tileCols - 1) / tileCols
	w.findTiles()
	w.many, w.lines = 1, min(h.kernel, max(1, depth/v.kernel))
	if w.lines == h.kernel {
		w.many = min(c.chans, max(1, depth/(h.kernel*v.kernel)))
		w.many = max(1, min(w.many, 1<<19/max(1, w.imageSize()*c.size)))
	}
	// For few tiles packing takes longer than it gains; in steps of whole lines
	// of the cache a panel would meet itself there.
	w.direct = len(w.tiles) <= 16 && c.size == 4 && c.wN == 1 && c.outs <= 64 && c.outs%tileCols != 0 &&
		h.wStride == v.kernel*v.wStride && (w.many == 1 || c.wC == h.kernel*h.wStride)
	w.findTasks(p.backend.workers.n)
	packed := w.many * w.lines * v.kernel * tileCols * w.panels
	p.scratch = max(p.scratch, w.imageBytes()+packed*c.size+2*align)
	if w.parts > 1 {
		w.partial = p.temp(s, w.parts*product(c.lengths())*c.size)
	}
	return func(r *run) {
		r.tasks(len(w.groups), func(f *frame, i int) { w.task(f, &w.groups[i]) })
		w.addParts(r)
	}
}

// imageSize is the number of elements of an image with its zeros.
func (w *gradient[T]) imageSize() int { return w.rows * w.cols * w.batch }

// imageBytes is the size of the images of a block, and what a tile may read
// after them.
func (w *gradient[T]) imageBytes() int {
	return (w.many*w.imageSize()*w.size + 3*align - 1) / align * align
}

// findTiles cuts the left side into tiles. Neighbouring q are one span if they
// are neighbours in the image and in the result.
func (w *gradient[T]) findTiles() {
	h, v := &w.axes[0], &w.axes[1]
	w.span = w.batch
	step := 1
	if v.stride == 1 && w.yB*w.batch == v.yStride {
		w.span, step = v.out*w.batch, v.out
	}
	meets := func(x *axis, out int) (first, last int) {
		first = x.kernel
		for k := range x.kernel {
			if at := out*x.stride + k*x.kDil - x.pad; at >= 0 && at%x.inDil == 0 && at/x.inDil < x.in {
				first, last = min(first, k), k+1
			}
		}
		return first, last
	}
	for p := range h.out {
		for q := 0; q < v.out; q += step {
			for at := 0; at < w.span; at += tileRows {
				t := gradientTile{p: p, q: q, at: at, first: v.kernel}
				for k := at / w.batch; k <= (min(at+tileRows, w.span)-1)/w.batch; k++ {
					first, last := meets(v, q+k)
					t.first, t.last = min(t.first, first), max(t.last, last)
				}
				if first, last := meets(h, p); first >= last {
					t.last = 0
				}
				w.tiles = append(w.tiles, t)
			}
		}
	}
}

// task computes some tiles of some panels.
func (w *gradient[T]) task(f *frame, g *gradientTask) {
	packed := unsafe.Add(f.scratch, w.imageBytes())
	first := true
	for c := g.images[0]; c < g.images[1]; c += w.many {
		images := min(w.many, g.images[1]-c)
		for i := range images {
			w.image(f, c+i, i)
		}
		for line := 0; line < w.axes[0].kernel; line += w.lines {
			n := min(w.lines, w.axes[0].kernel-line)
			if w.direct {
				packed = unsafe.Add(f.r.arrays[w.w], (w.wOff+c*w.wC+line*w.axes[0].wStride)*w.size)
			} else {
				w.pack(f.r, packed, c, images, line, n, g)
			}
			w.block(f, packed, images, line, n, g, first)
			first = false
		}
	}
}

// image copies image c, with its zeros, to place i.
func (w *gradient[T]) image(f *frame, c, i int) {
	h, v := &w.axes[0], &w.axes[1]
	dst := unsafe.Slice((*T)(unsafe.Add(f.scratch, i*w.imageSize()*w.size)), w.imageSize())
	src := unsafe.Add(f.r.arrays[w.x], (w.xOff+c*w.xC)*w.size)
	line := w.cols * w.batch
	for y := range w.rows {
		d := dst[y*line : (y+1)*line]
		at := w.top + y - h.pad
		if at%h.inDil != 0 {
			clear(d)
			continue
		}
		from := unsafe.Add(src, at/h.inDil*h.xStride*w.size)
		if v.inDil == 1 && v.xStride == w.batch {
			lo, hi := min(w.cols, max(0, v.pad)), max(0, min(w.cols, v.in+v.pad))
			hi = max(lo, hi)
			clear(d[:lo*w.batch])
			clear(d[hi*w.batch:])
			if hi > lo {
				copy(d[lo*w.batch:hi*w.batch], unsafe.Slice((*T)(unsafe.Add(from, (lo-v.pad)*v.xStride*w.size)), (hi-lo)*w.batch))
			}
			continue
		}
		for x := range w.cols {
			e := d[x*w.batch : (x+1)*w.batch]
			at := x - v.pad
			if at < 0 || at%v.inDil != 0 || at/v.inDil >= v.in {
				clear(e)
				continue
			}
			copy(e, unsafe.Slice((*T)(unsafe.Add(from, at/v.inDil*v.xStride*w.size)), w.batch))
		}
	}
}

// pack packs n lines of some images of w as the right side.
func (w *gradient[T]) pack(r *run, packed unsafe.Pointer, c, images, line, n int, g *gradientTask) {
	h, v := &w.axes[0], &w.axes[1]
	k := images * n * v.kernel
	for q := g.panels[0]; q < g.panels[1]; q++ {
		cols := min(tileCols, w.outs-q*tileCols)
		for i := range images {
			src := unsafe.Add(r.arrays[w.w], (w.wOff+(c+i)*w.wC+line*h.wStride+q*tileCols*w.wN)*w.size)
			to := unsafe.Add(packed, (q*k+i*n*v.kernel)*tileCols*w.size)
			if h.wStride == v.kernel*v.wStride {
				w.kern.pack(unsafe.Slice((*T)(to), n*v.kernel*tileCols), src, v.wStride, w.wN, n*v.kernel, cols)
				continue
			}
			for y := range n {
				dst := unsafe.Slice((*T)(unsafe.Add(to, y*v.kernel*tileCols*w.size)), v.kernel*tileCols)
				w.kern.pack(dst, unsafe.Add(src, y*h.wStride*w.size), v.wStride, w.wN, v.kernel, cols)
			}
		}
	}
}

// sums are the segments of a block for a tile. What meets the zeros around the
// image is left out.
func (w *gradient[T]) sums(segs []segment, t *gradientTile, images, line, n int) []segment {
	h, v := &w.axes[0], &w.axes[1]
	if t.zero() {
		return segs
	}
	for i := range images {
		last := len(segs)
		for y := range n {
			at := t.p*h.stride + (line+y)*h.kDil - w.top
			if at < 0 || at >= w.rows {
				continue
			}
			s := segment{(i*w.imageSize() + (at*w.cols+t.first*v.kDil)*w.batch) * w.size, t.last - t.first, (i*n+y)*v.kernel + t.first}
			switch {
			case v.kernel > 1:
				segs = append(segs, s)
			case h.kernel == 1 && len(segs) > 0: // over images
				segs[0].n++
			case h.kernel > 1 && len(segs) > last: // over lines
				segs[last].n++
			default:
				segs = append(segs, s)
			}
		}
	}
	return segs
}

// step is the number of bytes from one k of a segment to the next.
func (w *gradient[T]) step() int {
	h, v := &w.axes[0], &w.axes[1]
	switch {
	case v.kernel > 1:
		return v.kDil * w.batch * w.size
	case h.kernel > 1:
		return h.kDil * w.cols * w.batch * w.size
	}
	return w.imageSize() * w.size
}

// block adds n lines of some images, from line on, to the tiles of a task.
func (w *gradient[T]) block(f *frame, packed unsafe.Pointer, images, line, n int, g *gradientTask, first bool) {
	v := &w.axes[1]
	t := &f.t
	k := images * n * v.kernel
	t.step = w.step()
	t.add = 1
	if first {
		t.add = 0
	}
	out := w.result(f.r)
	if w.parts > 1 {
		out = unsafe.Add(f.r.temps[w.partial], g.part*product(w.lengths())*w.size)
	}
	for q := g.panels[0]; q < g.panels[1]; q += t.panels {
		t.panels, t.panel, t.next = w.kern.take(g.panels[1]-q), k*tileCols*w.size, tileCols*w.size
		if w.direct {
			t.panel, t.next = tileCols*w.size, v.wStride*w.size
		}
		t.b = unsafe.Add(packed, q*t.panel)
		t.cols = min(t.panels*tileCols, w.outs-q*tileCols)
		var before *gradientTile
		for i := g.tiles[0]; i < g.tiles[1]; i++ {
			at := &w.tiles[i]
			if before == nil || at.p != before.p || at.first != before.first || at.last != before.last {
				f.lines = w.sums(f.lines[:0], at, images, line, n)
				before = at
			}
			if !first && len(f.lines) == 0 {
				continue
			}
			w.results(f, out, at, q)
			if len(f.lines) == 0 {
				for r := range t.c {
					clear(unsafe.Slice((*T)(t.c[r]), t.cols))
				}
				continue
			}
			t.segs, t.nseg = &f.lines[0], len(f.lines)
			t.a[0] = unsafe.Add(f.scratch, (at.q*v.stride*w.batch+at.at)*w.size)
			w.kern.cols(t)
		}
	}
}

// results sets where the rows of a tile go.
func (w *gradient[T]) results(f *frame, out unsafe.Pointer, at *gradientTile, panel int) {
	y := at.p*w.axes[0].yStride + at.q*w.axes[1].yStride + at.at*w.yB + panel*tileCols
	out = unsafe.Add(out, y*w.size)
	for r := range f.t.c {
		if at.at+r < w.span {
			f.t.c[r] = unsafe.Add(out, r*w.yB*w.size)
		} else {
			f.t.c[r] = unsafe.Pointer(&f.spare)
		}
	}
}
