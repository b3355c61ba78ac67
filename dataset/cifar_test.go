package dataset

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cifarBytes is a binary batch of im, with its labels; coarse adds the label
// byte of CIFAR-100.
func cifarBytes(im *Images, coarse bool) []byte {
	var b []byte
	for i := range im.Len() {
		if coarse {
			b = append(b, 19)
		}
		b = append(b, byte(im.Labels[i]))
		for c := range 3 {
			for k := c; k < cifarPixels; k += 3 {
				b = append(b, im.At(i)[k])
			}
		}
	}
	return b
}

func cifarRamp(n int) *Images {
	im := ramp(n, 32, 32, 3)
	im.Labels = make([]int32, n)
	for i := range im.Labels {
		im.Labels[i] = int32(i % 10)
	}
	return im
}

func TestLoadCIFAR(t *testing.T) {
	im := cifarRamp(200)
	part := func(lo, hi int) *Images {
		return &Images{H: 32, W: 32, C: 3, Pix: im.Pix[lo*cifarPixels : hi*cifarPixels], Labels: im.Labels[lo:hi]}
	}
	dir := writeTree(t, map[string][]byte{
		"ten/data_batch_1.bin": cifarBytes(part(0, 90), false), "ten/data_batch_2.bin": cifarBytes(part(90, 100), false),
		"ten/data_batch_10.bin": cifarBytes(part(100, 200), false), "ten/test_batch.bin": cifarBytes(part(0, 1), false), "ten/batches.meta.txt": nil,
		"hundred/train.bin": cifarBytes(im, true), "hundred/test.bin": cifarBytes(part(0, 3), true),
	})
	for _, tt := range []struct {
		spec    string
		lo, hi  int
		classes int
		first   string // id
	}{
		{"ten", 0, 200, 10, "data_batch_1.bin#0"},
		{"ten[95:101]", 95, 101, 10, "data_batch_2.bin#5"},
		{"ten/data_batch_2.bin", 90, 100, 10, "0"},
		{"ten/data_batch_10.bin[70:]", 170, 200, 10, "70"},
		{"ten/test_batch.bin", 0, 1, 10, "0"},
		{"hundred", 0, 200, 100, "0"},
		{"hundred/test.bin", 0, 3, 100, "0"},
	} {
		got, err := LoadImages(filepath.Join(dir, filepath.FromSlash(tt.spec)), nil)
		if err != nil {
			t.Error(err)
			continue
		}
		want := part(tt.lo, tt.hi)
		if got.H != 32 || got.W != 32 || got.C != 3 || !bytes.Equal(got.Pix, want.Pix) || !slices.Equal(got.Labels, want.Labels) || got.Classes != tt.classes || got.ID(0) != tt.first {
			t.Errorf("%s: %d images, %d classes, labels %v, first %s", tt.spec, got.Len(), got.Classes, got.Labels, got.ID(0))
		}
	}
}

func TestLoadCIFARErrors(t *testing.T) {
	im := cifarRamp(70)
	ten := cifarBytes(im, false)
	label := slices.Clone(ten)
	label[66*3073] = 10
	hundred := cifarBytes(im, true)
	hundred[3075] = 100
	dir := writeTree(t, map[string][]byte{
		"data_batch_1.bin": ten[:len(ten)-1], "other.bin": ten[:3080], "empty.bin": nil, "label.bin": label, "fine.bin": hundred,
		"mixed/data_batch_1.bin": ten, "mixed/data_batch_2.bin": hundred,
	})
	for _, tt := range []struct{ spec, file, want string }{
		{"data_batch_1.bin", "", "has 215109 bytes, which are no whole number of images: CIFAR-10 takes 3073 bytes an image, CIFAR-100 3074; were it CIFAR-10, it would be cut short in image 69"},
		{"other.bin", "", "has 3080 bytes, which are no whole number of images: CIFAR-10 takes 3073 bytes an image, CIFAR-100 3074; were it CIFAR-100, it would be cut short in image 1"},
		{"empty.bin", "", "the file is empty"},
		{"gone.bin", "", "no such file"},
		{"label.bin", "", "image 66: the label at byte 202818 is 10; the classes of CIFAR-10 are 0 to 9 (is this a CIFAR file?)"},
		{"fine.bin", "", "image 1: the label at byte 3075 is 100; the classes of CIFAR-100 are 0 to 99 (is this a CIFAR file?)"},
		{"mixed", "mixed/data_batch_2.bin", "holds CIFAR-100, DIR/mixed/data_batch_1.bin holds CIFAR-10"},
		{"label.bin[:71]", "label.bin", "the range [:71] goes beyond the 70 images that there are"},
	} {
		if tt.file == "" {
			tt.file = tt.spec
		}
		_, err := LoadImages(filepath.Join(dir, tt.spec), nil)
		if want := filepath.Join(dir, tt.file) + ": " + strings.ReplaceAll(tt.want, "DIR", dir); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	// The size fits both kinds only for very large files; the name decides.
	for file, want := range map[string]cifarKind{"data_batch_1.bin": cifar10, "train.bin": cifar100} {
		if got, err := cifarKindOf(file, 3073*3074); err != nil || got != want {
			t.Errorf("%s is %v, %v", file, got, err)
		}
	}
	// A file that shrinks while it is read.
	if err := cifar10.read("a.bin", bytes.NewReader(ten[:4000]), 0, make([]uint8, 2*cifarPixels), make([]int32, 2)); err == nil ||
		err.Error() != "a.bin: the file is cut short in image 1, after 4000 bytes" {
		t.Errorf("got %v", err)
	}
}
