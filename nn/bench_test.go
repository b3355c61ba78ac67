package nn

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
)

// tinyCritic is a critic of small images, about what fits a CPU.
func tinyCritic(s *Scope, x *Node) *Node {
	halve := engine.Conv{Stride: 2, Pad: 1}
	x = LeakyReLU(Conv{Out: 32, Kernel: 4, Conv: halve}.Apply(s.In("conv1"), x), 0.2)
	x = LeakyReLU(Conv{Out: 64, Kernel: 4, Conv: halve}.Apply(s.In("conv2"), x), 0.2)
	return Head{}.Apply(s, Flatten(x), nil)
}

// criticLoss is the WGAN-GP critic's loss for images real and fake [B,H,W,C]
// and mixing weights eps [B,1,1,1].
func criticLoss(s *Scope, critic func(s *Scope, x *Node) *Node, real, fake, eps *Node) *Node {
	mixed := Add(Mul(eps, real), Mul(OneMinus(eps), fake))
	loss := Sub(ReduceAllMean(critic(s, fake)), ReduceAllMean(critic(s, real)))
	return Add(loss, MulScalar(penalty(critic(s, mixed), mixed), 10))
}

// penalty is that of Gulrajani et al. (2017): mean (‖∇y‖ − 1)² over the batch.
func penalty(y, x *Node) *Node {
	g := Flatten(Gradient(ReduceAllSum(y), x)[0])
	norm := Sqrt(AddScalar(ReduceSum(Square(g), 1), 1e-12))
	return ReduceAllMean(Square(AddScalar(norm, -1)))
}

func BenchmarkCriticStep(b *testing.B) {
	const batch = 64
	step := NewProgram(testBackend(b), NewState(1), "critic step", func(s *Scope, in []*Node) []*Node {
		loss := criticLoss(s.In("D").Training(), tinyCritic, in[0], in[1], in[2])
		return []*Node{loss, Adam{LR: 1e-4, Beta1: 0.5, Beta2: 0.9}.Minimize(s, loss, "D", nil)}
	})
	real, fake, eps := normal32(1, batch, 28, 28, 1), normal32(2, batch, 28, 28, 1), normal32(3, batch, 1, 1, 1)
	mustRun(b, step, real, fake, eps) // compiles
	for b.Loop() {
		mustRun(b, step, real, fake, eps)
	}
	b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "img/s")
}
