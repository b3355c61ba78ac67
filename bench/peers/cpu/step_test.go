//go:build unix

// Package cpu_test times matrix products and training steps on a backend, for
// comparison with twin.py, which does the same in PyTorch (see run.py):
//
//	go test ./bench/peers/cpu -run '^$' -bench Step/dcgan -benchtime 5s -backend cpu
//
// For what GoMLX's own Go backend takes, with rot's lowering and as GoMLX
// convolves by itself, both with the same networks on fewer images:
//
//	go test ./bench/peers/cpu -run '^$' -bench 'Step/^dcgan' -benchtime 1x -batch 2 -backend go
//
// Beside Go's mean it reports the best rate, the least time of a step on all
// cores together, and the most memory that the process has had.
package cpu_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/engine"
	"rot.example/rot/nn"
)

var (
	backendName = flag.String("backend", "cpu", "backend of package engine")
	batchSize   = flag.Int("batch", 64, "images of a step")
	typeName    = flag.String("dtype", "f32", "type that products and layers calculate in, f32 or bf16")
)

func BenchmarkStep(b *testing.B) {
	for _, workload := range []string{"gemm512", "gemm1024", "gemm2048", "dcgan", "dcgan-general", "tiny", "lenet", "resnet18"} {
		b.Run(workload, func(b *testing.B) {
			backend, err := engine.Open(*backendName, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer backend.Close()
			if err := measure(b, backend, workload); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// measure reports the best rate of a workload.
func measure(b *testing.B, backend *engine.Backend, workload string) error {
	step, work, unit, err := prepare(backend, workload)
	if err != nil {
		return err
	}
	if err := step(); err != nil { // compiles
		return err
	}
	best, busy := time.Hour, time.Hour
	usage, err := used()
	for b.Loop() {
		t, before := time.Now(), cpuTime(usage)
		if err := step(); err != nil {
			return err
		}
		best = min(best, time.Since(t))
		if usage, err = used(); err != nil {
			return err
		}
		busy = min(busy, cpuTime(usage)-before)
	}
	b.ReportMetric(work/best.Seconds(), unit)
	b.ReportMetric(1e3*busy.Seconds(), "cpu-ms")
	b.ReportMetric(float64(usage.Maxrss)/1024, "rss-MB")
	return err
}

func used() (u syscall.Rusage, err error) {
	err = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u, err
}

// cpuTime is what a process has used of all cores.
func cpuTime(u syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// prepare returns a step of a workload, how much work it is, and its unit.
func prepare(b *engine.Backend, workload string) (step func() error, work float64, unit string, err error) {
	if size, ok := strings.CutPrefix(workload, "gemm"); ok {
		n, err := strconv.Atoi(size)
		if err != nil {
			return nil, 0, "", err
		}
		step, err := gemm(b, n)
		return step, 2 * float64(n) * float64(n) * float64(n) / 1e9, "GFLOP/s", err
	}
	batch := *batchSize
	var in []any
	var f func(s *nn.Scope, in []*Node) []*Node
	switch workload {
	case "dcgan", "dcgan-general":
		in = []any{normal(b, 1, batch, 32, 32, 3), normal(b, 2, batch, 32, 32, 3), normal(b, 3, batch, 1, 1, 1)}
		layer := conv
		if workload == "dcgan-general" {
			layer = convGeneral
		}
		f = criticStep(func(s *nn.Scope, x *Node) *Node { return dcgan(s, x, layer) })
	case "tiny":
		in = []any{normal(b, 1, batch, 28, 28, 1), normal(b, 2, batch, 28, 28, 1), normal(b, 3, batch, 1, 1, 1)}
		f = criticStep(tiny)
	case "lenet":
		in = []any{normal(b, 1, batch, 28, 28, 1), classes(batch)}
		f = classifierStep(func(s *nn.Scope, x *Node) *Node { return nn.LeNet{}.Features(s, x) })
	case "resnet18":
		in = []any{normal(b, 1, batch, 32, 32, 3), classes(batch)}
		f = classifierStep(func(s *nn.Scope, x *Node) *Node { return nn.ResNet{}.Features(s, x) })
	default:
		return nil, 0, "", fmt.Errorf("there is no workload %q", workload)
	}
	p := nn.NewProgram(b, nn.NewState(1), workload, f)
	return func() error {
		out, err := p.Run(in...)
		if err == nil {
			err = out[0].FinalizeAll()
		}
		return err
	}, float64(batch), "images/s", nil
}

func gemm(b *engine.Backend, n int) (func() error, error) {
	exec, err := NewExec(b.Backend, func(x, y *Node) *Node { return MatMul(x, y) })
	if *typeName == "bf16" {
		exec, err = NewExec(b.Backend, func(x, y *Node) *Node {
			return ConvertDType(MatMul(ConvertDType(x, dtypes.BFloat16), ConvertDType(y, dtypes.BFloat16)), dtypes.Float32)
		})
	}
	if err != nil {
		return nil, err
	}
	x, y := normal(b, 1, n, n), normal(b, 2, n, n)
	return func() error {
		out, err := exec.Call(x, y)
		if err == nil {
			err = out[0].FinalizeAll()
		}
		return err
	}, nil
}

// calculate is the type that layers calculate in.
func calculate() dtypes.DType {
	if *typeName == "bf16" {
		return dtypes.BFloat16
	}
	return dtypes.Float32
}

// criticStep is a step of the WGAN-GP critic on real and fake images [B,H,W,C]
// with mixing weights [B,1,1,1].
func criticStep(critic func(s *nn.Scope, x *Node) *Node) func(s *nn.Scope, in []*Node) []*Node {
	return func(s *nn.Scope, in []*Node) []*Node {
		real, fake, eps := in[0], in[1], in[2]
		d := s.In("D").Compute(calculate()).Training()
		batch := real.Shape().Dimensions[0]
		both := critic(d, Concatenate([]*Node{real, fake}, 0))
		r, k := Slice(both, AxisRange(0, batch)), Slice(both, AxisRange(batch, 2*batch))
		mixed := Add(fake, Mul(eps, Sub(real, fake)))
		grad := nn.Flatten(Gradient(ReduceAllSum(critic(d, mixed)), mixed)[0])
		norm := Sqrt(AddScalar(ReduceSum(Square(grad), 1), 1e-12))
		penalty := ReduceAllMean(Square(AddScalar(norm, -1)))
		loss := Add(Sub(ReduceAllMean(k), ReduceAllMean(r)), MulScalar(penalty, 10))
		nn.Adam{LR: 1e-4, Beta1: 0, Beta2: 0.9}.Minimize(s, loss, "D", nil)
		return []*Node{loss}
	}
}

// A layer is a convolution with one row of zeros around the images.
type layer func(s *nn.Scope, x *Node, out, kernel, stride int) *Node

// conv is rot's own, which consists of matrix products on GoMLX's Go backend.
func conv(s *nn.Scope, x *Node, out, kernel, stride int) *Node {
	return nn.Conv{Out: out, Kernel: kernel, Conv: engine.Conv{Stride: stride, Pad: 1}}.Apply(s, x)
}

// convGeneral is GoMLX's convolution, the same operation on every backend. Its
// gradients are convolutions as well: package engine has the rules for them.
func convGeneral(s *nn.Scope, x *Node, out, kernel, stride int) *Node {
	w := s.Param("w", nn.HeUniform, kernel, kernel, x.Shape().Dimensions[3], out)
	b := s.Param("b", nn.Constant(0), out)
	y := Convolve(x, w).Strides(stride).PaddingPerDim([][2]int{{1, 1}, {1, 1}}).Done()
	return Add(y, Reshape(b, 1, 1, 1, out))
}

// dcgan is the critic of preset dcgan at 32×32.
func dcgan(s *nn.Scope, x *Node, conv layer) *Node {
	x = nn.LeakyReLU(conv(s.In("conv0"), x, 64, 3, 1), 0.2)
	for i, out := range []int{128, 256, 512} {
		x = nn.LeakyReLU(conv(s.At("conv", i+1), x, out, 4, 2), 0.2)
	}
	return nn.Head{}.Apply(s, nn.Flatten(x), nil)
}

// tiny is the critic of preset tiny.
func tiny(s *nn.Scope, x *Node) *Node {
	for i, out := range []int{32, 64} {
		x = nn.LeakyReLU(conv(s.At("conv", i), x, out, 4, 2), 0.2)
	}
	return nn.Head{}.Apply(s, nn.Flatten(x), nil)
}

// classifierStep is a step of SGD on images and their classes, ten of them.
func classifierStep(features func(s *nn.Scope, x *Node) *Node) func(s *nn.Scope, in []*Node) []*Node {
	return func(s *nn.Scope, in []*Node) []*Node {
		m := s.In("M").Compute(calculate()).Training()
		logits := ConvertDType(nn.Dense{Out: 10}.Apply(m.In("C"), features(m.In("F"), in[0])), dtypes.Float32)
		loss := Neg(ReduceAllMean(ReduceSum(Mul(LogSoftmax(logits, 1), OneHot(in[1], 10, logits.DType())), 1)))
		nn.SGD{LR: 0.01, Momentum: 0.9, WeightDecay: 5e-4}.Minimize(s, loss, "M", nil)
		return []*Node{loss}
	}
}

// normal is an array that the backend shares with us, as numpy does.
func normal(b *engine.Backend, seed uint64, dims ...int) *tensors.Tensor {
	t, err := tensors.FromShapeForBackend(b.Backend, 0, shapes.Make(dtypes.Float32, dims...))
	if err != nil {
		panic(err)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	tensors.MustMutableFlatData(t, func(x []float32) {
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
	})
	return t
}

func classes(n int) *tensors.Tensor {
	y := make([]int32, n)
	for i := range y {
		y[i] = int32(i % 10)
	}
	return tensors.FromFlatDataAndDimensions(y, n)
}
