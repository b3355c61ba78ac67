package features

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/metrics"
)

func describeAll(t testing.TB, im *dataset.Images) []float32 {
	t.Helper()
	v, err := Descriptor{}.Embed(context.Background(), im, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestLab has values of CIE's formulas from elsewhere.
func TestLab(t *testing.T) {
	for _, tt := range []struct {
		rgb  [3]float32
		want [3]float64
	}{
		{[3]float32{0, 0, 0}, [3]float64{0, 0, 0}},
		{[3]float32{1, 1, 1}, [3]float64{100, 0, 0}},
		{[3]float32{1, 0, 0}, [3]float64{53.24, 80.09, 67.20}},
		{[3]float32{0, 1, 0}, [3]float64{87.73, -86.18, 83.18}},
		{[3]float32{0, 0, 1}, [3]float64{32.30, 79.19, -107.86}},
		{[3]float32{0.5, 0.5, 0.5}, [3]float64{53.39, 0, 0}},
		{[3]float32{0.02, 0.02, 0.02}, [3]float64{1.40, 0, 0}}, // both straight parts: 903.3·0.02/12.92
		{[3]float32{-1, 2, 0}, [3]float64{87.73, -86.18, 83.18}},
	} {
		got := lab(tt.rgb[0], tt.rgb[1], tt.rgb[2])
		for c := range got {
			if math.Abs(got[c]-tt.want[c]) > 0.02 {
				t.Errorf("%v is %.2f, want %v", tt.rgb, got, tt.want)
			}
		}
	}
}

// paint makes one image of 32×32.
func paint(at func(y, x int) uint8) *dataset.Images {
	im := &dataset.Images{H: side, W: side, C: 1}
	for y := range side {
		for x := range side {
			im.Pix = append(im.Pix, at(y, x))
		}
	}
	return im
}

func TestDescriptorFlat(t *testing.T) {
	v := describeAll(t, paint(func(_, _ int) uint8 { return 255 }))
	at := 0
	for _, b := range blocks {
		part := v[at : at+b.dim]
		at += b.dim
		var want []int // where the block is not zero
		switch b.dim {
		case bins:
			want = []int{0} // no edges
		case 3 * bins:
			want = []int{bins - 1, bins + 7, bins + 8, 2*bins + 7, 2*bins + 8} // white, and gray between two bins
		}
		for i, x := range part {
			if b.dim == 3*thumb*thumb {
				// White is lightness 100 everywhere.
				if wantX := b.scale * float32(1-min(1, i%3)); math.Abs(float64(x-wantX)) > 1e-4 {
					t.Errorf("thumbnail %d is %v", i, x)
				}
			} else if (x > 1e-3) != slices.Contains(want, i) {
				t.Errorf("block of %d: %d is %v", b.dim, i, x)
			}
		}
	}
	if at != len(v) || at != (Descriptor{}).Dim() {
		t.Errorf("%d numbers, %d in the blocks", len(v), at)
	}
}

// TestDescriptorShape has one direction for stripes, and its mirror image for
// an image mirrored.
func TestDescriptorShape(t *testing.T) {
	n := cells * cells * directions
	upright := describeAll(t, paint(func(_, x int) uint8 { return uint8(x / 4 % 2 * 200) }))[:n]
	for i, v := range upright {
		// Gradients along x have angle 0, between the last direction and the first.
		if k := i % directions; (v > 1e-3) != (k == 0 || k == directions-1) {
			t.Errorf("cell %d, direction %d is %v", i/directions, k, v)
		}
	}
	bytes := noise("mirror", 1, side, side, 1).Pix
	image := describeAll(t, paint(func(y, x int) uint8 { return bytes[y*side+x] }))[:n]
	mirrored := describeAll(t, paint(func(y, x int) uint8 { return bytes[y*side+side-1-x] }))[:n]
	for i, v := range image {
		cell, k := i/directions, i%directions
		y, x := cell/cells, cell%cells
		if w := mirrored[(y*cells+cells-1-x)*directions+directions-1-k]; math.Abs(float64(v-w)) > 1e-4 {
			t.Fatalf("cell %d, direction %d is %v and %v mirrored", cell, k, v, w)
		}
	}
}

// nearest is the distance of each vector of x to its k-th nearest of ref.
func nearest(ref, x []float32, dim, k int) []float64 {
	out := make([]float64, len(x)/dim)
	parallel.For(len(out), func(i int) {
		var all []float64
		for j := 0; j < len(ref); j += dim {
			sum := 0.0
			for p, v := range x[i*dim : (i+1)*dim] {
				d := float64(v - ref[j+p])
				sum += d * d
			}
			all = append(all, sum)
		}
		slices.Sort(all)
		out[i] = all[k-1]
	})
	return out
}

// separation is the AUROC of finding foreign vectors by the distance to the 5th
// nearest of clean ones.
func separation(t *testing.T, dim int, ref, in, out []float32) float64 {
	t.Helper()
	foreign := make([]bool, (len(in)+len(out))/dim)
	for i := len(in) / dim; i < len(foreign); i++ {
		foreign[i] = true
	}
	auroc, err := metrics.AUROC(nearest(ref, slices.Concat(in, out), dim, 5), foreign)
	if err != nil {
		t.Fatal(err)
	}
	return auroc
}

func loadReal(t testing.TB, prefix, file, rest string) *dataset.Images {
	t.Helper()
	im, err := dataset.LoadImages(prefix+realData(t, file)+rest, &dataset.ImageOptions{Size: 32, Channels: 3})
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// foreign are images that do not belong among CIFAR-10's.
var foreign = []struct {
	name, prefix, file, rest string
	descriptor, net          float64 // the least AUROC that finds them
}{
	{"mnist", "", "mnist/t10k-images-idx3-ubyte.gz", "[:32]", 0.99, 0.98},
	{"usps", "", "usps/usps-test-images-idx3-ubyte.gz", "[:32]", 0.98, 0.98},
	{"sketches", "stack:", "pacs/sketch64.png", "[:32]", 0.95, 0.97},
	{"mnist-m", "stack:", "mnist-m/test.png", "[:32]", 0.7, 0.93},
}

// TestSeparation finds foreign images, one in twenty.
func TestSeparation(t *testing.T) {
	ref := describeAll(t, loadReal(t, "stack:", "cifar10/data_batch_1.png", "[:600]"))
	in := describeAll(t, loadReal(t, "stack:", "cifar10/data_batch_2.png", "[:600]"))
	for _, tt := range foreign {
		t.Run(tt.name, func(t *testing.T) {
			out := describeAll(t, loadReal(t, tt.prefix, tt.file, tt.rest))
			got := separation(t, Descriptor{}.Dim(), ref, in, out)
			t.Logf("AUROC %.3f", got)
			if got < tt.descriptor {
				t.Errorf("AUROC %.3f, want %v or more", got, tt.descriptor)
			}
		})
	}
}

// TestNetSeparation does the same with a trained network.
func TestNetSeparation(t *testing.T) {
	if os.Getenv("ROT_SLOW") == "" {
		t.Skip("takes minutes: set ROT_SLOW=1")
	}
	n := mustOpen(t, "mobilenetv2_imagenet.safetensors")
	embed := func(im *dataset.Images) (plain, roots []float32) {
		plain, err := n.Embed(context.Background(), im, nil)
		if err != nil {
			t.Fatal(err)
		}
		roots, err = Hellinger(plain, n.Dim())
		if err != nil {
			t.Fatal(err)
		}
		return plain, roots
	}
	ref, refRoots := embed(loadReal(t, "stack:", "cifar10/data_batch_1.png", "[:400]"))
	in, inRoots := embed(loadReal(t, "stack:", "cifar10/data_batch_2.png", "[:400]"))
	for _, tt := range foreign {
		out, outRoots := embed(loadReal(t, tt.prefix, tt.file, tt.rest))
		plain, got := separation(t, n.Dim(), ref, in, out), separation(t, n.Dim(), refRoots, inRoots, outRoots)
		t.Logf("%s: AUROC %.3f, of the plain vectors %.3f", tt.name, got, plain)
		if got < tt.net {
			t.Errorf("%s: AUROC %.3f, want %v or more", tt.name, got, tt.net)
		}
	}
}

func TestHellinger(t *testing.T) {
	got, err := Hellinger([]float32{1, 4, 4, 0, 0, 0, 0, 0.5, 0}, 3)
	third := float32(1. / 3)
	if err != nil || !slices.Equal(got, []float32{third, 2 * third, 2 * third, 0, 0, 0, 0, 1, 0}) {
		t.Errorf("%v, %v", got, err)
	}
	nan := float32(math.NaN())
	for _, bad := range [][]float32{{1, 2, -1}, {1, nan, 2}, {1, float32(math.Inf(1)), 1}, {1, 2}} {
		if _, err := Hellinger(bad, 3); err == nil || !strings.HasPrefix(err.Error(), "features: ") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := Hellinger(nil, 0); err == nil {
		t.Error("no dimension")
	}
}

// TestDescriptorScale measures the scales of the blocks on CIFAR-10.
func TestDescriptorScale(t *testing.T) {
	const pairs = 1000
	im := loadReal(t, "stack:", "cifar10/data_batch_1.png", "[:2000]")
	v := describeAll(t, im)
	at, dim := 0, (Descriptor{}).Dim()
	for k, b := range blocks {
		sum := 0.0
		for i := range pairs {
			for p := at; p < at+b.dim; p++ {
				d := float64(v[i*dim+p] - v[(i+pairs)*dim+p])
				sum += d * d / pairs
			}
		}
		if math.Abs(math.Sqrt(sum)-1) > 0.03 {
			t.Errorf("two images differ by %.3f in block %d", math.Sqrt(sum), k)
		}
		at += b.dim
	}
}

func BenchmarkDescriptor(b *testing.B) {
	benchmarkEmbed(b, Descriptor{}, noise("bench", 200, 32, 32, 3))
}
