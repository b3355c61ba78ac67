package cpu

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// finish gives every array its memory: parameters and results come from
// outside, and all others share one arena, in which two may lie in the same
// place if no step needs both.
func (p *planner) finish(f *function, outputs []*node) *executable {
	e := &executable{backend: p.backend, names: f.names, steps: p.steps, splats: p.splats, scratch: p.scratch}
	for _, n := range f.params {
		e.inputs = append(e.inputs, n.shape)
		e.params = append(e.params, p.array(n))
	}
	output := map[int]int{}
	for i, n := range outputs {
		e.outputs = append(e.outputs, n.shape)
		output[p.array(n)] = i
	}
	first, last := p.lifetimes()
	e.made = make([][]int, len(p.steps))
	var spans []span
	e.places = make([]place, len(p.nodes))
	for i, n := range p.nodes {
		switch k, out := output[i]; {
		case n.op == compute.OpTypeParameter:
			if first[i] < 0 && last[i] >= 0 {
				p.steps[last[i]].ends = append(p.steps[last[i]].ends, n.attr.(int))
			}
		case n.op == compute.OpTypeConstant:
			e.places[i].constant = n.attr.(*constant)
		case out:
			e.made[first[i]] = append(e.made[first[i]], i)
			e.places[i].output = k + 1
		default:
			spans = append(spans, span{bytes: byteSize(n.shape), first: first[i], last: last[i], array: i})
		}
	}
	e.temps = make([]int, len(p.temps))
	for i, s := range p.steps {
		for _, t := range s.temps {
			spans = append(spans, span{bytes: p.temps[t], first: i, last: i, array: -1 - t})
		}
	}
	e.arena = pack(spans)
	for _, s := range spans {
		if s.array >= 0 {
			e.places[s.array].offset = s.offset
		} else {
			e.temps[-1-s.array] = s.offset
		}
	}
	return e
}

// lifetimes are the steps that write each array, −1 for parameters, and that
// read it last.
func (p *planner) lifetimes() (first, last []int) {
	first, last = make([]int, len(p.nodes)), make([]int, len(p.nodes))
	for i := range first {
		first[i], last[i] = -1, -1
	}
	for k, s := range p.steps {
		for _, i := range s.writes {
			if first[i] < 0 { // the parts of a Concatenate come one after the other
				first[i] = k
			}
			last[i] = k
		}
		for _, i := range s.reads {
			last[i] = k
		}
	}
	return first, last
}

// A span is memory in use from one step to another.
type span struct {
	bytes       int
	first, last int
	array       int
	offset      int
}

const align = 64 // a line of the cache

// pack gives every span an offset, such that those in use at the same time do
// not overlap, and returns how many bytes that takes. Large ones go first;
// each goes to the lowest gap that holds it.
func pack(spans []span) (total int) {
	order := make([]*span, len(spans))
	for i := range spans {
		order[i] = &spans[i]
	}
	slices.SortStableFunc(order, func(a, b *span) int { return b.bytes - a.bytes })
	var placed []*span // by offset
	for _, s := range order {
		s.bytes = (s.bytes + 2*align - 1) / align * align
		at := 0
		for _, q := range placed {
			if q.last < s.first || s.last < q.first {
				continue
			}
			if q.offset >= at+s.bytes {
				break
			}
			at = max(at, q.offset+q.bytes)
		}
		s.offset = at
		total = max(total, at+s.bytes)
		i, _ := slices.BinarySearchFunc(placed, at, func(q *span, at int) int { return q.offset - at })
		placed = slices.Insert(placed, i, s)
	}
	return total
}

// A place is where an array is during a run.
type place struct {
	constant *constant
	output   int // one more than its number; 0 for none
	offset   int // into the arena, of the others
}

// executable implements compute.Executable.
type executable struct {
	backend *Backend
	names   []string
	inputs  []shapes.Shape
	outputs []shapes.Shape
	params  []int
	places  []place
	made    [][]int // results that each step is the first to write
	steps   []*step
	temps   []int // offsets into the arena
	arena   int   // bytes
	splats  int
	scratch int
	idle    idle
}
