package dataset

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"rot.example/rot/table"
)

// checkInputError fails unless err is of a kind that Load promises.
func checkInputError(t *testing.T, err error) {
	t.Helper()
	var bad *InputError
	var file *table.Error
	var unknown *table.UnknownError
	var encoding *table.EncodingError
	switch {
	case errors.As(err, &bad) && bad.File != "" && bad.Msg != "":
	case errors.As(err, &file) && file.File != "" && file.Msg != "":
	case errors.As(err, &unknown), errors.As(err, &encoding):
	default:
		t.Fatalf("%#v", err)
	}
}

// checkLoaded fails unless there is a sound table or an error with a place.
func checkLoaded(t *testing.T, got *Table, err error) {
	t.Helper()
	if err != nil {
		checkInputError(t, err)
		return
	}
	n := got.Points.Len()
	if n == 0 || n*got.Points.Dim != len(got.Points.Coords) {
		t.Fatalf("%d coordinates of dim %d", len(got.Points.Coords), got.Points.Dim)
	}
	if got.Points.IDs != nil && len(got.Points.IDs) != n || got.Labels != nil && len(got.Labels) != n || got.Columns != nil && len(got.Columns) != got.Points.Dim {
		t.Fatalf("%d rows, %d ids, %d labels; dim %d, %d names", n, len(got.Points.IDs), len(got.Labels), got.Points.Dim, len(got.Columns))
	}
	for _, v := range got.Points.Coords {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%v got through", v)
		}
	}
}

func FuzzNPY(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.npy")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(npy(npyHeader(">U2", "(1, 1)"), 0, 0, 0, 'a', 0, 0, 0, 0))
	f.Add(npy("{'descr': '<f2', 'fortran_order': True, 'shape': (2, 1, 2), }", 0, 1, 2, 3, 4, 5, 6, 7))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := readArrayTable("a.npy", bytes.NewReader(b), int64(len(b)), readNPYHeader)
		checkLoaded(t, table, err)
		stream, err2 := readArrayTable("a.npy", bytes.NewReader(b), -1, readNPYHeader)
		checkLoaded(t, stream, err2)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("file: %v, stream: %v", err, err2)
		}
		labels, err := readArrayLabels("a.npy", bytes.NewReader(b), int64(len(b)), 2, readNPYHeader)
		if err == nil && len(labels) != 2 {
			t.Fatalf("%q", labels)
		}
	})
}

func FuzzIDX(f *testing.F) {
	f.Add(idx(8, []int{2, 1, 2}, 0, 1, 2, 3))
	f.Add(idx(0x0E, []int{1}, 0, 1, 2, 3, 4, 5, 6, 7))
	f.Add(idx(0x0D, []int{1 << 30, 1 << 30}))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := readArrayTable("a.idx", bytes.NewReader(b), int64(len(b)), readIDXHeader)
		checkLoaded(t, table, err)
		stream, err2 := readArrayTable("a.idx", bytes.NewReader(b), -1, readIDXHeader)
		checkLoaded(t, stream, err2)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("file: %v, stream: %v", err, err2)
		}
	})
}

// checkImages fails unless there are sound images or an error with a place.
func checkImages(t *testing.T, im *Images, err error) {
	t.Helper()
	if err != nil {
		var bad *InputError
		if !errors.As(err, &bad) || bad.File == "" || bad.Msg == "" {
			t.Fatalf("%#v", err)
		}
		return
	}
	n := im.Len()
	if n == 0 || len(im.Pix) != n*im.H*im.W*im.C || (im.C != 1 && im.C != 3) {
		t.Fatalf("%d bytes in %d images of %d×%d×%d", len(im.Pix), n, im.H, im.W, im.C)
	}
}

func FuzzIDXImages(f *testing.F) {
	f.Add(idx(8, []int{2, 1, 2}, 0, 1, 2, 3), "", "")
	f.Add(idx(8, []int{2, 1, 1, 3}, 0, 1, 2, 3, 4, 5), "1", "")
	f.Add(idx(8, []int{1 << 30, 28, 28}), "", "7")
	f.Fuzz(func(t *testing.T, b []byte, lo, hi string) {
		part := span{lo: lo, hi: hi}
		im, _, _, err := readIDXImages("a.idx", bytes.NewReader(b), int64(len(b)), int64(len(b)), part)
		checkImages(t, im, err)
		stream, _, _, err2 := readIDXImages("a.idx", bytes.NewReader(b), -1, int64(len(b)), part)
		checkImages(t, stream, err2)
		if err == nil && err2 == nil && !bytes.Equal(im.Pix, stream.Pix) {
			t.Fatal("file and stream differ")
		}
		labels, err := readClasses("a.idx", bytes.NewReader(b), int64(len(b)), 2)
		if err == nil && len(labels) != 2 {
			t.Fatalf("%v", labels)
		}
	})
}

// FuzzCIFAR takes the label bytes of a file and what follows its images, so
// that inputs stay small.
func FuzzCIFAR(f *testing.F) {
	f.Add([]byte{0, 9}, []byte{}, true, "data_batch_1.bin")
	f.Add([]byte{0, 19, 99, 3}, []byte{1}, false, "train.bin")
	f.Fuzz(func(t *testing.T, labels, rest []byte, ten bool, file string) {
		if len(labels) > 200 || file == "" {
			return
		}
		kind := cifar10
		if !ten {
			kind = cifar100
		}
		n := len(labels) / kind.labels
		b := make([]byte, n*int(kind.row()))
		for i := range b {
			b[i] = byte(i)
		}
		for i := range n {
			copy(b[i*int(kind.row()):], labels[i*kind.labels:][:kind.labels])
		}
		b = append(b, rest...)
		got, err := cifarKindOf(file, int64(len(b)))
		if err != nil {
			checkImages(t, nil, err)
			return
		}
		n = len(b) / int(got.row())
		im := &Images{H: 32, W: 32, C: 3, Pix: make([]uint8, n*cifarPixels), Labels: make([]int32, n)}
		err = got.read(file, bytes.NewReader(b), 0, im.Pix, im.Labels)
		checkImages(t, im, err)
		if err != nil {
			return
		}
		for i, l := range im.Labels {
			if l < 0 || int(l) >= got.classes || im.At(i)[1] != b[i*int(got.row())+got.labels+cifarPlane] {
				t.Fatalf("image %d", i)
			}
		}
	})
}

// FuzzStack compares what it reads with what image/png makes of it.
func FuzzStack(f *testing.F) {
	f.Add(stackBytes(f, ramp(3, 5, 5, 1)))
	f.Add(stackBytes(f, ramp(3, 4, 4, 3)))
	f.Add(rawPNG(2, 1, 4, 1, 2, 3, 1, 2))
	f.Add(pngOf(1<<15, 1<<30, []byte{8, 2, 0, 0, 0}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return // what it claims to hold is bounded by its length
		}
		im, err := readStackBytes(b)
		checkImages(t, im, err)
		if err != nil {
			return
		}
		if img, err := png.Decode(bytes.NewReader(b)); err == nil && !samePixels(im, img) {
			t.Fatal("image/png sees other pixels")
		}
	})
}

// FuzzSpec reads what follows the names of files that are there.
func FuzzSpec(f *testing.F) {
	dir := f.TempDir()
	for name, b := range map[string][]byte{
		"a.npz": domains(f), "a.csv": []byte("x,label\n1,2\n3,4\n5,2.0\n"), "a.idx": idx(8, []int{3, 1, 1}, 1, 2, 3), "b.idx": idx(8, []int{3}, 0, 1, 0),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			f.Fatal(err)
		}
	}
	f.Chdir(dir)
	for _, s := range []string{
		"", ":", ":x", ":x,y", ":x*scale,y[domain=2]", ":x[domain!=0|1][:1]", "[1:]", "[label=2]", "[label!=4][:1]", ",b.idx[label=0]", ",b.idx[:2][label=1|0]",
		":a,b,", ":*", ":,", "[=]", "[a=|]", "[:][:]", ":c[:2]", "[99999999999999999999:]", "Ⱥ.npz:x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, tail string) {
		body, sel := cutSelection(tail, func(string) bool { return false })
		for _, s := range sel {
			body += s.text
		}
		if body != tail {
			t.Fatalf("%q became %q", tail, body)
		}
		for _, file := range []string{"a.npz", "a.csv", "a.idx"} {
			table, err := Load(file+tail, nil)
			checkLoaded(t, table, err)
			if err == nil && table.Name != file+tail {
				t.Fatal(table.Name)
			}
			IsImages(file + tail)
			SpecFiles(file + tail)
		}
		table, err := Load("a.csv"+tail, &Options{LabelColumn: "label"})
		checkLoaded(t, table, err)
		im, err := LoadImages("a.idx"+tail, nil)
		checkImages(t, im, err)
		if err == nil && im.Labels != nil && len(im.Labels) != im.Len() {
			t.Fatalf("%d labels for %d images", len(im.Labels), im.Len())
		}
	})
}
