package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// A drawer makes random graphs: views of views, chains of element-wise
// operations that share parts, reductions and products of them.
type drawer struct {
	rng *rand.Rand
	f   compute.Function
	all []compute.Value
}

func (d *drawer) shape(v compute.Value) shapes.Shape {
	s, err := d.f.Shape(v)
	if err != nil {
		panic(err)
	}
	return s
}

func (d *drawer) pick() compute.Value { return d.all[d.rng.IntN(len(d.all))] }

// draw adds one operation.
func (d *drawer) draw() (compute.Value, error) {
	x := d.pick()
	s := d.shape(x)
	dims := s.Dimensions
	axis := func() int { return d.rng.IntN(len(dims)) }
	switch k := d.rng.IntN(18); {
	case k < 5: // with another of the same shape, or one that fits
		y := d.pick()
		if !slices.Equal(d.shape(y).Dimensions, dims) {
			y = x
			if len(dims) > 0 && d.rng.IntN(2) == 0 {
				limits, starts, strides := slices.Clone(dims), make([]int, len(dims)), make([]int, len(dims))
				for i := range strides {
					strides[i] = 1
				}
				if a := axis(); dims[a] > 1 {
					limits[a] = 1
				}
				var err error
				if y, err = d.f.Slice(x, starts, limits, strides); err != nil {
					return nil, err
				}
			}
		}
		ops := []binaryFn{compute.Function.Add, compute.Function.Sub, compute.Function.Mul, compute.Function.Max, compute.Function.Min}
		return ops[d.rng.IntN(len(ops))](d.f, x, y)
	case k < 7:
		ops := []unaryFn{compute.Function.Neg, compute.Function.Abs, compute.Function.Tanh, compute.Function.Sin, compute.Function.Sign}
		return ops[d.rng.IntN(len(ops))](d.f, x)
	case k == 7:
		y := d.pick()
		if !slices.Equal(d.shape(y).Dimensions, dims) {
			y = x
		}
		c, err := d.f.GreaterThan(x, y)
		if err != nil {
			return nil, err
		}
		return d.f.Where(c, x, y)
	case k == 8 && len(dims) > 0:
		return d.f.Transpose(x, d.rng.Perm(len(dims))...)
	case k == 9 && len(dims) > 0:
		return d.f.Reverse(x, axis())
	case k == 10 && len(dims) > 0:
		starts, limits, strides := make([]int, len(dims)), slices.Clone(dims), make([]int, len(dims))
		for i := range dims {
			strides[i] = 1
			if dims[i] > 1 && d.rng.IntN(2) == 0 {
				starts[i] = d.rng.IntN(dims[i])
				limits[i] = starts[i] + 1 + d.rng.IntN(dims[i]-starts[i])
				strides[i] = 1 + d.rng.IntN(2)
			}
		}
		return d.f.Slice(x, starts, limits, strides)
	case k == 11:
		return d.f.Reshape(x, d.split(s.Size())...)
	case k == 12 && len(dims) < 4 && s.Size() < 4000:
		out, axes := []int{}, []int{}
		for i, n := range dims {
			if d.rng.IntN(3) == 0 {
				out = append(out, 1+d.rng.IntN(4))
			}
			axes = append(axes, len(out))
			if n == 1 {
				n = 1 + d.rng.IntN(5)
			}
			out = append(out, n)
			_ = i
		}
		return d.f.BroadcastInDim(x, shapes.Make(s.DType, out...), axes)
	case k == 13 && len(dims) > 0:
		var axes []int
		for i := range dims {
			if d.rng.IntN(2) == 0 {
				axes = append(axes, i)
			}
		}
		if len(axes) == 0 {
			axes = []int{axis()}
		}
		return d.f.ReduceMax(x, axes...) // exact in any order
	case k == 14 && len(dims) > 0:
		return d.f.Concatenate(axis(), x, x)
	case k == 15 && len(dims) > 0:
		zero, err := d.f.Constant([]float32{0.5})
		if err != nil {
			return nil, err
		}
		pads := make([]compute.PadAxis, len(dims))
		pads[axis()] = compute.PadAxis{Start: d.rng.IntN(3), End: d.rng.IntN(3), Interior: d.rng.IntN(3)}
		return d.f.Pad(x, zero, pads...)
	case k >= 16 && len(dims) > 0: // two side by side, as a gradient puts them there
		y, err := d.f.Tanh(x)
		if err != nil {
			return nil, err
		}
		if z := d.pick(); slices.Equal(d.shape(z).Dimensions, dims) {
			if y, err = d.f.Mul(z, x); err != nil {
				return nil, err
			}
		}
		zero, err := d.f.Constant([]float32{0})
		if err != nil {
			return nil, err
		}
		a := axis()
		before, after := make([]compute.PadAxis, len(dims)), make([]compute.PadAxis, len(dims))
		before[a].Start, after[a].End = dims[a], dims[a]
		if x, err = d.f.Neg(x); err != nil {
			return nil, err
		}
		if x, err = d.f.Pad(x, zero, after...); err != nil {
			return nil, err
		}
		if y, err = d.f.Pad(y, zero, before...); err != nil {
			return nil, err
		}
		return d.f.Add(x, y)
	}
	return d.f.Neg(x)
}

// split writes n as a product.
func (d *drawer) split(n int) []int {
	var out []int
	for _, p := range []int{2, 3, 5, 7} {
		for n%p == 0 && n > 0 && len(out) < 3 && d.rng.IntN(3) > 0 {
			out = append(out, p)
			n /= p
		}
	}
	return append(out, n)
}

func drawGraph(seed uint64) graphFn {
	return func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
		d := &drawer{rand.New(rand.NewPCG(seed, 11)), f, slices.Clone(in)}
		for range 30 {
			v, err := d.draw()
			if err != nil {
				return nil, err
			}
			if n := d.shape(v).Size(); n < 20000 {
				d.all = append(d.all, v)
			}
		}
		return []compute.Value{d.all[len(d.all)-1], d.pick(), d.pick(), d.pick(), d.all[0]}, nil
	}
}

func randomGraph(t *testing.T, a, b compute.Backend, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 12))
	n := func() int { return []int{1, 2, 3, 4, 6, 7, 30}[rng.IntN(7)] }
	in := []testArray{random(rng, dtypes.Float32, n(), n(), n()), random(rng, dtypes.Float32, n(), n()), random(rng, dtypes.Float32)}
	same(t, a, b, drawGraph(seed), in, 1e-5)
}

func TestRandomGraphs(t *testing.T) {
	a, b := ours(t), theirs(t)
	for seed := range tries(1500) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomGraph(t, a, b, seed) })
	}
}

func FuzzGraph(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { randomGraph(t, ours(t), theirs(t), seed) })
}

func TestReduce(t *testing.T) {
	a, b := ours(t), theirs(t)
	type reduceFn func(f compute.Function, x compute.Value, axes ...int) (compute.Value, error)
	for name, op := range map[string]reduceFn{
		"sum": compute.Function.ReduceSum, "product": compute.Function.ReduceProduct, "max": compute.Function.ReduceMax, "min": compute.Function.ReduceMin,
		"and": compute.Function.ReduceBitwiseAnd, "or": compute.Function.ReduceBitwiseOr, "xor": compute.Function.ReduceBitwiseXor,
		"all": compute.Function.ReduceLogicalAnd, "any": compute.Function.ReduceLogicalOr, "odd": compute.Function.ReduceLogicalXor,
	} {
		for _, dt := range elementTypes {
			rng := rand.New(rand.NewPCG(uint64(dt), 13))
			t.Run(fmt.Sprint(name, " ", dt), func(t *testing.T) {
				shapes := [][]int{{}, {1}, {5000}, {3, 0}, {70, 9}, {9, 70}, {2, 3, 4, 5}, {40, 3, 30, 2}, {3, 1, 2000}, {2, 70, 1100}, {1, 7, 1}, {100, 300}, {9000, 3}}
				if underRace || dt != dtypes.Float32 {
					shapes = shapes[:7]
				}
				for _, dims := range shapes {
					for set := range 1 << len(dims) {
						var axes []int
						for i := range dims {
							if set>>i&1 == 1 {
								axes = append(axes, i)
							}
						}
						x := random(rng, dt, dims...)
						if name == "max" || name == "min" {
							x = special(rng, dt, dims...)
						}
						if dt == dtypes.BFloat16 && product(dims) > 1000 {
							continue // they add in bfloat16, which stops to grow
						}
						g := func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
							y, err := op(f, in[0], axes...)
							return []compute.Value{y}, err
						}
						got, err := runOn(a, g, []testArray{x})
						if compute.IsNotImplemented(err) && dt.IsFloat() == strings.Contains("and or xor", name) {
							return // bits of floats
						}
						if logical := strings.Contains("all any odd", name); logical != (dt == dtypes.Bool) {
							if err == nil && len(dims) > 0 {
								t.Fatal("no error")
							}
							continue
						}
						if err != nil {
							t.Fatal(err)
						}
						want, err := runOn(b, g, []testArray{x})
						if err != nil {
							t.Skip(err)
						}
						compareAll(t, got, want, 20*tolerance(dt))
					}
				}
			})
		}
	}
}

// TestSumIsPrecise: many equal numbers, whose plain sum would be off by a
// percent.
func TestSumIsPrecise(t *testing.T) {
	const n = 1 << 22
	x := make([]float32, n)
	for i := range x {
		x[i] = 0.1
	}
	for _, dims := range [][]int{{n}, {n / 4, 4}, {4, n / 4}, {n / 2048, 2048}} {
		got, err := runOn(ours(t), func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
			y, err := f.ReduceSum(in[0], 0)
			if err != nil {
				return nil, err
			}
			z, err := f.ReduceSum(in[0])
			return []compute.Value{y, z}, err
		}, []testArray{{shapes.Make(dtypes.Float32, dims...), x}})
		if err != nil {
			t.Fatal(err)
		}
		each := float64(float32(0.1)) * float64(dims[0])
		for _, y := range float64s(got[0].flat) {
			if !near(y, each, 1e-6*each) {
				t.Fatalf("%v: %v, want %v", dims, y, each)
			}
		}
		if all := float64s(got[1].flat)[0]; !near(all, 0.1*n, 1e-6*0.1*n) {
			t.Errorf("%v: %v in all, want %v", dims, all, 0.1*n)
		}
	}
}
