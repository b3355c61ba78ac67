package cpu

import (
	"math"
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// Steps that add or compare elements somewhere: Scatter, ReduceWindow,
// SelectAndScatter. They are done by one worker, in the order of the elements,
// so that sums come out the same every time.

// scatter plans a Scatter. Indices are int64 by now; a slice that would stick
// out of the array is left out.
func (p *planner) scatter(n *node) func(r *run) {
	a := n.attr.(scatterAttr)
	in := p.inputs[n]
	x, idx, up, out := p.array(in[0].base), p.array(in[1].base), p.array(in[2].base), p.array(n)
	size := sizeOf(n.dtype())
	to := rowMajor(n.dims())
	u := rowMajor(n.in[2].dims())
	var slice, window, batch view // of the array, of the updates, and the rest of those
	k := 0
	sizes := make([]int, len(n.dims()))
	for axis := range n.dims() {
		sizes[axis] = 1
		if !contains(a.inserted, axis) {
			w := a.window[k]
			sizes[axis] = u.dims[w]
			slice.dims, slice.strides = append(slice.dims, u.dims[w]), append(slice.strides, to.strides[axis])
			window.strides = append(window.strides, u.strides[w])
			k++
		}
	}
	window.dims = slice.dims
	for axis, d := range u.dims {
		if !contains(a.window, axis) {
			batch.dims, batch.strides = append(batch.dims, d), append(batch.strides, u.strides[axis])
		}
	}
	batch, slice, window = padView(batch), padView(slice), padView(window)
	walk := indexWalk(n.in[1].dims(), a.vector, a.target)
	combine := map[compute.OpType]compute.OpType{
		compute.OpTypeScatterSum: compute.OpTypeAdd, compute.OpTypeScatterMax: compute.OpTypeMax, compute.OpTypeScatterMin: compute.OpTypeMin,
	}[n.op]
	fold := goKernel(combine, n.dtype())
	bytes := byteSize(n.shape)
	empty := n.in[2].size() == 0
	return func(r *run) {
		dst := r.arrays[out]
		copy(unsafe.Slice((*byte)(dst), bytes), unsafe.Slice((*byte)(r.arrays[x]), bytes))
		if empty {
			return
		}
		index := unsafe.Slice((*int64)(r.arrays[idx]), n.in[1].size())
		o := &r.frames[0].o
		o.step = [4]uintptr{vectorBytes, vectorBytes}
		var b, s, w cursor
		b.seek(&batch, 0)
		for i := range batch.size() {
			at, ok := walk.inside(index, i, sizes, to)
			if ok {
				s.seek(&slice, 0)
				w.seek(&window, 0)
				for range slice.size() {
					o.dst = unsafe.Add(dst, (at+s.at)*size)
					o.in[0], o.in[1] = o.dst, unsafe.Add(r.arrays[up], (b.at+w.at)*size)
					fold(o, 1)
					s.skip(1)
					w.skip(1)
				}
			}
			b.skip(1)
		}
	}
}

// inside is offset for slices that must not stick out.
func (w *indices) inside(index []int64, i int, sizes []int, array view) (at int, ok bool) {
	var c cursor
	c.seek(&w.batch, i)
	for k, axis := range w.axes {
		v := index[c.at+k*w.stride]
		if v < 0 || v > int64(array.dims[axis]-sizes[axis]) {
			return 0, false
		}
		at += int(v) * array.strides[axis]
	}
	return at, true
}

// windows calls f for every element of the output and every element of the
// input in its window, in order.
func windows(out, in []int, a windowAttr, begin func(o int), f func(o, i int)) {
	ov, iv := rowMajor(out), rowMajor(in)
	rank := len(out)
	var oc, wc cursor
	w := view{dims: a.window, strides: make([]int, rank)}
	ov, w = padView(ov), padView(w)
	oc.seek(&ov, 0)
	for o := range ov.size() {
		begin(o)
		wc.seek(&w, 0)
		for range w.size() {
			at, ok := 0, true
			for k := range rank {
				pos := oc.index[k]*a.strides[k] + wc.index[k]*a.dil[k] - a.pads[k][0]
				if pos < 0 || pos%a.inDil[k] != 0 || pos/a.inDil[k] >= in[k] {
					ok = false
					break
				}
				at += pos / a.inDil[k] * iv.strides[k]
			}
			if ok {
				f(o, at)
			}
			wc.skip(1)
		}
		oc.skip(1)
	}
}

// window plans a ReduceWindow.
func (p *planner) window(n *node) func(r *run) {
	a := n.attr.(windowAttr)
	x, out := p.array(p.inputs[n][0].base), p.array(n)
	by := reducerOf(windowReduce[a.op], n.dtype())
	in := slices.Clone(n.in[0].dims())
	if n.size() == 0 {
		return func(*run) {}
	}
	return func(r *run) {
		src, dst := r.arrays[x], r.arrays[out]
		o := &r.frames[0].o
		o.step = [4]uintptr{vectorBytes, vectorBytes}
		windows(n.dims(), in, a,
			func(i int) { by.start(unsafe.Add(dst, i*by.size), 1) },
			func(i, k int) {
				o.dst = unsafe.Add(dst, i*by.size)
				o.in[0], o.in[1] = o.dst, unsafe.Add(src, k*by.size)
				by.fold(o, 1)
			})
	}
}

// selectAndScatter plans the gradient of a ReduceWindow with Max or Min: each
// element of the source goes to the first best one of its window.
func (p *planner) selectAndScatter(n *node) func(r *run) {
	in := p.inputs[n]
	x, src, out := p.array(in[0].base), p.array(in[1].base), p.array(n)
	if n.dtype() == dtypes.Float64 {
		return func(r *run) { selectWindows[float64](n, r.arrays[out], r.arrays[x], r.arrays[src], math.Inf) }
	}
	return func(r *run) { selectWindows[float32](n, r.arrays[out], r.arrays[x], r.arrays[src], math.Inf) }
}

func selectWindows[T float](n *node, out, x, src unsafe.Pointer, inf func(int) float64) {
	a := n.attr.(selectAttr)
	w := windowAttr{window: a.window, strides: a.strides, pads: a.pads, inDil: orOnes(nil, len(a.window)), dil: orOnes(nil, len(a.window))}
	d := unsafe.Slice((*T)(out), n.size())
	v := unsafe.Slice((*T)(x), n.size())
	s := unsafe.Slice((*T)(src), n.in[1].size())
	clear(d)
	best, at, owner := T(inf(-1)), -1, -1
	flush := func() {
		if at >= 0 {
			d[at] += s[owner]
		}
	}
	windows(n.in[1].dims(), n.dims(), w,
		func(o int) {
			flush()
			owner, at = o, -1
		},
		func(o, i int) {
			if at < 0 || !a.min && v[i] > best || a.min && v[i] < best {
				best, at = v[i], i
			}
		})
	flush()
}
