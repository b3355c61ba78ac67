package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// measure runs a graph of flops operations again and again.
func measure(b *testing.B, g graphFn, in []testArray, flops float64) {
	backend, err := New("")
	if err != nil {
		b.Fatal(err)
	}
	defer backend.Finalize()
	exec, err := build(backend, g, in)
	if err != nil {
		b.Fatal(err)
	}
	var buffers []compute.Buffer
	for _, x := range in {
		y, err := backend.BufferFromFlatData(0, x.flat, x.shape)
		if err != nil {
			b.Fatal(err)
		}
		buffers = append(buffers, y)
	}
	for b.Loop() {
		out, err := exec.Execute(buffers, nil, 0)
		if err != nil {
			b.Fatal(err)
		}
		for _, x := range out {
			if err := x.Finalize(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{64, 512, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			measure(b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
				y, err := f.DotGeneral(in[0], []int{1}, nil, in[1], []int{0}, nil, compute.DotGeneralConfig{})
				return []compute.Value{y}, err
			}, []testArray{random(rng, dtypes.Float32, n, n), random(rng, dtypes.Float32, n, n)}, 2*float64(n)*float64(n)*float64(n))
		})
	}
}

// criticConvs are a layer of the DCGAN critic: forward, and its gradients with
// respect to the input and the kernel.
func criticConvs() map[string]convCase {
	one, two := []int{1, 1}, []int{2, 2}
	return map[string]convCase{
		"forward": {x: []int{64, 16, 16, 128}, w: []int{4, 4, 128, 256}, axes: imageAxes, strides: two, id: one, kd: one, pads: [][2]int{{1, 1}, {1, 1}}},
		"input":   {x: []int{64, 8, 8, 256}, w: []int{4, 4, 256, 128}, axes: imageAxes, strides: one, id: two, kd: one, pads: [][2]int{{2, 2}, {2, 2}}},
		"kernel":  {x: []int{64, 16, 16, 128}, w: []int{64, 8, 8, 256}, axes: kernelAxes, strides: one, id: one, kd: two, pads: [][2]int{{1, 1}, {1, 1}}},
	}
}

const criticConvFlops = 2 * 64 * 8 * 8 * 256 * 4 * 4 * 128

func BenchmarkConv(b *testing.B) {
	for name, c := range criticConvs() {
		b.Run(name, func(b *testing.B) {
			c.groups, c.dt = 1, dtypes.Float32
			measure(b, c.graph, c.inputs(rand.New(rand.NewPCG(1, 1))), criticConvFlops)
		})
	}
}

// BenchmarkChain is a layer's bias, activation and mask on 4 million numbers.
func BenchmarkChain(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	in := []testArray{random(rng, dtypes.Float32, 65536, 64), random(rng, dtypes.Float32, 1, 64)}
	measure(b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
		x, err := f.Add(in[0], in[1])
		if err != nil {
			return nil, err
		}
		zero, err := f.Constant([]float32{0})
		if err != nil {
			return nil, err
		}
		slope, err := f.Constant([]float32{0.2})
		if err != nil {
			return nil, err
		}
		low, err := f.Mul(x, slope)
		if err != nil {
			return nil, err
		}
		up, err := f.GreaterThan(x, zero)
		if err != nil {
			return nil, err
		}
		y, err := f.Where(up, x, low)
		return []compute.Value{y}, err
	}, in, 4*65536*64)
}
