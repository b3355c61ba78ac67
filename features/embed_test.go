package features

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/dataset"
	"rot.example/rot/nn"
)

// smallNet is a network that takes no time: the mean over the image of a
// convolution.
var smallNet = kind{
	name: "small", dim: 4, classes: 3,
	input: input{size: 8, mean: [3]float32{0.5, 0.5, 0.5}, sd: [3]float32{0.5, 0.5, 0.5}},
	build: func(s *nn.Scope, x *Node, _ int) (vectors, logits *Node) {
		w, b := folded(s, "a", 3, 3, 3, 4)
		vectors = nn.PoolAll(relu(biased(x, w, b, 1, 1)))
		return vectors, MatMul(vectors, param(s, "b_weight", 4, 3))
	},
}

func openSmall(t *testing.T) *Net {
	t.Helper()
	given := map[string]nn.TorchTensor{}
	for name, shape := range declared(t, &smallNet) {
		given[name] = synthetic(name, shape...)
	}
	n, err := newNet(testBackend(t), &smallNet, given)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEmbed(t *testing.T) {
	n, ctx := openSmall(t), context.Background()
	im := noise("embed", 23, 12, 10, 3)
	want, err := n.Embed(ctx, im, nil)
	if err != nil || len(want) != 23*4 {
		t.Fatalf("%d numbers, %v", len(want), err)
	}
	for i := range 22 {
		if slices.Equal(want[4*i:4*i+4], want[4*i+4:4*i+8]) {
			t.Fatal("two images have the same vector")
		}
	}
	for _, batch := range []int{1, 2, 7, 23, 64} {
		last, calls := 0, 0
		got, err := n.Embed(ctx, im, &Options{Batch: batch, Progress: func(done, total int) {
			if done <= last || total != 23 {
				t.Errorf("progress from %d to %d of %d", last, done, total)
			}
			last, calls = done, calls+1
		}})
		if err != nil || !near(got, want) || last != 23 || calls == 0 {
			t.Errorf("batches of %d: other vectors, or progress %d in %d calls, %v", batch, last, calls, err)
		}
		if again, err := n.Embed(ctx, im, &Options{Batch: batch}); err != nil || !slices.Equal(again, got) {
			t.Errorf("batches of %d: other bits the second time, %v", batch, err)
		}
	}

	// One image after the other.
	for _, i := range []int{0, 11, 22} {
		one := &dataset.Images{H: 12, W: 10, C: 3, Pix: im.At(i)}
		if got, err := n.Embed(ctx, one, nil); err != nil || !near(got, want[4*i:4*i+4]) {
			t.Errorf("image %d alone: %v, %v, want %v", i, got, err, want[4*i:4*i+4])
		}
	}

	vectors, p, err := n.Classify(ctx, im, nil)
	if err != nil || !slices.Equal(vectors, want) || len(p) != 23*3 {
		t.Fatalf("Classify: other vectors, or %d probabilities, %v", len(p), err)
	}
	weight := synthetic("b_weight", 3, 4).Values // [O,I]
	for i := range 23 {
		var e [3]float64
		sum := 0.0
		for c := range e {
			logit := 0.0
			for j := range 4 {
				logit += float64(want[4*i+j]) * float64(weight[4*c+j])
			}
			e[c] = math.Exp(logit)
			sum += e[c]
		}
		for c, v := range e {
			if math.Abs(float64(p[3*i+c])-v/sum) > 1e-3 {
				t.Fatalf("image %d: probability %v of class %d, want %v", i, p[3*i+c], c, v/sum)
			}
		}
	}
}

// near says that two results differ by rounding only.
func near(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !(math.Abs(float64(a[i]-b[i])) <= 1e-5*max(1, math.Abs(float64(b[i])))) {
			return false
		}
	}
	return true
}

// TestGray sees a gray image as one of three equal channels.
func TestGray(t *testing.T) {
	gray := noise("gray", 5, 9, 9, 1)
	color := &dataset.Images{H: 9, W: 9, C: 3}
	for _, v := range gray.Pix {
		color.Pix = append(color.Pix, v, v, v)
	}
	for _, e := range []Embedder{openSmall(t), Descriptor{}} {
		a, err := e.Embed(context.Background(), gray, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.Embed(context.Background(), color, nil)
		if err != nil || !slices.Equal(a, b) {
			t.Errorf("%s: gray and colour differ, %v", e.Name(), err)
		}
	}
}

func TestEmbedStops(t *testing.T) {
	im := noise("stop", 3000, 4, 4, 3)
	for _, e := range []Embedder{openSmall(t), Descriptor{}} {
		ctx, cancel := context.WithCancel(context.Background())
		reached := 0
		_, err := e.Embed(ctx, im, &Options{Batch: 4, Progress: func(done, _ int) { reached = done; cancel() }})
		if !errors.Is(err, context.Canceled) || reached == 0 || reached >= 3000 {
			t.Errorf("%s: %v after %d images", e.Name(), err, reached)
		}
	}
	enough := errors.New("enough")
	calls := 0
	err := openSmall(t).Each(context.Background(), im, nil, func(_, _ []float32) error { calls++; return enough })
	if err != enough || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func TestEmbedErrors(t *testing.T) {
	for _, e := range []Embedder{openSmall(t), Descriptor{}} {
		for name, im := range map[string]*dataset.Images{
			"none":         {H: 4, W: 4, C: 3},
			"no size":      {Pix: []uint8{1}},
			"two channels": {H: 1, W: 1, C: 2, Pix: []uint8{1, 2}},
			"cut short":    {H: 2, W: 1, C: 1, Pix: []uint8{1, 2, 3}},
		} {
			if _, err := e.Embed(context.Background(), im, nil); err == nil || !strings.HasPrefix(err.Error(), "features: ") {
				t.Errorf("%s, %s: %v", e.Name(), name, err)
			}
		}
	}
	if _, err := openSmall(t).Embed(context.Background(), noise("x", 1, 4, 4, 3), &Options{Batch: -1}); err == nil {
		t.Error("batches of −1")
	}
}
