package cpu

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"
)

// gather plans a Gather. Indices are int64 by now.
func (p *planner) gather(n *node) func(r *run) {
	a := n.attr.(gatherAttr)
	x, idx, out := p.array(p.inputs[n][0].base), p.array(p.inputs[n][1].base), p.array(n)
	size := sizeOf(n.dtype())
	from := rowMajor(n.in[0].dims())
	walk := indexWalk(n.in[1].dims(), a.vector, a.starts)
	// Axes of the output: those of the slice, and the others in order.
	o := rowMajor(n.dims())
	to := view{dims: a.sizes, strides: make([]int, len(a.sizes))}
	isOffset := make([]bool, len(n.dims()))
	k := 0
	for axis := range a.sizes {
		if !contains(a.collapsed, axis) {
			to.strides[axis] = o.strides[a.offset[k]]
			isOffset[a.offset[k]] = true
			k++
		}
	}
	var batch view
	for axis, d := range n.dims() {
		if !isOffset[axis] {
			batch.dims, batch.strides = append(batch.dims, d), append(batch.strides, o.strides[axis])
		}
	}
	if n.size() == 0 {
		return func(*run) {}
	}
	batch = padView(batch)
	count := batch.size()
	slice := view{dims: a.sizes, strides: from.strides}
	sv, tv := together(slice, to)
	one := len(sv.dims) == 1 && sv.strides[0] == 1 && tv.strides[0] == 1
	length := sv.size() * size
	return func(r *run) {
		per := max(1, piece*4/max(1, length))
		index := unsafe.Slice((*int64)(r.arrays[idx]), n.in[1].size())
		r.each(count, per, func(_ *frame, lo, hi int) {
			var c cursor
			c.seek(&batch, lo)
			for i := lo; i < hi; i++ {
				at := walk.offset(index, i, a.sizes, from)
				src := unsafe.Add(r.arrays[x], at*size)
				dst := unsafe.Add(r.arrays[out], c.at*size)
				if one {
					copy(unsafe.Slice((*byte)(dst), length), unsafe.Slice((*byte)(src), length))
				} else {
					put(dst, to, src, slice, size)
				}
				c.skip(1)
			}
		})
	}
}

// padView gives a view without axes one of length 1.
func padView(v view) view {
	if len(v.dims) == 0 {
		v.dims, v.strides = []int{1}, []int{1}
	}
	return v
}

func contains(s []int, v int) bool {
	for _, x := range s {
		if x == v {
			return true
		}
	}
	return false
}

// An indices walks over the index vectors of Gather and Scatter.
type indices struct {
	batch  view // of the first elements of the vectors
	stride int  // from one element of a vector to the next
	axes   []int
}

func indexWalk(dims []int, vector int, axes []int) indices {
	v := rowMajor(dims)
	w := indices{axes: axes, stride: 1}
	for axis, d := range dims {
		if axis == vector {
			w.stride = v.strides[axis]
			continue
		}
		w.batch.dims, w.batch.strides = append(w.batch.dims, d), append(w.batch.strides, v.strides[axis])
	}
	w.batch = padView(w.batch)
	return w
}

// offset is where the slice of the i-th index vector begins in an array, moved
// inside of it where it would stick out.
func (w *indices) offset(index []int64, i int, sizes []int, array view) int {
	var c cursor
	c.seek(&w.batch, i)
	at := 0
	for k, axis := range w.axes {
		v := index[c.at+k*w.stride]
		v = max(0, min(v, int64(array.dims[axis]-sizes[axis])))
		at += int(v) * array.strides[axis]
	}
	return at
}

// argMinMax plans an ArgMinMax: the first of the smallest or largest, or the
// last NaN, as GoMLX's Go backend has it.
func (p *planner) argMinMax(n *node) func(r *run) {
	a := n.attr.(argAttr)
	in := n.in[0]
	x, out := p.array(p.inputs[n][0].base), p.array(n)
	d := in.dims()
	outer, length, inner := product(d[:a.axis]), d[a.axis], product(d[a.axis+1:])
	if n.size() == 0 {
		return func(*run) {}
	}
	find := argOf(in.dtype())
	put := conversion(dtypes.Int64, n.dtype())
	size := sizeOf(n.dtype())
	return func(r *run) {
		r.each(outer*inner, max(1, few/length), func(f *frame, lo, hi int) {
			var best int64
			f.o.in[0], f.o.step[0] = unsafe.Pointer(&best), 0
			for i := lo; i < hi; i++ {
				best = int64(find(r.arrays[x], i/inner*length*inner+i%inner, length, inner, a.min))
				f.o.dst = unsafe.Add(r.arrays[out], i*size)
				put(&f.o, 1)
			}
			f.o.in[0] = nil
		})
	}
}

func argOf(t dtypes.DType) func(x unsafe.Pointer, at, n, stride int, least bool) int {
	switch t {
	case dtypes.Int8:
		return argBest[int8]
	case dtypes.Int16:
		return argBest[int16]
	case dtypes.Int32:
		return argBest[int32]
	case dtypes.Int64:
		return argBest[int64]
	case dtypes.Uint8:
		return argBest[uint8]
	case dtypes.Uint16:
		return argBest[uint16]
	case dtypes.Uint32:
		return argBest[uint32]
	case dtypes.Uint64:
		return argBest[uint64]
	case dtypes.Float64:
		return argBest[float64]
	}
	return argBest[float32]
}

func argBest[T number](x unsafe.Pointer, at, n, stride int, least bool) int {
	v := unsafe.Slice((*T)(x), at+(n-1)*stride+1)
	best := 0
	for k := range n {
		a, b := v[at+k*stride], v[at+best*stride]
		if a != a || least && a < b || !least && a > b {
			best = k
		}
	}
	return best
}
