package cpu

import (
	"unsafe"

	"github.com/gomlx/compute"
)

// The steps that move elements: Pad, Concatenate, Gather, Bitcast.

// put copies the view v of src to the places of dst that the view w names.
// Both have the same dims.
func put(dst unsafe.Pointer, w view, src unsafe.Pointer, v view, size int) {
	switch size {
	case 1:
		putView[uint8](dst, w, src, v)
	case 2:
		putView[uint16](dst, w, src, v)
	case 4:
		putView[uint32](dst, w, src, v)
	case 8:
		putView[uint64](dst, w, src, v)
	}
}

func putView[T any](dst unsafe.Pointer, w view, src unsafe.Pointer, v view) {
	if v.size() == 0 {
		return
	}
	v, w = together(v, w)
	size := int(unsafe.Sizeof(*new(T)))
	last := len(v.dims) - 1
	n := v.dims[last]
	var a, b cursor
	a.seek(&v, 0)
	b.seek(&w, 0)
	for left := v.size(); left > 0; left -= n {
		d, s := unsafe.Add(dst, b.at*size), unsafe.Add(src, a.at*size)
		if v.strides[last] == 1 && w.strides[last] == 1 {
			copyRun(unsafe.Slice((*T)(d), n), unsafe.Slice((*T)(s), n))
		} else {
			for k := range n {
				*(*T)(unsafe.Add(d, k*w.strides[last]*size)) = *(*T)(unsafe.Add(s, k*v.strides[last]*size))
			}
		}
		a.skip(n)
		b.skip(n)
	}
}

// together joins axes that are one run in both views.
func together(v, w view) (view, view) {
	a, b := view{off: v.off}, view{off: w.off}
	for k, d := range v.dims {
		last := len(a.dims) - 1
		switch {
		case d == 1:
		case last >= 0 && a.strides[last] == d*v.strides[k] && b.strides[last] == d*w.strides[k]:
			a.dims[last] *= d
			a.strides[last], b.strides[last] = v.strides[k], w.strides[k]
		default:
			a.dims, a.strides, b.strides = append(a.dims, d), append(a.strides, v.strides[k]), append(b.strides, w.strides[k])
		}
	}
	if len(a.dims) == 0 {
		a.dims, a.strides, b.strides = []int{1}, []int{1}, []int{1}
	}
	b.dims = a.dims
	return a, b
}

// rowMajor is the view of an array as it lies, with all its axes.
func rowMajor(dims []int) view {
	v, _ := wholeView(product(dims)).on(dims)
	return v
}

// part is what one of several tasks does of a view's first axis, and of
// another's with the same dims.
func part(v, w view, lo, hi int) (view, view) {
	cut := func(v view) view {
		d := append([]int(nil), v.dims...)
		d[0] = hi - lo
		return view{v.off + lo*v.strides[0], d, v.strides}
	}
	return cut(v), cut(w)
}

// putAll is put by several workers.
func (r *run) putAll(dst unsafe.Pointer, w view, src unsafe.Pointer, v view, size int) {
	n := v.size()
	if n < few || len(v.dims) == 0 || v.dims[0] < 2 {
		put(dst, w, src, v, size)
		return
	}
	rows := max(1, v.dims[0]*piece/n)
	r.tasks((v.dims[0]+rows-1)/rows, func(_ *frame, i int) {
		a, b := part(v, w, i*rows, min(v.dims[0], (i+1)*rows))
		put(dst, b, src, a, size)
	})
}

// pad plans a Pad.
func (p *planner) pad(n *node) func(r *run) {
	in := p.inputs[n]
	x, fill, out := p.array(in[0].base), p.array(in[1].base), p.array(n)
	v, _ := in[0].view.on(n.in[0].dims())
	v.strides = append([]int(nil), v.strides...)
	v.dims = append([]int(nil), v.dims...)
	w := rowMajor(n.dims())
	at := view{dims: v.dims, strides: append([]int(nil), w.strides...)}
	// Element i of an axis goes to start + i·(1+interior), if that is inside.
	for k, a := range n.attr.([]compute.PadAxis) {
		step := 1 + a.Interior
		lo := max(0, (-a.Start+step-1)/step)
		if a.Start >= 0 {
			lo = 0
		}
		hi := v.dims[k]
		if room := n.dims()[k] - 1 - a.Start; room < 0 {
			hi = 0
		} else {
			hi = min(hi, room/step+1)
		}
		hi = max(lo, hi)
		v.off += lo * v.strides[k]
		at.off += (a.Start + lo*step) * w.strides[k]
		at.strides[k] = w.strides[k] * step
		v.dims[k] = hi - lo
	}
	size := sizeOf(n.dtype())
	total := n.size()
	off := in[1].view.off
	clear := copyKernel(n.dtype())
	full := v.size() == total
	return func(r *run) {
		dst := r.arrays[out]
		if !full {
			from := unsafe.Add(r.arrays[fill], off*size)
			r.each(total, piece, func(f *frame, lo, hi int) {
				f.o.dst, f.o.in[0], f.o.step[0] = unsafe.Add(dst, lo*size), from, 0
				clear(&f.o, hi-lo)
			})
		}
		r.putAll(dst, at, r.arrays[x], v, size)
	}
}

// concatenate plans a Concatenate.
func (p *planner) concatenate(n *node) func(r *run) {
	axis := n.attr.(int)
	size := sizeOf(n.dtype())
	whole, w := p.place(n)
	out := p.array(whole)
	type piece struct {
		array    int
		from, to view
	}
	var pieces []piece
	at := 0
	for i, s := range p.inputs[n] {
		d := n.in[i].dims()
		if _, there := p.homes[s.base]; !there {
			v, _ := s.view.on(d)
			pieces = append(pieces, piece{p.array(s.base), v, view{w.off + at*w.strides[axis], d, w.strides}})
		}
		at += d[axis]
	}
	return func(r *run) {
		for _, q := range pieces {
			r.putAll(r.arrays[out], q.to, r.arrays[q.array], q.from, size)
		}
	}
}

// bitcast plans a Bitcast: the bytes stay what they are.
func (p *planner) bitcast(n *node) func(r *run) {
	x, out, bytes := p.array(p.inputs[n][0].base), p.array(n), byteSize(n.shape)
	return func(r *run) {
		copy(unsafe.Slice((*byte)(r.arrays[out]), bytes), unsafe.Slice((*byte)(r.arrays[x]), bytes))
	}
}
