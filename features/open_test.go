package features

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/nn"
	"rot.example/rot/runs"
)

// writeTensors writes a safetensors file of float32 numbers.
func writeTensors(t *testing.T, tensors map[string]nn.TorchTensor) string {
	t.Helper()
	header, data := map[string]any{}, &bytes.Buffer{}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		x, from := tensors[name], data.Len()
		if err := binary.Write(data, binary.LittleEndian, x.Values); err != nil {
			t.Fatal(err)
		}
		header[name] = map[string]any{"dtype": "F32", "shape": x.Shape, "data_offsets": []int{from, data.Len()}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	path := filepath.Join(t.TempDir(), "net.safetensors")
	if err := os.WriteFile(path, slices.Concat(file, text, data.Bytes()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// squeezed are tensors of a SqueezeNet with weights that a formula makes.
func squeezed(t *testing.T) map[string]nn.TorchTensor {
	given := map[string]nn.TorchTensor{}
	for name, shape := range declared(t, &squeezeNet11) {
		given[name] = synthetic(name, shape...)
	}
	return given
}

func TestOpen(t *testing.T) {
	given := squeezed(t)
	path := writeTensors(t, given)
	n, err := Open(testBackend(t), path)
	if err != nil {
		t.Fatal(err)
	}
	if n.Name() != "squeezenet1.1" || n.Dim() != 512 || n.Classes() != 1000 || len(n.Hash()) != 12 {
		t.Errorf("%s %s, %d dimensions, %d classes", n.Name(), n.Hash(), n.Dim(), n.Classes())
	}
	again, err := Open(testBackend(t), path)
	if err != nil || again.Hash() != n.Hash() {
		t.Errorf("the same file has another hash, %v", err)
	}
	given["squeezenet0_conv0_bias"].Values[0]++
	other, err := Open(testBackend(t), writeTensors(t, given))
	if err != nil || other.Hash() == n.Hash() {
		t.Errorf("another file has the same hash, %v", err)
	}
}

// TestOpenHead opens a network that was trained on other classes than ImageNet's.
func TestOpenHead(t *testing.T) {
	given := map[string]nn.TorchTensor{}
	for name, shape := range declared(t, &squeezeNet11Torch) {
		given[name] = synthetic(name, shape...)
	}
	given["classifier.1.weight"], given["classifier.1.bias"] = synthetic("w", 7, 512, 1, 1), synthetic("b", 7)
	n, err := Open(testBackend(t), writeTensors(t, given))
	if err != nil {
		t.Fatal(err)
	}
	if n.Name() != "squeezenet1.1" || n.Dim() != 512 || n.Classes() != 7 {
		t.Errorf("%s, %d dimensions, %d classes", n.Name(), n.Dim(), n.Classes())
	}
	vectors, p, err := n.Classify(context.Background(), noise("head", 3, 40, 40, 3), nil)
	if err != nil || len(vectors) != 3*512 || len(p) != 3*7 {
		t.Errorf("%d numbers and %d probabilities, %v", len(vectors), len(p), err)
	}
}

func TestOpenErrors(t *testing.T) {
	nan := synthetic("x", 64)
	nan.Values[5] = float32(math.NaN())
	for _, tt := range []struct {
		name   string
		change func(given map[string]nn.TorchTensor)
		want   string
	}{
		{"missing", func(g map[string]nn.TorchTensor) { delete(g, "squeezenet0_conv7_bias") },
			`it looks like squeezenet1.1: nn: no tensor "squeezenet0_conv7_bias" [32]`},
		{"shape", func(g map[string]nn.TorchTensor) { g["squeezenet0_conv9_weight"] = synthetic("x", 128, 32, 5, 5) },
			`tensor "squeezenet0_conv9_weight" is [128 32 5 5], and net/squeezenet0_conv9_weight wants [128 32 3 3]`},
		{"surplus", func(g map[string]nn.TorchTensor) { g["squeezenet0_conv26_weight"] = synthetic("x", 3) },
			`tensor "squeezenet0_conv26_weight" [3] belongs to none`},
		{"not a number", func(g map[string]nn.TorchTensor) { g["squeezenet0_conv0_bias"] = nan },
			`tensor "squeezenet0_conv0_bias" has NaN as its element 5`},
		{"another network", func(g map[string]nn.TorchTensor) { delete(g, "squeezenet0_conv0_weight") },
			`holds no network that is known: none of its 51 tensors fits, and mobilenetv2 has a tensor "conv_95_weight" or "features.1.conv.2.running_var", squeezenet1.1 has`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			given := squeezed(t)
			tt.change(given)
			path := writeTensors(t, given)
			_, err := Open(testBackend(t), path)
			if err == nil || !strings.HasPrefix(err.Error(), "features: "+path) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := Open(testBackend(t), "testdata/nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(testBackend(t), "testdata/README.md"); !errors.Is(err, runs.ErrBroken) {
		t.Errorf("no safetensors file: %v", err)
	}
}

// TestRecognise tells torchvision's Inception from the one of FID by what
// differs: the classes, and the second classifier.
func TestRecognise(t *testing.T) {
	for name, change := range map[string]func(map[string]nn.TorchTensor){
		`tensor "fc.weight" is [1000 2048]`:  func(g map[string]nn.TorchTensor) { g["fc.weight"] = nn.TorchTensor{Shape: []int{1000, 2048}} },
		`tensor "AuxLogits.fc.weight" [1000`: func(g map[string]nn.TorchTensor) { g["AuxLogits.fc.weight"] = nn.TorchTensor{Shape: []int{1000, 768}} },
	} {
		given, has := map[string]nn.TorchTensor{}, map[string]bool{}
		for name, shape := range declared(t, &inceptionV3) {
			given[name], has[name] = synthetic(name, shape...), true
		}
		if recognise(has) != &inceptionV3 {
			t.Fatal("not recognised")
		}
		change(given)
		if _, err := newNet(testBackend(t), &inceptionV3, given); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want one with %s", err, name)
		}
	}
}

func TestFloats(t *testing.T) {
	for _, tt := range []struct {
		dtype string
		data  []byte
		want  []float32
	}{
		{"F32", []byte{0, 0, 128, 63, 0, 0, 0, 192}, []float32{1, -2}},
		{"F16", []byte{0, 60, 0, 192, 1, 0}, []float32{1, -2, 0x1p-24}},
		{"BF16", []byte{128, 63, 0, 192}, []float32{1, -2}},
		{"F64", []byte{0, 0, 0, 0, 0, 0, 240, 63}, []float32{1}},
		{"I64", []byte{255, 255, 255, 255, 255, 255, 255, 255}, []float32{-1}},
	} {
		got, err := floats(runs.Tensor{DType: tt.dtype, Data: tt.data})
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v, want %v", tt.dtype, got, err, tt.want)
		}
	}
	for _, bad := range []runs.Tensor{{DType: "U8", Data: []byte{1}}, {DType: "F16", Data: []byte{0, 124}}} {
		if got, err := floats(bad); err == nil {
			t.Errorf("%+v: %v", bad, got)
		}
	}
}
