package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

type unaryFn func(f compute.Function, x compute.Value) (compute.Value, error)
type binaryFn func(f compute.Function, a, b compute.Value) (compute.Value, error)

var unaries = map[string]unaryFn{
	"Abs": compute.Function.Abs, "Ceil": compute.Function.Ceil, "Cos": compute.Function.Cos, "Erf": compute.Function.Erf,
	"Exp": compute.Function.Exp, "Expm1": compute.Function.Expm1, "Floor": compute.Function.Floor, "IsFinite": compute.Function.IsFinite,
	"IsNaN": compute.Function.IsNaN, "Log": compute.Function.Log, "Log1p": compute.Function.Log1p, "Logistic": compute.Function.Logistic,
	"Neg": compute.Function.Neg, "Round": compute.Function.Round, "Rsqrt": compute.Function.Rsqrt, "Sign": compute.Function.Sign,
	"Sin": compute.Function.Sin, "Sqrt": compute.Function.Sqrt, "Tanh": compute.Function.Tanh, "LogicalNot": compute.Function.LogicalNot,
	"BitwiseNot": compute.Function.BitwiseNot, "BitCount": compute.Function.BitCount, "Clz": compute.Function.Clz,
}

var binaries = map[string]binaryFn{
	"Add": compute.Function.Add, "Sub": compute.Function.Sub, "Mul": compute.Function.Mul, "Div": compute.Function.Div,
	"Max": compute.Function.Max, "Min": compute.Function.Min, "Pow": compute.Function.Pow, "Rem": compute.Function.Rem,
	"Atan2": compute.Function.Atan2, "Equal": compute.Function.Equal, "NotEqual": compute.Function.NotEqual,
	"GreaterThan": compute.Function.GreaterThan, "GreaterOrEqual": compute.Function.GreaterOrEqual,
	"LessThan": compute.Function.LessThan, "LessOrEqual": compute.Function.LessOrEqual,
	"LogicalAnd": compute.Function.LogicalAnd, "LogicalOr": compute.Function.LogicalOr, "LogicalXor": compute.Function.LogicalXor,
	"BitwiseAnd": compute.Function.BitwiseAnd, "BitwiseOr": compute.Function.BitwiseOr, "BitwiseXor": compute.Function.BitwiseXor,
	"ShiftLeft": compute.Function.ShiftLeft, "ShiftRightLogical": compute.Function.ShiftRightLogical,
	"ShiftRightArithmetic": compute.Function.ShiftRightArithmetic,
}

// floatsOnly, intsOnly and boolsOnly say which types an operation is for.
func suits(name string, t dtypes.DType) bool {
	switch name {
	case "LogicalNot", "LogicalAnd", "LogicalOr", "LogicalXor":
		return t == dtypes.Bool
	case "BitwiseNot", "BitCount", "Clz", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "ShiftLeft", "ShiftRightLogical", "ShiftRightArithmetic":
		return t.IsInt()
	case "Abs", "Neg", "Sign":
		return t != dtypes.Bool && !t.IsUnsigned()
	case "Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Rem", "Equal", "NotEqual", "GreaterThan", "GreaterOrEqual", "LessThan", "LessOrEqual":
		return t != dtypes.Bool
	}
	return t.IsFloat()
}

func tolerance(t dtypes.DType) float64 {
	switch t {
	case dtypes.Float32:
		return 2e-6
	case dtypes.Float64:
		return 1e-14
	case dtypes.BFloat16:
		return 1e-2
	}
	return 0
}

// pointwise compares element by element, each relative to itself.
func pointwise(t *testing.T, got, want []testArray, tol float64) {
	t.Helper()
	for i := range want {
		g, w := float64s(got[i].flat), float64s(want[i].flat)
		for k := range w {
			if !near(g[k], w[k], tol*math.Abs(w[k])) && math.Abs(w[k]) > 1e-37 {
				t.Fatalf("element %d is %v, want %v", k, g[k], w[k])
			}
		}
	}
}

func TestUnary(t *testing.T) {
	a, b := ours(t), theirs(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for name, op := range unaries {
		for _, dt := range elementTypes {
			if !suits(name, dt) {
				continue
			}
			t.Run(fmt.Sprint(name, " ", dt), func(t *testing.T) {
				g := func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
					y, err := op(f, in[0])
					return []compute.Value{y}, err
				}
				for _, dims := range shapesToTry {
					if underRace && product(dims) > 100 {
						continue
					}
					in := []testArray{special(rng, dt, dims...)}
					if name == "Sign" || name == "Cos" || name == "Sin" {
						in[0] = random(rng, dt, dims...) // of NaN the others make 0; of large ones nobody knows the cosine
					}
					want, err := runOn(b, g, in)
					if err != nil {
						t.Skip(err) // they do not have it
					}
					got, err := runOn(a, g, in)
					if err != nil {
						t.Fatal(err)
					}
					pointwise(t, got, want, 3*tolerance(dt))
				}
			})
		}
	}
}

func TestBinary(t *testing.T) {
	a, b := ours(t), theirs(t)
	rng := rand.New(rand.NewPCG(2, 1))
	pairs := [][2][]int{{{}, {}}, {{}, {9}}, {{5}, {}}, {{3, 1}, {3, 4}}, {{1, 4}, {3, 1}}, {{6, 5, 64}, {1, 1, 64}}, {{4, 1, 1}, {4, 30, 30}}, {{0, 3}, {0, 3}}, {{3000}, {3000}}, {{90, 700}, {1, 700}}}
	for name, op := range binaries {
		for _, dt := range elementTypes {
			if !suits(name, dt) {
				continue
			}
			t.Run(fmt.Sprint(name, " ", dt), func(t *testing.T) {
				g := func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
					y, err := op(f, in[0], in[1])
					return []compute.Value{y}, err
				}
				for _, dims := range pairs {
					in := []testArray{special(rng, dt, dims[0]...), special(rng, dt, dims[1]...)}
					if dt.IsInt() {
						nonZero(in[1])
					}
					want, err := runOn(b, g, in)
					if err != nil {
						t.Skip(err)
					}
					got, err := runOn(a, g, in)
					if err != nil {
						t.Fatal(err)
					}
					pointwise(t, got, want, 3*tolerance(dt))
				}
			})
		}
	}
}

// nonZero makes integers small and positive, fit to divide and to shift by.
func nonZero(a testArray) {
	switch s := a.flat.(type) {
	case []int8:
		for i := range s {
			s[i] = s[i]&3 + 1
		}
	case []int16:
		for i := range s {
			s[i] = s[i]&3 + 1
		}
	case []int32:
		for i := range s {
			s[i] = s[i]&3 + 1
		}
	case []int64:
		for i := range s {
			s[i] = s[i]&3 + 1
		}
	case []uint8:
		for i := range s {
			s[i] = s[i]&3 + 1
		}
	case []uint16:
		for i := range s {
			s[i] = s[i]&3 + 1
		}
	case []uint32:
		for i := range s {
			s[i] = s[i]&3 + 1
		}
	case []uint64:
		for i := range s {
			s[i] = s[i]&3 + 1
		}
	}
}

func TestConvertAndWhere(t *testing.T) {
	a, b := ours(t), theirs(t)
	rng := rand.New(rand.NewPCG(3, 1))
	for _, from := range elementTypes {
		for _, to := range elementTypes {
			x, c := random(rng, from, 301), random(rng, dtypes.Bool, 301)
			if to.IsUnsigned() && !from.IsUnsigned() {
				abs(x) // a negative number has no unsigned one
			}
			same(t, a, b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
				y, err := f.ConvertDType(in[0], to)
				if err != nil {
					return nil, err
				}
				r, err := f.Reverse(y, 0)
				if err != nil {
					return nil, err
				}
				z, err := f.Where(in[1], y, r)
				return []compute.Value{y, z}, err
			}, []testArray{x, c}, 0)
		}
	}
}

func abs(a testArray) {
	switch s := a.flat.(type) {
	case []float32:
		for i := range s {
			s[i] = max(s[i], -s[i])
		}
	case []float64:
		for i := range s {
			s[i] = max(s[i], -s[i])
		}
	case []bfloat:
		for i := range s {
			s[i].SetFloat32(max(s[i].Float32(), -s[i].Float32()))
		}
	case []int8:
		for i := range s {
			s[i] = max(s[i], -s[i])
		}
	case []int16:
		for i := range s {
			s[i] = max(s[i], -s[i])
		}
	case []int32:
		for i := range s {
			s[i] = max(s[i], -s[i])
		}
	case []int64:
		for i := range s {
			s[i] = max(s[i], -s[i])
		}
	}
}

// Integer division by zero would end the process in Go.
func TestDivideByZero(t *testing.T) {
	got, err := runOn(ours(t), func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
		q, err := f.Div(in[0], in[1])
		if err != nil {
			return nil, err
		}
		r, err := f.Rem(in[0], in[1])
		return []compute.Value{q, r}, err
	}, []testArray{random(rand.New(rand.NewPCG(1, 2)), dtypes.Int32, 4), {random(rand.New(rand.NewPCG(1, 2)), dtypes.Int32, 4).shape, make([]int32, 4)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range got[0].flat.([]int32) {
		if q != -1 {
			t.Errorf("x/0 = %d, want −1", q)
		}
	}
}

// An operation that is missing says so when the graph is built.
func TestMissing(t *testing.T) {
	b := ours(t)
	f := b.Builder("test").Main()
	x, err := f.Parameter("x", random(rand.New(rand.NewPCG(1, 2)), dtypes.Float32, 4).shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.FFT(x, compute.FFTForward, []int{4})
	if !compute.IsNotImplemented(err) || !strings.Contains(err.Error(), "FFT") {
		t.Errorf("got %v", err)
	}
	if b.Capabilities().Operations[compute.OpTypeFFT] || !b.Capabilities().Operations[compute.OpTypeConvGeneral] {
		t.Error("wrong capabilities")
	}
	none, err := f.Parameter("none", random(rand.New(rand.NewPCG(1, 2)), dtypes.Float32, 0).shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	one, err := f.Slice(x, []int{0}, []int{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Add(none, one); err == nil {
		t.Error("no error for one number and no number")
	}
	if _, err := f.LogicalNot(x); err == nil {
		t.Error("no error for the negation of floats")
	}
	if _, err := f.Parameter("z", random(rand.New(rand.NewPCG(1, 2)), dtypes.Float32, 4).shape, nil); err != nil {
		t.Error(err)
	}
	if _, err := f.ConvertDType(x, dtypes.Complex64); !compute.IsNotImplemented(err) {
		t.Errorf("complex numbers: %v", err)
	}
}
