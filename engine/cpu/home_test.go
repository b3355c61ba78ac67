package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// halves is the larger number of each pair of x [N,2,M], and what a gradient v
// [N,1,M] with respect to it becomes with respect to x: each half of it with
// zeros where the other one is, and the sum of both.
func halves(f compute.Function, in []compute.Value) (out []compute.Value, err error) {
	must := func(v compute.Value, e error) compute.Value {
		if e != nil && err == nil {
			err = e
		}
		return v
	}
	x, v := in[0], in[1]
	shape, err := f.Shape(x)
	if err != nil {
		return nil, err
	}
	n, m := shape.Dimensions[0], shape.Dimensions[2]
	fill := must(f.Constant(newFlat(shape.DType, 1)))
	some := must(f.Constant(random(rand.New(rand.NewPCG(1, 1)), shape.DType, 1).flat))
	a := must(f.Slice(x, []int{0, 0, 0}, []int{n, 1, m}, []int{1, 1, 1}))
	b := must(f.Slice(x, []int{0, 1, 0}, []int{n, 2, m}, []int{1, 1, 1}))
	larger := must(f.Max(a, b))
	mask := must(f.Sub(a, b))
	first := must(f.Mul(v, mask))
	second := must(f.Mul(v, must(f.Sub(some, mask))))
	p := must(f.Pad(first, fill, compute.PadAxis{}, compute.PadAxis{End: 1}))
	q := must(f.Pad(second, fill, compute.PadAxis{}, compute.PadAxis{Start: 1}))
	back := must(f.Add(q, p))
	// The same along the first axis, for a reader of its own.
	wide := must(f.Add(
		must(f.Pad(must(f.Neg(first)), fill, compute.PadAxis{End: n})),
		must(f.Pad(must(f.Mul(second, second)), fill, compute.PadAxis{Start: n}))))
	return []compute.Value{larger, back, must(f.Mul(wide, wide))}, err
}

// TestHalves: what is written to its place in a concatenation at once is what
// two padded arrays add up to.
func TestHalves(t *testing.T) {
	a, b := ours(t), theirs(t)
	rng := rand.New(rand.NewPCG(17, 1))
	for _, dt := range []dtypes.DType{dtypes.Float32, dtypes.Float64, dtypes.BFloat16, dtypes.Int8, dtypes.Int16, dtypes.Int32} {
		for _, d := range [][2]int{{1, 1}, {700, 1}, {5, 3}, {300, 7}, {300, 8}, {400, 20}, {90, 257}, {3, 5000}} {
			t.Run(fmt.Sprint(dt, d), func(t *testing.T) {
				in := []testArray{random(rng, dt, d[0], 2, d[1]), random(rng, dt, d[0], 1, d[1])}
				same(t, a, b, halves, in, tolerance(dt))
			})
		}
	}
}

// TestHalvesInPlace: both halves are computed in one step and are then where
// they belong.
func TestHalvesInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 1))
	exec, err := build(ours(t), func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
		out, err := halves(f, in)
		return out[:2], err
	}, []testArray{random(rng, dtypes.Float32, 40, 2, 20), random(rng, dtypes.Float32, 40, 1, 20)})
	if err != nil {
		t.Fatal(err)
	}
	e := exec.(*executable)
	var names []string
	for _, s := range e.steps {
		names = append(names, s.name)
	}
	if want := []string{"Max", "Mul", "Concatenate"}; !slices.Equal(names, want) {
		t.Errorf("steps %v, want %v", names, want)
	}
	if e.arena > 0 {
		t.Errorf("%d bytes beside the results", e.arena)
	}
}

// TestNotHalves: sums of padded arrays that are no concatenation.
func TestNotHalves(t *testing.T) {
	a, b := ours(t), theirs(t)
	rng := rand.New(rand.NewPCG(19, 1))
	type pads = []compute.PadAxis
	for name, tt := range map[string]struct {
		x, y []int
		p, q pads
		fill float32
	}{
		"both at the end":     {x: []int{3, 2}, y: []int{3, 2}, p: pads{{}, {End: 2}}, q: pads{{}, {End: 2}}},
		"overlap":             {x: []int{3, 2}, y: []int{3, 2}, p: pads{{}, {End: 1}}, q: pads{{}, {Start: 1}}},
		"gap":                 {x: []int{3, 2}, y: []int{3, 2}, p: pads{{}, {End: 3}}, q: pads{{}, {Start: 3}}},
		"two axes":            {x: []int{3, 2}, y: []int{3, 2}, p: pads{{End: 3}, {End: 2}}, q: pads{{Start: 3}, {Start: 2}}},
		"interleaved":         {x: []int{3, 2}, y: []int{3, 2}, p: pads{{}, {End: 1, Interior: 1}}, q: pads{{}, {Start: 1, Interior: 1}}},
		"with ones":           {x: []int{3, 2}, y: []int{3, 2}, p: pads{{}, {End: 2}}, q: pads{{}, {Start: 2}}, fill: 1},
		"unequal halves":      {x: []int{3, 2}, y: []int{3, 5}, p: pads{{}, {End: 5}}, q: pads{{}, {Start: 2}}},
		"the last half first": {x: []int{3, 2}, y: []int{3, 5}, p: pads{{}, {Start: 5}}, q: pads{{}, {End: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, a, b, func(f compute.Function, in []compute.Value) (out []compute.Value, err error) {
				must := func(v compute.Value, e error) compute.Value {
					if e != nil && err == nil {
						err = e
					}
					return v
				}
				fill := must(f.Constant([]float32{tt.fill}))
				p, q := must(f.Pad(must(f.Neg(in[0])), fill, tt.p...)), must(f.Pad(must(f.Neg(in[1])), fill, tt.q...))
				return []compute.Value{must(f.Neg(must(f.Add(p, q))))}, err
			}, []testArray{random(rng, dtypes.Float32, tt.x...), random(rng, dtypes.Float32, tt.y...)}, 1e-6)
		})
	}
}

// quarters is what a gradient v [N,1,M,1,C] with respect to the largest of every
// 2×2 pixels of x [N,2,M,2,C] becomes with respect to x: pads within pads. The
// second pixel of the first line, if twice is set, is read once more.
func quarters(twice bool) graphFn {
	return func(f compute.Function, in []compute.Value) (out []compute.Value, err error) {
		must := func(v compute.Value, e error) compute.Value {
			if e != nil && err == nil {
				err = e
			}
			return v
		}
		x, v := in[0], in[1]
		shape, err := f.Shape(x)
		if err != nil {
			return nil, err
		}
		d := shape.Dimensions
		fill := must(f.Constant(newFlat(shape.DType, 1)))
		pixel := func(i, j int) compute.Value {
			return must(f.Slice(x, []int{0, i, 0, j, 0}, []int{d[0], i + 1, d[2], j + 1, d[4]}, []int{1, 1, 1, 1, 1}))
		}
		pad := func(x compute.Value, axis, i int) compute.Value {
			pads := make([]compute.PadAxis, 5)
			pads[axis] = compute.PadAxis{Start: i, End: 1 - i}
			return must(f.Pad(x, fill, pads...))
		}
		var lines [2]compute.Value
		for i := range lines {
			both := must(f.Sub(pixel(i, 0), pixel(i, 1)))
			first, second := must(f.Mul(v, both)), must(f.Mul(v, must(f.Max(both, v))))
			if twice && i == 0 {
				out = append(out, must(f.Neg(second)))
			}
			lines[i] = pad(must(f.Add(pad(first, 3, 0), pad(second, 3, 1))), 1, i)
		}
		return append(out, must(f.Add(lines[0], lines[1]))), err
	}
}

// TestQuarters is TestHalves for concatenations of concatenations.
func TestQuarters(t *testing.T) {
	a, b := ours(t), theirs(t)
	rng := rand.New(rand.NewPCG(20, 1))
	for _, dt := range []dtypes.DType{dtypes.Float32, dtypes.Float64, dtypes.BFloat16, dtypes.Int32} {
		for _, d := range [][3]int{{1, 1, 1}, {700, 1, 2}, {5, 3, 1}, {30, 12, 20}, {90, 4, 50}, {3, 5, 1100}} {
			for _, twice := range []bool{false, true} {
				t.Run(fmt.Sprint(dt, d, twice), func(t *testing.T) {
					in := []testArray{random(rng, dt, d[0], 2, d[1], 2, d[2]), random(rng, dt, d[0], 1, d[1], 1, d[2])}
					same(t, a, b, quarters(twice), in, tolerance(dt))
				})
			}
		}
	}
}

// TestQuartersInPlace: all four are computed in one step and are then where they
// belong.
func TestQuartersInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	exec, err := build(ours(t), quarters(false), []testArray{random(rng, dtypes.Float32, 40, 2, 6, 2, 20), random(rng, dtypes.Float32, 40, 1, 6, 1, 20)})
	if err != nil {
		t.Fatal(err)
	}
	e := exec.(*executable)
	computing := 0
	for _, s := range e.steps {
		if s.name != "Concatenate" {
			computing++
		}
	}
	if computing != 1 || e.arena > 0 {
		t.Errorf("%d steps compute, want 1; %d bytes beside the result", computing, e.arena)
	}
}
