package cpu

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// A programmer writes the program of a group.
type programmer struct {
	*program
	p      *planner
	g      *group
	done   map[*node]operand
	loads  []loaded
	period int // that block is a multiple of
}

type loaded struct {
	base *node
	view view
	at   operand
}

// write returns the program of a group, whose result is what its root, a
// reduction, reduces. Blocks are multiples of the period.
func (p *planner) write(g *group, period int) *program {
	w := &programmer{program: &program{size: g.size}, p: p, g: g, done: map[*node]operand{}, period: period}
	w.chooseBlock()
	for _, n := range g.stores {
		w.value(n)
	}
	if g.kind == reduceGroup {
		in := p.inputs[g.root][0]
		w.result = w.source(in)
		if w.result.kind == scalar {
			r := w.register(lane(in.base.dtype()))
			w.emit(copyKernel(lane(in.base.dtype())), r, w.result)
			w.result = r
		}
	}
	w.allocate()
	w.scratch = w.regs * w.block * 8
	return w.program
}

// chooseBlock makes the block a multiple of the lengths with which inputs
// repeat, as the channels of an image do: such an input is loaded once.
func (w *programmer) chooseBlock() {
	period := max(1, w.period)
	for n := range w.g.members {
		for _, s := range w.p.inputs[n] {
			if k, ok := s.view.periodic(); ok {
				if m := lcm(period, k); m <= maxBlock {
					period = m
				}
			}
		}
	}
	w.block = maxBlock
	if period <= maxBlock {
		w.block = maxBlock / period * period
	}
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// register is a new one. They are renamed by allocate.
func (w *programmer) register(t dtypes.DType) operand {
	w.regs++
	return operand{kind: register, i: w.regs - 1, size: sizeOf(t)}
}

func (w *programmer) emit(k kernel, dst operand, in ...operand) {
	i := instruction{kernel: k, dst: dst, n: len(in)}
	copy(i.in[:], in)
	w.code = append(w.code, i)
}

// value emits what computes a member of the group, and tells where it is.
func (w *programmer) value(n *node) operand {
	if at, ok := w.done[n]; ok {
		return at
	}
	var at operand
	t := lane(n.dtype())
	narrow := n.dtype() == dtypes.BFloat16
	stored := false
	for _, s := range w.g.stores {
		stored = stored || s == n
	}
	k, in := w.kernel(n)
	away, elsewhere := w.p.homes[n]
	switch {
	case stored && !narrow && !elsewhere:
		at = operand{kind: array, i: w.p.array(n), size: sizeOf(t)}
	case k == nil && !stored: // a copy that nobody else sees
		at = in[0]
		w.done[n] = at
		return at
	default:
		at = w.register(t)
	}
	if k == nil {
		k = copyKernel(t)
	}
	w.emit(k, at, in...)
	if elsewhere {
		to := operand{kind: array, i: w.p.array(away.whole), size: at.size}
		w.code = append(w.code, instruction{dst: to, in: [4]operand{at}, store: &away.view, n: 1})
	}
	if narrow {
		if rounds(n) {
			w.emit(roundToBfloat, at, at)
		}
		if stored {
			w.emit(storeBfloat, operand{kind: array, i: w.p.array(n), size: 2}, at)
		}
	}
	w.done[n] = at
	return at
}

// rounds reports whether what the kernel of an operation on bfloat16 computes in
// float32 may be no bfloat16.
func rounds(n *node) bool {
	switch n.op {
	case compute.OpTypeWhere, compute.OpTypeNeg, compute.OpTypeAbs, compute.OpTypeSign, compute.OpTypeMax, compute.OpTypeMin:
		return false
	case compute.OpTypeConvertDType:
		return lane(n.in[0].dtype()) != dtypes.Float32 // the kernel is roundToBfloat
	}
	return isElement(n.op)
}

// kernel is what computes n and from what; a nil kernel only copies.
func (w *programmer) kernel(n *node) (kernel, []operand) {
	sources := w.p.inputs[n]
	if n.op == compute.OpTypeWhere && lane(n.dtype()) == dtypes.Float32 {
		// The comparison and the choice in one go.
		c := sources[0]
		if w.g.members[c.base] && c.whole() && len(c.base.in) == 2 && lane(c.base.in[0].dtype()) == dtypes.Float32 {
			if k := selectKernel(c.base.op); k != nil {
				cs := w.p.inputs[c.base]
				return k, []operand{w.source(cs[0]), w.source(cs[1]), w.source(sources[1]), w.source(sources[2])}
			}
		}
	}
	in := make([]operand, len(sources))
	for i, s := range sources {
		in[i] = w.source(s)
	}
	if !isElement(n.op) || n.op == compute.OpTypeConvertDType && lane(n.dtype()) == lane(n.in[0].dtype()) && n.dtype() != dtypes.BFloat16 {
		return nil, in
	}
	w.heavy = w.heavy || slow(n.op) && n.op != compute.OpTypeDiv
	if n.op == compute.OpTypeConvertDType && lane(n.dtype()) == lane(n.in[0].dtype()) {
		return roundToBfloat, in
	}
	return kernelOf(n), in
}

// source is an operand for what a member reads.
func (w *programmer) source(s source) operand {
	t := s.base.dtype()
	if w.g.members[s.base] && s.whole() {
		return w.value(s.base)
	}
	for _, l := range w.loads {
		if l.base == s.base && l.view.equal(s.view) {
			return l.at
		}
	}
	at := w.fetch(s, t)
	w.loads = append(w.loads, loaded{s.base, s.view, at})
	return at
}

func (w *programmer) fetch(s source, t dtypes.DType) operand {
	if s.view.scalar() {
		w.splats = append(w.splats, splat{w.p.array(s.base), s.view.off, t})
		return operand{kind: scalar, i: len(w.splats) - 1, size: sizeOf(lane(t))}
	}
	at := operand{kind: array, i: w.p.array(s.base), off: s.view.off, size: sizeOf(t)}
	code := &w.code
	if len(s.view.dims) > 1 || s.view.strides[0] != 1 {
		if k, ok := s.view.periodic(); ok && w.block%k == 0 {
			code = &w.before
		}
		r := w.register(t)
		*code = append(*code, instruction{dst: r, in: [4]operand{at}, load: &s.view, n: 1})
		at = r
	}
	if t == dtypes.BFloat16 {
		r := w.register(dtypes.Float32)
		*code = append(*code, instruction{kernel: loadBfloat, dst: r, in: [4]operand{at}, n: 1})
		at = r
	}
	return at
}

// allocate gives registers that are in use at the same time different blocks
// of scratch memory, and others the same.
func (w *programmer) allocate() {
	last := make([]int, w.regs) // the last instruction that reads it
	note := func(o operand, i int) {
		if o.kind == register {
			last[o.i] = max(last[o.i], i)
		}
	}
	for i, c := range w.code {
		note(c.dst, i)
		for _, o := range c.in {
			note(o, i)
		}
	}
	for _, c := range w.before {
		note(c.dst, len(w.code)) // for all blocks
	}
	note(w.result, len(w.code))
	at := make([]int, w.regs)
	for i := range at {
		at[i] = -1
	}
	var free []int
	blocks := 0
	rename := func(o *operand) {
		if o.kind != register {
			return
		}
		if at[o.i] < 0 {
			if len(free) == 0 {
				free = append(free, blocks)
				blocks++
			}
			at[o.i] = free[len(free)-1]
			free = free[:len(free)-1]
		}
		o.i = at[o.i]
	}
	for i := range w.before {
		c := &w.before[i]
		for k := range c.in {
			rename(&c.in[k])
		}
		rename(&c.dst)
	}
	for i := range w.code {
		c := &w.code[i]
		var over []int
		reads := c.in
		for k := range c.in {
			rename(&c.in[k])
		}
		dst := c.dst
		rename(&c.dst)
		for _, o := range append(reads[:], dst) {
			if o.kind == register && last[o.i] == i {
				last[o.i] = -1 // once
				over = append(over, at[o.i])
			}
		}
		free = append(free, over...)
	}
	rename(&w.result)
	w.regs = blocks
}
