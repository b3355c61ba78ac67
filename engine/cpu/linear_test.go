package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// TestDotGeneral multiplies along random axes in random order.
func TestDotGeneral(t *testing.T) {
	if underRace {
		t.Skip("the other backend cannot")
	}
	a, b := ours(t), theirs(t)
	for seed := range tries(250) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 2))
			dt := []dtypes.DType{dtypes.Float32, dtypes.Float32, dtypes.Float64, dtypes.Int32, dtypes.BFloat16}[rng.IntN(5)]
			length := func() int { return []int{1, 2, 3, 5, 16, 17, 33, 70}[rng.IntN(8)] }
			batch, sum, left, right := rng.IntN(2), rng.IntN(3), rng.IntN(3), rng.IntN(3)
			if batch+sum+left == 0 {
				left = 1
			}
			if batch+sum+right == 0 {
				right = 1
			}
			var shared []int
			for range batch {
				shared = append(shared, 1+rng.IntN(3))
			}
			for range sum {
				shared = append(shared, length())
			}
			side := func(others int) (dims, batchAxes, sumAxes []int) {
				perm := rng.Perm(batch + sum + others)
				dims = make([]int, len(perm))
				for i, axis := range perm {
					switch {
					case i < batch:
						batchAxes = append(batchAxes, axis)
						dims[axis] = shared[i]
					case i < batch+sum:
						sumAxes = append(sumAxes, axis)
						dims[axis] = shared[i]
					default:
						dims[axis] = length()
					}
				}
				return dims, batchAxes, sumAxes
			}
			ad, ab, as := side(left)
			bd, bb, bs := side(right)
			tol := map[dtypes.DType]float64{dtypes.Float32: 1e-5, dtypes.Float64: 1e-13, dtypes.BFloat16: 2e-2}[dt]
			t.Log(dt, ad, ab, as, bd, bb, bs)
			same(t, a, b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
				config := compute.DotGeneralConfig{}
				if dt == dtypes.BFloat16 {
					config.AccumulatorDType = dtypes.Float32
				}
				y, err := f.DotGeneral(in[0], as, ab, in[1], bs, bb, config)
				return []compute.Value{y}, err
			}, []testArray{random(rng, dt, ad...), random(rng, dt, bd...)}, tol)
		})
	}
}

// TestMatMulShapes goes through the kernels: few rows, few columns, long and
// short sums, both sides transposed, against float64.
func TestMatMulShapes(t *testing.T) {
	a := ours(t)
	lengths := []int{0, 1, 2, 3, 4, 6, 7, 16, 97, 300}
	if underRace {
		lengths = []int{1, 3, 7, 97}
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for _, m := range lengths {
		for _, n := range lengths {
			for _, k := range []int{0, 1, 15, 16, 257, 600} {
				for turned := range 4 {
					ad, as := []int{m, k}, 1
					if turned&1 == 1 {
						ad, as = []int{k, m}, 0
					}
					bd, bs := []int{k, n}, 0
					if turned&2 == 2 {
						bd, bs = []int{n, k}, 1
					}
					x, y := random(rng, dtypes.Float32, ad...), random(rng, dtypes.Float32, bd...)
					got, err := runOn(a, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
						z, err := f.DotGeneral(in[0], []int{as}, nil, in[1], []int{bs}, nil, compute.DotGeneralConfig{})
						return []compute.Value{z}, err
					}, []testArray{x, y})
					if err != nil {
						t.Fatal(err)
					}
					g := got[0].flat.([]float32)
					if len(g) != m*n {
						t.Fatalf("%d×%d×%d: %d numbers", m, n, k, len(g))
					}
					for range min(50, m*n) {
						i, j := rng.IntN(m), rng.IntN(n)
						s := 0.0
						for l := range k {
							ai, bi := i*k+l, l*n+j
							if turned&1 == 1 {
								ai = l*m + i
							}
							if turned&2 == 2 {
								bi = j*k + l
							}
							s += float64(x.flat.([]float32)[ai]) * float64(y.flat.([]float32)[bi])
						}
						if !near(float64(g[i*n+j]), s, 1e-4) {
							t.Fatalf("%d×%d×%d, turned %b: element %d,%d is %v, want %v", m, n, k, turned, i, j, g[i*n+j], s)
						}
					}
				}
			}
		}
	}
}

// TestLargeMatMul: a right side that is packed in more than one piece.
func TestLargeMatMul(t *testing.T) {
	const m, k, n = 7, 3000, 600 // 7 MB
	rng := rand.New(rand.NewPCG(6, 6))
	x, y := random(rng, dtypes.Float32, m, k), random(rng, dtypes.Float32, k, n)
	if k*n*4 <= packedBytes {
		t.Fatal("not large enough")
	}
	got, err := runOn(ours(t), func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
		z, err := f.DotGeneral(in[0], []int{1}, nil, in[1], []int{0}, nil, compute.DotGeneralConfig{})
		return []compute.Value{z}, err
	}, []testArray{x, y})
	if err != nil {
		t.Fatal(err)
	}
	a, b, g := x.flat.([]float32), y.flat.([]float32), got[0].flat.([]float32)
	for i := range m {
		for j := range n {
			s := 0.0
			for l := range k {
				s += float64(a[i*k+l]) * float64(b[l*n+j])
			}
			if !near(float64(g[i*n+j]), s, 1e-3) {
				t.Fatalf("element %d,%d is %v, want %v", i, j, g[i*n+j], s)
			}
		}
	}
}

// convCase is a random convolution.
type convCase struct {
	x, w             []int
	axes             compute.ConvolveAxesConfig
	strides, id, kd  []int
	pads             [][2]int
	groups           int
	dt               dtypes.DType
	reversed, sliced bool // the kernel, the batch
	mirrored         bool // the image
}

func randomConv(rng *rand.Rand) convCase {
	spatial := []int{1, 2, 2, 2, 2, 3}[rng.IntN(6)]
	c := convCase{groups: 1, dt: dtypes.Float32, reversed: rng.IntN(3) == 0, sliced: rng.IntN(4) == 0, mirrored: rng.IntN(5) == 0}
	if rng.IntN(4) == 0 {
		c.dt = dtypes.Float64
	}
	if rng.IntN(10) == 0 {
		c.groups = 2
	}
	channel := func() int { return []int{1, 2, 3, 5, 8, 16, 20, 36, 70}[rng.IntN(9)] }
	batch, in, out := 1+rng.IntN(5), c.groups*channel(), c.groups*channel()
	rank := spatial + 2
	// Channels last, as networks have them, or the gradient with respect to
	// the kernel, or anything.
	last := func() []int {
		p := make([]int, rank) // batch, spatial…, channels
		for i := range p {
			p[i] = i
		}
		return p
	}
	px, pw, py := last(), last(), last()
	switch rng.IntN(4) {
	case 0:
		px, pw, py = rng.Perm(rank), rng.Perm(rank), rng.Perm(rank)
	case 1: // over the batch
		px[0], px[rank-1] = rank-1, 0
	}
	c.x, c.w = make([]int, rank), make([]int, rank)
	set := func(p []int) (batch int, spatial []int, channels int) { return p[0], p[1 : rank-1], p[rank-1] }
	c.axes.InputBatch, c.axes.InputSpatial, c.axes.InputChannels = set(px)
	c.axes.KernelInputChannels, c.axes.KernelSpatial, c.axes.KernelOutputChannels = set(pw)
	c.axes.OutputBatch, c.axes.OutputSpatial, c.axes.OutputChannels = set(py)
	c.x[c.axes.InputBatch], c.x[c.axes.InputChannels] = batch, in
	c.w[c.axes.KernelInputChannels], c.w[c.axes.KernelOutputChannels] = in/c.groups, out
	for i := range spatial {
		id, kd := 1+rng.IntN(3)/2*rng.IntN(3), 1+rng.IntN(3)/2
		k := 1 + rng.IntN(5)
		n := 1 + rng.IntN(12)
		before, after := rng.IntN(5)-1, rng.IntN(5)-1
		for (n-1)*id+1+before+after < (k-1)*kd+1 {
			n++
		}
		c.x[c.axes.InputSpatial[i]], c.w[c.axes.KernelSpatial[i]] = n, k
		c.strides, c.id, c.kd = append(c.strides, 1+rng.IntN(3)), append(c.id, id), append(c.kd, kd)
		c.pads = append(c.pads, [2]int{before, after})
	}
	return c
}

func (c convCase) graph(f compute.Function, in []compute.Value) ([]compute.Value, error) {
	w := in[1]
	var err error
	if c.reversed {
		if w, err = f.Reverse(w, c.axes.KernelSpatial...); err != nil {
			return nil, err
		}
	}
	x := in[0]
	if c.sliced { // every second image of the input, which has twice as many
		starts, limits, strides := make([]int, len(c.x)), append([]int(nil), c.x...), make([]int, len(c.x))
		for i := range strides {
			strides[i] = 1
		}
		limits[c.axes.InputBatch] *= 2
		strides[c.axes.InputBatch] = 2
		if x, err = f.Slice(x, starts, limits, strides); err != nil {
			return nil, err
		}
	}
	if c.mirrored {
		if x, err = f.Reverse(x, c.axes.InputSpatial...); err != nil {
			return nil, err
		}
	}
	y, err := f.ConvGeneral(x, w, c.axes, c.strides, c.pads, c.id, c.kd, c.groups, 1)
	return []compute.Value{y}, err
}

func (c convCase) inputs(rng *rand.Rand) []testArray {
	d := append([]int(nil), c.x...)
	if c.sliced {
		d[c.axes.InputBatch] *= 2
	}
	return []testArray{random(rng, c.dt, d...), random(rng, c.dt, c.w...)}
}

func TestConvGeneral(t *testing.T) {
	a, b := ours(t), theirs(t)
	for seed := range tries(600) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			c := randomConv(rng)
			t.Logf("%+v", c)
			tol := 1e-5
			if c.dt == dtypes.Float64 {
				tol = 1e-13
			}
			same(t, a, b, c.graph, c.inputs(rng), tol)
		})
	}
}

// TestNetworkConvs are convolutions as networks have them, large enough for
// several tasks: forward, and both gradients.
func TestNetworkConvs(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("the other backend takes seconds")
	}
	a, b := ours(t), theirs(t)
	rng := rand.New(rand.NewPCG(9, 9))
	for _, c := range networkConvs() {
		t.Run(fmt.Sprint(c.x, c.w), func(t *testing.T) { same(t, a, b, c.graph, c.inputs(rng), 1e-5) })
	}
}

// networkConvs are convolutions as networks have them.
func networkConvs() []convCase {
	forward := compute.ConvolveAxesConfig{InputSpatial: []int{1, 2}, InputChannels: 3, KernelSpatial: []int{0, 1}, KernelInputChannels: 2, KernelOutputChannels: 3, OutputSpatial: []int{1, 2}, OutputChannels: 3}
	overBatch := compute.ConvolveAxesConfig{InputBatch: 3, InputSpatial: []int{1, 2}, InputChannels: 0, KernelInputChannels: 0, KernelSpatial: []int{1, 2}, KernelOutputChannels: 3, OutputBatch: 2, OutputSpatial: []int{0, 1}, OutputChannels: 3}
	turned := compute.ConvolveAxesConfig{InputBatch: 3, InputSpatial: []int{1, 2}, InputChannels: 0, KernelInputChannels: 0, KernelSpatial: []int{1, 2}, KernelOutputChannels: 3, OutputBatch: 3, OutputSpatial: []int{0, 1}, OutputChannels: 2}
	one := []int{1, 1}
	two := []int{2, 2}
	all := []convCase{
		{x: []int{8, 20, 20, 16}, w: []int{4, 4, 16, 40}, axes: forward, strides: two, id: one, kd: one, pads: [][2]int{{1, 1}, {1, 1}}},
		{x: []int{8, 10, 10, 40}, w: []int{4, 4, 40, 16}, axes: forward, strides: one, id: two, kd: one, pads: [][2]int{{2, 2}, {2, 2}}},
		{x: []int{8, 20, 20, 16}, w: []int{8, 10, 10, 40}, axes: overBatch, strides: one, id: one, kd: two, pads: [][2]int{{1, 1}, {1, 1}}},
		{x: []int{40, 32, 32, 3}, w: []int{3, 3, 3, 24}, axes: forward, strides: one, id: one, kd: one, pads: [][2]int{{1, 1}, {1, 1}}},
		{x: []int{40, 16, 16, 24}, w: []int{3, 3, 24, 3}, axes: forward, strides: one, id: one, kd: one, pads: [][2]int{{1, 1}, {1, 1}}},
		{x: []int{40, 16, 16, 24}, w: []int{3, 3, 24, 1}, axes: forward, strides: one, id: one, kd: one, pads: [][2]int{{1, 1}, {1, 1}}},
		{x: []int{40, 16, 16, 3}, w: []int{40, 16, 16, 24}, axes: overBatch, strides: one, id: one, kd: one, pads: [][2]int{{1, 1}, {1, 1}}},
		{x: []int{20, 16, 16, 33}, w: []int{20, 8, 8, 40}, axes: turned, strides: one, id: one, kd: two, pads: [][2]int{{1, 1}, {1, 1}}},
		{x: []int{3, 9, 9, 300}, w: []int{1, 1, 300, 70}, axes: forward, strides: two, id: one, kd: one, pads: [][2]int{{0, 0}, {0, 0}}},
		// LeNet's: channels that are no multiple of 16.
		{x: []int{18, 12, 12, 20}, w: []int{5, 5, 20, 50}, axes: forward, strides: one, id: one, kd: one, pads: [][2]int{{0, 0}, {0, 0}}},
		{x: []int{18, 8, 8, 50}, w: []int{5, 5, 50, 20}, axes: forward, strides: one, id: one, kd: one, pads: [][2]int{{4, 4}, {4, 4}}},
		{x: []int{18, 12, 12, 20}, w: []int{18, 8, 8, 50}, axes: overBatch, strides: one, id: one, kd: one, pads: [][2]int{{0, 0}, {0, 0}}},
		{x: []int{18, 28, 28, 1}, w: []int{18, 24, 24, 20}, axes: overBatch, strides: one, id: one, kd: one, pads: [][2]int{{0, 0}, {0, 0}}},
		{x: []int{2, 16, 16, 32}, w: []int{3, 3, 32, 64}, axes: forward, strides: one, id: one, kd: one, pads: [][2]int{{1, 1}, {1, 1}}},
		{x: []int{7, 30, 30, 33}, w: []int{3, 3, 33, 67}, axes: forward, strides: one, id: one, kd: one, pads: [][2]int{{1, 1}, {1, 1}}},
		{x: []int{1, 70, 70, 8}, w: []int{7, 7, 8, 33}, axes: forward, strides: two, id: one, kd: one, pads: [][2]int{{3, 3}, {3, 3}}},
	}
	for i := range all {
		all[i].groups, all[i].dt = 1, dtypes.Float32
	}
	return all
}

func FuzzConv(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 4))
		c := randomConv(rng)
		t.Logf("%+v", c)
		tol := 1e-5
		if c.dt == dtypes.Float64 {
			tol = 1e-13
		}
		same(t, ours(t), theirs(t), c.graph, c.inputs(rng), tol)
	})
}
