package nn

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/engine"
)

// The tests in this file compare with what PyTorch computed once
// (testdata/README.md).

// eachPrecision runs a comparison in float64, where only a difference in the
// mathematics can show, and in float32, with what rounding may add. check
// compares an array of ours with one of the reference.
func eachPrecision(t *testing.T, file string, f func(t *testing.T, b *engine.Backend, r *reference, dtype dtypes.DType, check checker)) {
	b := testBackend(t)
	for dtype, tol := range map[dtypes.DType]float64{dtypes.Float64: 1e-10, dtypes.Float32: 1e-5} {
		if b.Kind == "xla" && dtype == dtypes.Float32 {
			tol = 1e-2 // a GPU rounds the factors of matrix products to 10 bits
		}
		t.Run(dtype.String(), func(t *testing.T) {
			r := readReference(t, file)
			var top float64
			f(t, b, r, dtype, func(what string, got *tensors.Tensor, want array) {
				t.Helper()
				diff := worst(fromTensor(got), want.data)
				top = max(top, diff)
				if diff > tol {
					t.Errorf("%s is off by %.2g", what, diff)
				}
			})
			t.Logf("largest difference, relative to the largest number of its array: %.2g", top)
		})
	}
}

type checker func(what string, got *tensors.Tensor, want array)

// A link is a parameter of ours and what PyTorch calls it.
type link struct {
	ours, torch string
	layout      layout
}

// load sets the parameters of ours, which lie under a path.
func load(s *State, r *reference, under, prefix string, links []link) {
	for _, l := range links {
		s.Set(under+"/"+l.ours, r.tensor(prefix+l.torch, l.layout, s.dtype))
	}
}

// The critics of the reference, with c channels after the convolutions and
// h×h pixels.
func criticLinks(c, h int) []link {
	return []link{
		{"conv1/w", "conv1.weight", kernel}, {"conv1/b", "conv1.bias", same},
		{"conv2/w", "conv2.weight", kernel}, {"conv2/b", "conv2.bias", same},
		{"out/w", "out.weight", fromImages(c, h, h)}, {"out/b", "out.bias", same},
	}
}

func critic8(s *Scope, x *Node) *Node {
	halve := engine.Conv{Stride: 2, Pad: 1}
	x = LeakyReLU(Conv{Out: 4, Kernel: 4, Conv: halve}.Apply(s.In("conv1"), x), 0.2)
	x = LeakyReLU(Conv{Out: 6, Kernel: 4, Conv: halve}.Apply(s.In("conv2"), x), 0.2)
	return Head{}.Apply(s, Flatten(x), nil)
}

func critic6(s *Scope, x *Node) *Node {
	x = LeakyReLU(Conv{Out: 4, Kernel: 4, Conv: engine.Conv{Stride: 2, Pad: 1}}.Apply(s.In("conv1"), x), 0.2)
	x = LeakyReLU(Conv{Out: 3, Kernel: 3, Conv: engine.Conv{Pad: 1}}.Apply(s.In("conv2"), x), 0.2)
	return Head{}.Apply(s, Flatten(x), nil)
}

func TestTorchCritic(t *testing.T) {
	eachPrecision(t, "critic", func(t *testing.T, b *engine.Backend, r *reference, dtype dtypes.DType, check checker) {
		state := newState(1, dtype)
		links := criticLinks(6, 2)
		load(state, r, "D", "param/", links)
		var names []string
		p := NewProgram(b, state, "critic", func(s *Scope, in []*Node) []*Node {
			d := s.In("D").Training()
			loss := criticLoss(d, critic8, in[0], in[1], in[2])
			var grads []*Node
			names, _, grads = gradients(s, loss, "D")
			return append([]*Node{critic8(d, in[0]), loss}, grads...)
		})
		out := mustRun(t, p, r.tensor("real", images4, dtype), r.tensor("fake", images4, dtype), r.tensor("eps", same, dtype))
		check("scores", out[0], r.get("scores", same))
		check("loss", out[1], r.get("loss", same))
		checkGrads(t, check, r, "D", names, out[2:], links)
	})
}

func checkGrads(t *testing.T, check checker, r *reference, under string, names []string, grads []*tensors.Tensor, links []link) {
	t.Helper()
	byName := map[string]link{}
	for _, l := range links {
		byName[under+"/"+l.ours] = l
	}
	if len(names) != len(links) {
		t.Fatalf("gradients of %v, want %d of them", names, len(links))
	}
	for i, name := range names {
		l := byName[name]
		check("gradient of "+name, grads[i], r.get("grad/"+l.torch, l.layout))
	}
}

func TestTorchGenerator(t *testing.T) {
	links := []link{
		{"dense/w", "dense.weight", toImages(4, 3, 3)},
		{"norm1/scale", "norm1.weight", same}, {"norm1/offset", "norm1.bias", same},
		{"conv/w", "conv.weight", transposedKernel},
		{"norm2/scale", "norm2.weight", same}, {"norm2/offset", "norm2.bias", same},
	}
	net := func(s *Scope, z *Node) *Node {
		x := Reshape(Dense{Out: 36, NoBias: true}.Apply(s.In("dense"), z), -1, 3, 3, 4)
		x = ReLU(BatchNorm{}.Apply(s.In("norm1"), x, nil))
		x = ConvTranspose{Out: 3, Kernel: 4, ConvTranspose: engine.ConvTranspose{Stride: 2, Pad: 1}, NoBias: true}.Apply(s.In("conv"), x)
		return Tanh(BatchNorm{}.Apply(s.In("norm2"), x, nil))
	}
	eachPrecision(t, "generator", func(t *testing.T, b *engine.Backend, r *reference, dtype dtypes.DType, check checker) {
		state := newState(1, dtype)
		load(state, r, "G", "param/", links)
		var names []string
		train := NewProgram(b, state, "train", func(s *Scope, in []*Node) []*Node {
			y := net(s.In("G").Training(), in[0])
			loss := ReduceAllMean(Square(Sub(y, in[1])))
			var grads []*Node
			names, _, grads = gradients(s, loss, "G")
			return append([]*Node{y, loss}, grads...)
		})
		use := NewProgram(b, state, "use", func(s *Scope, in []*Node) []*Node { return []*Node{net(s.In("G").Eval(), in[0])} })
		z := r.tensor("z", same, dtype)
		out := mustRun(t, train, z, r.tensor("target", images4, dtype))
		check("output in training", out[0], r.get("train", images4))
		check("loss", out[1], r.get("loss", same))
		checkGrads(t, check, r, "G", names, out[2:], links)
		for _, l := range []link{
			{"norm1/mean", "norm1.running_mean", same}, {"norm1/var", "norm1.running_var", same},
			{"norm2/mean", "norm2.running_mean", same}, {"norm2/var", "norm2.running_var", same},
		} {
			check(l.ours, state.Get("G/"+l.ours), r.get("buffer/"+l.torch, l.layout))
		}
		check("output in use", mustRun(t, use, z)[0], r.get("eval", images4))
	})
}

func TestTorchSpectral(t *testing.T) {
	links := []link{
		{"conv/w", "conv.weight_orig", kernel}, {"conv/b", "conv.bias", same},
		{"dense/w", "dense.weight_orig", fromImages(3, 4, 4)}, {"dense/b", "dense.bias", same},
	}
	eachPrecision(t, "spectral", func(t *testing.T, b *engine.Backend, r *reference, dtype dtypes.DType, check checker) {
		state := newState(1, dtype)
		load(state, r, "D", "param/", links)
		load(state, r, "D", "start/", []link{{"conv/u", "conv.u", same}, {"dense/u", "dense.u", same}})
		step := NewProgram(b, state, "step", func(s *Scope, in []*Node) []*Node {
			d := s.In("D").Training()
			y := Tanh(Conv{Out: 3, Kernel: 3, Conv: engine.Conv{Pad: 1}, Spectral: true}.Apply(d.In("conv"), in[0]))
			y = Dense{Out: 2, Spectral: true}.Apply(d.In("dense"), Flatten(y))
			loss := ReduceAllMean(Square(Sub(y, in[1])))
			out := []*Node{loss}
			for _, name := range []string{"D/conv/", "D/dense/"} {
				w := s.b.current(name + "w")
				// Any element of w over that of the normalized one.
				out = append(out, Div(ReduceAllSum(w), ReduceAllSum(s.b.memo[name+"spectral/true"])))
			}
			SGD{LR: 0.1}.Minimize(s, loss, "D", nil)
			return out
		})
		for i := 1; i <= 2; i++ {
			prefix := fmt.Sprintf("step%d/", i)
			out := mustRun(t, step, r.tensor("x", images4, dtype), r.tensor("target", same, dtype))
			check(prefix+"loss", out[0], r.get(prefix+"loss", same))
			check(prefix+"conv σ", out[1], r.get(prefix+"conv.sigma", same))
			check(prefix+"dense σ", out[2], r.get(prefix+"dense.sigma", same))
			for _, l := range []link{
				{"conv/u", "conv.u", same}, {"conv/v", "conv.v", vector(2, 3, 3)},
				{"dense/u", "dense.u", same}, {"dense/v", "dense.v", vector(3, 4, 4)},
			} {
				check(prefix+l.ours, state.Get("D/"+l.ours), r.get(prefix+l.torch, l.layout))
			}
			for _, l := range links {
				check(prefix+l.ours, state.Get("D/"+l.ours), r.get(prefix+"param/"+l.torch, l.layout))
			}
		}
	})
}

func TestTorchConditional(t *testing.T) {
	links := []link{
		{"norm/scale", "scale.weight", same}, {"norm/offset", "offset.weight", same},
		{"out/w", "out.weight", matrix}, {"out/b", "out.bias", same}, {"embed/w", "embed.weight", same},
	}
	eachPrecision(t, "conditional", func(t *testing.T, b *engine.Backend, r *reference, dtype dtypes.DType, check checker) {
		state := newState(1, dtype)
		load(state, r, "D", "param/", links)
		var names []string
		p := NewProgram(b, state, "net", func(s *Scope, in []*Node) []*Node {
			d := s.In("D").Training()
			onehot := OneHot(ConvertDType(in[1], dtypes.Int32), 4, dtype)
			x := ReLU(BatchNorm{Classes: 4}.Apply(d.In("norm"), in[0], onehot))
			scores := Head{Classes: 4}.Apply(d, ReduceSum(x, 1, 2), onehot)
			loss := ReduceAllMean(Square(scores))
			var grads []*Node
			names, _, grads = gradients(s, loss, "D")
			return append([]*Node{scores, loss}, grads...)
		})
		out := mustRun(t, p, r.tensor("x", images4, dtype), r.tensor("labels", same, dtype))
		check("scores", out[0], r.get("scores", same))
		check("loss", out[1], r.get("loss", same))
		checkGrads(t, check, r, "D", names, out[2:], links)
		check("running mean", state.Get("D/norm/mean"), r.get("buffer/norm.running_mean", same))
		check("running variance", state.Get("D/norm/var"), r.get("buffer/norm.running_var", same))
	})
}

// TestTorchTraining follows ten steps of a WGAN-GP critic.
func TestTorchTraining(t *testing.T) {
	for name, opt := range map[string]Optimizer{
		"adam":  Adam{LR: 1e-3, Beta1: 0.5, Beta2: 0.9},
		"adam0": Adam{LR: 1e-3, Beta1: 0, Beta2: 0.999},
		"adamw": Adam{LR: 1e-3, Beta1: 0.9, Beta2: 0.999, WeightDecay: 0.1},
		"sgd":   SGD{LR: 1e-3, Momentum: 0.9, WeightDecay: 5e-4},
	} {
		t.Run(name, func(t *testing.T) {
			eachPrecision(t, "training", func(t *testing.T, b *engine.Backend, r *reference, dtype dtypes.DType, check checker) {
				state := newState(1, dtype)
				links := criticLinks(3, 3)
				load(state, r, "D", "param/", links)
				step := NewProgram(b, state, "step", func(s *Scope, in []*Node) []*Node {
					loss := criticLoss(s.In("D").Training(), critic6, in[0], in[1], in[2])
					opt.Minimize(s, loss, "D", nil)
					return []*Node{loss}
				})
				var losses []float64
				for i := range 10 {
					in := func(key string) *tensors.Tensor { return r.tensor(key, batch(i), dtype) }
					losses = append(losses, scalar(mustRun(t, step, in("real"), in("fake"), in("eps"))[0]))
				}
				check("losses", toTensor(losses, shape(10)), r.get(name+"/losses", same))
				for _, l := range links {
					check(l.ours+" in the end", state.Get("D/"+l.ours), r.get(name+"/param/"+l.torch, l.layout))
				}
			})
		})
	}
}
