package dataset

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// benchRows is a table of the size that people bring: 100 000 rows of 16.
const benchRows, benchDim = 100_000, 16

func BenchmarkNPY(b *testing.B) {
	file := npy(npyHeader("<f8", fmt.Sprintf("(%d, %d)", benchRows, benchDim)), make([]byte, 8*benchRows*benchDim)...)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readArrayTable("a.npy", bytes.NewReader(file), int64(len(file)), readNPYHeader); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInfo(b *testing.B) {
	t, err := Load(fmt.Sprintf("synth:gauss,n=%d,d=%d", benchRows, benchDim), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		infoOf(t)
	}
}

// BenchmarkLoadCIFAR loads the 50 000 training images. B/op is all that was
// ever allocated, and so bounds the memory in use; the images are 153.6 MB.
func BenchmarkLoadCIFAR(b *testing.B) {
	stacks := "stack:" + realData(b, "cifar10/data_batch_*.png") + "," + realData(b, "cifar10/train-labels-idx1-ubyte.gz")
	im := mustLoadImages(b, stacks, nil)
	dir := b.TempDir()
	for k := range 5 {
		lo, hi := k*10_000, (k+1)*10_000
		part := &Images{H: 32, W: 32, C: 3, Pix: im.Pix[lo*cifarPixels : hi*cifarPixels], Labels: im.Labels[lo:hi]}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("data_batch_%d.bin", k+1)), cifarBytes(part, false), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for _, bb := range []struct{ name, spec string }{{"stack", stacks}, {"bin", dir}} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(im.Pix)))
			b.ReportAllocs()
			for b.Loop() {
				if got := mustLoadImages(b, bb.spec, nil); !bytes.Equal(got.Pix, im.Pix) || !slices.Equal(got.Labels, im.Labels) {
					b.Fatal("the images differ")
				}
			}
		})
	}
}

func BenchmarkResize(b *testing.B) {
	im := mustLoadImages(b, "synth:digits,n=2000", nil)
	b.SetBytes(int64(len(im.Pix)))
	for b.Loop() {
		if _, err := im.convert(32, 3); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOrder(b *testing.B) {
	o, err := NewOrder(50_000, 64, 1)
	if err != nil {
		b.Fatal(err)
	}
	var batch []int32
	for step := 0; b.Loop(); step++ {
		batch = o.Batch(batch, step)
	}
}
