package nn

import (
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
)

// spectralNorm divides w by its largest singular value σ, found by one step of
// power iteration a graph (Miyato et al. 2018). Its two singular vectors are
// part of the State; gradients take them as given.
func spectralNorm(s *Scope, w *Node) *Node {
	return s.once("spectral", func() *Node {
		dims := w.Shape().Dimensions
		out := dims[len(dims)-1]
		m := Reshape(w, -1, out)
		in := m.Shape().Dimensions[0]
		u := s.Buffer("u", s.firstU, out)
		v := s.Buffer("v", s.firstV, in)
		if s.train && !s.frozen {
			fixed := StopGradient(m)
			v = unit(Reshape(MatMul(fixed, Reshape(u, out, 1)), in))
			u = unit(Reshape(MatMul(Reshape(v, 1, in), fixed), out))
			s.Set("u", u)
			s.Set("v", v)
		}
		u, v = StopGradient(u), StopGradient(v)
		sigma := ReduceAllSum(Mul(MatMul(Reshape(v, 1, in), m), Reshape(u, 1, out)))
		return Div(w, sigma)
	})
}

func unit(x *Node) *Node {
	return Div(x, Sqrt(AddScalar(ReduceAllSum(Square(x)), 1e-12)))
}

// spectralStart is the number of power iterations before the first graph, as
// in PyTorch. Without them a network that was never trained would be divided
// by noise.
const spectralStart = 15

// firstU is the Init of u: the iteration from a random start.
func (s *Scope) firstU(u []float64, _ []int, rng *rand.Rand) {
	Normal(0, 1)(u, nil, rng)
	w := fromTensor(s.b.state.get(join(s.path, "w")))
	v := make([]float64, len(w)/len(u))
	for range spectralStart {
		apply(v, w, u)
		applyTransposed(u, w, v)
	}
}

// firstV is the Init of v.
func (s *Scope) firstV(v []float64, _ []int, _ *rand.Rand) {
	apply(v, fromTensor(s.b.state.get(join(s.path, "w"))), fromTensor(s.b.state.get(join(s.path, "u"))))
}

// apply makes v the direction of w·u, for the matrix w [len(v),len(u)].
func apply(v, w, u []float64) {
	for i := range v {
		v[i] = 0
		for j, x := range w[i*len(u) : (i+1)*len(u)] {
			v[i] += x * u[j]
		}
	}
	normalize(v)
}

// applyTransposed makes u the direction of wᵀ·v.
func applyTransposed(u, w, v []float64) {
	clear(u)
	for i, y := range v {
		for j, x := range w[i*len(u) : (i+1)*len(u)] {
			u[j] += x * y
		}
	}
	normalize(u)
}

func normalize(x []float64) {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	for i := range x {
		x[i] /= math.Sqrt(sum + 1e-12)
	}
}
