package nn

import (
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// An Optimizer adds to a graph the update of the parameters under a path that
// lowers a loss. rate multiplies the learning rate; nil means 1. It returns
// the norm of the gradient.
type Optimizer interface {
	Minimize(s *Scope, loss *Node, under string, rate *Node) (gradNorm *Node)
}

// Adam is the optimizer of Kingma and Ba (2015).
type Adam struct {
	LR           float64
	Beta1, Beta2 float64
	Epsilon      float64 // 0 means 1e-8
	WeightDecay  float64 // decoupled, as in AdamW
}

// Minimize implements Optimizer. The moments live under "adam/".
func (a Adam) Minimize(s *Scope, loss *Node, under string, rate *Node) *Node {
	names, params, grads := gradients(s, loss, under)
	opt := s.root().In("adam")
	steps := opt.In(under).Buffer("steps", Constant(0))
	t := AddScalar(steps, 1)
	opt.In(under).Set("steps", t)
	eps := a.Epsilon
	if eps == 0 {
		eps = 1e-8
	}
	correct := func(beta float64) *Node {
		if beta == 0 {
			return OnesLike(t)
		}
		return OneMinus(Exp(MulScalar(t, math.Log(beta)))) // 1 − βᵗ
	}
	c1, c2 := correct(a.Beta1), Sqrt(correct(a.Beta2))
	lr := scaled(t, a.LR, rate)
	for i, name := range names {
		p, g := params[i], grads[i]
		o := opt.In(name)
		m := blend(o, "m", g, a.Beta1)
		v := blend(o, "v", Square(g), a.Beta2)
		step := Div(Div(m, c1), AddScalar(Div(Sqrt(v), c2), eps))
		if a.WeightDecay > 0 {
			step = Add(step, MulScalar(p, a.WeightDecay))
		}
		s.root().Set(name, Sub(p, Mul(step, lr)))
	}
	return norm(grads)
}

// SGD is stochastic gradient descent with momentum and weight decay, in
// PyTorch's form: v ← μv + g + λp, p ← p − lr·v.
type SGD struct {
	LR          float64
	Momentum    float64
	WeightDecay float64
}

// Minimize implements Optimizer. The velocities live under "sgd/".
func (o SGD) Minimize(s *Scope, loss *Node, under string, rate *Node) *Node {
	names, params, grads := gradients(s, loss, under)
	lr := scaled(params[0], o.LR, rate)
	for i, name := range names {
		step := Add(grads[i], MulScalar(params[i], o.WeightDecay))
		if o.Momentum > 0 {
			at := s.root().In("sgd").In(name)
			step = Add(MulScalar(at.Buffer("v", Constant(0), step.Shape().Dimensions...), o.Momentum), step)
			at.Set("v", step)
		}
		s.root().Set(name, Sub(params[i], Mul(step, lr)))
	}
	return norm(grads)
}

// gradients returns the gradients of loss with respect to the parameters under a path that
// the graph has used so far.
func gradients(s *Scope, loss *Node, under string) (names []string, params, grads []*Node) {
	for _, name := range s.b.order {
		if s.b.learn[name] && within(name, under) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		panic(fmt.Sprintf("nn: the graph uses no parameters under %q", under))
	}
	slices.Sort(names)
	for _, name := range names {
		params = append(params, s.b.current(name))
	}
	s.b.where = "gradient of " + under
	return names, params, Gradient(loss, params...)
}

// blend updates the running mean o/name of x and returns it.
func blend(o *Scope, name string, x *Node, keep float64) *Node {
	old := o.Buffer(name, Constant(0), x.Shape().Dimensions...)
	now := Add(MulScalar(old, keep), MulScalar(x, 1-keep))
	o.Set(name, now)
	return now
}

// scaled is the learning rate in the type of a parameter, which the loss need not
// have.
func scaled(param *Node, lr float64, rate *Node) *Node {
	n := Scalar(param.Graph(), param.DType(), lr)
	if rate != nil {
		n = Mul(n, ConvertDType(rate, n.DType()))
	}
	return n
}

// norm is the Euclidean norm of all of xs together.
func norm(xs []*Node) *Node {
	var sum *Node
	for _, x := range xs {
		if s := ReduceAllSum(Square(x)); sum == nil {
			sum = s
		} else {
			sum = Add(sum, s)
		}
	}
	return Sqrt(sum)
}

// root is the Scope at the top of the State.
func (s *Scope) root() *Scope {
	t := *s
	t.path = ""
	return &t
}

// EMA keeps running means of every array under a path, parameters and buffers
// alike, under "ema/": a network built in s.In("ema") uses them. Call it after
// the optimizer. The mean starts at the first value that it sees.
func EMA(s *Scope, decay float64, under string) {
	top := s.root()
	steps := top.In("ema").In(under).Buffer("steps", Constant(0))
	top.In("ema").In(under).Set("steps", AddScalar(steps, 1))
	// After few steps the mean over all of them is better than one that still
	// remembers the beginning.
	keep := Min(MulScalar(OnesLike(steps), decay), Div(steps, AddScalar(steps, 1)))
	for _, name := range slices.Clone(s.b.order) {
		if !within(name, under) {
			continue
		}
		p := s.b.current(name)
		o := top.In("ema")
		old := o.Buffer(name, Constant(0), p.Shape().Dimensions...)
		o.Set(name, Add(Mul(old, keep), Mul(StopGradient(p), OneMinus(keep))))
	}
}

// A Schedule gives the factor of the learning rate at a step.
type Schedule func(step int) float64

// Steady is the schedule that leaves the rate alone.
func Steady(int) float64 { return 1 }

// LinearDecay returns the schedule that falls from 1 at step from to 0 at step to.
func LinearDecay(from, to int) Schedule {
	return func(step int) float64 {
		if step <= from {
			return 1
		}
		return max(0, float64(to-step)/float64(to-from))
	}
}

// Inv returns the schedule (1 + γ·step)^−power of domain adaptation, with γ = 1e-4
// and power = 0.75 in the paper.
func Inv(gamma, power float64) Schedule {
	return func(step int) float64 { return math.Pow(1+gamma*float64(step), -power) }
}
