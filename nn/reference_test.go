package nn

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// A reference is one file of testdata.
type reference struct {
	t      *testing.T
	arrays map[string]array
}

// An array is numbers in row-major order.
type array struct {
	shape []int
	data  []float64
}

func readReference(t *testing.T, name string) *reference {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Arrays map[string]struct {
			Shape []int
			F4    []byte // encoding/json reads base64
			F8    []byte
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	r := &reference{t: t, arrays: map[string]array{}}
	for key, a := range file.Arrays {
		n := shapes.Make(dtypes.Float64, a.Shape...).Size()
		data, narrow := make([]float64, n), make([]float32, n)
		if a.F8 != nil {
			err = binary.Read(bytes.NewReader(a.F8), binary.LittleEndian, data)
		} else if err = binary.Read(bytes.NewReader(a.F4), binary.LittleEndian, narrow); err == nil {
			for i, v := range narrow {
				data[i] = float64(v)
			}
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", name, key, err)
		}
		r.arrays[key] = array{a.Shape, data}
	}
	return r
}

// get returns an array in our layout.
func (r *reference) get(key string, l layout) array {
	r.t.Helper()
	a, ok := r.arrays[key]
	if !ok {
		r.t.Fatalf("the reference has no %q", key)
	}
	return l(a)
}

func (r *reference) tensor(key string, l layout, dtype dtypes.DType) *tensors.Tensor {
	r.t.Helper()
	a := r.get(key, l)
	return toTensor(a.data, shapes.Make(dtype, a.shape...))
}

// A layout carries an array from PyTorch's order of axes to ours.
type layout func(a array) array

var (
	same             layout = func(a array) array { return a }
	matrix           layout = func(a array) array { return a.permute(1, 0) }       // OI → IO
	images4          layout = func(a array) array { return a.permute(0, 2, 3, 1) } // BCHW → BHWC
	kernel           layout = func(a array) array { return a.permute(2, 3, 1, 0) } // OIHW → HWIO
	transposedKernel layout = func(a array) array { return a.permute(2, 3, 0, 1) } // IOHW → HWIO
)

// fromImages is the layout of a dense layer [O,C·H·W] on flattened images.
func fromImages(c, h, w int) layout {
	return func(a array) array {
		return a.reshape(a.shape[0], c, h, w).permute(2, 3, 1, 0).reshape(h*w*c, a.shape[0])
	}
}

// toImages is the layout of a dense layer [C·H·W,I] whose output becomes
// images.
func toImages(c, h, w int) layout {
	return func(a array) array {
		return a.reshape(c, h, w, a.shape[1]).permute(3, 1, 2, 0).reshape(a.shape[1], h*w*c)
	}
}

// vector is the layout of one image, flattened.
func vector(c, h, w int) layout {
	return func(a array) array { return a.reshape(c, h, w).permute(1, 2, 0).reshape(h * w * c) }
}

// batch is the i-th of several batches of images.
func batch(i int) layout {
	return func(a array) array {
		n := len(a.data) / a.shape[0]
		return images4(array{a.shape[1:], a.data[i*n : (i+1)*n]})
	}
}

func (a array) reshape(dims ...int) array { return array{dims, a.data} }

// permute makes axis axes[i] of a the i-th one.
func (a array) permute(axes ...int) array {
	strides := make([]int, len(axes))
	for i, n := len(axes)-1, 1; i >= 0; i-- {
		strides[i] = n
		n *= a.shape[i]
	}
	out := array{make([]int, len(axes)), make([]float64, 0, len(a.data))}
	for i, axis := range axes {
		out.shape[i] = a.shape[axis]
	}
	at := make([]int, len(axes))
	for range a.data {
		from := 0
		for i, axis := range axes {
			from += at[i] * strides[axis]
		}
		out.data = append(out.data, a.data[from])
		for i := range slices.Backward(at) {
			if at[i]++; at[i] < out.shape[i] {
				break
			}
			at[i] = 0
		}
	}
	return out
}
