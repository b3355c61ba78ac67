package nn

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// A State is the arrays that training changes, by name. Names are paths, as in
// "D/conv1/w".
type State struct {
	dtype dtypes.DType
	seed  uint64

	// A Program may be compiled while another one runs: mu guards vars and the
	// builds of all programs over the State.
	mu   sync.Mutex
	vars map[string]*variable
}

type variable struct {
	shape shapes.Shape
	value *tensors.Tensor
}

// NewState returns an empty State of float32 arrays: they come to be, with
// values drawn from the seed, when a Program first names them.
func NewState(seed uint64) *State { return newState(seed, dtypes.Float32) }

func newState(seed uint64, dtype dtypes.DType) *State {
	return &State{dtype: dtype, seed: seed, vars: map[string]*variable{}}
}

// Names returns the names of all arrays, sorted.
func (s *State) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.vars))
	for name := range s.vars {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// All yields the arrays in the order of their names. They are valid until the
// next Program runs.
func (s *State) All() iter.Seq2[string, *tensors.Tensor] {
	return func(yield func(string, *tensors.Tensor) bool) {
		for _, name := range s.Names() {
			if !yield(name, s.Get(name)) {
				return
			}
		}
	}
}

// Get returns an array, or nil where there is none of that name.
func (s *State) Get(name string) *tensors.Tensor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(name)
}

// get is Get for a caller that holds mu.
func (s *State) get(name string) *tensors.Tensor {
	if v := s.vars[name]; v != nil {
		return v.value
	}
	return nil
}

// Set makes value the array called name. A Program that wants another shape
// will refuse to run.
func (s *State) Set(name string, value *tensors.Tensor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vars[name] = &variable{shape: value.Shape(), value: value}
}

// Size returns the number of elements of the arrays under a path, such as "D".
func (s *State) Size(under string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for name, v := range s.vars {
		if within(name, under) {
			n += v.shape.Size()
		}
	}
	return n
}

func within(name, under string) bool { return under == "" || strings.HasPrefix(name, under+"/") }

// declare returns the array called name, which it makes where it is missing.
// The caller holds mu.
func (s *State) declare(name string, init Init, dims []int) *variable {
	if v := s.vars[name]; v != nil {
		if !slices.Equal(v.shape.Dimensions, dims) || v.shape.DType != s.dtype {
			panic(fmt.Sprintf("nn: %s is %s, and the network wants %s", name, v.shape, shapes.Make(s.dtype, dims...)))
		}
		return v
	}
	shape := shapes.Make(s.dtype, dims...)
	values := make([]float64, shape.Size())
	init(values, dims, s.rng(name))
	v := &variable{shape: shape, value: toTensor(values, shape)}
	s.vars[name] = v
	return v
}

// rng draws the initial values of the array called name.
func (s *State) rng(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

func toTensor(values []float64, shape shapes.Shape) *tensors.Tensor {
	if shape.DType == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, shape.Dimensions...)
	}
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(narrow, shape.Dimensions...)
}

// fromTensor copies the elements of x, of either float type.
func fromTensor(x *tensors.Tensor) []float64 {
	if x.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](x)
	}
	narrow := tensors.MustCopyFlatData[float32](x)
	wide := make([]float64, len(narrow))
	for i, v := range narrow {
		wide[i] = float64(v)
	}
	return wide
}
