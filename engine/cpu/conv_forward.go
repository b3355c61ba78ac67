package cpu

import (
	"math"
	"slices"
)

// forward runs a convolution, or the gradient of one with respect to its
// input, as a matrix product of pixels of the output with the kernel. The rows
// of the left side are not made: a row is a number of runs in the image, and
// those are in the same places for every pixel once the image has its zeros
// around it. A task does that for some rows of pixels or some images, in
// memory that stays in the second cache.
type forward[T float] struct {
	*convolution
	kern   tiles[T]
	parts  []phasePair
	temp   int
	panels int  // of 16 output channels; 0 for few channels
	edge   bool // the last panel has so few that they are for the edge kernel
	// What a task does: images at a time, or bands of pixel rows of one image.
	images, band, bands int
	// Along each axis, the first pixel of the input that the first one of the
	// output meets, how many from there on, and how many all of them meet.
	from, reach, all [2]int
	direct           bool // no zeros are needed
	pixels           int  // most of a task
	scratch          int  // bytes of its image
}

// A phasePair is the pixels that are in one phase along each axis.
type phasePair struct {
	phases [2]phase
	taps   [2][]tap // in the order in which their pixels lie
	blocks []sumBlock
	areas  []area
	k      int
	packed int // bytes into the memory of the step
}

// A sumBlock is part of a sum: what of it the right side fits the first cache
// with. Each of its runs belongs to one tap along each axis.
type sumBlock struct {
	runs  []segment
	taps  [][2]int
	k, at int // how many k, and how many before
}

// An area is pixels, from first to before last along each axis, that meet the
// same taps and not the zeros around the image, which are left out of the sum.
type area struct {
	first, last [2]int
	sums        [][]segment // for each block
	begin       int         // the first block that is not empty; −1 for none
}

func planForward[T float](c *convolution, p *planner, s *step, kern tiles[T]) func(r *run) {
	w := &forward[T]{convolution: c, kern: kern}
	h, v := c.axes[0].phases(), c.axes[1].phases()
	for i, phases := range [][]phase{h, v} {
		first, last := math.MaxInt, math.MinInt
		for _, ph := range phases {
			for _, t := range ph.taps {
				first, last = min(first, t.at), max(last, t.at)
			}
		}
		if first > last {
			return func(r *run) { clearArray(c.result(r), product(c.lengths())*c.size) }
		}
		w.from[i], w.reach[i] = first, last-first+1
		w.all[i] = (phases[0].count-1)*phases[0].move + w.reach[i]
	}
	if c.outs > dotCols || c.chans < 8 && c.axes[1].kernel*c.chans < 8 {
		w.panels = (c.outs + tileCols - 1) / tileCols
	}
	// The edge kernel wants runs of some length.
	left := c.outs % tileCols
	w.edge = w.panels > 1 && left > 0 && left <= edgeCols && c.chans >= 16
	move := h[0].move
	cols := w.all[1]
	w.direct = c.xC == 1
	for i := range w.from {
		w.direct = w.direct && w.from[i] >= 0 && w.from[i]+w.all[i] <= c.axes[i].in
	}
	w.chooseTasks(h[0].count, v[0].count, move)
	bytes := 0
	pixel, line := c.chans, cols*c.chans
	if w.direct {
		pixel, line = c.axes[1].xStride, c.axes[0].xStride
	}
	for _, a := range h {
		for _, b := range v {
			q := phasePair{phases: [2]phase{a, b}, taps: [2][]tap{inOrder(a.taps), inOrder(b.taps)}, packed: bytes}
			w.sumBlocks(&q, line, pixel)
			w.findAreas(&q)
			bytes += max(1, w.panels) * max(tileCols, dotCols) * q.k * c.size
			w.parts = append(w.parts, q)
		}
	}
	w.temp = p.temp(s, bytes+vectorBytes)
	p.scratch = max(p.scratch, w.scratch+2*w.pixels*8+2*align)
	return w.run
}

// Outputs up to narrowImage wide have areas for their first and last columns: in
// wider ones their zeros cost little.
const narrowImage = 12

// chooseTasks lets a task have a few hundred pixels.
func (w *forward[T]) chooseTasks(height, width, move int) {
	want := 384
	if width <= narrowImage {
		want = 768 // for areas of one pixel in each image
	}
	w.images, w.band = 1, height
	if n := height * width; n < want {
		w.images = min(w.batch, max(1, want/n))
		image := ((height-1)*move + w.reach[0]) * w.all[1] * w.chans * w.size
		w.images = max(1, min(w.images, 1<<22/image))
		w.images = w.evenly(width)
	} else {
		w.band = min(height, max(1, want/width))
		for w.band > 1 && ((w.band-1)*move+w.reach[0])*w.all[1]*w.chans*w.size > 1<<21 {
			w.band--
		}
	}
	w.bands = (height + w.band - 1) / w.band
	w.pixels = w.images * w.band * width
	if !w.direct {
		w.scratch = w.images * ((w.band-1)*move + w.reach[0]) * w.all[1] * w.chans * w.size
	}
}

// evenly rounds the number of images: to whole tiles where areas of one pixel
// in each image are one, or else to sets of equal size, an even number of them.
func (w *forward[T]) evenly(width int) int {
	if width <= narrowImage && !w.direct && w.images >= 4 {
		return min(w.batch, (w.images+2)/tileRows*tileRows)
	}
	sets := (w.batch + w.images - 1) / w.images
	sets += sets % 2
	return (w.batch + sets - 1) / sets
}

// sumBlocks finds the runs in the image that a pixel meets. line and pixel are
// how far apart, in elements, its rows and pixels are.
func (w *forward[T]) sumBlocks(q *phasePair, line, pixel int) {
	q.k = len(q.taps[0]) * len(q.taps[1]) * w.chans
	if q.k == 0 {
		return
	}
	most := depth
	if w.panels == 0 {
		most = q.k // few columns fit as they are
	}
	// Blocks of equal length, if that is possible.
	count := (q.k + most - 1) / most
	most = (q.k + count - 1) / count
	var b sumBlock
	add := func(tap [2]int, off, n int) {
		for n > 0 {
			m := min(n, most-b.k)
			b.runs, b.taps = append(b.runs, segment{off, m, b.k}), append(b.taps, tap)
			b.k += m
			off += m * w.size
			n -= m
			if b.k == most {
				q.blocks = append(q.blocks, b)
				b = sumBlock{at: b.at + b.k}
			}
		}
	}
	for i, h := range q.taps[0] {
		for k, v := range q.taps[1] {
			add([2]int{i, k}, ((h.at-w.from[0])*line+(v.at-w.from[1])*pixel)*w.size, w.chans)
		}
	}
	if b.k > 0 {
		q.blocks = append(q.blocks, b)
	}
}

// findAreas finds the pixels that meet the same taps.
func (w *forward[T]) findAreas(q *phasePair) {
	type span struct {
		first, last int
		taps        []bool
	}
	var spans [2][]span
	for i, ph := range q.phases {
		met := func(at int) (taps []bool) {
			for _, t := range q.taps[i] {
				lo, hi := ph.meets(t, w.axes[i].in)
				taps = append(taps, i == 1 && ph.count > narrowImage || lo <= at && at < hi)
			}
			return taps
		}
		for at := 0; at < ph.count; {
			s := span{at, at + 1, met(at)}
			for s.last < ph.count && slices.Equal(met(s.last), s.taps) {
				s.last++
			}
			spans[i] = append(spans[i], s)
			at = s.last
		}
	}
	for _, h := range spans[0] {
		for _, v := range spans[1] {
			a := area{first: [2]int{h.first, v.first}, last: [2]int{h.last, v.last}, begin: -1}
			for i := range q.blocks {
				segs := q.blocks[i].sum(h.taps, v.taps, w.size)
				a.sums = append(a.sums, segs)
				if a.begin < 0 && len(segs) > 0 {
					a.begin = i
				}
			}
			q.areas = append(q.areas, a)
		}
	}
}

// sum is the runs of some taps, those that are neighbours as one.
func (b *sumBlock) sum(h, v []bool, size int) []segment {
	var segs []segment
	for i, r := range b.runs {
		if !h[b.taps[i][0]] || !v[b.taps[i][1]] {
			continue
		}
		if last := len(segs) - 1; last >= 0 && segs[last].off+segs[last].n*size == r.off && segs[last].k+segs[last].n == r.k {
			segs[last].n += r.n
		} else {
			segs = append(segs, r)
		}
	}
	return segs
}

// inOrder sorts taps as their pixels lie.
func inOrder(ts []tap) []tap {
	ts = slices.Clone(ts)
	slices.SortStableFunc(ts, func(s, t tap) int { return s.at - t.at })
	return ts
}
