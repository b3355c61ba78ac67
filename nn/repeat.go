package nn

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// A RowStep builds one step of a computation from its inputs and a row of
// control [1,…]. It returns what it reports, a vector.
type RowStep func(s *Scope, in []*Node, row *Node) *Node

// Repeat returns the computation that takes a step for each row of its last input
// [rows,…], one after the other, and returns what they report, one after the
// other, in one vector. Where the backend has loops the step is compiled once;
// elsewhere it stands in the graph as often as it is taken.
func Repeat(rows int, step RowStep) func(s *Scope, in []*Node) []*Node {
	return func(s *Scope, in []*Node) []*Node {
		data, control := in[:len(in)-1], in[len(in)-1]
		if rows > 1 && hasLoops(s.Graph().Backend().Capabilities()) {
			return []*Node{s.loop(rows, step, data, control)}
		}
		var out []*Node
		for k := range rows {
			out = append(out, step(s, data, Slice(control, AxisRange(k, k+1))))
		}
		if len(out) == 1 {
			return out
		}
		return []*Node{Concatenate(out, 0)}
	}
}

// hasLoops reports whether a loop can take its row of control and leave its report:
// GoMLX's own backend has functions, and no slice whose place is computed.
func hasLoops(can compute.Capabilities) bool {
	return can.Functions && can.Operations[compute.OpTypeDynamicSlice] && can.Operations[compute.OpTypeDynamicUpdateSlice]
}

// loop is Repeat as a loop of the compiler.
//
// GoMLX's XLA backend keeps one scalar of each value, and one function for each
// kind of sum, for a whole program, and refuses those of one part of it in
// another. So all of them belong to the body of the loop: what the body takes goes
// around with it, also what it does not change, and the graph around it is made of
// arrays alone.
func (s *Scope) loop(rows int, step RowStep, data []*Node, control *Node) *Node {
	g, b := s.b.g, s.b
	tried, size := s.rehearse(step, data, control)
	for _, name := range tried.order {
		b.declare(name)
		b.learn[name] = tried.learn[name]
	}
	// Goes around: the number of the row, what was reported, inputs, arrays.
	begin := []*Node{scalarOf(g, 0), ConstTensor(g, tensors.FromFlatDataAndDimensions(make([]float32, rows*size), rows, size))}
	begin = append(append(begin, data...), control)
	arrays := len(begin)
	for _, name := range b.order {
		begin = append(begin, b.params[name])
	}
	arguments := func() (args []*Node) {
		for i, x := range begin {
			args = append(args, Parameter(g, fmt.Sprint("x", i), x.Shape()))
		}
		return args
	}
	more := NewClosure(g, func(*Graph) []*Node { return []*Node{LessThan(arguments()[0], scalarOf(g, rows))} })
	body := NewClosure(g, func(*Graph) []*Node {
		next := arguments()
		k, report, control := next[0], next[1], next[arrays-1]
		inner := newBuild(g, b.state)
		inner.order, inner.learn = b.order, b.learn
		for i, name := range b.order {
			inner.params[name] = next[arrays+i]
		}
		at := *s
		at.b = inner
		zero := ScalarZero(g, k.DType())
		row := DynamicSlice(control, []*Node{k, zero}, []int{1, control.Shape().Dimensions[1]})
		out := Reshape(ConvertDType(step(&at, next[2:arrays-1], row), report.DType()), 1, size)
		next[0], next[1] = AddScalar(k, 1), DynamicUpdateSlice(report, out, []*Node{k, zero})
		for i, name := range b.order {
			next[arrays+i] = inner.current(name)
		}
		return next
	})
	after := While(more, body, begin...)
	for i, name := range b.order {
		if tried.set[name] != nil {
			b.set[name] = after[arrays+i]
		}
	}
	return Reshape(after[1], rows*size)
}

// scalarOf returns a number that is not shared with the rest of the program.
func scalarOf(g *Graph, n int) *Node {
	return Reshape(ConstTensor(g, tensors.FromFlatDataAndDimensions([]int32{int32(n)}, 1)))
}

// rehearse builds a step in a graph of its own, which is thrown away, to learn
// which arrays it takes and changes, and how much it reports.
func (s *Scope) rehearse(step RowStep, data []*Node, control *Node) (tried *build, size int) {
	g := NewGraph(s.b.g.Backend(), s.b.g.Name()+", rehearsed")
	defer g.Finalize()
	var in []*Node
	for i, x := range data {
		in = append(in, Parameter(g, fmt.Sprint("in", i), x.Shape()))
	}
	row := Parameter(g, "row", shapes.Make(control.DType(), 1, control.Shape().Dimensions[1]))
	at := *s
	at.b = newBuild(g, s.b.state)
	report := step(&at, in, row)
	if report.DType() != dtypes.Float32 {
		panic(fmt.Sprintf("nn: a step reports %s, and should report float32", report.DType()))
	}
	return at.b, report.Shape().Size()
}
