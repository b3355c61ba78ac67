package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

func integers(rng *rand.Rand, limit int, dims ...int) testArray {
	s := shapes.Make(dtypes.Int32, dims...)
	v := make([]int32, s.Size())
	for i := range v {
		v[i] = int32(rng.IntN(limit))
	}
	return testArray{s, v}
}

// TestGatherScatter takes rows, columns, slices and single elements, and adds
// them back.
func TestGatherScatter(t *testing.T) {
	a, b := ours(t), theirs(t)
	for seed := range tries(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 21))
			dt := []dtypes.DType{dtypes.Float32, dtypes.Float64, dtypes.Int32, dtypes.Uint8}[rng.IntN(4)]
			dims := []int{2 + rng.IntN(5), 2 + rng.IntN(5), 2 + rng.IntN(70)}[:1+rng.IntN(3)]
			starts := rng.Perm(len(dims))[:1+rng.IntN(len(dims))]
			sizes := make([]int, len(dims))
			var collapsed, window []int
			for i := range dims {
				sizes[i] = 1 + rng.IntN(dims[i])
				if slices.Contains(starts, i) && rng.IntN(2) == 0 {
					sizes[i] = 1
					collapsed = append(collapsed, i)
				}
			}
			batch := []int{1 + rng.IntN(4), 1 + rng.IntN(4)}[:rng.IntN(3)]
			vector := len(batch)
			indexDims := append(slices.Clone(batch), len(starts))
			for i := range len(dims) - len(collapsed) {
				window = append(window, len(batch)+i) // the slice behind the batch
			}
			if rng.IntN(2) == 0 {
				for i := range window {
					window[i] = i // or before it
				}
			}
			x, index := random(rng, dt, dims...), integers(rng, 3, indexDims...)
			var updates shapes.Shape
			t.Log(dims, indexDims, vector, window, collapsed, starts, sizes)
			same(t, a, b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
				y, err := f.Gather(in[0], in[1], vector, window, collapsed, starts, sizes, false)
				if err == nil {
					updates, err = f.Shape(y)
				}
				return []compute.Value{y}, err
			}, []testArray{x, index}, 0)
			if dt == dtypes.Uint8 {
				return
			}
			checkScatter(t, a, x, index, random(rng, dt, updates.Dimensions...), vector, window, collapsed, starts)
		})
	}
}

// checkScatter compares ScatterSum with its definition. The other backend
// spreads windows that are narrower than the array over it.
func checkScatter(t *testing.T, b compute.Backend, x, index, updates testArray, vector int, window, inserted, target []int) {
	got, err := runOn(b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
		y, err := f.ScatterSum(in[0], in[1], in[2], vector, window, inserted, target, false, false)
		return []compute.Value{y}, err
	}, []testArray{x, index, updates})
	if err != nil {
		t.Fatal(err)
	}
	want := float64s(x.flat)
	u := float64s(updates.flat)
	rows := rowMajor(x.shape.Dimensions)
	windows := map[int]int{} // axis of x: axis of the updates
	k := 0
	for axis := range x.shape.Dimensions {
		if !slices.Contains(inserted, axis) {
			windows[axis] = window[k]
			k++
		}
	}
	type update struct {
		at    int
		value float64
		ok    bool
	}
	inside := map[string]bool{} // whether the whole window of an index is
	var all []update
	var keys []string
	for i, at := range updates.shape.Iter() {
		var batch []int
		for axis, v := range at {
			if !slices.Contains(window, axis) {
				batch = append(batch, v)
			}
		}
		full := append(slices.Clone(batch), 0)
		to, ok := 0, true
		for axis, n := range x.shape.Dimensions {
			pos := 0
			if j := slices.Index(target, axis); j >= 0 {
				full[vector] = j
				iv := rowMajor(index.shape.Dimensions)
				o := 0
				for d := range full {
					o += full[d] * iv.strides[d]
				}
				pos = int(index.flat.([]int32)[o])
			}
			if w, isWindow := windows[axis]; isWindow {
				pos += at[w]
			}
			ok = ok && pos < n
			to += pos * rows.strides[axis]
		}
		key := fmt.Sprint(batch)
		if _, seen := inside[key]; !seen {
			inside[key] = true
		}
		inside[key] = inside[key] && ok
		all, keys = append(all, update{to, u[i], ok}), append(keys, key)
	}
	for i, v := range all {
		if inside[keys[i]] {
			want[v.at] += v.value
		}
	}
	for i, g := range float64s(got[0].flat) {
		if !near(g, want[i], 1e-5) {
			t.Fatalf("element %d is %v, want %v", i, g, want[i])
		}
	}
}

func TestArgMinMax(t *testing.T) {
	a, b := ours(t), theirs(t)
	rng := rand.New(rand.NewPCG(22, 1))
	for _, dt := range []dtypes.DType{dtypes.Float32, dtypes.Float64, dtypes.Int8, dtypes.Uint32, dtypes.BFloat16} {
		for _, dims := range [][]int{{1}, {9}, {5, 7}, {3, 4, 50}, {60, 300}} {
			for axis := range dims {
				x := special(rng, dt, dims...)
				if dt == dtypes.BFloat16 {
					x = random(rng, dt, dims...)
				}
				same(t, a, b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
					lo, err := f.ArgMinMax(in[0], axis, dtypes.Int32, true)
					if err != nil {
						return nil, err
					}
					hi, err := f.ArgMinMax(in[0], axis, dtypes.Uint8, false)
					return []compute.Value{lo, hi}, err
				}, []testArray{x}, 0)
			}
		}
	}
}

func TestWindows(t *testing.T) {
	a, b := ours(t), theirs(t)
	for seed := range tries(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 23))
			rank := 1 + rng.IntN(4)
			var dims, window, strides []int
			var pads [][2]int
			for range rank {
				w := 1 + rng.IntN(3)
				dims, window, strides = append(dims, w+rng.IntN(6)), append(window, w), append(strides, 1+rng.IntN(3))
				pads = append(pads, [2]int{rng.IntN(w), rng.IntN(w)})
			}
			if dims[0] < 2 {
				dims[0] += 2
			}
			kind := []compute.ReduceOpType{compute.ReduceOpSum, compute.ReduceOpMax, compute.ReduceOpMin, compute.ReduceOpProduct}[rng.IntN(4)]
			x := random(rng, dtypes.Float32, dims...)
			var out shapes.Shape
			same(t, a, b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
				y, err := f.ReduceWindow(in[0], kind, window, strides, nil, nil, pads)
				if err == nil {
					out, err = f.Shape(y)
				}
				return []compute.Value{y}, err
			}, []testArray{x}, 1e-5)
			y := random(rng, dtypes.Float32, out.Dimensions...)
			got, err := runOn(a, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
				y, err := f.SelectAndScatterMax(in[0], in[1], window, strides, pads)
				if err != nil {
					return nil, err
				}
				z, err := f.SelectAndScatterMin(in[0], in[1], window, strides, pads)
				return []compute.Value{y, z}, err
			}, []testArray{x, y})
			if err != nil {
				t.Fatal(err)
			}
			// The other backend loses a term now and then where windows overlap.
			want := []testArray{scattered(x, y, window, strides, pads, 1), scattered(x, y, window, strides, pads, -1)}
			compareAll(t, got, want, 1e-5)
		})
	}
}

// scattered adds each element of y to the place of the largest element of x in
// its window, or of the smallest where sign is −1.
func scattered(x, y testArray, window, strides []int, pads [][2]int, sign float32) testArray {
	from, add := x.flat.([]float32), y.flat.([]float32)
	sums := make([]float32, len(from))
	each(y.shape.Dimensions, func(k int, out []int) {
		best := -1
		each(window, func(_ int, offset []int) {
			at := 0
			for axis, d := range x.shape.Dimensions {
				i := out[axis]*strides[axis] - pads[axis][0] + offset[axis]
				if i < 0 || i >= d {
					return
				}
				at = at*d + i
			}
			if best < 0 || sign*from[at] > sign*from[best] {
				best = at
			}
		})
		if best >= 0 {
			sums[best] += add[k]
		}
	})
	return testArray{x.shape, sums}
}

// each calls f with every index of an array of these dimensions, in order, and
// its number.
func each(dims []int, f func(k int, index []int)) {
	size := 1
	for _, d := range dims {
		size *= d
	}
	index := make([]int, len(dims))
	for k := range size {
		rest := k
		for axis := len(dims) - 1; axis >= 0; axis-- {
			index[axis], rest = rest%dims[axis], rest/dims[axis]
		}
		f(k, index)
	}
}

// TestRandomBits: the bits are those of the other backend, also those of a
// second draw, and large arrays, which are drawn in pieces.
func TestRandomBits(t *testing.T) {
	state := testArray{compute.RNGStateShape, []uint64{12345, 678910, 42}}
	for _, shape := range []shapes.Shape{
		shapes.Make(dtypes.Uint64, 3), shapes.Make(dtypes.Uint32, 5), shapes.Make(dtypes.Uint8, 11), shapes.Make(dtypes.Uint32, 300001), shapes.Make(dtypes.Uint32, 0),
	} {
		g := func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
			s, x, err := f.RNGBitGenerator(in[0], shape)
			if err != nil {
				return nil, err
			}
			s, y, err := f.RNGBitGenerator(s, shape)
			if err != nil {
				return nil, err
			}
			s, err = f.Slice(s, []int{0}, []int{2}, []int{1}) // the third word means nothing
			return []compute.Value{x, y, s}, err
		}
		same(t, ours(t), theirs(t), g, []testArray{state}, 0)
	}
}

func TestIotaBitcastClamp(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	same(t, ours(t), theirs(t), func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
		i, err := f.Iota(shapes.Make(dtypes.Float32, 3, 4), 1)
		if err != nil {
			return nil, err
		}
		bits, err := f.Bitcast(in[0], dtypes.Uint32)
		if err != nil {
			return nil, err
		}
		bytes, err := f.Bitcast(in[0], dtypes.Uint8)
		if err != nil {
			return nil, err
		}
		lo, err := f.Constant([]float32{-0.5})
		if err != nil {
			return nil, err
		}
		c, err := f.Clamp(lo, in[0], i)
		return []compute.Value{i, bits, bytes, c}, err
	}, []testArray{random(rng, dtypes.Float32, 3, 4)}, 0)
}

// TestPad compares with the definition; the other backend cannot cut.
func TestPad(t *testing.T) {
	a := ours(t)
	for seed := range tries(200) {
		rng := rand.New(rand.NewPCG(seed, 25))
		dims := []int{1 + rng.IntN(6), 1 + rng.IntN(6)}
		pads := make([]compute.PadAxis, 2)
		var out []int
		for i, d := range dims {
			pads[i] = compute.PadAxis{Start: rng.IntN(7) - 3, End: rng.IntN(7) - 3, Interior: rng.IntN(3)}
			n := d + (d-1)*pads[i].Interior + pads[i].Start + pads[i].End
			if n < 0 {
				pads[i].End -= n
				n = 0
			}
			out = append(out, n)
		}
		x := random(rng, dtypes.Float32, dims...)
		got, err := runOn(a, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
			fill, err := f.Constant([]float32{9})
			if err != nil {
				return nil, err
			}
			y, err := f.Pad(in[0], fill, pads...)
			return []compute.Value{y}, err
		}, []testArray{x})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float32, out[0]*out[1])
		for i := range want {
			want[i] = 9
			var at [2]int
			inside := true
			for k, pos := range []int{i / out[1], i % out[1]} {
				q := pos - pads[k].Start
				step := 1 + pads[k].Interior
				if q < 0 || q%step != 0 || q/step >= dims[k] {
					inside = false
				} else {
					at[k] = q / step
				}
			}
			if inside {
				want[i] = x.flat.([]float32)[at[0]*dims[1]+at[1]]
			}
		}
		if !slices.Equal(got[0].flat.([]float32), want) {
			t.Fatalf("%v padded with %v: %v, want %v", dims, pads, got[0].flat, want)
		}
	}
}
