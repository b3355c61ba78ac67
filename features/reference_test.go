package features

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/nn"
)

// A reference is one file of testdata (README.md there).
type reference struct {
	Tensors int
	SHA256  string
	Arrays  map[string]struct{ F8 []byte } // encoding/json reads base64
}

func readReference(t *testing.T, name string) *reference {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// compare returns the largest difference of x from the numbers that the
// reference has of it.
func (r *reference) compare(t *testing.T, name string, x []float32) float64 {
	t.Helper()
	data := r.Arrays[name].F8
	want := make([]float64, len(data)/8)
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, want); err != nil || len(want) == 0 {
		t.Fatalf("%s: %d numbers, %v", name, len(want), err)
	}
	worst := 0.0
	for k, v := range want {
		got := x[(k+1)*len(x)/(len(want)+1)]
		worst = max(worst, math.Abs(float64(got)-v)/max(1, math.Abs(v)))
	}
	return worst
}

// declared are the tensors that a network wants: their names in a file, and
// their shapes there.
func declared(t testing.TB, k *kind) map[string][]int {
	t.Helper()
	state := nn.NewState(0)
	err := nn.Declare(testBackend(t), state, k.name, func(s *nn.Scope) {
		k.build(s, Zeros(s.Graph(), shapes.Make(dtypes.Float32, 1, k.input.size, k.input.size, 3)), k.classes)
	})
	if err != nil {
		t.Fatal(err)
	}
	torch := map[string]string{"w": "weight", "b": "bias", "scale": "weight", "offset": "bias", "mean": "running_mean", "var": "running_var"}
	out := map[string][]int{}
	for name, x := range state.All() {
		d := x.Shape().Dimensions
		if len(d) > 1 { // [K,L,I,O] here, [O,I,K,L] there
			d = append([]int{d[len(d)-1], d[len(d)-2]}, d[:len(d)-2]...)
		}
		parts := strings.Split(name, "/")
		if last := &parts[len(parts)-1]; torch[*last] != "" {
			*last = torch[*last]
		}
		out[strings.Join(parts, ".")] = d
	}
	return out
}

// TestNetworks compares with torchvision's networks; Inception's pooling is that
// of the Fréchet inception distance.
func TestNetworks(t *testing.T) {
	for _, tt := range []struct {
		file string
		kind *kind
		size int // of the images
		tol  float64
	}{
		{"inception", &inceptionV3, 139, 1e-4},
		{"mobilenet_v2", &mobileNetV2Torch, 64, 1e-4},
		{"squeezenet1_1", &squeezeNet11Torch, 64, 1e-4},
		{"resnet18", resNets[3], 64, 1e-4},
		{"resnet34", resNets[2], 0, 0},
		{"resnet50", resNets[1], 64, 4e-4}, // depth blows up rounding
		{"resnet101", resNets[0], 0, 0},
	} {
		t.Run(tt.file, func(t *testing.T) {
			if testing.Short() && tt.size > 64 {
				t.Skip("takes seconds")
			}
			compareNetwork(t, readReference(t, tt.file), tt.kind, tt.size, tt.tol)
		})
	}
}

// compareNetwork compares names and shapes of the tensors, and what the network
// makes of two images of size×size pixels; 0 is for none.
func compareNetwork(t *testing.T, r *reference, k *kind, size int, tol float64) {
	want := declared(t, k)
	if k == &inceptionV3 {
		want["fc.bias"] = []int{1008} // in the file, and not used
	}
	has := map[string]bool{}
	var lines []string
	for name, shape := range want {
		has[name] = true
		lines = append(lines, fmt.Sprintf("%s %s\n", name, strings.Trim(fmt.Sprint(shape), "[]")))
	}
	if recognise(has) != k {
		t.Error("not recognised")
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	if len(want) != r.Tensors || hex.EncodeToString(sum[:]) != r.SHA256 {
		t.Errorf("%d tensors, want %d, or other names or shapes", len(want), r.Tensors)
	}
	if size == 0 {
		return
	}
	given := map[string]nn.TorchTensor{}
	for name, shape := range want {
		given[name] = synthetic(name, shape...)
	}
	n, err := newNet(testBackend(t), k, given)
	if err != nil {
		t.Fatal(err)
	}
	x := channelsLast(synthetic("input", 2, 3, size, size).Values, 2, 3, size, size)
	out := n.forward(0, tensors.FromFlatDataAndDimensions(x, 2, size, size, 3))
	if out.err != nil {
		t.Fatal(out.err)
	}
	if testBackend(t).Kind == "xla" {
		tol = 2e-2 // GPUs round the factors of matrix products
	}
	vectors, logits := r.compare(t, "vectors", out.vectors), r.compare(t, "logits", out.logits)
	t.Logf("vectors are off by at most %.2g, logits by %.2g", vectors, logits)
	if !(vectors < tol && logits < tol) {
		t.Errorf("vectors are off by %.2g, logits by %.2g", vectors, logits)
	}
}

// synthetic is the tensor called name, made by the formula of
// bench/peers/features/reference.py.
func synthetic(name string, dims ...int) nn.TorchTensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	mean, spread := 0., 0.3
	switch {
	case name == "input":
		spread = 1
	case len(dims) > 1:
		spread = math.Sqrt(6 / float64(n/dims[0]))
	case strings.HasSuffix(name, "weight"):
		mean = 1
	case strings.HasSuffix(name, "running_var"):
		mean, spread = 1, 0.5
	}
	values := make([]float32, n)
	for i, u := range uniform(name, n) {
		values[i] = float32(mean + float64(spread*u)) // not fused, as Python does it
	}
	return nn.TorchTensor{Shape: dims, Values: values}
}

// uniform are numbers from −1 to 1.
func uniform(name string, n int) []float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	out, at := make([]float64, n), h.Sum64()
	for i := range out {
		at += 0x9E3779B97F4A7C15
		z := (at ^ at>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
		out[i] = float64(z>>40)/(1<<23) - 1
	}
	return out
}

// TestResample compares with PyTorch's interpolation.
func TestResample(t *testing.T) {
	r := readReference(t, "resized")
	compared := 0
	for name, d := range map[string][3]int{"square": {32, 32, 3}, "wide": {300, 500, 3}, "tall": {400, 290, 3}, "tiny": {16, 16, 1}} {
		pix := make([]uint8, d[0]*d[1]*d[2])
		for i, u := range uniform(name, len(pix)) {
			pix[i] = uint8((u + 1) * 128)
		}
		for kind, in := range map[string]input{
			"whole":  {size: 299, sd: [3]float32{1, 1, 1}},
			"middle": {size: 224, resize: 256, antialias: true, sd: [3]float32{1, 1, 1}},
		} {
			got := make([]float32, in.size*in.size*3)
			in.sampler(d[0], d[1], d[2]).apply(got, pix)
			for i := range got {
				got[i] *= 255
			}
			if diff := r.compare(t, name+"/"+kind, got); diff > 1e-5 {
				t.Errorf("%s, %s: off by %.2g", name, kind, diff)
			}
			compared++
		}
	}
	if compared != len(r.Arrays) {
		t.Errorf("compared %d arrays of %d", compared, len(r.Arrays))
	}
}
