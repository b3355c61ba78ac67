package nn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
)

// Declare gives a State the arrays of the network that f builds, with their
// initial values, without running it: LoadTorch wants to know them. The name
// says in errors which network it was.
func Declare(b *engine.Backend, state *State, name string, f func(s *Scope)) error {
	g := graph.NewGraph(b.Backend, name)
	defer g.Finalize()
	bd := newBuild(g, state)
	err := engine.Catch(name, func() { f(&Scope{b: bd, compute: dtypes.InvalidDType}) })
	if err != nil && bd.where != "" {
		return fmt.Errorf("%w (in %s)", err, bd.where)
	}
	return err
}

// A TorchTensor is an array as PyTorch keeps it: in row-major order, with
// dense layers [O,I] and kernels [O,I,K,K].
type TorchTensor struct {
	Shape  []int
	Values []float32
}

// LoadTorch sets the arrays under a path to the tensors of a PyTorch model
// with the same parts: "layer1/0/conv1/w" to "layer1.0.conv1.weight", say.
// Each array has to get a tensor and each tensor has to belong to an array,
// but for those that PyTorch counts batches in and those whose names start
// with one of ignore, such as "fc.". The error names the tensor at fault, and
// the State is then as it was.
//
// Two kinds of layers do not fit even where shapes do: transposed convolutions,
// and dense ones on flattened images, whose channels PyTorch has first.
func LoadTorch(state *State, under string, tensors map[string]TorchTensor, ignore ...string) error {
	var names []string
	belongs := map[string]bool{}
	for _, name := range state.Names() {
		if !within(name, under) {
			continue
		}
		torch := torchName(name, under)
		if err := fits(tensors, torch, torchShape(state.vars[name].shape.Dimensions), name); err != nil {
			return err
		}
		names = append(names, name)
		belongs[torch] = true
	}
	if len(names) == 0 {
		return fmt.Errorf("nn: there are no arrays under %q to load tensors into", under)
	}
	for _, torch := range slices.Sorted(maps.Keys(tensors)) {
		ignored := func(prefix string) bool { return strings.HasPrefix(torch, prefix) }
		if !belongs[torch] && !strings.HasSuffix(torch, ".num_batches_tracked") && !slices.ContainsFunc(ignore, ignored) {
			return fmt.Errorf("nn: tensor %q %v belongs to none of the %d arrays under %q", torch, tensors[torch].Shape, len(names), under)
		}
	}
	for _, name := range names {
		v := state.vars[name]
		values := fromTorch(tensors[torchName(name, under)].Values, v.shape.Dimensions)
		state.Set(name, toTensor(values, v.shape))
	}
	return nil
}

// fits checks that there is a tensor of the shape that the array called name
// wants.
func fits(tensors map[string]TorchTensor, torch string, want []int, name string) error {
	t, ok := tensors[torch]
	if !ok {
		return fmt.Errorf("nn: no tensor %q %v for %s", torch, want, name)
	}
	if !slices.Equal(t.Shape, want) {
		return fmt.Errorf("nn: tensor %q is %v, and %s wants %v", torch, t.Shape, name, want)
	}
	n := 1
	for _, d := range want {
		n *= d
	}
	if len(t.Values) != n {
		return fmt.Errorf("nn: tensor %q is %v and has %d values", torch, t.Shape, len(t.Values))
	}
	return nil
}

// torchNames are PyTorch's names for the arrays of our layers.
var torchNames = map[string]string{
	"w": "weight", "b": "bias", "scale": "weight", "offset": "bias", "mean": "running_mean", "var": "running_var",
}

// torchName is PyTorch's name for an array under a path.
func torchName(name, under string) string {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(name, under), "/"), "/")
	last := &parts[len(parts)-1]
	if torch, ok := torchNames[*last]; ok {
		*last = torch
	}
	return strings.Join(parts, ".")
}

// torchShape is [O,I,K,K] for [K,K,I,O] and [O,I] for [I,O].
func torchShape(dims []int) []int {
	if len(dims) < 2 {
		return dims
	}
	kernel, in, out := dims[:len(dims)-2], dims[len(dims)-2], dims[len(dims)-1]
	return append([]int{out, in}, kernel...)
}

// fromTorch brings values to the order of an array of the given dimensions.
func fromTorch(values []float32, dims []int) []float64 {
	in, out := 1, 1
	if len(dims) >= 2 {
		in, out = dims[len(dims)-2], dims[len(dims)-1]
	}
	pixels := len(values) / (in * out)
	wide := make([]float64, len(values))
	for o := range out {
		for i := range in {
			for p := range pixels {
				wide[(p*in+i)*out+o] = float64(values[(o*in+i)*pixels+p])
			}
		}
	}
	return wide
}
