package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func idx(kind byte, shape []int, data ...byte) []byte {
	b := []byte{0, 0, kind, byte(len(shape))}
	for _, n := range shape {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return append(b, data...)
}

func gz(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// write puts files into a folder of the test and returns the folder.
func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadIDX(t *testing.T) {
	images := idx(8, []int{2, 2, 2}, 0, 1, 2, 3, 4, 5, 6, 255)
	labels := idx(8, []int{2}, 7, 9)
	dir := write(t, map[string][]byte{
		"a-images-idx3-ubyte": images, "a-labels-idx1-ubyte": labels,
		"b-images-idx3-ubyte.gz": gz(images), "b-labels-idx1-ubyte.gz": gz(labels),
		"c-images-idx3-ubyte.gz": gz(images), "c-labels-idx1-ubyte": labels,
		"d.images.idx3-ubyte": images,
		"e.idx":               images, "e-classes.idx": labels,
		"short.idx": idx(0x0B, []int{2}, 0xFF, 0xFE, 1, 0),
		"int.idx":   idx(0x0C, []int{1}, 0, 0, 1, 0), "byte.idx": idx(9, []int{1}, 0xFF),
		"float.idx": idx(0x0D, []int{1}, 0x3F, 0xC0, 0, 0), "double.idx": idx(0x0E, []int{1}, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0),
	})
	pixels := []float64{0, 1, 2, 3, 4, 5, 6, 255}
	for _, tt := range []struct {
		spec   string
		dim    int
		coords []float64
		labels []string
	}{
		{"a-images-idx3-ubyte", 4, pixels, []string{"7", "9"}},
		{"b-images-idx3-ubyte.gz", 4, pixels, []string{"7", "9"}},
		{"c-images-idx3-ubyte.gz", 4, pixels, []string{"7", "9"}},
		{"d.images.idx3-ubyte", 4, pixels, nil},
		{"e.idx", 4, pixels, nil},
		{"e.idx," + filepath.Join(dir, "e-classes.idx"), 4, pixels, []string{"7", "9"}},
		{"short.idx", 1, []float64{-2, 256}, nil},
		{"int.idx", 1, []float64{256}, nil},
		{"byte.idx", 1, []float64{-1}, nil},
		{"float.idx", 1, []float64{1.5}, nil},
		{"double.idx", 1, []float64{-1}, nil},
	} {
		got, err := Load(filepath.Join(dir, tt.spec), nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.Format != "idx" || got.Points.Dim != tt.dim || !slices.Equal(got.Points.Coords, tt.coords) || !slices.Equal(got.Labels, tt.labels) {
			t.Errorf("%s: %+v", tt.spec, got)
		}
	}
}

func TestLoadIDXErrors(t *testing.T) {
	images := idx(8, []int{2, 1, 2}, 0, 1, 2, 3)
	dir := write(t, map[string][]byte{
		"magic.idx": []byte("\x89PNG\r\n"), "type.idx": idx(7, []int{1}, 0), "flat.idx": {0, 0, 8, 0},
		"empty.idx": nil, "head.idx": images[:7], "short.idx": images[:17], "long.idx": append(slices.Clone(images), 1, 2),
		"huge.idx":     idx(8, []int{1 << 31, 1 << 31, 1 << 31}),
		"big.idx":      idx(8, []int{1 << 31, 1000}),
		"short.idx.gz": gz(images)[:20], "cut.idx.gz": gz(images[:17]), "long.idx.gz": gz(append(slices.Clone(images), 1)), "plain.idx.gz": images,
		"none.idx":            idx(8, []int{0, 28, 28}),
		"a-images-idx3-ubyte": images, "a-labels-idx1-ubyte": idx(8, []int{3}, 1, 2, 3),
	})
	for _, tt := range []struct{ file, want string }{
		{"magic.idx", "is not an IDX file: it starts with 89 50 4e 47, not with 00 00, a type (08 to 0e) and a number of dimensions"},
		{"type.idx", "is not an IDX file: it starts with 00 00 07 01, not with 00 00, a type (08 to 0e) and a number of dimensions"},
		{"flat.idx", "is not an IDX file: it starts with 00 00 08 00, not with 00 00, a type (08 to 0e) and a number of dimensions"},
		{"empty.idx", "the file is cut short"},
		{"head.idx", "the file is cut short"},
		{"short.idx", "the file is cut short: its header declares 4 values of 1 bytes, and 1 bytes follow"},
		{"long.idx", "2 bytes follow the data that the header declares"},
		{"huge.idx", "declares shape (2147483648, 2147483648, 2147483648), more than memory can hold; the file is damaged"},
		{"big.idx", "the file is cut short: its header declares 2147483648000 values of 1 bytes, and 0 bytes follow"},
		{"short.idx.gz", "the file is cut short"},
		{"cut.idx.gz", "the file is cut short: its header declares 4 values, about 0 are there"},
		{"long.idx.gz", "more bytes follow the data that the header declares"},
		{"plain.idx.gz", "is not a gzip file, though its name ends in .gz"},
		{"none.idx", "has no values: its shape is (0, 28, 28)"},
		{"gone.idx", "no such file"},
	} {
		_, err := Load(filepath.Join(dir, tt.file), nil)
		if want := filepath.Join(dir, tt.file) + ": " + tt.want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	_, err := Load(filepath.Join(dir, "a-images-idx3-ubyte"), nil)
	if want := filepath.Join(dir, "a-labels-idx1-ubyte") + ": has shape (3,); one value for each of 2 rows was expected"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
