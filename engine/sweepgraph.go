package engine

import (
	"fmt"
	"math/bits"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/ot"
)

// padded rounds n up to a multiple of unit, by an eighth at most where that is
// no less: few sizes need few programs.
func padded(n, unit int) int {
	if step := 1 << max(0, bits.Len(uint(n))-4); step > unit {
		unit = (step + unit - 1) / unit * unit
	}
	return (n + unit - 1) / unit * unit
}

// A sweepShape is all that a program depends on.
type sweepShape struct {
	metric       ot.Metric
	products     bool
	dim, m, n    int // m and n are padded
	block, batch int
}

// A joinShape says how many arrays of what size are joined.
type joinShape struct{ count, rows, dim int }

// program returns the program for a shape, compiled.
func (s *Sweeper) program(shape sweepShape) (*Graph, error) {
	return s.compiled(shape, "a sweep", shape.minima)
}

// join returns the program that puts arrays one after the other, compiled.
func (s *Sweeper) join(shape joinShape) (*Graph, error) {
	return s.compiled(shape, "a copy", func(g *Graph) *Node {
		parts := make([]*Node, shape.count)
		for k := range parts {
			parts[k] = Parameter(g, fmt.Sprintf("part%d", k), shapes.Make(dtypes.Float32, shape.rows, shape.dim))
		}
		return Concatenate(parts, 0)
	})
}

// compiled returns the program that build makes for a shape; it is kept.
func (s *Sweeper) compiled(shape any, name string, build func(g *Graph) *Node) (*Graph, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.programs[shape]; g != nil {
		return g, nil
	}
	g := NewGraph(s.backend.Backend, "sweep")
	var compiled error
	if err := Catch("building "+name, func() { compiled = g.Compile(build(g)) }); err != nil {
		return nil, err
	}
	if compiled != nil {
		return nil, fmt.Errorf("engine: compiling %s: %w", name, compiled)
	}
	s.programs[shape] = g
	return g, nil
}

// minima builds the program: the least cost + price in each block of sources,
// for a batch of targets.
func (h sweepShape) minima(g *Graph) *Node {
	f32 := func(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }
	at := f32(h.m, h.dim)
	if !h.products {
		at = f32(h.dim, h.m) // coordinate by coordinate
	}
	x := Parameter(g, "sources", at)
	u := Reshape(Parameter(g, "prices", f32(h.m)), 1, h.m)
	squares := Reshape(Parameter(g, "squares", f32(h.m)), 1, h.m)
	y := Parameter(g, "targets", f32(h.n, h.dim))
	which := Parameter(g, "which", shapes.Make(dtypes.Int32, h.batch, 1))

	blockMin := func(v *Node) *Node { // [batch, m] → [batch, blocks]
		return ReduceMin(Reshape(v, h.batch, h.m/h.block, h.block), -1)
	}
	y = Gather(y, which) // [batch, dim]
	if h.products {
		cross := DotGeneral(MulScalar(y, -2), []int{1}, nil, x, []int{1}, nil) // [batch, m]
		norm := ReduceAndKeep(Mul(y, y), ReduceSum, -1)                        // [batch, 1]
		if h.metric == ot.SqEuclidean {
			return Add(blockMin(Add(cross, Add(squares, u))), norm)
		}
		return blockMin(Add(Sqrt(MaxScalar(Add(Add(cross, squares), norm), 0)), u))
	}
	var sum *Node
	for k := range h.dim {
		diff := Sub(Slice(x, AxisElem(k), AxisRange()), Slice(y, AxisRange(), AxisElem(k))) // [1, m] − [batch, 1]
		if h.metric == ot.Cityblock {
			diff = Abs(diff)
		} else {
			diff = Mul(diff, diff)
		}
		if sum == nil {
			sum = diff
		} else {
			sum = Add(sum, diff)
		}
	}
	if h.metric == ot.Euclidean {
		sum = Sqrt(sum)
	}
	// squares is 0 here; a parameter must be of use to the Go backend.
	return blockMin(Add(sum, Add(u, squares)))
}
