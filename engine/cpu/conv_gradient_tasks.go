package cpu

import "unsafe"

// A gradientTask is some panels and tiles of a sum over some images, each from
// the first to before the last.
type gradientTask struct {
	panels, tiles, images [2]int
	part                  int
}

// A result of up to smallResult elements is computed in up to mostParts parts.
const (
	smallResult = 40000
	mostParts   = 8
)

// findTasks gives each task part of the sum if the result is small, which
// spares it what belongs to the others; or else some panels or some tiles for
// itself, and all of the sum. How many parts there are does not depend on the
// number of workers, on which the sum would then depend.
func (w *gradient[T]) findTasks(workers int) {
	cut := func(total, i, n int) [2]int { return [2]int{total * i / n, total * (i + 1) / n} }
	all := gradientTask{panels: [2]int{0, w.panels}, tiles: [2]int{0, len(w.tiles)}, images: [2]int{0, w.chans}}
	if w.parts = min(mostParts, w.chans/2); w.parts > 1 && product(w.lengths()) <= smallResult {
		for i := range w.parts {
			g := all
			g.images, g.part = cut(w.chans, i, w.parts), i
			w.groups = append(w.groups, g)
		}
		return
	}
	w.parts = 1
	n := workers
	if w.panels >= 4*n {
		n *= 2
	}
	for i := range n {
		g := all
		if w.panels >= n {
			g.panels = cut(w.panels, i, n)
		} else {
			g.tiles = cut(len(w.tiles), i, n)
		}
		if g.panels[0] < g.panels[1] && g.tiles[0] < g.tiles[1] {
			w.groups = append(w.groups, g)
		}
	}
}

// addParts makes the result of its parts: the second half of them onto the
// first one, and so on.
func (w *gradient[T]) addParts(r *run) {
	if w.parts == 1 {
		return
	}
	n := product(w.lengths())
	r.each(n, few, func(f *frame, lo, hi int) {
		at := func(part int) unsafe.Pointer { return unsafe.Add(r.temps[w.partial], (part*n+lo)*w.size) }
		o := &f.o
		o.step = [4]uintptr{vectorBytes, vectorBytes}
		for left := w.parts; left > 1; {
			half := (left + 1) / 2
			for i := range left - half {
				o.dst, o.in[0], o.in[1] = at(i), at(i), at(half+i)
				if left == 2 {
					o.dst = unsafe.Add(w.result(r), lo*w.size)
				}
				w.add(o, hi-lo)
			}
			left = half
		}
	})
}
