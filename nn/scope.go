package nn

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// A Scope is a path into a State, where a graph under construction finds its
// arrays, and whether its layers are in training or in use.
type Scope struct {
	b       *build
	path    string
	train   bool
	frozen  bool
	compute dtypes.DType
}

// A build is one graph under construction.
type build struct {
	g      *Graph
	state  *State
	params map[string]*Node // the arrays' values before the graph runs
	order  []string         // of params
	set    map[string]*Node // the values after, of those that change
	learn  map[string]bool  // what optimizers may change
	memo   map[string]*Node // what layers computed once for the whole graph
	where  string           // the layer being built, for errors
	held   []*Node          // parameters of the graph that a loop in it uses

	results int // how many outputs the graph's function asked for; the new values follow them
}

func newBuild(g *Graph, state *State) *build {
	return &build{
		g: g, state: state,
		params: map[string]*Node{}, set: map[string]*Node{}, learn: map[string]bool{}, memo: map[string]*Node{},
	}
}

// In returns the Scope of a part, one step down the path.
func (s *Scope) In(part string) *Scope {
	t := *s
	t.path = join(s.path, part)
	s.b.where = t.path
	return &t
}

// At returns the Scope of a numbered part: At("block", 2) is In("block2").
func (s *Scope) At(part string, i int) *Scope { return s.In(fmt.Sprintf("%s%d", part, i)) }

func join(path, part string) string {
	if path == "" || part == "" {
		return path + part
	}
	return path + "/" + part
}

// Eval returns the Scope for layers in use, not in training: batch norm takes
// its running statistics, and nothing is updated.
func (s *Scope) Eval() *Scope { return s.training(false) }

// Training returns the Scope for layers in training.
func (s *Scope) Training() *Scope { return s.training(true) }

// Frozen returns the Scope for layers in training that leave their buffers
// alone: a critic while the generator learns, say.
func (s *Scope) Frozen() *Scope {
	t := *s
	t.train, t.frozen = true, true
	return &t
}

func (s *Scope) training(on bool) *Scope {
	t := *s
	t.train, t.frozen = on, false
	return &t
}

// Compute returns the Scope whose layers calculate in dtype; parameters keep
// their own.
func (s *Scope) Compute(dtype dtypes.DType) *Scope {
	t := *s
	t.compute = dtype
	return &t
}

// Graph returns the graph under construction.
func (s *Scope) Graph() *Graph { return s.b.g }

// Param returns the array called name, which optimizers train.
func (s *Scope) Param(name string, init Init, dims ...int) *Node {
	s.b.learn[join(s.path, name)] = true
	return s.Buffer(name, init, dims...)
}

// Buffer returns the array called name, which no optimizer touches, such as a
// running mean. Where
// the graph has set it, Buffer returns the new value.
func (s *Scope) Buffer(name string, init Init, dims ...int) *Node {
	full := join(s.path, name)
	s.b.where = s.path
	if n := s.b.current(full); n != nil {
		if !slices.Equal(n.Shape().Dimensions, dims) {
			panic(fmt.Sprintf("nn: %s is used as %s and as %v", full, n.Shape(), dims))
		}
		return n
	}
	s.b.state.declare(full, init, dims)
	return s.b.declare(full)
}

// declare makes an array of the State a parameter of the graph.
func (b *build) declare(name string) *Node {
	n := Parameter(b.g, name, b.state.vars[name].shape)
	b.params[name] = n
	b.order = append(b.order, name)
	return n
}

// current is the value of an array at this point of the graph, set or not.
func (b *build) current(name string) *Node {
	if n := b.set[name]; n != nil {
		return n
	}
	return b.params[name]
}

// Set gives a Buffer its value for the time after this graph has run.
func (s *Scope) Set(name string, value *Node) {
	full := join(s.path, name)
	p := s.b.params[full]
	if p == nil {
		panic(fmt.Sprintf("nn: %s is set and was never read", full))
	}
	if value = ConvertDType(value, p.DType()); !value.Shape().Equal(p.Shape()) {
		panic(fmt.Sprintf("nn: %s is %s and is set to %s", full, p.Shape(), value.Shape()))
	}
	s.b.set[full] = value
	if s.b.learn[full] {
		clear(s.b.memo) // computed from the old value
	}
}

// once returns what f computed the first time that the graph asked for name:
// weights that are normalized for one batch serve the next one too.
func (s *Scope) once(name string, f func() *Node) *Node {
	full := fmt.Sprintf("%s/%s/%v", s.path, name, s.train && !s.frozen)
	if n := s.b.memo[full]; n != nil {
		return n
	}
	n := f()
	s.b.memo[full] = n
	return n
}

// cast converts x to the type that layers calculate in.
func (s *Scope) cast(x *Node) *Node {
	if s.compute == dtypes.InvalidDType || x.DType() == s.compute {
		return x
	}
	return ConvertDType(x, s.compute)
}

// float converts x to the type of the parameters, for what needs precision.
func (s *Scope) float(x *Node) *Node {
	if x.DType() == s.b.state.dtype {
		return x
	}
	return ConvertDType(x, s.b.state.dtype)
}
