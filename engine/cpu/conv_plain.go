package cpu

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"
)

// plainConv plans a convolution by its definition: with more than two spatial
// axes, or groups of channels.
func (p *planner) plainConv(n *node) func(r *run) {
	a := n.attr.(convAttr)
	in := p.inputs[n]
	xv, _ := in[0].view.on(n.in[0].dims())
	wv, _ := in[1].view.on(n.in[1].dims())
	x, w, y := p.array(in[0].base), p.array(in[1].base), p.array(n)
	each := max(1, few/max(1, n.in[1].size()/max(1, n.in[1].dims()[a.axes.KernelOutputChannels])))
	if n.dtype() == dtypes.Float64 {
		return func(r *run) {
			r.each(n.size(), each, func(_ *frame, lo, hi int) {
				convolve[float64](n, a, r.arrays[x], xv, r.arrays[w], wv, r.arrays[y], lo, hi)
			})
		}
	}
	return func(r *run) {
		r.each(n.size(), each, func(_ *frame, lo, hi int) {
			convolve[float32](n, a, r.arrays[x], xv, r.arrays[w], wv, r.arrays[y], lo, hi)
		})
	}
}

// convolve computes elements lo…hi−1 of the output.
func convolve[T float](n *node, a convAttr, x unsafe.Pointer, xv view, w unsafe.Pointer, wv view, y unsafe.Pointer, lo, hi int) {
	size := int(unsafe.Sizeof(T(0)))
	ax := a.axes
	out := rowMajor(n.dims())
	dst := unsafe.Slice((*T)(y), n.size())
	chans := wv.dims[ax.KernelInputChannels]
	perGroup := n.dims()[ax.OutputChannels] / a.groups
	var kernel view
	for _, axis := range ax.KernelSpatial {
		kernel.dims, kernel.strides = append(kernel.dims, wv.dims[axis]), append(kernel.strides, wv.strides[axis])
	}
	kernel = padView(kernel)
	var c, k cursor
	c.seek(&out, lo)
	for i := lo; i < hi; i++ {
		channel := c.index[ax.OutputChannels]
		base := xv.off + c.index[ax.OutputBatch]*xv.strides[ax.InputBatch] + channel/perGroup*chans*xv.strides[ax.InputChannels]
		var sum float64
		k.seek(&kernel, 0)
		for range kernel.size() {
			at, ok := base, true
			for s, axis := range ax.InputSpatial {
				pos := c.index[ax.OutputSpatial[s]]*a.strides[s] + k.index[s]*a.kDil[s] - a.pads[s][0]
				if pos < 0 || pos%a.inDil[s] != 0 || pos/a.inDil[s] >= xv.dims[axis] {
					ok = false
					break
				}
				at += pos / a.inDil[s] * xv.strides[axis]
			}
			if ok {
				from := wv.off + k.at + channel*wv.strides[ax.KernelOutputChannels]
				for ch := range chans {
					sum += float64(*(*T)(unsafe.Add(x, (at+ch*xv.strides[ax.InputChannels])*size))) *
						float64(*(*T)(unsafe.Add(w, (from+ch*wv.strides[ax.KernelInputChannels])*size)))
				}
			}
			k.skip(1)
		}
		dst[i] = T(sum)
		c.skip(1)
	}
}

func clearArray(p unsafe.Pointer, bytes int) { clear(unsafe.Slice((*byte)(p), bytes)) }
