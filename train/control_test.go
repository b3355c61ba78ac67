package train

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/engine"
	"rot.example/rot/nn"
)

// run runs a graph on the go backend, which is the same to the bit each time.
func run(t *testing.T, control *tensors.Tensor, f func(control *Node) []*Node) []*tensors.Tensor {
	t.Helper()
	b, err := engine.Open("go", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	out, err := nn.NewProgram(b, nn.NewState(0), t.Name(), func(_ *nn.Scope, in []*Node) []*Node { return f(in[0]) }).Run(control)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestControl: a graph finds in each row what was put there.
func TestControl(t *testing.T) {
	rows := []Row{
		{Index: []int32{3, 0, math.MaxInt32}, Step: 1, Rate: 1, Scale: 0.5, Flag: true},
		{Index: []int32{1, 1, 2}, Step: 2, Rate: 0.5, Scale: 0},
		{Index: []int32{0, 5, 4}, Step: 3, Use: 2, Rate: 0, Scale: 1, Flag: true},
		{Index: []int32{9, 8, 7}, Step: 4, Rate: 0.1, Scale: 0.9},
	}
	out := run(t, Control(7, rows), func(control *Node) (out []*Node) {
		for k := range rows {
			s := Unpack(control, k)
			out = append(out, s.Index, Concatenate([]*Node{Reshape(s.Rate, 1), Reshape(s.Scale, 1), Reshape(s.Flag, 1)}, 0))
		}
		return out
	})
	for k, r := range rows {
		if index := tensors.MustCopyFlatData[int32](out[2*k]); !slices.Equal(index, r.Index) {
			t.Errorf("row %d: index %v, want %v", k, index, r.Index)
		}
		flag := float32(0)
		if r.Flag {
			flag = 1
		}
		got, want := tensors.MustCopyFlatData[float32](out[2*k+1]), []float32{float32(r.Rate), float32(r.Scale), flag}
		if k < 3 && !slices.Equal(got, want) { // 0, 0.5 and 1 are exact
			t.Errorf("row %d: rate, scale and flag %v, want %v", k, got, want)
		}
		for i := range got {
			if math.Abs(float64(got[i]-want[i])) > 1e-7 {
				t.Errorf("row %d: rate, scale and flag %v, want %v", k, got, want)
			}
		}
	}
}

// TestRandomWords: every use of noise has numbers of its own, which depend on
// the seed.
func TestRandomWords(t *testing.T) {
	seen := map[[3]uint64]string{}
	for seed := range uint64(2) {
		for step := 1; step <= 3; step++ {
			for use := range 3 {
				control := tensors.MustCopyFlatData[uint64](Control(seed, []Row{{Index: make([]int32, 8), Step: step, Use: use}}))
				words, name := [3]uint64(control[8:]), fmt.Sprintf("seed %d, step %d, use %d", seed, step, use)
				if other, ok := seen[words]; ok {
					t.Errorf("the same noise at %s and %s", name, other)
				}
				seen[words] = name
			}
		}
	}
}

// TestNoise: the draws of a step follow their laws, differ from each other, and
// are the same the next time.
func TestNoise(t *testing.T) {
	draw := func(step int) (normal, first, second []float32) {
		out := run(t, Control(7, []Row{{Index: []int32{0}, Step: step}}), func(control *Node) []*Node {
			s := Unpack(control, 0)
			return []*Node{s.Normal(50, 100), s.Uniform(5000), s.Uniform(5000)}
		})
		return tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1]), tensors.MustCopyFlatData[float32](out[2])
	}
	normal, first, second := draw(1)
	if mean, variance := moments(normal); math.Abs(mean) > 0.05 || math.Abs(variance-1) > 0.08 {
		t.Errorf("normal numbers of mean %v and variance %v", mean, variance)
	}
	if mean, variance := moments(first); math.Abs(mean-0.5) > 0.02 || math.Abs(variance-1./12) > 0.01 || slices.Min(first) < 0 || slices.Max(first) >= 1 {
		t.Errorf("uniform numbers of mean %v and variance %v in [%v, %v]", mean, variance, slices.Min(first), slices.Max(first))
	}
	if slices.Equal(first, second) {
		t.Error("two draws of a step are the same")
	}
	if again, _, _ := draw(1); !slices.Equal(again, normal) {
		t.Error("the step has other numbers the next time")
	}
	if other, _, _ := draw(2); slices.Equal(other, normal) {
		t.Error("the next step has the same numbers")
	}
}

func moments(x []float32) (mean, variance float64) {
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	return mean, variance
}
