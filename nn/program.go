package nn

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/engine"
)

// A Program is one computation over a State. It is compiled when it first
// runs, and again for inputs of other shapes.
type Program struct {
	name    string
	backend compute.Backend
	state   *State
	exec    *graph.Exec

	// The State's mu guards these.
	builds map[graph.GraphId]*build
	broken error // why the last graph could not be built
}

// NewProgram returns the computation that f builds from its inputs. The name
// says in errors which one it was.
func NewProgram(b *engine.Backend, state *State, name string, f func(s *Scope, in []*graph.Node) []*graph.Node) *Program {
	p := &Program{name: name, backend: b.Backend, state: state, builds: map[graph.GraphId]*build{}}
	graphFn := func(g *graph.Graph, in []*graph.Node) (out []*graph.Node) {
		state.mu.Lock()
		defer state.mu.Unlock()
		p.broken = nil
		bd := newBuild(g, state)
		err := engine.Catch(name, func() { out = f(&Scope{b: bd, compute: dtypes.InvalidDType}, in) })
		if err != nil {
			if bd.where != "" {
				err = fmt.Errorf("%w (in %s)", err, bd.where)
			}
			p.broken = err
			panic(err) // an error, for GoMLX waits for ever after any other panic
		}
		p.builds[g.GraphId()] = bd
		bd.results = len(out)
		for _, name := range bd.changed() {
			out = append(out, bd.set[name])
		}
		return append(out, unused(out, in, bd)...)
	}
	p.exec = graph.MustNewExecCanonical(p.backend, graphFn, -1, -1, false, true, true).WithName(name)
	p.exec.SetSideParamsHook(p.feed)
	return p
}

// unused returns an element of each parameter of the graph that out does not
// depend on, to be put out as well: GoMLX's Go backend fails on a parameter
// that comes after all that it has to compute.
func unused(out, in []*graph.Node, bd *build) []*graph.Node {
	seen := map[*graph.Node]bool{}
	var visit func(n *graph.Node)
	visit = func(n *graph.Node) {
		if !seen[n] {
			seen[n] = true
			for _, x := range n.Inputs() {
				visit(x)
			}
		}
	}
	for _, n := range slices.Concat(out, bd.held) {
		visit(n)
	}
	params := slices.Clone(in)
	for _, name := range bd.order {
		params = append(params, bd.params[name])
	}
	var extra []*graph.Node
	for _, n := range params {
		if !seen[n] {
			first := make([]graph.SliceAxisSpec, n.Rank())
			for i := range first {
				first[i] = graph.AxisElem(0)
			}
			extra = append(extra, graph.Slice(n, first...))
		}
	}
	return extra
}

// changed are the names of the arrays that the graph sets, sorted.
func (b *build) changed() []string { return slices.Sorted(maps.Keys(b.set)) }

// feed hands the arrays of the State to a run. Those that the run replaces are
// given away, so that their memory can be used again.
func (p *Program) feed(g *graph.Graph, buffers []compute.Buffer, donate []bool) error {
	p.state.mu.Lock()
	defer p.state.mu.Unlock()
	bd := p.builds[g.GraphId()]
	for _, name := range bd.order {
		// Before anything is given away.
		if got, want := p.state.vars[name].value.Shape(), bd.params[name].Shape(); !got.Equal(want) {
			return fmt.Errorf("%s is %s, and the network wants %s", name, got, want)
		}
	}
	for _, name := range bd.order {
		v := p.state.vars[name]
		i := bd.params[name].GetParameterHandle()
		var err error
		if _, replaced := bd.set[name]; replaced {
			buffers[i], err = v.value.DonateBuffer(p.backend, 0)
			donate[i] = true
		} else {
			buffers[i], err = v.value.Buffer(p.backend, 0)
		}
		if err != nil {
			return fmt.Errorf("array %s: %w", name, err)
		}
	}
	return nil
}

// Compile makes the program ready for inputs of the shapes of these, which it
// does not read: Run then starts at once. Other programs over the same State
// may run meanwhile, and a Run of this one waits for it.
func (p *Program) Compile(in ...*tensors.Tensor) error {
	var failed error
	err := engine.Catch(p.name, func() {
		dims := make([]shapes.Shape, len(in))
		for i, x := range in {
			dims[i] = x.Shape()
		}
		_, failed = p.exec.Compile(dims...)
	})
	return p.explain(err, failed)
}

// Compiled returns how many graphs the program was built as: one for each shape
// of its inputs.
func (p *Program) Compiled() int {
	p.state.mu.Lock()
	defer p.state.mu.Unlock()
	return len(p.builds)
}

// explain returns the error of a program that panicked with err, or failed; nil
// where it did neither.
func (p *Program) explain(err, failed error) error {
	p.state.mu.Lock()
	defer p.state.mu.Unlock()
	switch {
	case err == nil && failed == nil:
		return nil
	case p.broken != nil:
		return p.broken
	case err != nil:
		return err
	}
	// GoMLX's errors carry stack traces that only %+v prints.
	return fmt.Errorf("nn: %s: %w", p.name, failed)
}

// Run feeds the inputs, which are tensors or what GoMLX makes tensors of, and
// returns the outputs; the State is changed in place. After an error the State
// may have lost arrays and should be thrown away.
func (p *Program) Run(in ...any) ([]*tensors.Tensor, error) {
	var out []*tensors.Tensor
	var g *graph.Graph
	var failed error
	err := engine.Catch(p.name, func() { out, g, failed = p.exec.CallWithGraph(in...) })
	if err := p.explain(err, failed); err != nil {
		return nil, err
	}
	p.state.mu.Lock()
	defer p.state.mu.Unlock()
	bd := p.builds[g.GraphId()]
	for i, name := range bd.changed() {
		p.state.vars[name].value = out[bd.results+i]
	}
	return out[:bd.results], nil
}
