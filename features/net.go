package features

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
	"rot.example/rot/internal/openfile"
	"rot.example/rot/nn"
	"rot.example/rot/runs"
)

// A Net is a trained network that turns images into vectors. Its methods may
// not be called at the same time.
type Net struct {
	kind     *kind
	hash     string
	backend  *engine.Backend
	state    *nn.State
	programs []*nn.Program // as many as run side by side
}

// A kind is a network that we know.
type kind struct {
	name    string
	marks   []string // tensors that tell it from others
	head    string   // the tensor whose first dimension is the number of classes; "" where that is fixed
	ignore  []string // tensors that are not used
	dim     int      // of the vectors
	classes int
	input   input
	// build returns the vectors [B,dim] and the classes' logits [B,classes] of
	// images x [B,H,W,3].
	build func(s *nn.Scope, x *Node, classes int) (vectors, logits *Node)
}

// The first whose marks are all there is taken.
var kinds = append([]*kind{&mobileNetV2, &mobileNetV2Torch, &squeezeNet11, &squeezeNet11Torch, &inceptionV3}, resNets...)

// Open reads the network in a safetensors file, to run on b. The error names
// the tensor at fault.
func Open(b *engine.Backend, path string) (*Net, error) {
	file, meta, err := runs.ReadSafetensors(path)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	has := map[string]bool{}
	for _, t := range file {
		has[t.Name] = true
	}
	k := recognise(has)
	if k == nil && isClassifier(has) {
		if k, err = openedClassifier(file, meta); err != nil {
			return nil, fmt.Errorf("features: %s: %w", path, err)
		}
	}
	if k == nil {
		return nil, fmt.Errorf("features: %s holds no network that is known: %s", path, fitsNone(len(file)))
	}
	given := map[string]nn.TorchTensor{}
	for _, t := range file {
		values, err := floats(t)
		if err != nil {
			return nil, fmt.Errorf("features: %s: tensor %q %w", path, t.Name, err)
		}
		given[t.Name] = nn.TorchTensor{Shape: t.Shape, Values: values}
	}
	k = k.headed(given)
	hash, err := hashFile(path)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	n, err := newNet(b, k, given)
	if err != nil {
		return nil, fmt.Errorf("features: %s: %w", path, err)
	}
	n.hash = hash
	return n, nil
}

// recognise returns the network with tensors of these names, nil for none.
func recognise(has map[string]bool) *kind {
	i := slices.IndexFunc(kinds, func(k *kind) bool {
		return !slices.ContainsFunc(k.marks, func(name string) bool { return !has[name] })
	})
	if i < 0 {
		return nil
	}
	return kinds[i]
}

// headed returns the kind with as many classes as the network's last layer has.
func (k *kind) headed(given map[string]nn.TorchTensor) *kind {
	last, ok := given[k.head]
	if !ok || len(last.Shape) < 2 || last.Shape[0] < 2 {
		return k
	}
	other := *k
	other.classes = last.Shape[0]
	return &other
}

// fitsNone returns the problem with a file of n tensors that are those of no known
// network: which tensors would tell.
func fitsNone(n int) string {
	var names []string
	marks := map[string]string{}
	for _, k := range kinds {
		mark := fmt.Sprintf("%q", k.marks[0])
		if marks[k.name] == "" {
			names, marks[k.name] = append(names, k.name), mark
		} else {
			marks[k.name] += " or " + mark
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s has a tensor %s", name, marks[name])
	}
	return fmt.Sprintf("none of its %d tensors fits, and %s", n, strings.Join(names, ", "))
}

// newNet returns a network with the given tensors.
func newNet(b *engine.Backend, k *kind, given map[string]nn.TorchTensor) (*Net, error) {
	n := &Net{kind: k, backend: b, state: nn.NewState(0)}
	err := nn.Declare(b, n.state, k.name, func(s *nn.Scope) {
		k.build(s.In("net").Eval(), Zeros(s.Graph(), shapes.Make(dtypes.Float32, 1, k.input.size, k.input.size, 3)), k.classes)
	})
	if err != nil {
		return nil, err
	}
	if err := nn.LoadTorch(n.state, "net", given, k.ignore...); err != nil {
		return nil, fmt.Errorf("it looks like %s: %w", k.name, err)
	}
	// GoMLX's Go backend uses one core for all but matrix products, so that
	// there several graphs at once take less time; a GPU does one at a time.
	count := 1
	if b.Kind == "go" {
		count = runtime.GOMAXPROCS(0)
	}
	for range count {
		n.programs = append(n.programs, nn.NewProgram(b, n.state, k.name, func(s *nn.Scope, in []*Node) []*Node {
			vectors, logits := k.build(s.In("net").Eval(), in[0], k.classes)
			return []*Node{vectors, logits}
		}))
	}
	return n, nil
}

// Name returns "mobilenetv2", "squeezenet1.1", "inception-v3", "resnet-18" and so
// on, or "classifier".
func (n *Net) Name() string { return n.kind.name }

// Hash returns the beginning of the SHA-256 of the file, 12 hexadecimal digits.
func (n *Net) Hash() string { return n.hash }

// Dim returns the dimension of the vectors.
func (n *Net) Dim() int { return n.kind.dim }

// Classes returns the number of classes that the network was trained to tell apart.
func (n *Net) Classes() int { return n.kind.classes }

func hashFile(path string) (string, error) {
	f, _, err := openfile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}
