package cpu

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

var imageAxes = compute.ConvolveAxesConfig{
	InputSpatial: []int{1, 2}, InputChannels: 3, KernelSpatial: []int{0, 1}, KernelInputChannels: 2, KernelOutputChannels: 3,
	OutputSpatial: []int{1, 2}, OutputChannels: 3,
}

// kernelAxes are those of the gradient with respect to a kernel.
var kernelAxes = compute.ConvolveAxesConfig{
	InputBatch: 3, InputSpatial: []int{1, 2}, KernelSpatial: []int{1, 2}, KernelOutputChannels: 3,
	OutputBatch: 2, OutputSpatial: []int{0, 1}, OutputChannels: 3,
}

// layers is a graph with a bit of everything: convolution and the gradient of
// one, product, chains, reductions over each axis, and the update of a parameter.
func layers(f compute.Function, in []compute.Value) (out []compute.Value, err error) {
	must := func(v compute.Value, e error) compute.Value {
		if e != nil && err == nil {
			err = e
		}
		return v
	}
	x, w, m := in[0], in[1], in[2]
	y := must(f.ConvGeneral(x, w, imageAxes, []int{2, 2}, [][2]int{{1, 1}, {1, 1}}, nil, nil, 1, 1))
	zero := must(f.Constant([]float32{0}))
	y = must(f.Tanh(must(f.Max(y, zero))))
	flat := must(f.Reshape(y, 24, 10*10*33))
	z := must(f.DotGeneral(flat, []int{1}, nil, m, []int{0}, nil, compute.DotGeneralConfig{}))
	all := must(f.ReduceSum(must(f.Mul(y, y))))
	channels := must(f.ReduceSum(y, 0, 1, 2))
	rate := must(f.Constant([]float32{0.01}))
	next := must(f.Sub(m, must(f.Mul(must(f.Mul(m, all)), rate))))
	kernel := must(f.ConvGeneral(x, y, kernelAxes, nil, [][2]int{{1, 1}, {1, 1}}, nil, []int{2, 2}, 1, 1))
	return []compute.Value{next, z, all, channels, kernel}, err
}

func layerInputs() []testArray {
	rng := rand.New(rand.NewPCG(31, 1))
	return []testArray{random(rng, dtypes.Float32, 24, 20, 20, 16), random(rng, dtypes.Float32, 3, 3, 16, 33), random(rng, dtypes.Float32, 10*10*33, 17)}
}

// TestWorkersDoNotMatter: the bits are the same for any number of workers,
// alone and side by side.
func TestWorkersDoNotMatter(t *testing.T) {
	in := layerInputs()
	var want []testArray
	for _, n := range []int{1, 2, 3, 8} {
		b, err := New(fmt.Sprint("workers=", n))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Finalize()
		exec, err := build(b, layers, in)
		if err != nil {
			t.Fatal(err)
		}
		check := func() {
			got, err := execute(b, exec, in)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range want {
				if !reflect.DeepEqual(got[i].flat, want[i].flat) {
					t.Errorf("%d workers: result %d differs", n, i)
				}
			}
		}
		if want == nil {
			if want, err = execute(b, exec, in); err != nil {
				t.Fatal(err)
			}
		}
		check()
		var group sync.WaitGroup
		for range 4 {
			group.Go(check)
		}
		group.Wait()
	}
}

// TestPortable runs the same graph without the assembly.
func TestPortable(t *testing.T) {
	in := layerInputs()
	want, err := runOn(ours(t), layers, in)
	if err != nil {
		t.Fatal(err)
	}
	defer withoutSIMD()()
	got, err := runOn(ours(t), layers, in)
	if err != nil {
		t.Fatal(err)
	}
	compareAll(t, got, want, 1e-5)
	if b := ours(t); !strings.Contains(b.Description(), "portable") {
		t.Errorf("%s", b.Description())
	}
}

// TestDonate gives parameters away, as training does: their memory is used
// again, and the results are the same.
func TestDonate(t *testing.T) {
	b := ours(t)
	in := layerInputs()
	exec, err := build(b, layers, in)
	if err != nil {
		t.Fatal(err)
	}
	buffer := func(x testArray) compute.Buffer {
		y, err := b.BufferFromFlatData(0, x.flat, x.shape)
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	x, w := buffer(in[0]), buffer(in[1])
	// As a loop on plain arrays.
	var want []testArray
	m := in[2]
	for range 4 {
		if want, err = execute(b, exec, []testArray{in[0], in[1], m}); err != nil {
			t.Fatal(err)
		}
		m = want[0]
	}
	state := buffer(in[2])
	var got []compute.Buffer
	for range 4 {
		old := state
		if got, err = exec.Execute([]compute.Buffer{x, w, state}, []bool{false, false, true}, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := old.(*Buffer).Data(); err == nil {
			t.Fatal("a buffer that was given away can be read")
		}
		state = got[0]
	}
	flat := make([]float32, in[2].shape.Size())
	if err := state.ToFlatData(flat); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(flat, m.flat.([]float32)) {
		t.Error("other results with buffers that were given away")
	}
	if err := x.ToFlatData(make([]float32, in[0].shape.Size())); err != nil {
		t.Errorf("a buffer that was kept: %v", err)
	}
	// The same buffer twice, given away.
	y := buffer(in[2])
	sum, err := build(b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
		z, err := f.Add(in[0], in[1])
		return []compute.Value{z}, err
	}, []testArray{in[2], in[2]})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sum.Execute([]compute.Buffer{y, y}, []bool{true, true}, 0); err != nil {
		t.Fatal(err)
	}
	if err := y.Finalize(); err == nil {
		t.Error("a buffer that was given away could be finalized")
	}
}

// TestSteadyState: after the first step, a step allocates next to nothing,
// whatever the size of its arrays.
func TestSteadyState(t *testing.T) {
	b := ours(t)
	in := layerInputs()
	exec, err := build(b, layers, in)
	if err != nil {
		t.Fatal(err)
	}
	var buffers []compute.Buffer
	for _, x := range in {
		y, err := b.BufferFromFlatData(0, x.flat, x.shape)
		if err != nil {
			t.Fatal(err)
		}
		buffers = append(buffers, y)
	}
	step := func() {
		out, err := exec.Execute(buffers, []bool{false, false, true}, 0)
		if err != nil {
			t.Fatal(err)
		}
		buffers[2] = out[0]
		for _, x := range out[1:] {
			if err := x.Finalize(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 3 {
		step()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		step()
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / 10; n > 16<<10 {
		t.Errorf("%d bytes a step, of arrays of %d", n, byteSize(in[0].shape)+byteSize(in[2].shape))
	}
}

// Errors of a caller are errors, and name what is wrong.
func TestExecuteErrors(t *testing.T) {
	a, b := ours(t), ours(t)
	in := []testArray{random(rand.New(rand.NewPCG(1, 1)), dtypes.Float32, 3)}
	exec, err := build(a, func(f compute.Function, in []compute.Value) ([]compute.Value, error) { return in, nil }, in)
	if err != nil {
		t.Fatal(err)
	}
	good, err := a.BufferFromFlatData(0, in[0].flat, in[0].shape)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := b.BufferFromFlatData(0, in[0].flat, in[0].shape)
	if err != nil {
		t.Fatal(err)
	}
	long, err := a.BufferFromFlatData(0, make([]float32, 4), shapes.Make(dtypes.Float32, 4))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		in   []compute.Buffer
		want string
	}{
		{nil, "0 inputs for a graph of 1"},
		{[]compute.Buffer{foreign}, `"x0" is no buffer of this backend`},
		{[]compute.Buffer{long}, "is (Float32)[4], and the graph wants (Float32)[3]"},
	} {
		if _, err := exec.Execute(tt.in, nil, 0); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if _, err := a.BufferFromFlatData(0, []float64{1}, shapes.Make(dtypes.Float32, 1)); err == nil {
		t.Error("float64 went into float32")
	}
	if _, err := a.BufferFromFlatData(1, in[0].flat, in[0].shape); err == nil {
		t.Error("there is a second device")
	}
	out, err := exec.Execute([]compute.Buffer{good}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if out[0] == good {
		t.Error("the result is the input itself")
	}
	exec.Finalize()
	if _, err := exec.Execute([]compute.Buffer{good}, nil, 0); err == nil {
		t.Error("a finalized graph runs")
	}
	a.Finalize()
	if _, err := a.BufferFromFlatData(0, in[0].flat, in[0].shape); err == nil {
		t.Error("a finalized backend takes data")
	}
	if _, err := New("threads=2"); err == nil {
		t.Error("an unknown option")
	}
}

// TestWorkersEnd: a backend that is finalized leaves no goroutines.
func TestWorkersEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	b, err := New("workers=6")
	if err != nil {
		t.Fatal(err)
	}
	b.Finalize()
	b.Finalize()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestWorkersShare: loops of several who ask at the same time, long and short,
// one after the other and after a rest: every piece is done once, and before
// the loop ends.
func TestWorkersShare(t *testing.T) {
	w := newWorkers(4)
	defer w.stop()
	var group sync.WaitGroup
	for asker := range 3 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(asker), 5))
			for range tries(2000) {
				done := make([]atomic.Int32, rng.IntN(40))
				w.each(len(done), func(_, i int) { done[i].Add(1) })
				for i := range done {
					if n := done[i].Load(); n != 1 {
						t.Errorf("piece %d of %d was done %d times", i, len(done), n)
						return
					}
				}
				if rng.IntN(200) == 0 {
					time.Sleep(3 * patience) // until they sleep
				}
			}
		})
	}
	group.Wait()
}

// TestPack: memory that is in use at the same time does not overlap.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for range 50 {
		spans := make([]span, 60)
		for i := range spans {
			first := rng.IntN(40)
			spans[i] = span{bytes: rng.IntN(5000), first: first, last: first + rng.IntN(10), array: i}
		}
		total := pack(spans)
		for i, a := range spans {
			if a.offset%align != 0 || a.offset+a.bytes > total {
				t.Fatalf("%+v of %d", a, total)
			}
			for _, b := range spans[:i] {
				together := a.first <= b.last && b.first <= a.last
				if together && a.offset < b.offset+b.bytes && b.offset < a.offset+a.bytes {
					t.Fatalf("%+v and %+v overlap", a, b)
				}
			}
		}
	}
}

// TestViews compares cursors and other forms of a view with its definition.
func TestViews(t *testing.T) {
	v := view{3, []int{2, 3, 4}, []int{40, -1, 3}}
	at := func(v view, i int) int {
		pos := v.off
		for k := len(v.dims) - 1; k >= 0; k-- {
			pos += i % v.dims[k] * v.strides[k]
			i /= v.dims[k]
		}
		return pos
	}
	var c cursor
	c.seek(&v, 5)
	for i := 5; i < v.size(); i++ {
		if c.at != at(v, i) {
			t.Fatalf("cursor at %d: %d, want %d", i, c.at, at(v, i))
		}
		c.skip(1)
	}
	for _, dims := range [][]int{{24}, {2, 12}, {4, 6}, {2, 3, 2, 2}, {1, 24, 1}} {
		w, ok := v.on(dims)
		if !ok {
			continue
		}
		for i := range v.size() {
			if at(w, i) != at(v, i) {
				t.Fatalf("on %v: element %d at %d, want %d", dims, i, at(w, i), at(v, i))
			}
		}
	}
	if _, ok := (view{0, []int{3, 4}, []int{1, 3}}).along([]int{12}); ok {
		t.Error("a transposed matrix has one stride")
	}
	if s := (view{5, []int{2, 1, 3, 4}, []int{12, 7, 4, 1}}).simple(); !s.equal(view{5, []int{24}, []int{1}}) {
		t.Errorf("got %+v", s)
	}
}

// TestTileLayout keeps the assembly's offsets true.
func TestTileLayout(t *testing.T) {
	var x tile
	var o operands
	for _, f := range []struct {
		got  uintptr
		want uintptr
	}{
		{unsafe.Offsetof(x.c), 48}, {unsafe.Offsetof(x.b), 96}, {unsafe.Offsetof(x.segs), 104}, {unsafe.Offsetof(x.nseg), 112},
		{unsafe.Offsetof(x.step), 120}, {unsafe.Offsetof(x.add), 128}, {unsafe.Offsetof(x.cols), 136}, {unsafe.Offsetof(x.ldb), 144}, {unsafe.Offsetof(x.next), 152},
		{unsafe.Sizeof(segment{}), 24}, {unsafe.Offsetof(o.in), 8}, {unsafe.Offsetof(o.step), 40},
	} {
		if f.got != f.want && unsafe.Sizeof(uintptr(0)) == 8 {
			t.Errorf("offset %d, want %d", f.got, f.want)
		}
	}
}

// TestPortableConvs runs the random convolutions and products without the
// assembly.
func TestPortableConvs(t *testing.T) {
	defer withoutSIMD()()
	a, b := ours(t), theirs(t)
	for seed := range tries(100) {
		rng := rand.New(rand.NewPCG(seed, 33))
		c := randomConv(rng)
		same(t, a, b, c.graph, c.inputs(rng), 1e-5)
		randomGraph(t, a, b, seed)
	}
}
