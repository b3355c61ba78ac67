package cpu

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapes"
)

// builder implements compute.Builder for graphs of one function.
type builder struct {
	notimplemented.Builder
	backend *Backend
	name    string
	main    *function
}

func newBuilder(b *Backend, name string) *builder {
	bd := &builder{backend: b, name: name}
	bd.main = &function{builder: bd, same: map[string]*node{}}
	bd.main.Function = notimplemented.Function{ErrFn: missing}
	return bd
}

// missing is the error for operations that the backend lacks.
func missing(op compute.OpType) error {
	return fmt.Errorf("cpu: this backend has no operation %s: %w", op, compute.ErrNotImplemented)
}

func (b *builder) Name() string           { return b.name }
func (b *builder) Main() compute.Function { return b.main }
func (b *builder) NewFunction(name string) (compute.Function, error) {
	return nil, fmt.Errorf("cpu: this backend has no functions beside main, such as %q: %w", name, compute.ErrNotImplemented)
}

func (b *builder) OpShape(v compute.Value) (shapes.Shape, error) { return b.main.Shape(v) }

func (b *builder) Compile() (compute.Executable, error) {
	if !b.main.returned {
		return nil, errors.New("cpu: a graph without Return cannot be compiled")
	}
	return compile(b.backend, b.main)
}

// A node is one operation of a graph. Its inputs come before it.
type node struct {
	fn    *function
	id    int
	op    compute.OpType
	shape shapes.Shape
	in    []*node
	attr  any // what else the operation needs to know
}

// size is the number of elements.
func (n *node) size() int           { return n.shape.Size() }
func (n *node) dims() []int         { return n.shape.Dimensions }
func (n *node) dtype() dtypes.DType { return n.shape.DType }

// function implements compute.Function.
type function struct {
	notimplemented.Function
	builder  *builder
	nodes    []*node
	params   []*node
	names    []string
	outputs  []*node
	returned bool
	same     map[string]*node // equal nodes are one
}

var _ compute.Function = (*function)(nil)

func (f *function) Name() string             { return compute.MainName }
func (f *function) Parent() compute.Function { return nil }
func (f *function) Builder() compute.Builder { return f.builder }
func (f *function) Closure() (compute.Function, error) {
	return nil, fmt.Errorf("cpu: this backend has no closures: %w", compute.ErrNotImplemented)
}

// Shape implements compute.Function.
func (f *function) Shape(v compute.Value) (shapes.Shape, error) {
	n, err := f.value("Shape", v)
	if err != nil {
		return shapes.Invalid(), err
	}
	return n.shape, nil
}

// value checks that v is a value of this function.
func (f *function) value(op string, v compute.Value) (*node, error) {
	n, ok := v.(*node)
	switch {
	case !ok || n == nil:
		return nil, fmt.Errorf("cpu: %s of %T, which is no value of this backend", op, v)
	case n.fn != f:
		return nil, fmt.Errorf("cpu: %s of a value of another graph", op)
	case f.returned && op != "Shape":
		return nil, fmt.Errorf("cpu: %s after Return", op)
	}
	return n, nil
}

func (f *function) values(op string, vs ...compute.Value) ([]*node, error) {
	ns := make([]*node, len(vs))
	for i, v := range vs {
		n, err := f.value(op, v)
		if err != nil {
			return nil, err
		}
		ns[i] = n
	}
	return ns, nil
}

// add returns the node of an operation, an old one where there is an equal one.
func (f *function) add(op compute.OpType, shape shapes.Shape, attr any, in ...*node) *node {
	var key strings.Builder
	fmt.Fprintf(&key, "%d %s %v", op, shape, attr)
	for _, x := range in {
		fmt.Fprintf(&key, " %d", x.id)
	}
	if n := f.same[key.String()]; n != nil {
		return n
	}
	n := f.fresh(op, shape, attr, in...)
	f.same[key.String()] = n
	return n
}

func (f *function) fresh(op compute.OpType, shape shapes.Shape, attr any, in ...*node) *node {
	n := &node{fn: f, id: len(f.nodes), op: op, shape: shape, in: in, attr: attr}
	f.nodes = append(f.nodes, n)
	return n
}

// Parameter implements compute.Function.
func (f *function) Parameter(name string, shape shapes.Shape, _ *compute.ShardingSpec) (compute.Value, error) {
	if err := known(shape); err != nil {
		return nil, fmt.Errorf("parameter %q: %w", name, err)
	}
	n := f.fresh(compute.OpTypeParameter, shape, len(f.params))
	f.params = append(f.params, n)
	f.names = append(f.names, name)
	return n, nil
}

// A constant is the elements of a Constant node, or of one that was computed
// when the graph was built.
type constant struct{ words []uint64 }

func (c *constant) pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(c.words)) }

// Constant implements compute.Function.
func (f *function) Constant(flat any, dims ...int) (compute.Value, error) {
	t, n, err := flatType(flat)
	if err != nil {
		return nil, err
	}
	shape := shapes.Make(t, dims...)
	if err := known(shape); err != nil {
		return nil, err
	}
	if n != shape.Size() {
		return nil, fmt.Errorf("cpu: a constant %s of %d elements", shape, n)
	}
	c := &constant{make([]uint64, byteSize(shape)/8+1+align/8)}
	if err := copyFlat(slice(t, c.pointer(), n), flat); err != nil {
		return nil, err
	}
	if byteSize(shape) > 64 {
		return f.fresh(compute.OpTypeConstant, shape, c), nil
	}
	key := fmt.Sprint("constant ", shape, c.words)
	if n := f.same[key]; n != nil {
		return n, nil
	}
	f.same[key] = f.fresh(compute.OpTypeConstant, shape, c)
	return f.same[key], nil
}

// flatType is the element type and length of a slice.
func flatType(flat any) (dtypes.DType, int, error) {
	switch s := flat.(type) {
	case []bool:
		return dtypes.Bool, len(s), nil
	case []int8:
		return dtypes.Int8, len(s), nil
	case []int16:
		return dtypes.Int16, len(s), nil
	case []int32:
		return dtypes.Int32, len(s), nil
	case []int64:
		return dtypes.Int64, len(s), nil
	case []uint8:
		return dtypes.Uint8, len(s), nil
	case []uint16:
		return dtypes.Uint16, len(s), nil
	case []uint32:
		return dtypes.Uint32, len(s), nil
	case []uint64:
		return dtypes.Uint64, len(s), nil
	case []float32:
		return dtypes.Float32, len(s), nil
	case []float64:
		return dtypes.Float64, len(s), nil
	}
	if s, ok := flat.([]bfloat); ok {
		return dtypes.BFloat16, len(s), nil
	}
	return dtypes.InvalidDType, 0, fmt.Errorf("cpu: a constant of type %T: %w", flat, compute.ErrNotImplemented)
}

// Return implements compute.Function.
func (f *function) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	if len(shardings) > 0 {
		for _, s := range shardings {
			if s != nil {
				return fmt.Errorf("cpu: sharding: %w", compute.ErrNotImplemented)
			}
		}
	}
	ns, err := f.values("Return", outputs...)
	if err != nil {
		return err
	}
	if len(ns) == 0 {
		return errors.New("cpu: a graph without results")
	}
	f.outputs, f.returned = ns, true
	return nil
}
