package cpu

import (
	"github.com/gomlx/compute"
)

// isView reports whether an operation only reads its input in another order.
func isView(op compute.OpType) bool {
	switch op {
	case compute.OpTypeIdentity, compute.OpTypeReshape, compute.OpTypeTranspose, compute.OpTypeBroadcastInDim,
		compute.OpTypeSlice, compute.OpTypeReverse:
		return true
	}
	return false
}

// A source is where the elements of a value are: an array, and how to read it.
type source struct {
	base *node
	view view
}

// whole reports whether the source is all of its array as it lies.
func (s source) whole() bool { return s.view.whole(s.base.size()) }

// A resolver follows views to the arrays that they read.
type resolver struct {
	known map[*node]source
	// copied are views that have to be arrays of their own: outputs of the
	// graph, and those that no strides describe.
	copied map[*node]bool
}

func newResolver() *resolver {
	return &resolver{known: map[*node]source{}, copied: map[*node]bool{}}
}

// source is where to read n.
func (r *resolver) source(n *node) source {
	if s, ok := r.known[n]; ok {
		return s
	}
	s := source{n, wholeView(n.size())}
	if isView(n.op) && !r.copied[n] {
		s = r.through(n)
	}
	r.known[n] = s
	return s
}

// through is where the elements of n, which is a view, come from.
func (r *resolver) through(n *node) source {
	in := n.in[0]
	s := r.source(in)
	if n.size() == 0 {
		s.view = view{dims: []int{0}, strides: []int{1}}
		return s
	}
	if n.op == compute.OpTypeIdentity || n.op == compute.OpTypeReshape {
		return s
	}
	v, ok := s.view.on(in.dims())
	if !ok {
		r.copied[in] = true
		s = source{in, wholeView(in.size())}
		r.known[in] = s
		v, _ = s.view.on(in.dims())
	}
	out := view{off: v.off}
	switch n.op {
	case compute.OpTypeTranspose:
		for _, axis := range n.attr.([]int) {
			out.dims, out.strides = append(out.dims, v.dims[axis]), append(out.strides, v.strides[axis])
		}
	case compute.OpTypeBroadcastInDim:
		out.dims, out.strides = n.dims(), make([]int, len(n.dims()))
		for i, axis := range n.attr.([]int) {
			if v.dims[i] != 1 {
				out.strides[axis] = v.strides[i]
			}
		}
	case compute.OpTypeSlice:
		a := n.attr.(sliceAttr)
		out.dims = n.dims()
		for i, stride := range v.strides {
			out.off += a.starts[i] * stride
			out.strides = append(out.strides, stride*a.strides[i])
		}
	case compute.OpTypeReverse:
		out.dims, out.strides = v.dims, append([]int(nil), v.strides...)
		for _, axis := range n.attr.([]int) {
			out.off += (v.dims[axis] - 1) * v.strides[axis]
			out.strides[axis] = -v.strides[axis]
		}
	}
	return source{s.base, out.simple()}
}

// broadcast is where to read n as an array of other dims: axes of length 1 are
// repeated, and so is a scalar.
func (r *resolver) broadcast(n *node, dims []int) source {
	s := r.source(n)
	if n.size() == product(dims) {
		return s
	}
	if n.size() == 1 {
		return source{s.base, view{s.view.off, []int{product(dims)}, []int{0}}.simple()}
	}
	v, ok := s.view.on(n.dims())
	if !ok {
		r.copied[n] = true
		s = source{n, wholeView(n.size())}
		r.known[n] = s
		v, _ = s.view.on(n.dims())
	}
	out := view{off: v.off, dims: dims, strides: make([]int, len(dims))}
	for i := range dims {
		if v.dims[i] != 1 {
			out.strides[i] = v.strides[i]
		}
	}
	return source{s.base, out.simple()}
}
