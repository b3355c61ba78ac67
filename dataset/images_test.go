package dataset

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/internal/budget"
)

// realData is a file of the data that lies beside a checkout, where it does.
func realData(tb testing.TB, path string) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("takes seconds under the race detector")
	}
	file := filepath.Join("..", "..", "shared", "data", filepath.FromSlash(path))
	if found, err := filepath.Glob(file); err != nil || len(found) == 0 {
		tb.Skipf("needs %s", file)
	}
	return file
}

func mustLoadImages(tb testing.TB, spec string, opts *ImageOptions) *Images {
	tb.Helper()
	im, err := LoadImages(spec, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return im
}

// writeTree puts files into sub-folders of a folder of the test.
func writeTree(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// ramp is n images whose bytes count up, each from its number.
func ramp(n, h, w, c int) *Images {
	im := &Images{Name: "ramp", H: h, W: w, C: c, Pix: make([]uint8, n*h*w*c)}
	for i := range n {
		for k := range im.At(i) {
			im.At(i)[k] = uint8(7*i + 3*k)
		}
	}
	return im
}

func stackBytes(tb testing.TB, im *Images) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := im.WriteStack(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func encode(tb testing.TB, format string, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, img)
	case "jpg":
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 100})
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// paint is a w×h picture of one colour, in the colour's own model.
func paint(w, h int, c color.Color) image.Image {
	r := image.Rect(0, 0, w, h)
	var img interface {
		image.Image
		Set(x, y int, c color.Color)
	}
	switch c.(type) {
	case color.Gray:
		img = image.NewGray(r)
	case color.Gray16:
		img = image.NewGray16(r)
	case color.NRGBA:
		img = image.NewNRGBA(r)
	default:
		img = image.NewRGBA(r)
	}
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	return img
}

func TestLoadImagesIDX(t *testing.T) {
	gray := idx(8, []int{3, 2, 2}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255)
	rgb := idx(8, []int{2, 1, 2, 3}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255)
	dir := write(t, map[string][]byte{
		"a-images-idx3-ubyte": gray, "a-labels-idx1-ubyte": idx(8, []int{3}, 2, 0, 2),
		"b-images-idx3-ubyte.gz": gz(gray), "b-labels-idx1-ubyte.gz": gz(idx(0x0C, []int{3}, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0)),
		"c.idx": gray, "c.classes": idx(8, []int{3}, 0, 1, 1), "rgb.idx4": rgb, "one.idx": idx(8, []int{1, 1, 1, 1}, 9),
	})
	for _, tt := range []struct {
		spec    string
		h, w, c int
		pix     []uint8
		labels  []int32
		classes int
		ids     string
	}{
		{"a-images-idx3-ubyte", 2, 2, 1, gray[16:], []int32{2, 0, 2}, 3, "0 1 2"},
		{"b-images-idx3-ubyte.gz", 2, 2, 1, gray[16:], []int32{5, 1, 0}, 6, "0 1 2"},
		{"a-images-idx3-ubyte[1:]", 2, 2, 1, gray[20:], []int32{0, 2}, 3, "1 2"},
		{"b-images-idx3-ubyte.gz[1:2]", 2, 2, 1, gray[20:24], []int32{1}, 6, "1"},
		{"c.idx", 2, 2, 1, gray[16:], nil, 0, "0 1 2"},
		{"c.idx," + filepath.Join(dir, "c.classes") + "[:2]", 2, 2, 1, gray[16:24], []int32{0, 1}, 2, "0 1"},
		{"rgb.idx4", 1, 2, 3, rgb[20:], nil, 0, "0 1"},
		{"one.idx", 1, 1, 1, []uint8{9}, nil, 0, "0"},
	} {
		spec := filepath.Join(dir, tt.spec)
		if !IsImages(spec) {
			t.Errorf("%s is not taken for images", tt.spec)
		}
		got, err := LoadImages(spec, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		var ids []string
		for i := range got.Len() {
			ids = append(ids, got.ID(i))
		}
		if got.H != tt.h || got.W != tt.w || got.C != tt.c || !slices.Equal(got.Pix, tt.pix) || !slices.Equal(got.Labels, tt.labels) ||
			got.Classes != tt.classes || strings.Join(ids, " ") != tt.ids || got.Name != spec || got.Notes != nil {
			t.Errorf("%s: %+v", tt.spec, got)
		}
	}
}

func TestLoadImagesErrors(t *testing.T) {
	budget.SetLimit(64 << 30) // whatever this machine has
	defer budget.SetLimit(0)
	good := idx(8, []int{2, 2, 2}, 0, 1, 2, 3, 4, 5, 6, 7)
	dir := write(t, map[string][]byte{
		"a.idx": good, "three.classes": idx(8, []int{3}, 0, 1, 2), "minus.classes": idx(9, []int{2}, 0, 0xFF),
		"half.classes": idx(0x0D, []int{2}, 0, 0, 0, 0, 0x3F, 0, 0, 0), "many.classes": idx(0x0C, []int{2}, 0, 0, 0, 0, 0, 1, 0, 0),
		"flat.idx": idx(8, []int{4}, 1, 2, 3, 4), "float.idx": idx(0x0D, []int{1, 1, 1}, 0, 0, 0, 0), "four.idx": idx(8, []int{1, 1, 1, 2}, 1, 2), "five.idx": idx(8, []int{1, 1, 1, 1, 1}, 1),
		"short.idx": good[:22], "long.idx": append(slices.Clone(good), 1), "short.idx.gz": gz(good[:22]), "long.idx.gz": gz(append(slices.Clone(good), 1)),
		"huge.idx": idx(8, []int{1 << 30, 28, 28}), "huge.idx.gz": gz(idx(8, []int{1 << 20, 28, 28})), "magic.idx": []byte("\x89PNG\r\n"),
		"a.png": nil, "a.csv": nil, "a.txt": nil,
	})
	for _, tt := range []struct{ spec, file, want string }{
		{"a.idx,DIR/three.classes", "three.classes", "has labels of shape (3,) for 2 images; one for each was expected"},
		{"a.idx,DIR/minus.classes", "minus.classes", "image 1: label -1 is not a class from 0 to 65535"},
		{"a.idx,DIR/half.classes", "half.classes", "image 1: label 0.5 is not a class from 0 to 65535"},
		{"a.idx,DIR/many.classes", "many.classes", "image 1: label 65536 is not a class from 0 to 65535"},
		{"a.idx,DIR/gone.classes", "gone.classes", "no such file"},
		{"a.idx[:3]", "a.idx", "the range [:3] goes beyond the 2 images that there are"},
		{"a.idx[99999999999999999999:]", "a.idx", "the range [99999999999999999999:] goes beyond the 2 images that there are"},
		{"a.idx[1:1]", "a.idx", "the range [1:1] has no images"},
		{"flat.idx", "", "has no images: they are bytes of shape (n, height, width), and here are unsigned integers of 1 bytes of shape (4,)"},
		{"float.idx", "", "has no images: they are bytes of shape (n, height, width), and here are floats of 4 bytes of shape (1, 1, 1)"},
		{"four.idx", "", "has shape (1, 1, 1, 2); images are (n, height, width), for colour (n, height, width, 3)"},
		{"five.idx", "", "has shape (1, 1, 1, 1, 1); images are (n, height, width), for colour (n, height, width, 3)"},
		{"short.idx", "", "the file is cut short: its header declares 8 values of 1 bytes, and 6 bytes follow"},
		{"short.idx.gz", "", "the file is cut short in image 1 of 2, after 22 bytes"},
		{"long.idx", "", "1 bytes follow the data that the header declares"},
		{"long.idx.gz", "", "more bytes follow the data that the header declares"},
		{"huge.idx", "", "the file is cut short: its header declares 841813590016 values of 1 bytes, and 0 bytes follow"},
		{"huge.idx.gz", "", "its header declares shape (1048576, 28, 28), more than 35 compressed bytes can hold; the file is damaged"},
		{"magic.idx", "", "is not an IDX file: it starts with 89 50 4e 47, not with 00 00, a type (08 to 0e) and a number of dimensions"},
		{"gone.idx", "", "no such file"},
		{"gone", "", "no such file; " + supportedImages},
		{"a.png", "", "is one image; stack:DIR/a.png reads it as a column of square images, and the name of a folder reads all in it"},
		{"a.csv", "", "holds rows of numbers, not images; " + supportedImages},
		{"a.txt", "", "ends in .txt, which is no known format; " + supportedImages},
	} {
		file := tt.file
		if file == "" {
			file = tt.spec
		}
		_, err := LoadImages(filepath.Join(dir, strings.ReplaceAll(tt.spec, "DIR", dir)), nil)
		want := filepath.Join(dir, file) + ": " + strings.ReplaceAll(tt.want, "DIR", dir)
		var bad *InputError
		if err == nil || err.Error() != want || !errors.As(err, &bad) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for spec, want := range map[string]string{
		"":                        `"": no images given; ` + supportedImages,
		"-":                       "-: holds rows of numbers, not images; " + supportedImages,
		"synth:moons":             "synth:moons: is not a set of images; " + supportedImages,
		"synth:digits,size=9":     `synth:digits,size=9: digits has no parameter "size"; it takes n, noise, seed`,
		"synth:blobs,n=200000000": "synth:blobs,n=200000000: 200000000 images of 32×32 RGB are more than 8 GiB; choose fewer, as in synth:blobs,n=200000000[:1000]",
	} {
		if _, err := LoadImages(spec, nil); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for _, opts := range []ImageOptions{{Size: -1}, {Size: MaxSide + 1}, {Channels: 2}} {
		if _, err := LoadImages("synth:digits,n=1", &opts); err == nil {
			t.Errorf("%+v was taken", opts)
		}
	}
}

func TestIsImages(t *testing.T) {
	dir := write(t, map[string][]byte{
		"flat.idx": idx(8, []int{4}, 1, 2, 3, 4), "float.idx3": idx(0x0D, []int{1, 1, 1}, 0, 0, 0, 0), "bad.idx": {1, 2},
		"a.csv": nil, "a.png": nil,
	})
	for spec, want := range map[string]bool{
		"stack:x.png": true, "stack:x.png,y[:3]": true, "synth:digits": true, "synth:shapes,n=3[:2]": true, "synth:blobs": true, "data_batch_1.bin": true,
		dir: true, filepath.Join(dir, "a.png"): true,
		"synth:moons": false, "synth:": false, "-": false, "": false, "uniform": false, "a.npz:X": false, "gone.idx": false,
		filepath.Join(dir, "flat.idx"): false, filepath.Join(dir, "float.idx3"): false, filepath.Join(dir, "bad.idx"): false, filepath.Join(dir, "a.csv"): false,
	} {
		if got := IsImages(spec); got != want {
			t.Errorf("IsImages(%q) = %v", spec, got)
		}
	}
}

func TestSpecFiles(t *testing.T) {
	dir := writeTree(t, map[string][]byte{
		"a-images-idx3-ubyte": nil, "a-labels-idx1-ubyte": nil, "photos/x/1.png": nil, "photos/2.jpg": nil, "photos/notes.txt": nil, "cifar/data_batch_1.bin": nil,
	})
	in := func(names ...string) []string {
		for k := range names {
			names[k] = filepath.Join(dir, filepath.FromSlash(names[k]))
		}
		return names
	}
	for _, tt := range []struct {
		spec string
		want []string
	}{
		{"-", nil},
		{"synth:moons", nil},
		{filepath.Join(dir, "a.npz") + ":X", in("a.npz")},
		{filepath.Join(dir, "a-images-idx3-ubyte") + "[:3]", in("a-images-idx3-ubyte", "a-labels-idx1-ubyte")},
		{"stack:a.png+b.png,c.gz", []string{"a.png", "b.png", "c.gz"}},
		{filepath.Join(dir, "photos"), in("photos/2.jpg", "photos/x/1.png")},
		{filepath.Join(dir, "cifar"), in("cifar/data_batch_1.bin")},
	} {
		if got := SpecFiles(tt.spec); !slices.Equal(got, tt.want) {
			t.Errorf("SpecFiles(%q) = %q, want %q", tt.spec, got, tt.want)
		}
	}
}

func TestConvert(t *testing.T) {
	im := ramp(3, 2, 2, 1)
	im.Labels, im.Classes = []int32{0, 1, 0}, 2
	same, err := im.convert(2, 1)
	if err != nil || same != im {
		t.Errorf("nothing to convert: %v, %v", same, err)
	}
	rgb, err := im.convert(0, 3)
	if err != nil || rgb.C != 3 || rgb.At(1)[3] != im.At(1)[1] || rgb.At(1)[5] != im.At(1)[1] || rgb.Classes != 2 || !slices.Equal(rgb.Notes, []string{"gray converted to RGB"}) {
		t.Errorf("%+v, %v", rgb, err)
	}
	back, err := rgb.convert(0, 1)
	if err != nil || !slices.Equal(back.Pix, im.Pix) || len(rgb.Notes) != 1 {
		t.Errorf("%+v, %v", back, err)
	}
	colours := &Images{H: 1, W: 3, C: 3, Pix: []uint8{255, 0, 0, 0, 255, 0, 0, 0, 255}}
	if gray, err := colours.convert(0, 1); err != nil || !slices.Equal(gray.Pix, []uint8{76, 150, 29}) { // 255·(.299, .587, .114)
		t.Errorf("%+v, %v", gray, err)
	}
	constant := &Images{Name: "c", H: 28, W: 28, C: 1, Pix: bytes.Repeat([]byte{200}, 28*28)}
	big, err := constant.convert(32, 3)
	if err != nil || big.Len() != 1 || !slices.Equal(big.Notes, []string{"28×28 gray resized to 32×32 RGB"}) {
		t.Fatalf("%+v, %v", big, err)
	}
	for _, v := range big.Pix {
		if v != 200 {
			t.Fatalf("a constant image became %v", big.Pix)
		}
	}
}

// TestShrinkDoesNotAlias shrinks a checkerboard of single pixels, which has to
// come out gray, and not as the black or the white squares.
func TestShrinkDoesNotAlias(t *testing.T) {
	board := &Images{H: 60, W: 60, C: 1, Pix: make([]uint8, 3600)}
	for i := range board.Pix {
		board.Pix[i] = uint8(255 * ((i%60 + i/60) % 2))
	}
	small, err := board.convert(20, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range small.Pix {
		if x, y := i%20, i/20; x > 0 && x < 19 && y > 0 && y < 19 && (v < 110 || v > 145) {
			t.Fatalf("pixel %d,%d is %d", x, y, v)
		}
	}
}

func TestImagesInfo(t *testing.T) {
	im := &Images{Name: "x", H: 1, W: 2, C: 3, Pix: []uint8{0, 255, 51, 255, 255, 51, 0, 255, 51, 255, 255, 51, 0, 0, 0, 0, 0, 0},
		Labels: []int32{2, 0, 2}, Classes: 3, Outlier: []bool{false, false, true}}
	info := im.Info()
	if info.N != 3 || info.Height != 1 || info.Width != 2 || info.Channels != 3 || info.Duplicates != 1 || *info.Outliers != 1 || info.Notes == nil {
		t.Errorf("%+v", info)
	}
	for c, want := range []float64{1. / 3, 2. / 3, 2. / 15} {
		if got := info.Mean[c]; got < want-1e-12 || got > want+1e-12 {
			t.Errorf("channel %d has mean %v, want %v", c, got, want)
		}
	}
	if got, want := info.Std[0], 0.4714045; got < want-1e-6 || got > want+1e-6 { // √(1/3·2/3)
		t.Errorf("std %v, want %v", got, want)
	}
	if want := []LabelCount{{"0", 1}, {"1", 0}, {"2", 2}}; !slices.Equal(info.Labels, want) {
		t.Errorf("labels %v", info.Labels)
	}
	if info := (&Images{C: 1}).Info(); info.N != 0 || info.Labels != nil || info.Outliers != nil || info.Mean[0] != 0 {
		t.Errorf("no images: %+v", info)
	}
}
