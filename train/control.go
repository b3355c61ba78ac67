package train

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// A Row holds the inputs of one step of a graph besides the data.
type Row struct {
	Index []int32 // of samples
	Step  int     // from 1
	Use   int     // tells apart the uses of random numbers at a step
	Rate  float64 // factor of the learning rate, in [0, 1]
	Scale float64 // another factor in [0, 1]
	Flag  bool    // the graph says what it means
}

// A row of control is the indices, three words of random state, rate and scale
// in units of 2⁻³², and the flag.
const (
	controlExtra = 6
	rateUnit     = 1 << 32
)

// Control packs rows of equally many indices into one array [rows, indices+6]:
// every transfer to a GPU costs as much as many small kernels.
func Control(seed uint64, rows []Row) *tensors.Tensor {
	width := len(rows[0].Index) + controlExtra
	control := make([]uint64, 0, len(rows)*width)
	for _, r := range rows {
		for _, i := range r.Index {
			control = append(control, uint64(i))
		}
		rng := Random(seed, r.Step, r.Use)
		control = append(control, rng.Uint64(), rng.Uint64(), rng.Uint64(), uint64(r.Rate*rateUnit), uint64(r.Scale*rateUnit))
		flag := uint64(0)
		if r.Flag {
			flag = 1
		}
		control = append(control, flag)
	}
	return tensors.FromFlatDataAndDimensions(control, len(rows), width)
}

// Random returns the source of random numbers for one use at one step. It is a
// function of the seed, so that there is no state to save.
func Random(seed uint64, step, use int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(step)<<8|uint64(use)))
}

// A Step is a Row as nodes of a graph.
type Step struct {
	Index *Node // [indices], int32
	Rate  *Node // scalar, as are the next two
	Scale *Node
	Flag  *Node // 0 or 1

	random *Node
}

// Unpack returns the k-th row of the array that Control made.
func Unpack(control *Node, k int) *Step {
	n := control.Shape().Dimensions[1] - controlExtra
	part := func(from, to int) *Node {
		return Reshape(Slice(control, AxisElem(k), AxisRange(from, to)), to-from)
	}
	scalar := func(at int) *Node { return Reshape(ConvertDType(part(at, at+1), dtypes.Float32)) }
	return &Step{
		Index:  ConvertDType(part(0, n), dtypes.Int32),
		Rate:   MulScalar(scalar(n+3), 1.0/rateUnit),
		Scale:  MulScalar(scalar(n+4), 1.0/rateUnit),
		Flag:   scalar(n + 5),
		random: part(n, n+3),
	}
}

// Normal draws standard normal numbers.
func (s *Step) Normal(dims ...int) (x *Node) {
	s.random, x = RandomNormal(s.random, shapes.Make(dtypes.Float32, dims...))
	return x
}

// Uniform draws numbers from [0, 1).
func (s *Step) Uniform(dims ...int) (x *Node) {
	s.random, x = RandomUniform(s.random, shapes.Make(dtypes.Float32, dims...))
	return x
}
