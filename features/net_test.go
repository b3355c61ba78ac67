package features

import (
	"archive/zip"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/engine"
)

// openBackend opens the cpu backend, or the one that ROT_TEST_BACKEND names,
// once: a GPU lends its memory to one only.
var openBackend = sync.OnceValues(func() (*engine.Backend, error) {
	return engine.Open(cmp.Or(os.Getenv("ROT_TEST_BACKEND"), "cpu"), nil)
})

func testBackend(t testing.TB) *engine.Backend {
	t.Helper()
	b, err := openBackend()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// realData is a file of the data that tests use where they have it.
func realData(tb testing.TB, path string) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("takes seconds")
	}
	file := filepath.Join("..", "..", "shared", "data", filepath.FromSlash(path))
	if _, err := os.Stat(file); err != nil {
		tb.Skipf("needs %s", file)
	}
	return file
}

func mustOpen(tb testing.TB, file string) *Net {
	tb.Helper()
	n, err := Open(testBackend(tb), realData(tb, "weights/"+file))
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// TestVectors compares logits with those that came with the networks.
func TestVectors(t *testing.T) {
	for _, tt := range []struct {
		name, file, vector string
		dim                int
		tol                float64
	}{
		// Of the file's tensors the large ones are in half precision, which
		// alone moves logits of up to 18 by 0.016.
		{"mobilenetv2", "mobilenetv2_imagenet.safetensors", "mobilenetv2_testvector.npz", 1280, 0.02},
		{"squeezenet1.1", "squeezenet1_1_imagenet.safetensors", "squeezenet1_1_testvector.npz", 512, 5e-4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := mustOpen(t, tt.file)
			if n.Name() != tt.name || n.Dim() != tt.dim || n.Classes() != 1000 || len(n.Hash()) != 12 {
				t.Errorf("%s, %d dimensions, %d classes, hash %s", n.Name(), n.Dim(), n.Classes(), n.Hash())
			}
			arrays := readNPZ(t, realData(t, "weights/"+tt.vector))
			in, want := arrays["input"], arrays["output"]
			if in == nil || want == nil {
				t.Fatalf("the file has %d arrays", len(arrays))
			}
			r := n.forward(0, tensors.FromFlatDataAndDimensions(channelsLast(in, 1, 3, 224, 224), 1, 224, 224, 3))
			if r.err != nil {
				t.Fatal(r.err)
			}
			if len(r.vectors) != tt.dim || len(r.logits) != len(want) {
				t.Fatalf("%d numbers and %d logits", len(r.vectors), len(r.logits))
			}
			worst, best, top := 0.0, 0, 0
			for i, v := range r.logits {
				worst = max(worst, math.Abs(float64(v-want[i])))
				if v > r.logits[best] {
					best = i
				}
				if want[i] > want[top] {
					top = i
				}
			}
			t.Logf("off by at most %.2g of %.4g", worst, want[top])
			if worst > tt.tol || best != top {
				t.Errorf("logits are off by %.2g, class %d, want %d", worst, best, top)
			}
		})
	}
}

// channelsLast turns [B,C,H,W] into [B,H,W,C].
func channelsLast(x []float32, b, c, h, w int) []float32 {
	out := make([]float32, len(x))
	for n := range b {
		for k := range c {
			for p := range h * w {
				out[(n*h*w+p)*c+k] = x[(n*c+k)*h*w+p]
			}
		}
	}
	return out
}

var npyShape = regexp.MustCompile(`'descr': '<f4', 'fortran_order': False, 'shape': \(([0-9, ]*)\)`)

// readNPZ reads the float32 arrays of a NumPy archive.
func readNPZ(t testing.TB, path string) map[string][]float32 {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string][]float32{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		end := 10 + int(binary.LittleEndian.Uint16(data[8:]))
		shape := npyShape.FindSubmatch(data[:end])
		if shape == nil {
			t.Fatalf("%s: %s: header %q", path, f.Name, data[:end])
		}
		n := 1
		for _, s := range strings.FieldsFunc(string(shape[1]), func(r rune) bool { return r == ',' || r == ' ' }) {
			d, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			n *= d
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[end+4*i:]))
		}
		out[strings.TrimSuffix(f.Name, ".npy")] = x
	}
	return out
}
