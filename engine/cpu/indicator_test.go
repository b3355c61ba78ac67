package cpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// floats are numbers of a type.
func floats(t dtypes.DType, v []float64) testArray {
	a := testArray{shapes.Make(t, len(v)), newFlat(t, len(v))}
	for i, x := range v {
		switch s := a.flat.(type) {
		case []bfloat:
			s[i].SetFloat32(float32(x))
		case []float32:
			s[i] = float32(x)
		case []float64:
			s[i] = x
		}
	}
	return a
}

// TestIndicator: which side of a Max is the larger one is told by one comparison,
// and no number that a float can be makes a difference.
func TestIndicator(t *testing.T) {
	inf, nan, tiny := math.Inf(1), math.NaN(), math.SmallestNonzeroFloat32
	values := []float64{0, math.Copysign(0, -1), 1, -1, 3, 3.015625, 1e30, -1e30, tiny, -tiny, 2 * tiny, inf, -inf, nan}
	var a, b []float64
	for _, x := range values {
		for _, y := range values {
			a, b = append(a, x), append(b, y)
		}
	}
	for _, dt := range []dtypes.DType{dtypes.Float32, dtypes.Float64, dtypes.BFloat16} {
		for turned := range 2 {
			t.Run(fmt.Sprint(dt, turned), func(t *testing.T) {
				in := []testArray{floats(dt, a), floats(dt, b)}
				graph := func(f compute.Function, in []compute.Value) (out []compute.Value, err error) {
					must := func(v compute.Value, e error) compute.Value {
						if e != nil && err == nil {
							err = e
						}
						return v
					}
					one := must(f.Constant(floats(dt, []float64{1}).flat))
					sum := must(f.Add(must(f.Sign(must(f.Sub(in[0], in[1])))), one))
					if turned == 1 {
						sum = must(f.Add(one, must(f.Sign(must(f.Sub(in[0], in[1]))))))
					}
					first := must(f.Sign(sum))
					return []compute.Value{first, must(f.Sub(one, first))}, err
				}
				got, err := runOn(ours(t), graph, in)
				if err != nil {
					t.Fatal(err)
				}
				first, second := float64s(got[0].flat), float64s(got[1].flat)
				left, right := float64s(in[0].flat), float64s(in[1].flat)
				for i := range left {
					w := 1.0
					if left[i] < right[i] {
						w = 0
					}
					if first[i] != w || second[i] != 1-w {
						t.Errorf("%v and %v: got %v and %v, want %v and %v", left[i], right[i], first[i], second[i], w, 1-w)
					}
				}
				exec, err := build(ours(t), graph, in)
				if err != nil {
					t.Fatal(err)
				}
				for _, step := range exec.(*executable).steps {
					if step.name != "Where" {
						t.Errorf("a step %s, want Where only", step.name)
					}
				}
			})
		}
	}
}

// TestNoIndicator: what only looks like one is computed as it is.
func TestNoIndicator(t *testing.T) {
	in := []testArray{floats(dtypes.Float32, []float64{-2, 0.5, 3}), floats(dtypes.Float32, []float64{1, 0.5, -1})}
	got, err := runOn(ours(t), func(f compute.Function, in []compute.Value) (out []compute.Value, err error) {
		must := func(v compute.Value, e error) compute.Value {
			if e != nil && err == nil {
				err = e
			}
			return v
		}
		one, two := must(f.Constant([]float32{1})), must(f.Constant([]float32{2}))
		sign := must(f.Sign(must(f.Sub(in[0], in[1]))))
		less := must(f.LessThan(in[0], in[1]))
		return []compute.Value{
			must(f.Sign(must(f.Add(sign, two)))),
			must(f.Sign(must(f.Add(must(f.Sign(in[0])), one)))),
			must(f.Sub(one, must(f.Where(less, two, one)))),
			must(f.Sub(two, must(f.Where(less, one, must(f.Sub(one, one)))))),
		}, err
	}, in)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"[1 1 1]", "[0 1 1]", "[-1 0 0]", "[1 2 2]"} {
		if s := fmt.Sprint(got[i].flat); s != want {
			t.Errorf("result %d: got %s, want %s", i, s, want)
		}
	}
}
