package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// testBackend is the go backend, or the one that ROT_TEST_BACKEND names: the
// same tests run on a GPU with ROT_TEST_BACKEND=xla.
func testBackend(t testing.TB) compute.Backend {
	t.Helper()
	name := os.Getenv("ROT_TEST_BACKEND")
	if name == "" {
		name = "go"
	}
	b, err := Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b.Backend
}

// An op is a differentiable function of some arrays.
type op struct {
	name   string
	shapes [][]int
	f      func(in []*Node) *Node
	offset float64 // added to the standard normal inputs, for functions of positive numbers
	notGo  bool    // the go backend cannot run it
}

func convOps() []op {
	var ops []op
	add := func(name string, x, k []int, f func(x, k *Node) *Node) {
		ops = append(ops, op{name: name, shapes: [][]int{x, k}, f: func(in []*Node) *Node { return f(in[0], in[1]) }})
	}
	for _, c := range []struct {
		h, k int
		Conv
	}{
		{4, 3, Conv{}}, {5, 3, Conv{Pad: 1}}, {6, 4, Conv{Stride: 2, Pad: 1}}, {5, 4, Conv{Stride: 2, Pad: 1}},
		{7, 3, Conv{Stride: 2, Pad: 1}}, {7, 3, Conv{Dilation: 2, Pad: 1}}, {8, 3, Conv{Stride: 3, Dilation: 2}}, {3, 1, Conv{}}, {4, 2, Conv{Stride: 2}},
	} {
		add(fmt.Sprintf("conv h=%d k=%d %+v", c.h, c.k, c.Conv), []int{2, c.h, c.h, 2}, []int{c.k, c.k, 2, 3}, c.Conv.Apply)
		general := spatial(max(1, c.Stride), 1, max(1, c.Dilation), c.Pad)
		add(fmt.Sprintf("general conv h=%d k=%d %+v", c.h, c.k, c.Conv), []int{2, c.h, c.h, 2}, []int{c.k, c.k, 2, 3}, general.apply)
	}
	for _, c := range []struct{ h, k, in, out, pad int }{{5, 3, 3, 4, 1}, {5, 3, 4, 2, 1}, {5, 4, 1, 2, 0}, {4, 3, 3, 1, 0}} {
		x, k := []int{2, c.h, c.h, c.in}, []int{c.k, c.k, c.in, c.out}
		add(fmt.Sprintf("thin %+v", c), x, k, func(x, k *Node) *Node { return thinConv(x, k, c.pad) })
		add(fmt.Sprintf("general thin %+v", c), x, k, spatial(1, 1, 1, c.pad).apply)
	}
	for _, c := range []struct {
		h, k int
		ConvTranspose
	}{{3, 4, ConvTranspose{2, 1}}, {3, 3, ConvTranspose{2, 1}}, {2, 3, ConvTranspose{1, 0}}, {2, 6, ConvTranspose{3, 2}}, {3, 2, ConvTranspose{2, 0}}} {
		add(fmt.Sprintf("transposed h=%d k=%d %+v", c.h, c.k, c.ConvTranspose), []int{2, c.h, c.h, 2}, []int{c.k, c.k, 2, 3}, c.ConvTranspose.Apply)
		general := spatial(1, c.Stride, 1, c.k-1-c.Pad)
		add(fmt.Sprintf("general transposed h=%d k=%d %+v", c.h, c.k, c.ConvTranspose), []int{2, c.h, c.h, 2}, []int{c.k, c.k, 2, 3},
			func(x, k *Node) *Node { return general.apply(x, Reverse(k, 0, 1)) })
	}
	return ops
}

func plainOps() []op {
	pad := func(axes ...compute.PadAxis) func([]*Node) *Node {
		return func(in []*Node) *Node { return Pad(in[0], Reshape(in[1]), axes...) }
	}
	return []op{
		{name: "pad", shapes: [][]int{{2, 3}, {1}}, f: pad(compute.PadAxis{Start: 1, End: 2}, compute.PadAxis{Start: 2})},
		{name: "pad interior", shapes: [][]int{{2, 3}, {1}}, f: pad(compute.PadAxis{Interior: 1}, compute.PadAxis{Start: 1, Interior: 2, End: 1})},
		{name: "pad cuts", notGo: true, shapes: [][]int{{4, 5}, {1}}, f: pad(compute.PadAxis{Start: -1}, compute.PadAxis{Start: -2, End: -1})},
		{name: "reverse", shapes: [][]int{{3, 4}}, f: func(in []*Node) *Node { return Mul(Reverse(in[0], 1), in[0]) }},
		{name: "rsqrt", shapes: [][]int{{5}}, offset: 6, f: func(in []*Node) *Node { return Rsqrt(in[0]) }},
		{name: "strided slice", shapes: [][]int{{7, 2}}, f: func(in []*Node) *Node { return Slice(in[0], AxisRange(1, 6).Stride(2)) }},
	}
}

// TestGradients checks first and second derivatives against finite
// differences in float64. The activation is smooth: at the kinks of a ReLU
// finite differences mean nothing.
func TestGradients(t *testing.T) {
	b := testBackend(t)
	for _, o := range append(convOps(), plainOps()...) {
		value := func(in []*Node) *Node {
			y := o.f(in)
			// Weights tell the elements of the output apart.
			return ReduceAllSum(Mul(Tanh(y), Sin(AddScalar(IotaFull(y.Graph(), y.Shape()), 1))))
		}
		// The gradient penalty of a critic: the norm of the gradient.
		penalty := func(in []*Node) *Node {
			g := Gradient(value(in), in[0])[0]
			return Sqrt(AddScalar(ReduceAllSum(Square(g)), 1e-12))
		}
		t.Run(o.name, func(t *testing.T) {
			if o.notGo && b.String() == "go" {
				t.Skip("GoMLX's Go backend has no negative padding")
			}
			rng := rand.New(rand.NewPCG(1, 2))
			var in [][]float64
			for _, s := range o.shapes {
				n := 1
				for _, d := range s {
					n *= d
				}
				x := make([]float64, n)
				for i := range x {
					x[i] = 0.5*rng.NormFloat64() + o.offset
				}
				in = append(in, x)
			}
			compare(t, b, o.shapes, in, value)
			compare(t, b, o.shapes, in, penalty)
		})
	}
}

// compare checks the gradient of f at in, coordinate by coordinate.
func compare(t *testing.T, b compute.Backend, shapes [][]int, in [][]float64, f func([]*Node) *Node) {
	t.Helper()
	args := func() []any {
		var out []any
		for i, x := range in {
			out = append(out, tensors.FromFlatDataAndDimensions(x, shapes[i]...))
		}
		return out
	}
	value := MustNewExec(b, f)
	grad := MustNewExec(b, func(in []*Node) []*Node { return Gradient(f(in), in...) })
	var grads [][]float64
	for _, g := range grad.MustCall(args()...) {
		grads = append(grads, tensors.MustCopyFlatData[float64](g))
	}
	const h = 1e-5
	at := func() float64 { return value.MustCall(args()...)[0].Value().(float64) }
	for a := range in {
		for i := 0; i < len(in[a]); i += 1 + len(in[a])/12 {
			x := in[a][i]
			in[a][i] = x + h
			up := at()
			in[a][i] = x - h
			down := at()
			in[a][i] = x
			want := (up - down) / (2 * h)
			if got := grads[a][i]; math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
				t.Fatalf("input %d, element %d: got %g, finite differences give %g", a, i, got, want)
			}
		}
	}
}

// TestLoweredConv compares the matrix products with GoMLX's own convolution.
func TestLoweredConv(t *testing.T) {
	b := testBackend(t)
	ops := convOps()
	rng := rand.New(rand.NewPCG(3, 4))
	for i := 0; i < len(ops); i += 2 {
		low, general := ops[i], ops[i+1]
		var args []any
		for _, s := range low.shapes {
			x := make([]float64, s[0]*s[1]*s[2]*s[3])
			for j := range x {
				x[j] = rng.NormFloat64()
			}
			args = append(args, tensors.FromFlatDataAndDimensions(x, s...))
		}
		got := MustNewExec(b, func(in []*Node) *Node { return low.f(in) }).MustCall(args...)[0]
		want := MustNewExec(b, func(in []*Node) *Node { return general.f(in) }).MustCall(args...)[0]
		if !got.Shape().Equal(want.Shape()) {
			t.Fatalf("%s: got %s, want %s", low.name, got.Shape(), want.Shape())
		}
		w := tensors.MustCopyFlatData[float64](want)
		for j, v := range tensors.MustCopyFlatData[float64](got) {
			if math.Abs(v-w[j]) > 1e-12 {
				t.Fatalf("%s: element %d: got %g, want %g", low.name, j, v, w[j])
			}
		}
	}
}

func TestCatch(t *testing.T) {
	b := testBackend(t)
	err := Catch("critic: first convolution", func() {
		MustNewExec(b, func(x, k *Node) *Node { return Conv{}.Apply(x, k) }).MustCall(
			tensors.FromFlatDataAndDimensions(make([]float32, 8), 1, 2, 2, 2), tensors.FromFlatDataAndDimensions(make([]float32, 9), 3, 3, 1, 1))
	})
	if want := "engine: critic: first convolution: "; err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
		t.Errorf("got %v, want an error that starts with %q", err, want)
	}
	t.Log(err)
}
