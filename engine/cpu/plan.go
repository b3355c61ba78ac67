package cpu

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
)

// A planner turns a graph into steps over numbered arrays.
type planner struct {
	grouper
	backend *Backend
	arrays  map[*node]int
	nodes   []*node // of the arrays
	temps   []int   // bytes that steps need beside the arrays
	steps   []*step
	splats  int
	scratch int // bytes of each worker
}

// A step computes one or more arrays.
type step struct {
	name   string
	exec   func(r *run)
	reads  []int
	writes []int
	temps  []int // memory for this step alone: indices into planner.temps
	ends   []int // parameters that nobody reads after this step
}

// array is the number of a node's array.
func (p *planner) array(n *node) int {
	i, ok := p.arrays[n]
	if !ok {
		i = len(p.nodes)
		p.arrays[n] = i
		p.nodes = append(p.nodes, n)
	}
	return i
}

// compile makes an executable of a function.
func compile(b *Backend, f *function) (*executable, error) {
	p := &planner{backend: b, arrays: map[*node]int{}}
	p.resolver = newResolver()
	p.outputs = map[*node]bool{}
	outputs := make([]*node, len(f.outputs))
	for i, n := range f.outputs {
		if isView(n.op) && !p.outputs[n] {
			p.copied[n] = true
		} else if n.op == compute.OpTypeParameter || n.op == compute.OpTypeConstant || p.outputs[n] {
			// An array of its own for each result.
			c := f.fresh(compute.OpTypeIdentity, n.shape, nil, n)
			p.copied[c] = true
			n = c
		}
		outputs[i] = n
		p.outputs[n] = true
	}
	p.readInputs(outputs)
	for _, n := range f.params {
		p.array(n)
	}
	for _, g := range p.group() {
		s, err := p.step(g)
		if err != nil {
			return nil, err
		}
		p.steps = append(p.steps, s)
	}
	return p.finish(f, outputs), nil
}

// readInputs finds the nodes that the outputs depend on, and where each of
// them reads. To make an array of a view may make more of them necessary
// before it, so that it takes a few rounds.
func (p *planner) readInputs(outputs []*node) {
	var reached []*node
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, x := range n.in {
			visit(x)
		}
		reached = append(reached, n)
	}
	for _, n := range outputs {
		visit(n)
	}
	slices.SortFunc(reached, func(a, b *node) int { return a.id - b.id })
	for copies := -1; copies != len(p.copied); {
		copies = len(p.copied)
		p.known = map[*node]source{}
		p.inputs = map[*node][]source{}
		for _, n := range reached {
			if !isView(n.op) || p.copied[n] {
				p.inputs[n] = p.inputsOf(n)
			}
		}
	}
	// What only views read that now go past it is not needed.
	needed := map[*node]bool{}
	var need func(n *node)
	need = func(n *node) {
		if !needed[n] {
			needed[n] = true
			for _, s := range p.inputs[n] {
				need(s.base)
			}
		}
	}
	for _, n := range outputs {
		need(n)
	}
	for _, n := range reached {
		if needed[n] {
			p.active = append(p.active, n)
		}
	}
}

// inputsOf is where n reads each of its inputs.
func (p *planner) inputsOf(n *node) []source {
	var in []source
	switch {
	case isView(n.op):
		return []source{p.through(n)}
	case isElement(n.op):
		for _, x := range n.in {
			in = append(in, p.broadcast(x, n.dims()))
		}
	default:
		for _, x := range n.in {
			s := p.source(x)
			if !readsViews(n.op) && !s.whole() {
				p.copied[x] = true
				s = source{x, wholeView(x.size())}
			} else if readsAxes(n.op) {
				if _, ok := s.view.along(x.dims()); !ok {
					p.copied[x] = true
					s = source{x, wholeView(x.size())}
				}
			}
			in = append(in, s)
		}
	}
	return in
}

// readsViews reports whether an operation reads inputs where they lie, in any
// order; other operations get arrays.
func readsViews(op compute.OpType) bool { return isReduce(op) || readsAxes(op) }

// readsAxes reports whether an operation reads inputs in any order that has a
// stride along each axis.
func readsAxes(op compute.OpType) bool {
	switch op {
	case compute.OpTypeConvGeneral, compute.OpTypeDotGeneral, compute.OpTypePad, compute.OpTypeConcatenate:
		return true
	}
	return false
}

// step plans one group.
func (p *planner) step(g *group) (*step, error) {
	s := &step{name: g.root.op.String()}
	for _, n := range g.stores {
		s.writes = append(s.writes, p.stored(n))
	}
	if g.kind != elementGroup {
		s.writes = append(s.writes, p.stored(g.root))
	}
	read := func(n *node) {
		for _, src := range p.inputs[n] {
			if g.members[src.base] {
				continue // it may have no array
			}
			if i := p.stored(src.base); !slices.Contains(s.reads, i) {
				s.reads = append(s.reads, i)
			}
		}
	}
	read(g.root)
	for n := range g.members {
		read(n)
	}
	slices.Sort(s.reads)
	err := error(nil)
	switch g.kind {
	case elementGroup:
		s.exec = p.elements(g)
	case reduceGroup:
		s.exec = p.reduction(g, s)
	default:
		s.exec, err = p.other(g.root, s)
	}
	return s, err
}

// use notes what a step needs of a run.
func (p *planner) use(prog *program) *program {
	p.splats = max(p.splats, len(prog.splats))
	p.scratch = max(p.scratch, prog.scratch)
	return prog
}

// temp reserves n bytes for a step alone.
func (p *planner) temp(s *step, n int) int {
	p.temps = append(p.temps, n)
	s.temps = append(s.temps, len(p.temps)-1)
	return len(p.temps) - 1
}

// piece is the number of elements that a worker takes at a time, and few is
// how many one worker does sooner than it takes to wake another.
const (
	piece = 1 << 15
	few   = 1 << 14
)

// elements is the step of a group of element-wise nodes.
func (p *planner) elements(g *group) func(r *run) {
	prog := p.use(p.write(g, 1))
	size := piece
	if prog.heavy {
		size = piece / 8
	}
	size = max(1, size/prog.block) * prog.block
	return func(r *run) {
		prog.begin(r)
		r.each(prog.size, size, func(f *frame, lo, hi int) { prog.span(f, lo, hi) })
	}
}

// span computes elements lo…hi−1.
func (p *program) span(f *frame, lo, hi int) {
	p.start(f, lo)
	for i := lo; i < hi; i += p.block {
		p.compute(f, i, min(p.block, hi-i))
	}
}

// other plans an operation that is not element-wise.
func (p *planner) other(n *node, s *step) (func(r *run), error) {
	switch n.op {
	case compute.OpTypeDotGeneral:
		return p.dot(n, s), nil
	case compute.OpTypeConvGeneral:
		return p.conv(n, s), nil
	case compute.OpTypePad:
		return p.pad(n), nil
	case compute.OpTypeConcatenate:
		return p.concatenate(n), nil
	case compute.OpTypeGather:
		return p.gather(n), nil
	case compute.OpTypeScatterSum, compute.OpTypeScatterMax, compute.OpTypeScatterMin:
		return p.scatter(n), nil
	case compute.OpTypeArgMinMax:
		return p.argMinMax(n), nil
	case compute.OpTypeReduceWindow:
		return p.window(n), nil
	case compute.OpTypeSelectAndScatterMax, compute.OpTypeSelectAndScatterMin:
		return p.selectAndScatter(n), nil
	case compute.OpTypeRNGBitGenerator:
		return p.random(n), nil
	case compute.OpTypeBitcast:
		return p.bitcast(n), nil
	}
	return nil, fmt.Errorf("cpu: nothing runs %s", n.op)
}
