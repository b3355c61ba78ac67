package gan

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

func softplus(x float64) float64 { return math.Log1p(math.Exp(x)) }

// TestObjective compares the games with sums done by hand, for the scores
// real = (2, −1) and fake = (0.5, −3). The weights are 1.5 and 0.5 on the data,
// and 0.25 and 1.75 on the samples.
func TestObjective(t *testing.T) {
	real, fake := []float32{2, -1}, []float32{0.5, -3}
	wReal, wFake := []float32{1.5, 0.5}, []float32{0.25, 1.75}
	s := softplus
	for _, tt := range []struct {
		loss            string
		plain, one, two float64 // of the critic, with weights on no side, on the data, on both
		generator       float64
		weighted        float64 // the generator's, with weights
	}{
		{
			loss:      Wasserstein,
			plain:     -1.75,            // (0.5−3)/2 − (2−1)/2
			one:       -1.25 - 2.5/2,    // 1.5·2 − 0.5·1 = 2.5
			two:       -5.125/2 - 2.5/2, // 0.25·0.5 − 1.75·3 = −5.125
			generator: 1.25,
			weighted:  5.125 / 2,
		},
		{
			loss:      NS,
			plain:     (s(-2)+s(1))/2 + (s(0.5)+s(-3))/2,
			one:       (1.5*s(-2)+0.5*s(1))/2 + (s(0.5)+s(-3))/2,
			two:       (1.5*s(-2)+0.5*s(1))/2 + (0.25*s(0.5)+1.75*s(-3))/2,
			generator: (s(-0.5) + s(3)) / 2,
			weighted:  (0.25*s(-0.5) + 1.75*s(3)) / 2,
		},
		{
			loss:      Hinge,
			plain:     1.75,   // relu(1−2), relu(1+1); relu(1+0.5), relu(1−3): 2/2 + 1.5/2
			one:       1.25,   // 0.5·2/2 + 1.5/2
			two:       0.6875, // 0.5·2/2 + 0.25·1.5/2
			generator: 1.25,
			weighted:  5.125 / 2,
		},
	} {
		t.Run(tt.loss, func(t *testing.T) {
			obj := (&Config{Loss: tt.loss}).objective()
			out := calculate(t, func(in []*Node) []*Node {
				r, f, wr, wf := in[0], in[1], in[2], in[3]
				return []*Node{
					obj.critic(r, f, nil, nil), obj.critic(r, f, wr, nil), obj.critic(r, f, wr, wf),
					obj.generator(f, nil), obj.generator(f, wf),
				}
			}, real, fake, wReal, wFake)
			for k, want := range []float64{tt.plain, tt.one, tt.two, tt.generator, tt.weighted} {
				if !near(out[k], []float64{want}, 1e-6) {
					t.Errorf("number %d is %v, want %v", k, out[k], want)
				}
			}
		})
	}
}

// TestCost: what the critic makes as large as it can is the negative of its
// loss; what the weights make as small as they can is its derivative with
// respect to each of them.
func TestCost(t *testing.T) {
	real, fake, ones := []float64{2, -1, 0.3}, []float64{0.5, -3, 1.4}, []float64{1, 1, 1}
	for _, loss := range []string{Wasserstein, NS, Hinge} {
		t.Run(loss, func(t *testing.T) {
			obj := (&Config{Loss: loss}).objective()
			out := calculate(t, func(in []*Node) []*Node {
				r, f, wr, wf := in[0], in[1], in[2], in[3]
				grads := Gradient(Neg(obj.critic(r, f, wr, wf)), wr, wf)
				share := float64(len(real))
				return []*Node{MulScalar(grads[0], share), obj.cost(r), MulScalar(grads[1], share), obj.fakeCost(f)}
			}, real, fake, ones, ones)
			if !near(out[1], out[0], 1e-12) {
				t.Errorf("cost of the data %v, the derivative is %v", out[1], out[0])
			}
			if !near(out[3], out[2], 1e-12) {
				t.Errorf("cost of the samples %v, the derivative is %v", out[3], out[2])
			}
		})
	}
}

// TestUnbalancedDual: the corrected form charges the pairs that break the
// constraint 2 − √(1−d1) − √(1−d2) ≤ c, the printed one the others.
func TestUnbalancedDual(t *testing.T) {
	for _, tt := range []struct {
		name               string
		d1, d2, c          float64
		corrected, printed float64 // by hand, with the price 10
	}{
		{"feasible", 0, 0, 0.5, 0, -5},                   // 2 − 1 − 1 − 0.5 = −0.5
		{"infeasible", 0.75, 0.75, 0.25, 1.5 - 7.5, 1.5}, // 2 − 0.5 − 0.5 − 0.25 = 0.75
		{"tight", 0.75, 0.75, 1, 1.5, 1.5},
		{"far below", -8, -3, 0, -11, -41}, // 2 − 3 − 2 = −3
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := calculate(t, func(in []*Node) []*Node {
				return []*Node{unbalancedDual(UOT, in[0], in[1], in[2]), unbalancedDual(UOTPrinted, in[0], in[1], in[2])}
			}, []float64{tt.d1}, []float64{tt.d2}, []float64{tt.c})
			if !near(out[0], []float64{tt.corrected}, 1e-9) || !near(out[1], []float64{tt.printed}, 1e-9) {
				t.Errorf("corrected %v, printed %v; want %v, %v", out[0], out[1], tt.corrected, tt.printed)
			}
		})
	}
}

// TestUnbalancedMean: each pair is charged for itself, and the values are
// means.
func TestUnbalancedMean(t *testing.T) {
	out := calculate(t, func(in []*Node) []*Node { return []*Node{unbalancedDual(UOT, in[0], in[1], in[2])} },
		[]float64{0, 0.75}, []float64{0, 0.75}, []float64{0.5, 0.25})
	if want := 0.75 - 10*0.75/2; !near(out[0], []float64{want}, 1e-9) {
		t.Errorf("got %v, want %v", out[0], want)
	}
}

func TestAtMostOne(t *testing.T) {
	out := calculate(t, func(in []*Node) []*Node { return []*Node{atMostOne(in[0])} }, []float64{-50, -1, 0, 1, 50})
	want := []float64{1 - softplus(50), 1 - softplus(1), 1 - math.Ln2, 1 - softplus(-1), 1}
	if !near(out[0], want, 1e-9) {
		t.Errorf("got %v, want %v", out[0], want)
	}
}

// TestGradientPenalty takes critics with known gradients: a linear one, whose
// gradient (3, 4) has the norm 5 everywhere, and half the square of the norm,
// whose gradient is the point itself.
func TestGradientPenalty(t *testing.T) {
	real := [][]float64{{3, 4}, {0, 0}}
	fake := [][]float64{{0, 0}, {6, 8}}
	u := []float64{1, 0.25} // x̂ = (3, 4) and (4.5, 6)
	for _, tt := range []struct {
		name   string
		critic func(x *Node) *Node
		want   float64
	}{
		{"linear", func(x *Node) *Node {
			return ReduceSum(Mul(x, Const(x.Graph(), [][]float64{{3, 4}})), 1)
		}, 16},
		{"square", func(x *Node) *Node { return MulScalar(ReduceSum(Square(x), 1), 0.5) }, (4.0*4 + 6.5*6.5) / 2},
		{"flat", func(x *Node) *Node { return ReduceSum(MulScalar(x, 0), 1) }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := calculate(t, func(in []*Node) []*Node {
				return []*Node{gradientPenalty(in[0], in[1], in[2], tt.critic)}
			}, real, fake, u)
			if !near(out[0], []float64{tt.want}, 1e-5) {
				t.Errorf("got %v, want %v", out[0], tt.want)
			}
		})
	}
}

// TestGradientPenaltyOfImages sums over all axes of an image.
func TestGradientPenaltyOfImages(t *testing.T) {
	images := [][][][]float64{{{{1}, {2}}, {{3}, {4}}}} // [1,2,2,1]
	out := calculate(t, func(in []*Node) []*Node {
		return []*Node{gradientPenalty(in[0], in[0], in[1], func(x *Node) *Node { return MulScalar(ReduceSum(x, 1, 2, 3), 2) })}
	}, images, []float64{0.5})
	if !near(out[0], []float64{9}, 1e-5) { // the gradient is 2 in four pixels: norm 4
		t.Errorf("got %v, want 9", out[0])
	}
}

// TestGradientPenaltyGradient: a flat critic has a gradient to learn from, not
// a NaN.
func TestGradientPenaltyGradient(t *testing.T) {
	out := calculate(t, func(in []*Node) []*Node {
		penalty := gradientPenalty(in[0], in[1], in[2], func(x *Node) *Node { return ReduceSum(Mul(x, in[3]), 1) })
		return []*Node{Reshape(Gradient(penalty, in[3])[0], -1)}
	}, [][]float32{{1, 2}}, [][]float32{{3, 4}}, []float32{0.5}, [][]float32{{0, 0}})
	if !near(out[0], []float64{0, 0}, 1) {
		t.Errorf("the gradient at 0 is %v", out[0])
	}
}
