package gan

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/nn"
	"rot.example/rot/train"
)

// batchOf runs a graph over the inputs of a trainer for some samples.
func batchOf(t *testing.T, tr *Trainer, index []int32, f func(s *nn.Scope, f *inputs) []*Node) []*tensors.Tensor {
	t.Helper()
	tr.c.Batch = len(index)
	p := nn.NewProgram(testBackend(t), nn.NewState(0), "inputs", func(s *nn.Scope, in []*Node) []*Node { return f(s, tr.c.inputs(in)) })
	out, err := p.Run(tr.feed([]train.Row{tr.row(index, 7, streamCritic)})...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestInputs: the graphs see the images and classes that the batch names, each
// pixel within its level.
func TestInputs(t *testing.T) {
	for _, flip := range []bool{false, true} {
		c, d := digitsConfig(t, func(c *Config) { c.Classes, c.Flip = 10, flip })
		tr := newTrainer(t, c, d)
		index := []int32{3, 0, 11, 3, 5, 6, 7, 8, 9, 10}
		out := batchOf(t, tr, index, func(_ *nn.Scope, f *inputs) []*Node {
			used, y := f.real(false)
			training, _ := f.real(true)
			return []*Node{used, y, training}
		})
		used := tensors.MustCopyFlatData[float32](out[0])
		onehot := tensors.MustCopyFlatData[float32](out[1])
		training := tensors.MustCopyFlatData[float32](out[2])
		back := samples(d, training).Images
		mirrored := 0
		for k, i := range index {
			image := d.Image(int(i))
			for p, v := range image {
				if want := (float64(v)+0.5)/128 - 1; math.Abs(float64(used[k*784+p])-want) > 1e-6 {
					t.Fatalf("pixel %d of sample %d is %v, want %v", p, i, used[k*784+p], want)
				}
			}
			if l := slices.Index(onehot[k*10:(k+1)*10], 1); l != int(d.Labels[i]) {
				t.Errorf("sample %d has class %d, want %d", i, l, d.Labels[i])
			}
			switch got := back.At(k); {
			case flip && slices.Equal(got, mirror(image, 28)):
				mirrored++
			case !slices.Equal(got, image):
				t.Errorf("flip %v: sample %d is neither itself nor its mirror image", flip, i)
			}
		}
		if flip && (mirrored == 0 || mirrored == len(index)) {
			t.Errorf("%d of %d are mirrored", mirrored, len(index))
		}
		if slices.Equal(training, used) {
			t.Error("no noise between the levels")
		}
	}
}

func mirror(image []uint8, side int) []uint8 {
	out := slices.Clone(image)
	for y := range side {
		slices.Reverse(out[y*side : (y+1)*side])
	}
	return out
}

// echo is a generator that hands out what it is given.
type echo struct{ networks }

func (echo) generator(_ *nn.Scope, z, onehot *Node) *Node { return Concatenate([]*Node{z, onehot}, 1) }

// TestFakeInputs: noise is standard normal, and all classes are as frequent.
func TestFakeInputs(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Classes, c.Noise = 8, 10 })
	out := batchOf(t, newTrainer(t, c, d), make([]int32, 4000), func(s *nn.Scope, f *inputs) []*Node {
		x, onehot := f.fake(s, echo{})
		z := Slice(x, AxisRange(), AxisRange(0, 10))
		return []*Node{ReduceAllMean(z), ReduceAllMean(Square(z)), ReduceMean(onehot, 0), Sub(Slice(x, AxisRange(), AxisRange(10, 18)), onehot)}
	})
	if m, v := tensors.ToScalar[float32](out[0]), tensors.ToScalar[float32](out[1]); math.Abs(float64(m)) > 0.02 || math.Abs(float64(v)-1) > 0.03 {
		t.Errorf("noise of mean %v and variance %v", m, v)
	}
	if share := wide(tensors.MustCopyFlatData[float32](out[2])); !near(share, slices.Repeat([]float64{0.125}, 8), 0.03) {
		t.Errorf("shares of the classes: %v", share)
	}
	if slices.Max(tensors.MustCopyFlatData[float32](out[3])) != 0 {
		t.Error("the generator was given other classes")
	}
}
