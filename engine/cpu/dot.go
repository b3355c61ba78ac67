package cpu

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"
)

// A matrix is where the elements of one side of a product are: element i, j of
// the b-th matrix is off + b·batch + i·row + j·col of an array, or of memory
// of the step.
type matrix struct {
	array           int // or −1−temp
	off             int
	batch, row, col int
}

// A matrixProduct is a batch of matrix products c = a·b of m×k and k×n matrices.
type matrixProduct struct {
	batch, m, n, k int
	a, b, c        matrix
	temp           int // memory of the step: copies of a and b, and b packed
	copies         []copied
	packed         int // where b is packed, in bytes
}

// A copied is a side of a product that has no strides and is put in order
// before.
type copied struct {
	array int
	from  view
	at    int // bytes into the memory of the step
}

// dot plans a DotGeneral.
func (p *planner) dot(n *node, s *step) func(r *run) {
	at := n.attr.(dotAttr)
	in := p.inputs[n]
	d := &matrixProduct{}
	size := sizeOf(n.in[0].dtype())
	bytes := 0
	side := func(i int, batch, sum []int, sumLast bool) (m matrix, count, cross, depth int) {
		dims := n.in[i].dims()
		v, _ := in[i].view.on(dims)
		var others []int
		for axis := range dims {
			if !contains(batch, axis) && !contains(sum, axis) {
				others = append(others, axis)
			}
		}
		take := func(axes []int) int {
			k := 1
			for _, axis := range axes {
				k *= dims[axis]
			}
			return k
		}
		count, cross, depth = take(batch), take(others), take(sum)
		order := [][]int{batch, others, sum}
		shape := []int{count, cross, depth}
		if !sumLast {
			order[1], order[2] = sum, others
			shape[1], shape[2] = depth, cross
		}
		w := view{off: v.off}
		for _, axes := range order {
			for _, axis := range axes {
				w.dims, w.strides = append(w.dims, dims[axis]), append(w.strides, v.strides[axis])
			}
		}
		m.array, m.off = p.array(in[i].base), w.off
		strides, ok := w.along(shape)
		if !ok {
			d.copies = append(d.copies, copied{m.array, padView(w), bytes})
			m.array, m.off = -1, bytes/size
			bytes += (w.size()*size + align - 1) / align * align
			strides, _ = wholeView(w.size()).along(shape)
		}
		m.batch, m.row, m.col = strides[0], strides[1], strides[2]
		return m, count, cross, depth
	}
	d.a, d.batch, d.m, d.k = side(0, at.aBatch, at.aSum, true)
	d.b, _, d.n, _ = side(1, at.bBatch, at.bSum, false)
	if d.k == 1 { // an axis of length 1 may have any stride
		d.a.col, d.b.row = 1, 1
	}
	d.c = matrix{array: p.array(n), batch: d.m * d.n, row: d.n, col: 1}
	d.packed = bytes
	if n.size() == 0 {
		return func(*run) {}
	}
	switch n.in[0].dtype() {
	case dtypes.BFloat16:
		return planNarrow(d, p, s)
	case dtypes.Float32:
		return planProduct(d, p, s, tiles32())
	case dtypes.Float64:
		return planProduct(d, p, s, tiles64())
	}
	if bytes > 0 {
		d.temp = p.temp(s, bytes)
	}
	plain := plainProduct(n.dtype())
	return func(r *run) {
		d.copy(r, size)
		r.tasks(d.batch, func(_ *frame, i int) { plain(d, r, i) })
	}
}

// copy puts those sides in order that have no strides.
func (d *matrixProduct) copy(r *run, size int) {
	for _, c := range d.copies {
		r.putAll(unsafe.Add(r.temps[d.temp], c.at), rowMajor(c.from.dims), r.arrays[c.array], c.from, size)
	}
}

// at is where element 0, 0 of the i-th matrix is.
func (d *matrixProduct) at(r *run, m matrix, i, size int) unsafe.Pointer {
	base := unsafe.Pointer(nil)
	if m.array < 0 {
		base = r.temps[d.temp]
	} else {
		base = r.arrays[m.array]
	}
	return unsafe.Add(base, (m.off+i*m.batch)*size)
}

func plainProduct(t dtypes.DType) func(d *matrixProduct, r *run, i int) {
	switch t {
	case dtypes.Int8:
		return multiplyPlain[int8]
	case dtypes.Int16:
		return multiplyPlain[int16]
	case dtypes.Int32:
		return multiplyPlain[int32]
	case dtypes.Uint8:
		return multiplyPlain[uint8]
	case dtypes.Uint16:
		return multiplyPlain[uint16]
	case dtypes.Uint32:
		return multiplyPlain[uint32]
	case dtypes.Uint64:
		return multiplyPlain[uint64]
	}
	return multiplyPlain[int64]
}

// multiplyPlain is for integers, which nobody multiplies in large numbers.
func multiplyPlain[T integer](d *matrixProduct, r *run, i int) {
	size := int(unsafe.Sizeof(T(0)))
	a, b, c := d.at(r, d.a, i, size), d.at(r, d.b, i, size), d.at(r, d.c, i, size)
	for x := range d.m {
		for y := range d.n {
			var s T
			for k := range d.k {
				s += *(*T)(unsafe.Add(a, (x*d.a.row+k*d.a.col)*size)) * *(*T)(unsafe.Add(b, (k*d.b.row+y*d.b.col)*size))
			}
			*(*T)(unsafe.Add(c, (x*d.c.row+y)*size)) = s
		}
	}
}

// transpose makes cᵀ = bᵀ·aᵀ of it.
func (d *matrixProduct) transpose() {
	flip := func(m matrix) matrix { m.row, m.col = m.col, m.row; return m }
	d.m, d.n = d.n, d.m
	d.a, d.b, d.c = flip(d.b), flip(d.a), flip(d.c)
}
