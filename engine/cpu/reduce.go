package cpu

import (
	"unsafe"

	"github.com/gomlx/compute"
)

// isReduce reports whether an operation reduces axes.
func isReduce(op compute.OpType) bool {
	switch op {
	case compute.OpTypeReduceSum, compute.OpTypeReduceProduct, compute.OpTypeReduceMax, compute.OpTypeReduceMin,
		compute.OpTypeReduceLogicalAnd, compute.OpTypeReduceLogicalOr, compute.OpTypeReduceLogicalXor,
		compute.OpTypeReduceBitwiseAnd, compute.OpTypeReduceBitwiseOr, compute.OpTypeReduceBitwiseXor:
		return true
	}
	return false
}

// A reduction goes over outer × length × inner elements and leaves out those
// along the length. The builder makes any other from several of these.
type reduction struct {
	by                   *reducer
	prog                 *program
	outer, length, inner int
	out                  int // array
	temp                 int
	parts                int // into which each sum is cut
	rows                 int // that make a part
}

// reduction plans the step of a group that ends with a reduction.
func (p *planner) reduction(g *group, s *step) func(r *run) {
	in := g.root.in[0]
	axes := g.root.attr.([]int)
	d := in.dims()
	first, last := axes[0], axes[len(axes)-1]
	x := &reduction{by: reducerOf(g.root.op, in.dtype()), out: p.array(g.root)}
	x.outer, x.length, x.inner = product(d[:first]), product(d[first:last+1]), product(d[last+1:])
	switch {
	case x.outer*x.inner == 0:
		return func(*run) {}
	case x.length == 0:
		return func(r *run) { x.by.start(r.arrays[x.out], x.outer*x.inner) }
	case x.inner == 1:
		return x.alongRows(p, g, s)
	case x.inner <= maxBlock:
		return x.alongColumns(p, g, s)
	}
	return x.alongPieces(p, g)
}

// alongRows reduces what lies together.
func (x *reduction) alongRows(p *planner, g *group, s *step) func(r *run) {
	x.prog = p.use(p.write(g, x.length))
	n := x.by.size
	if x.length <= x.prog.block {
		// Several rows in a block.
		per := max(1, piece/x.prog.block) * x.prog.block
		return func(r *run) {
			x.prog.begin(r)
			out := r.arrays[x.out]
			r.each(x.prog.size, per, func(f *frame, lo, hi int) {
				x.prog.start(f, lo)
				for i := lo; i < hi; i += x.prog.block {
					m := min(x.prog.block, hi-i)
					x.prog.compute(f, i, m)
					at, _ := x.prog.at(f, &x.prog.result, i)
					for k := 0; k < m; k += x.length {
						x.by.total(unsafe.Add(out, (i+k)/x.length*n), unsafe.Add(at, k*n), x.length)
					}
				}
			})
		}
	}
	// Each row is cut in parts of 16 blocks, and the sums of blocks are added
	// in the same way.
	part := 16 * x.prog.block
	x.parts = (x.length + part - 1) / part
	x.temp = p.temp(s, x.outer*x.parts*n)
	return func(r *run) {
		x.prog.begin(r)
		sums := r.temps[x.temp]
		task := func(f *frame, i int) {
			var blocks [16]uint64
			sub := unsafe.Pointer(&blocks)
			lo := i/x.parts*x.length + i%x.parts*part
			hi := min(lo+part, (i/x.parts+1)*x.length)
			x.prog.start(f, lo)
			k := 0
			for at := lo; at < hi; at += x.prog.block {
				m := min(x.prog.block, hi-at)
				x.prog.compute(f, at, m)
				v, _ := x.prog.at(f, &x.prog.result, at)
				x.by.total(unsafe.Add(sub, k*n), v, m)
				k++
			}
			x.by.total(unsafe.Add(sums, i*n), sub, k)
		}
		if x.prog.size <= few {
			for i := range x.outer * x.parts {
				task(&r.frames[0], i)
			}
		} else {
			r.tasks(x.outer*x.parts, task)
		}
		for i := range x.outer {
			x.by.total(unsafe.Add(r.arrays[x.out], i*n), unsafe.Add(sums, i*x.parts*n), x.parts)
		}
	}
}

// alongColumns reduces rows of a block's length or less onto one another.
func (x *reduction) alongColumns(p *planner, g *group, s *step) func(r *run) {
	x.prog = p.use(p.write(g, x.inner))
	n := x.by.size
	// Sums as wide as a block, of many rows: wide loops, and short sums.
	wide := x.prog.block / x.inner
	x.rows = max(1, piece/x.prog.block) * wide
	x.parts = (x.length + x.rows - 1) / x.rows
	x.temp = p.temp(s, x.outer*x.parts*x.inner*n)
	acc := x.prog.scratch
	x.prog.scratch += x.prog.block * 8
	p.use(x.prog)
	task := func(f *frame, sums unsafe.Pointer, i int) {
		first := i % x.parts * x.rows
		rows := min(x.rows, x.length-first)
		lo := (i/x.parts*x.length + first) * x.inner
		hi := lo + rows*x.inner
		x.prog.start(f, lo)
		a := unsafe.Add(f.scratch, acc)
		x.by.start(a, min(x.prog.block, hi-lo))
		o := &operands{}
		o.step = [4]uintptr{vectorBytes, vectorBytes}
		for at := lo; at < hi; at += x.prog.block {
			m := min(x.prog.block, hi-at)
			x.prog.compute(f, at, m)
			v, _ := x.prog.at(f, &x.prog.result, at)
			o.dst, o.in[0], o.in[1] = a, a, v
			x.by.fold(o, m)
		}
		// The rows of the block onto the first, the second half onto the first
		// half and so on.
		for left := min(wide, rows); left > 1; {
			half := (left + 1) / 2
			o.dst, o.in[0], o.in[1] = a, a, unsafe.Add(a, half*x.inner*n)
			x.by.fold(o, (left-half)*x.inner)
			left = half
		}
		copy(unsafe.Slice((*byte)(unsafe.Add(sums, i*x.inner*n)), x.inner*n), unsafe.Slice((*byte)(a), x.inner*n))
	}
	return func(r *run) {
		x.prog.begin(r)
		sums, out := r.temps[x.temp], r.arrays[x.out]
		if x.parts == 1 {
			sums = out
		}
		count := x.outer * x.parts
		per := max(1, few/(min(x.rows, x.length)*x.inner))
		if x.prog.size <= few {
			per = count
		}
		r.tasks((count+per-1)/per, func(f *frame, k int) {
			for i := k * per; i < min(count, (k+1)*per); i++ {
				task(f, sums, i)
			}
		})
		if x.parts > 1 {
			for i := range x.outer {
				x.foldParts(unsafe.Add(out, i*x.inner*n), unsafe.Add(sums, i*x.parts*x.inner*n))
			}
		}
	}
}

// foldParts adds the parts of one result, pairwise.
func (x *reduction) foldParts(out, parts unsafe.Pointer) {
	n := x.by.size
	o := &operands{}
	o.step = [4]uintptr{vectorBytes, vectorBytes}
	for left := x.parts; left > 1; {
		half := (left + 1) / 2
		o.dst, o.in[0], o.in[1] = parts, parts, unsafe.Add(parts, half*x.inner*n)
		x.by.fold(o, (left-half)*x.inner)
		left = half
	}
	copy(unsafe.Slice((*byte)(out), x.inner*n), unsafe.Slice((*byte)(parts), x.inner*n))
}

// alongPieces reduces rows longer than a block, a piece of them at a time. It
// adds up 64 rows, and then those sums.
func (x *reduction) alongPieces(p *planner, g *group) func(r *run) {
	x.prog = p.write(g, 1)
	block, n := x.prog.block, x.by.size
	acc := x.prog.scratch
	x.prog.scratch += 2 * block * 8
	p.use(x.prog)
	pieces := (x.inner + block - 1) / block
	task := func(f *frame, out unsafe.Pointer, i int) {
		from := i % pieces * block
		m := min(block, x.inner-from)
		few, all := unsafe.Add(f.scratch, acc), unsafe.Add(f.scratch, acc+block*8)
		o := &operands{}
		o.step = [4]uintptr{vectorBytes, vectorBytes}
		fold := func(dst, v unsafe.Pointer) {
			o.dst, o.in[0], o.in[1] = dst, dst, v
			x.by.fold(o, m)
		}
		x.by.start(all, m)
		x.by.start(few, m)
		for k := range x.length {
			at := (i/pieces*x.length+k)*x.inner + from
			x.prog.start(f, at)
			x.prog.compute(f, at, m)
			v, _ := x.prog.at(f, &x.prog.result, at)
			fold(few, v)
			if k%64 == 63 {
				fold(all, few)
				x.by.start(few, m)
			}
		}
		fold(all, few)
		to := unsafe.Add(out, (i/pieces*x.inner+from)*n)
		copy(unsafe.Slice((*byte)(to), m*n), unsafe.Slice((*byte)(all), m*n))
	}
	return func(r *run) {
		x.prog.begin(r)
		out := r.arrays[x.out]
		r.tasks(x.outer*pieces, func(f *frame, i int) { task(f, out, i) })
	}
}
