package gan

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/nn"
)

// TestEMASampling: with a running mean of the generator samples come from it,
// without from the generator.
func TestEMASampling(t *testing.T) {
	for _, ema := range []float64{0, 0.9} {
		c, d := eightConfig(t, func(c *Config) { c.EMA = ema })
		tr, _ := trained(t, c, d)
		sample := func() []float64 {
			s, err := tr.Sample(10, 1)
			if err != nil {
				t.Fatal(err)
			}
			return s.Points
		}
		before := sample()
		if ema > 0 {
			if diff := difference(arrays(tr, "G/"), under(arrays(tr, "ema/G/"), "ema/")); !(diff > 0) || math.IsInf(diff, 0) {
				t.Errorf("the running mean is %v away from the generator", diff)
			}
			if fill(tr, "G/", 0); !slices.Equal(sample(), before) {
				t.Error("samples come from the generator itself")
			}
			fill(tr, "ema/G/", 0)
		} else {
			fill(tr, "G/", 0)
		}
		// A generator of zeros makes the centre of the data.
		if got := sample(); !near(got[:2], d.Centre, 1e-6) {
			t.Errorf("EMA %v: a generator of zeros makes %v", ema, got[:2])
		}
	}
}

// under are the arrays without a prefix and without the count of updates.
func under(a map[string][]float32, prefix string) map[string][]float32 {
	out := map[string][]float32{}
	for name, value := range a {
		if !strings.HasSuffix(name, "/steps") {
			out[strings.TrimPrefix(name, prefix)] = value
		}
	}
	return out
}

// TestSample: the seed decides, a smaller number is the beginning of a larger
// one, and classes take turns.
func TestSample(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Classes = 8 })
	tr, _ := trained(t, c, d)
	sample := func(n int, seed uint64) []float64 {
		s, err := tr.Sample(n, seed)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Points) != 2*n || s.Dim != 2 || s.Images != nil {
			t.Errorf("%d samples: %d numbers", n, len(s.Points))
		}
		return s.Points
	}
	long := sample(130, 1)
	if !slices.Equal(sample(70, 1), long[:140]) || !slices.Equal(sample(1, 1), long[:2]) {
		t.Error("fewer samples are others")
	}
	if slices.Equal(sample(70, 2), long[:140]) {
		t.Error("another seed gives the same samples")
	}

	turns := newTrainer(t, c, d)
	turns.net = echoClass{}
	s, err := turns.Sample(130, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 130 {
		want := []float64{d.Centre[0] + d.Unit[0]*float64(i%8), d.Centre[1]}
		if got := s.Points[2*i : 2*i+2]; !near(got, want, 1e-5) {
			t.Errorf("sample %d is %v, want %v for class %d", i, got, want, i%8)
		}
	}

	z := make([]float32, 64*c.Noise)
	made := func(class int32) []float32 {
		classes := slices.Repeat([]int32{class}, 64)
		out, err := tr.sample.Run(tensors.FromFlatDataAndDimensions(z, 64, c.Noise), classes)
		if err != nil {
			t.Fatal(err)
		}
		return tensors.MustCopyFlatData[float32](out[0])
	}
	if slices.Equal(made(0), made(1)) {
		t.Error("the class does not matter")
	}
}

// echoClass is a generator that hands out the number of the class.
type echoClass struct{ networks }

func (echoClass) generator(_ *nn.Scope, _, onehot *Node) *Node {
	numbers := Const(onehot.Graph(), [][]float32{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}})
	return MatMul(onehot, numbers)
}

// TestConditionalImages: class-conditional batch norm in the generator and a
// projection in the critic, and both learn.
func TestConditionalImages(t *testing.T) {
	c, d := digitsConfig(t, func(c *Config) { c.Classes = 10 })
	tr, _ := trained(t, c, d)
	for name, want := range map[string][]int{"G/norm0/scale": {10, 64}, "G/norm1/offset": {10, 32}, "D/head/embed/w": {10, 7 * 7 * 64}} {
		if a := tr.saved.State.Get(name); a == nil || !slices.Equal(a.Shape().Dimensions, want) {
			t.Errorf("%s is %v, want %v", name, a, want)
		}
	}
	scale := arrays(tr, "G/norm0/scale")["G/norm0/scale"]
	if slices.Equal(scale[:64], scale[64:128]) {
		t.Error("two classes have the same scale after training")
	}
	s, err := tr.Sample(3, 1)
	if err != nil || s.Images == nil || s.Images.Len() != 3 || s.Images.H != 28 || s.Images.C != 1 {
		t.Errorf("%v: samples %+v", err, s)
	}
}
