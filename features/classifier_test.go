package features

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
)

// openCPU opens our own backend: GoMLX's takes minutes to train on.
var openCPU = sync.OnceValues(func() (*engine.Backend, error) { return engine.Open("cpu", nil) })

func cpuBackend(tb testing.TB) *engine.Backend {
	tb.Helper()
	b, err := openCPU()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func loadImages(tb testing.TB, spec string, opts *dataset.ImageOptions) *dataset.Images {
	tb.Helper()
	im, err := dataset.LoadImages(spec, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return im
}

// small is the size that tests train on.
var small = &dataset.ImageOptions{Size: 16}

// trainedShapes is a classifier of five classes, trained once for all tests.
var trainedShapes = sync.OnceValues(func() (*Classifier, error) {
	b, err := openCPU()
	if err != nil {
		return nil, err
	}
	im, err := dataset.LoadImages("synth:shapes,n=300", small)
	if err != nil {
		return nil, err
	}
	return TrainClassifier(context.Background(), b, im, &ClassifierOptions{Steps: 60, Batch: 32, Seed: 1})
})

func shapesClassifier(tb testing.TB) *Classifier {
	tb.Helper()
	if testing.Short() {
		tb.Skip("trains a network")
	}
	c, err := trainedShapes()
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// TestClassifierLearns: on images that it has not seen it is as good as it says.
func TestClassifierLearns(t *testing.T) {
	c := shapesClassifier(t)
	if c.Name() != "classifier" || c.Dim() != 128 || c.Classes() != 5 || len(c.Hash()) != 12 {
		t.Errorf("%s, %d dimensions, %d classes, hash %s", c.Name(), c.Dim(), c.Classes(), c.Hash())
	}
	if want := []string{"circle", "triangle", "square", "cross", "ring"}; !slices.Equal(c.ClassNames(), want) {
		t.Errorf("classes %q", c.ClassNames())
	}
	if c.Accuracy() < 0.85 {
		t.Errorf("accuracy %.3f on the images held back", c.Accuracy())
	}
	fresh := loadImages(t, "synth:shapes,n=300,seed=9", small)
	vectors, p, err := c.Classify(t.Context(), fresh, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) != 300*128 || len(p) != 300*5 {
		t.Fatalf("%d numbers in vectors and %d probabilities", len(vectors), len(p))
	}
	right := 0
	for i, label := range fresh.Labels {
		if largest(p[5*i:5*i+5]) == int(label) {
			right++
		}
	}
	share := float64(right) / 300
	t.Logf("accuracy %.3f on new images, %.3f on those held back", share, c.Accuracy())
	if share < 0.8 || math.Abs(share-c.Accuracy()) > 0.15 {
		t.Errorf("accuracy %.3f on new images, and it says %.3f", share, c.Accuracy())
	}
	embedded, err := c.Embed(t.Context(), fresh, nil)
	if err != nil || !slices.Equal(embedded, vectors) {
		t.Errorf("Embed and Classify differ (%v)", err)
	}
}

// TestClassifierRepeats: the same seed gives the same network to the bit, and
// another seed another.
func TestClassifierRepeats(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a network")
	}
	im := loadImages(t, "synth:shapes,n=300", small)
	hash := func(seed uint64) string {
		last := 0
		c, err := TrainClassifier(t.Context(), cpuBackend(t), im, &ClassifierOptions{Steps: 3, Batch: 8, Seed: seed, Progress: func(step, steps int, loss float64) {
			if step != last+1 || steps != 3 || !(loss > 0) {
				t.Errorf("step %d of %d, loss %v", step, steps, loss)
			}
			last = step
		}})
		if err != nil {
			t.Fatal(err)
		}
		if last != 3 {
			t.Errorf("%d reports of 3 steps", last)
		}
		return c.Hash()
	}
	a, b, other := hash(1), hash(1), hash(2)
	if a != b || a == other {
		t.Errorf("hashes %s and %s of one seed, %s of another", a, b, other)
	}
}

// TestClassifierOutliers: the extra class takes outliers and leaves the clean
// images alone.
func TestClassifierOutliers(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a network")
	}
	clean := loadImages(t, "synth:digits,n=240", small)
	clean.Labels, clean.Classes, clean.ClassNames = nil, 0, nil
	both, err := WithOutliers(clean, loadImages(t, "synth:shapes,n=160", small))
	if err != nil {
		t.Fatal(err)
	}
	c, err := TrainClassifier(t.Context(), cpuBackend(t), both, &ClassifierOptions{Steps: 30, Batch: 32})
	if err != nil {
		t.Fatal(err)
	}
	share := func(spec string) float64 {
		im := loadImages(t, spec, small)
		_, p, err := c.Classify(t.Context(), im, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range im.Len() {
			if largest(p[2*i:2*i+2]) == 1 {
				n++
			}
		}
		return float64(n) / float64(im.Len())
	}
	in, out := share("synth:digits,n=100,seed=5"), share("synth:shapes,n=100,seed=5")
	t.Logf("takes %.2f of the clean images for outliers, and %.2f of the outliers", in, out)
	if in > 0.1 || out < 0.9 {
		t.Errorf("takes %.2f of the clean images for outliers, and %.2f of the outliers", in, out)
	}
}

func TestWithOutliers(t *testing.T) {
	set := func(n int, labels []int32, classes int, names []string) *dataset.Images {
		return &dataset.Images{Name: "set", H: 1, W: 2, C: 1, Pix: make([]uint8, 2*n), Labels: labels, Classes: classes, ClassNames: names}
	}
	dirt := set(2, []int32{7, 7}, 8, nil)
	dirt.Pix[3] = 9
	for _, tt := range []struct {
		name   string
		clean  *dataset.Images
		labels []int32
		names  []string
	}{
		{"labels", set(3, []int32{0, 1, 0}, 2, nil), []int32{0, 1, 0, 2, 2}, []string{"0", "1", "outlier"}},
		{"names", set(2, []int32{1, 0}, 2, []string{"a", "b"}), []int32{1, 0, 2, 2}, []string{"a", "b", "outlier"}},
		{"no labels", set(1, nil, 0, nil), []int32{0, 1, 1}, []string{"clean", "outlier"}},
	} {
		got, err := WithOutliers(tt.clean, dirt)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Labels, tt.labels) || !slices.Equal(got.ClassNames, tt.names) || got.Classes != len(tt.names) {
			t.Errorf("%s: labels %v, classes %q", tt.name, got.Labels, got.ClassNames)
		}
		if got.Len() != len(tt.labels) || got.Pix[len(got.Pix)-1] != 9 {
			t.Errorf("%s: pixels %v", tt.name, got.Pix)
		}
	}
	wide := &dataset.Images{Name: "wide", H: 1, W: 3, C: 1, Pix: make([]uint8, 3)}
	if _, err := WithOutliers(dirt, wide); err == nil || !strings.Contains(err.Error(), "wide of 3×1") {
		t.Errorf("another size: %v", err)
	}
	if _, err := WithOutliers(dirt, &dataset.Images{}); err == nil {
		t.Error("no outliers at all")
	}
}

func TestTrainClassifierErrors(t *testing.T) {
	with := func(change func(im *dataset.Images)) *dataset.Images {
		im := &dataset.Images{Name: "set", H: 16, W: 16, C: 1, Classes: 2}
		im.Pix, im.Labels = make([]uint8, 20*256), make([]int32, 20)
		im.Labels[3] = 1
		change(im)
		return im
	}
	same := func(*dataset.Images) {}
	for _, tt := range []struct {
		name   string
		change func(im *dataset.Images)
		opts   *ClassifierOptions
		want   string
	}{
		{"small", func(im *dataset.Images) { im.H, im.W = 8, 32 }, nil, "set: images have 32×8 pixels, and 16×16 are needed"},
		{"no labels", func(im *dataset.Images) { im.Labels = nil }, nil, "set: the images have no labels"},
		{"too few labels", func(im *dataset.Images) { im.Labels = im.Labels[:19] }, nil, "19 labels for 20 images"},
		{"too few images", func(im *dataset.Images) { im.Pix, im.Labels = im.Pix[:9*256], im.Labels[:9] }, nil, "9 images, and 10 are needed"},
		{"label out of range", func(im *dataset.Images) { im.Labels[4] = 2 }, nil, "image 4 has label 2 of 2 classes"},
		{"one class", func(im *dataset.Images) { im.Labels[3] = 0 }, nil, "all images are of one class"},
		{"channels", func(im *dataset.Images) { im.C = 2 }, nil, "2 channels"},
		{"batch", same, &ClassifierOptions{Batch: 1}, "steps of 1 images"},
		{"steps", same, &ClassifierOptions{Steps: -1}, "-1 steps"},
	} {
		if _, err := TrainClassifier(t.Context(), cpuBackend(t), with(tt.change), tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := TrainClassifier(ctx, cpuBackend(t), with(same), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSplit: a tenth is held back, and nothing is lost or seen twice.
func TestSplit(t *testing.T) {
	for _, n := range []int{10, 19, 20, 1234} {
		held, rest := split(n, 3)
		all := slices.Sorted(slices.Values(slices.Concat(held, rest)))
		for i, v := range all {
			if v != i {
				t.Fatalf("%d of %d is %d", i, n, v)
			}
		}
		if len(all) != n || len(held) != n/10 {
			t.Errorf("%d of %d held back", len(held), n)
		}
	}
}
