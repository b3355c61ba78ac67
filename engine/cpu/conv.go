package cpu

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"
)

// Shape letters of a convolution: B images of H×W pixels with C channels, and
// an output of P×Q pixels with N channels; kernels have R×S pixels.

// A convolution is all that there is to know about one with two spatial axes
// (one with fewer has axes of length 1). Strides are in elements.
type convolution struct {
	batch, chans, outs int
	x, w, y            int // arrays
	xOff, wOff         int
	xB, xC             int // strides of the input
	wC, wN             int // of the kernel
	yB, yN             int // of the output
	axes               [2]axis
	size               int // bytes of a number
	temp               int // memory of the step for the output, or −1
}

// An axis is one spatial axis.
type axis struct {
	in, kernel, out     int // lengths
	stride, inDil, kDil int
	pad                 int // zeros before the first pixel
	xStride, wStride    int
	yStride             int
}

// conv plans a ConvGeneral.
func (p *planner) conv(n *node, s *step) func(r *run) {
	if n.size() == 0 {
		return func(*run) {}
	}
	a := n.attr.(convAttr)
	if len(a.axes.InputSpatial) > 2 || a.groups > 1 {
		return p.plainConv(n)
	}
	c := &convolution{size: sizeOf(n.dtype())}
	in := p.inputs[n]
	xd, wd, yd := n.in[0].dims(), n.in[1].dims(), n.dims()
	xv, _ := in[0].view.on(xd)
	wv, _ := in[1].view.on(wd)
	yv := rowMajor(yd)
	c.x, c.w, c.y = p.array(in[0].base), p.array(in[1].base), p.array(n)
	c.xOff, c.wOff = xv.off, wv.off
	c.batch, c.chans, c.outs = xd[a.axes.InputBatch], xd[a.axes.InputChannels], yd[a.axes.OutputChannels]
	c.xB, c.xC = xv.strides[a.axes.InputBatch], xv.strides[a.axes.InputChannels]
	c.wC, c.wN = wv.strides[a.axes.KernelInputChannels], wv.strides[a.axes.KernelOutputChannels]
	c.yB, c.yN = yv.strides[a.axes.OutputBatch], yv.strides[a.axes.OutputChannels]
	for k := range c.axes {
		c.axes[k] = axis{in: 1, kernel: 1, out: 1, stride: 1, inDil: 1, kDil: 1}
	}
	skip := 2 - len(a.axes.InputSpatial)
	for k := range a.axes.InputSpatial {
		xa, wa, ya := a.axes.InputSpatial[k], a.axes.KernelSpatial[k], a.axes.OutputSpatial[k]
		c.axes[skip+k] = axis{
			in: xd[xa], kernel: wd[wa], out: yd[ya],
			stride: a.strides[k], inDil: a.inDil[k], kDil: a.kDil[k], pad: a.pads[k][0],
			xStride: xv.strides[xa], wStride: wv.strides[wa], yStride: yv.strides[ya],
		}
	}
	if c.chans == 0 || c.axes[0].kernel*c.axes[1].kernel == 0 || c.axes[0].in*c.axes[1].in == 0 {
		return func(r *run) { clearArray(r.arrays[c.y], byteSize(n.shape)) }
	}
	// An axis of length 1 may have any stride.
	if c.chans == 1 {
		c.xC = 1
	}
	if c.batch == 1 {
		c.xB = 1
	}
	if c.outs == 1 {
		c.yN = 1
	}
	// Where the numbers of a pixel are the batch, the convolution is the
	// gradient of another one with respect to its kernel.
	overBatch := a.axes.InputBatch == len(xd)-1 && c.xB == 1
	c.temp = -1
	after := func(*run) {}
	if c.yN != 1 {
		after = c.detour(p, s)
	}
	var exec func(r *run)
	switch {
	case n.in[0].dtype() == dtypes.BFloat16:
		exec = planNarrowConv(c, p, s, overBatch)
	case overBatch && n.dtype() == dtypes.Float64:
		exec = planGradient(c, p, s, tiles64())
	case overBatch:
		exec = planGradient(c, p, s, tiles32())
	case n.dtype() == dtypes.Float64:
		exec = planForward(c, p, s, tiles64())
	default:
		exec = planForward(c, p, s, tiles32())
	}
	return func(r *run) {
		exec(r)
		after(r)
	}
}

// detour lets the convolution write its output with channels last into memory
// of the step, and returns what moves it to its place.
func (c *convolution) detour(p *planner, s *step) func(r *run) {
	h, v := &c.axes[0], &c.axes[1]
	dims := []int{h.out, v.out, c.outs, c.batch} // in the order in which most outputs lie
	to := view{0, dims, []int{h.yStride, v.yStride, c.yN, c.yB}}
	c.temp = p.temp(s, product(dims)*c.size)
	c.yN, c.yB = 1, c.outs
	v.yStride = c.batch * c.outs
	h.yStride = v.out * v.yStride
	from := view{0, dims, []int{h.yStride, v.yStride, c.yN, c.yB}}
	return func(r *run) { r.putAll(r.arrays[c.y], to, r.temps[c.temp], from, c.size) }
}

// result is where the output goes.
func (c *convolution) result(r *run) unsafe.Pointer {
	if c.temp >= 0 {
		return r.temps[c.temp]
	}
	return r.arrays[c.y]
}

// A tap is one position of the kernel along an axis, and the pixel of the
// input that it meets, relative to that of the first.
type tap struct{ kernel, at int }

// A phase is the pixels of the output, along one axis, that meet the same taps:
// a dilated input has as many as its dilation. Its i-th pixel is first + i·step
// of the output, and meets pixel i·move + tap.at of the input.
type phase struct {
	first, step, count int
	move               int
	taps               []tap
}

// meets are the pixels of the phase, from lo to before hi, for which a tap
// meets one of the n pixels of the input and not the zeros around it.
func (ph *phase) meets(t tap, n int) (lo, hi int) {
	if t.at < 0 {
		lo = (-t.at + ph.move - 1) / ph.move
	}
	if t.at < n {
		hi = min(ph.count, (n-1-t.at)/ph.move+1)
	}
	return min(lo, hi), hi
}

func (x axis) phases() []phase {
	g := gcd(x.stride, x.inDil)
	n := x.inDil / g
	var all []phase
	for first := range min(n, x.out) {
		ph := phase{first: first, step: n, count: (x.out - first + n - 1) / n, move: n * x.stride / x.inDil}
		for k := range x.kernel {
			at := first*x.stride + k*x.kDil - x.pad
			if at%x.inDil != 0 {
				continue
			}
			t := tap{k, at / x.inDil}
			if lo, hi := ph.meets(t, x.in); lo < hi { // else it meets only zeros
				ph.taps = append(ph.taps, t)
			}
		}
		all = append(all, ph)
	}
	return all
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// lengths are those of the output.
func (c *convolution) lengths() []int {
	return []int{c.batch, c.axes[0].out, c.axes[1].out, c.outs}
}
