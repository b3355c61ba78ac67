package cpu

import (
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// A home is the place of a node in another one's array: what a Concatenate
// puts together is written there at once, without an array of its own. That may be
// a Concatenate itself.
type home struct {
	whole *node // the Concatenate, the last one of several
	view  view  // of its array
}

// findHome gives n, which is element-wise or a Concatenate, a home if all that is
// ever done with it is to concatenate it. Those that read it have theirs.
func (p *grouper) findHome(n *node) {
	if p.outputs[n] || n.dtype() == dtypes.BFloat16 || n.size() == 0 || len(p.uses[n]) != 1 {
		return
	}
	c := p.uses[n][0].g.root
	if c.op != compute.OpTypeConcatenate {
		return
	}
	whole, w := p.place(c)
	axis, at := c.attr.(int), 0
	for i, s := range p.inputs[c] {
		d := c.in[i].dims()
		if s.base == n && s.whole() {
			p.homes[n] = home{whole, view{w.off + at*w.strides[axis], d, w.strides}.simple()}
		}
		at += d[axis]
	}
}

// place is the node in whose array n is written, and where, by its axes.
func (p *grouper) place(n *node) (*node, view) {
	h, ok := p.homes[n]
	if !ok {
		return n, rowMajor(n.dims())
	}
	v, _ := h.view.on(n.dims()) // which it was made of
	return h.whole, v
}

// stored is the number of the array that a node is written to.
func (p *planner) stored(n *node) int {
	whole, _ := p.place(n)
	return p.array(whole)
}

// joined is the two nodes whose concatenation along an axis is the sum of a
// and b: both padded with zeros, each where the other one is. That is how the
// gradients of the two halves of an array come together.
func joined(a, b *node) (first, second *node, axis int, ok bool) {
	axis = -1
	if a.op != compute.OpTypePad || b.op != compute.OpTypePad || !a.shape.Equal(b.shape) || !zeros(a.in[1]) || !zeros(b.in[1]) {
		return nil, nil, 0, false
	}
	pa, pb := a.attr.([]compute.PadAxis), b.attr.([]compute.PadAxis)
	for k := range pa {
		if pa[k] == (compute.PadAxis{}) && pb[k] == pa[k] {
			continue
		}
		if axis >= 0 {
			return nil, nil, 0, false
		}
		axis = k
	}
	if axis < 0 {
		return nil, nil, 0, false
	}
	if pa[axis].Start > 0 {
		a, b, pa, pb = b, a, pb, pa
	}
	first, second = a.in[0], b.in[0]
	ok = pa[axis] == compute.PadAxis{End: second.dims()[axis]} && pb[axis] == compute.PadAxis{Start: first.dims()[axis]}
	return first, second, axis, ok
}

// zeros reports whether n is a constant of zeros.
func zeros(n *node) bool {
	c, ok := n.attr.(*constant)
	return ok && n.op == compute.OpTypeConstant && !slices.ContainsFunc(c.words, func(w uint64) bool { return w != 0 })
}

// store copies n elements to elements i…i+n−1 of a view, each of size bytes.
func store(dst unsafe.Pointer, v *view, i int, src unsafe.Pointer, n, size int) {
	switch size {
	case 1:
		storeView(dst, v, i, unsafe.Slice((*uint8)(src), n))
	case 2:
		storeView(dst, v, i, unsafe.Slice((*uint16)(src), n))
	case 4:
		if v.strides[len(v.strides)-1] == 1 {
			storeRows(dst, v, i, src, n)
			return
		}
		storeView(dst, v, i, unsafe.Slice((*uint32)(src), n))
	case 8:
		storeView(dst, v, i, unsafe.Slice((*uint64)(src), n))
	}
}

// storeView is loadView the other way.
func storeView[T any](dst unsafe.Pointer, v *view, i int, src []T) {
	var c cursor
	c.seek(v, i)
	size := int(unsafe.Sizeof(src[0]))
	stride := v.strides[len(v.strides)-1]
	for len(src) > 0 {
		n := min(len(src), c.run())
		p := unsafe.Add(dst, c.at*size)
		if stride == 1 {
			copyRun(unsafe.Slice((*T)(p), n), src[:n])
		} else {
			for k, x := range src[:n] {
				*(*T)(unsafe.Add(p, k*stride*size)) = x
			}
		}
		src = src[n:]
		c.skip(n)
	}
}
