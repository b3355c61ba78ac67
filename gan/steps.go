package gan

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/nn"
	"rot.example/rot/train"
)

// The graphs of a run. All of them take the same inputs, so that the trainer
// feeds them alike:
//
//	values  [N,…]    the data set, which stays on the device
//	labels  [N]      its classes; [1] where there are none
//	bank    [N]      the weights of the data; [1] without a bank
//	control [K,…]    one row for each of K steps (see train.Control): the batch,
//	                 and as the flag whether the weights have left 1; K is 1 but
//	                 for critic steps
type inputs struct {
	*train.Step
	c                    *Config
	values, labels, bank *Node
	batch                int
	compute              dtypes.DType
}

// inputs unpacks those of a step.
func (c *Config) inputs(in []*Node) *inputs {
	f := &inputs{Step: train.Unpack(in[3], 0), c: c, values: in[0], labels: in[1], bank: in[2], compute: dtypes.Float32}
	f.batch = f.Index.Shape().Size()
	if c.DType == "bf16" {
		f.compute = dtypes.BFloat16
	}
	return f
}

// real returns the batch of data and its classes. Pixels become [−1, 1], with
// uniform noise that fills the gaps between their 256 levels; without training
// the noise is its mean.
func (f *inputs) real(training bool) (x, onehot *Node) {
	x = Gather(f.values, Reshape(f.Index, f.batch, 1))
	if f.c.Size > 0 {
		x = AddScalar(MulScalar(ConvertDType(x, dtypes.Float32), 1.0/128), -1)
		if training {
			x = Add(x, MulScalar(f.Uniform(x.Shape().Dimensions...), 1.0/128))
		} else {
			x = AddScalar(x, 0.5/128)
		}
	}
	if training && f.c.Flip {
		mirror := GreaterThan(f.Uniform(f.batch, 1, 1, 1), Scalar(x.Graph(), dtypes.Float32, 0.5))
		x = Where(BroadcastToDims(mirror, x.Shape().Dimensions...), Reverse(x, 2), x)
	}
	if f.c.Classes > 0 {
		label := Gather(f.labels, Reshape(f.Index, f.batch, 1))
		onehot = OneHot(label, f.c.Classes, dtypes.Float32)
	}
	return x, onehot
}

// fake returns a batch of generated samples and their classes.
func (f *inputs) fake(s *nn.Scope, net networks) (x, onehot *Node) {
	z := f.Normal(f.batch, f.c.Noise)
	if f.c.Classes > 0 {
		class := Floor(MulScalar(f.Uniform(f.batch), float64(f.c.Classes)))
		onehot = OneHot(ConvertDType(class, dtypes.Int32), f.c.Classes, dtypes.Float32)
	}
	return ConvertDType(net.generator(s.In("G"), z, onehot), dtypes.Float32), onehot
}

// realWeights returns the weights of a batch of data in training, their χ² and
// the raw weights that they were made of; nil for a plain GAN.
func (f *inputs) realWeights(s *nn.Scope, net networks, x *Node) (w, chi2, raw *Node) {
	switch {
	case !f.c.robust():
		return nil, nil, nil
	case f.c.banked():
		// The bank's weights have mean 1 over the data set, not over a batch.
		raw = Gather(f.bank, Reshape(f.Index, f.batch, 1))
		w = Div(raw, AddScalar(ReduceAllMean(raw), 1e-12))
		chi2 = ReduceAllMean(Square(AddScalar(w, -1)))
	default:
		raw = ConvertDType(net.weight(s.In("W"), x), dtypes.Float32)
		w, chi2, _ = f.c.weigh(raw, f.c.Rho)
	}
	return f.afterWarmUp(w), Mul(chi2, f.Flag), MaxScalar(raw, 0)
}

// fakeWeights returns the weights of a batch of samples, nil where they have
// none.
func (f *inputs) fakeWeights(s *nn.Scope, net networks, x *Node) *Node {
	if !f.c.twoSided() {
		return nil
	}
	w, _, _ := f.c.weigh(ConvertDType(net.weight(s.In("V"), x), dtypes.Float32), f.c.TargetRho)
	return f.afterWarmUp(w)
}

// afterWarmUp returns 1 during the warm-up and w later.
func (f *inputs) afterWarmUp(w *Node) *Node {
	return StopGradient(OnePlus(Mul(f.Flag, AddScalar(w, -1))))
}

// scores returns the critic's scores of data and samples. Without batch norm, which
// would mix them, both go through it as one batch.
func (f *inputs) scores(s *nn.Scope, net networks, real, yReal, fake, yFake *Node) (r, k *Node) {
	d := s.In("D")
	if f.c.CriticBN {
		return net.critic(d, real, yReal), net.critic(d, fake, yFake)
	}
	var y *Node
	if yReal != nil {
		y = Concatenate([]*Node{yReal, yFake}, 0)
	}
	both := net.critic(d, Concatenate([]*Node{real, fake}, 0), y)
	return Slice(both, AxisRange(0, f.batch)), Slice(both, AxisRange(f.batch, 2*f.batch))
}

// The positions of a critic step's output.
const (
	outCritic = iota // the loss without the penalty
	outPenalty
	outGradNorm
	outChi2    // of the weights of the batch
	outRaw     // mean of the raw weights, negative ones as 0
	outReal    // mean score of the data
	outFake    // mean score of the samples
	outMetrics // the number of positions
)

// update builds the graph of one update by a step.
func (t *Trainer) update(step func(*nn.Scope, *inputs) *Node) func(*nn.Scope, []*Node) []*Node {
	return func(s *nn.Scope, in []*Node) []*Node { return []*Node{step(s, t.c.inputs(in))} }
}

// updates builds the graph of a number of updates by a step, a row of control
// each.
func (t *Trainer) updates(n int, step func(*nn.Scope, *inputs) *Node) func(*nn.Scope, []*Node) []*Node {
	return nn.Repeat(n, func(s *nn.Scope, in []*Node, row *Node) *Node {
		return step(s, t.c.inputs([]*Node{in[0], in[1], in[2], row}))
	})
}

// criticStep updates the critic.
func (t *Trainer) criticStep(s *nn.Scope, f *inputs) *Node {
	s = s.Compute(f.compute).Training()
	x, yReal := f.real(true)
	fake, yFake := f.fake(s.Frozen(), t.net)
	fake = StopGradient(fake)
	wReal, chi2, raw := f.realWeights(s.Frozen(), t.net, x)
	wFake := f.fakeWeights(s.Frozen(), t.net, fake)
	if t.c.unbalanced() {
		return t.unbalancedStep(s, f, x, fake)
	}
	r, k := f.scores(s, t.net, x, yReal, fake, yFake)
	loss := t.obj.critic(r, k, wReal, wFake)
	total := loss
	penalty := ScalarZero(s.Graph(), loss.DType())
	if t.c.Loss == Wasserstein && t.c.GradientPenalty > 0 {
		penalty = gradientPenalty(x, fake, f.Uniform(f.batch), func(x *Node) *Node {
			return t.net.critic(s.In("D"), x, yReal)
		})
		total = Add(total, MulScalar(penalty, t.c.GradientPenalty))
	}
	norm := t.optimizer(t.c.LR).Minimize(s, total, "D", f.Rate)
	return report(loss, penalty, norm, chi2, raw, r, k)
}

// unbalancedStep updates the two critics of the unbalanced dual.
func (t *Trainer) unbalancedStep(s *nn.Scope, f *inputs, x, fake *Node) *Node {
	d1, d2, dual := t.unbalanced(s, x, fake)
	norm := t.optimizer(t.c.LR).Minimize(s, Neg(dual), "D", f.Rate)
	return report(Neg(dual), ScalarZero(s.Graph(), dual.DType()), norm, nil, nil, d1, d2)
}

func (t *Trainer) unbalanced(s *nn.Scope, x, fake *Node) (d1, d2, dual *Node) {
	d1 = atMostOne(t.net.critic(s.In("D").In("data"), x, nil))
	d2 = atMostOne(t.net.critic(s.In("D").In("model"), fake, nil))
	axes := make([]int, x.Rank()-1)
	for i := range axes {
		axes[i] = i + 1
	}
	// The distance per coordinate, so that it does not grow with the size.
	c := Sqrt(AddScalar(ReduceMean(Square(Sub(x, fake)), axes...), 1e-12))
	return d1, d2, unbalancedDual(t.c.Loss, d1, d2, c)
}

// report puts everything that a step reports into one array, which is one
// transfer from the device.
func report(loss, penalty, norm, chi2, raw, real, fake *Node) *Node {
	zero := ScalarZero(loss.Graph(), loss.DType())
	if chi2 == nil {
		chi2 = zero
	}
	if raw == nil {
		raw = OnesLike(zero)
	}
	row := make([]*Node, outMetrics)
	for i, v := range []*Node{loss, penalty, norm, chi2, ReduceAllMean(raw), ReduceAllMean(real), ReduceAllMean(fake)} {
		row[i] = Reshape(ConvertDType(v, dtypes.Float32), 1)
	}
	return Concatenate(row, 0)
}

// weightStep updates the weight network on the data, and that on the samples
// where there is one. It reports the loss, χ², and the mean of the raw weights,
// negative ones as 0.
func (t *Trainer) weightStep(s *nn.Scope, f *inputs) *Node {
	s = s.Compute(f.compute).Training()
	x, yReal := f.real(true)
	raw := ConvertDType(t.net.weight(s.In("W"), x), dtypes.Float32)
	w, chi2, price := t.c.weigh(raw, t.c.Rho)
	cost := StopGradient(t.obj.cost(t.net.critic(s.Frozen().In("D"), x, yReal)))
	loss := Add(mean(cost, w), price)
	t.optimizer(t.c.WeightLR).Minimize(s, Add(loss, t.c.anchor(raw)), "W", f.Rate)
	if t.c.twoSided() {
		fake, yFake := f.fake(s.Frozen(), t.net)
		fake = StopGradient(fake)
		raw := ConvertDType(t.net.weight(s.In("V"), fake), dtypes.Float32)
		v, _, price := t.c.weigh(raw, t.c.TargetRho)
		cost := StopGradient(t.obj.fakeCost(t.net.critic(s.Frozen().In("D"), fake, yFake)))
		t.optimizer(t.c.WeightLR).Minimize(s, Add(Add(mean(cost, v), price), t.c.anchor(raw)), "V", f.Rate)
	}
	return Concatenate([]*Node{Reshape(loss, 1), Reshape(chi2, 1), Reshape(ReduceAllMean(MaxScalar(raw, 0)), 1)}, 0)
}

// generatorStep updates the generator.
func (t *Trainer) generatorStep(s *nn.Scope, f *inputs) *Node {
	s = s.Compute(f.compute).Training()
	fake, yFake := f.fake(s, t.net)
	var loss *Node
	if t.c.unbalanced() {
		x, _ := f.real(true)
		_, _, loss = t.unbalanced(s.Frozen(), x, fake)
	} else {
		wFake := f.fakeWeights(s.Frozen(), t.net, fake)
		loss = t.obj.generator(t.net.critic(s.Frozen().In("D"), fake, yFake), wFake)
	}
	t.optimizer(t.c.LR).Minimize(s, loss, "G", f.Rate)
	if t.c.EMA > 0 {
		nn.EMA(s, t.c.EMA, "G")
	}
	return Reshape(loss, 1)
}

// scoreStep is one pass of the networks in use over a batch: what the bank
// minimizes, and the raw weights. Either may be empty.
func (t *Trainer) scoreStep(s *nn.Scope, in []*Node) []*Node {
	f := t.c.inputs(in)
	s = s.Compute(f.compute).Eval()
	x, y := f.real(false)
	if t.c.banked() {
		return []*Node{t.obj.cost(t.net.critic(s.In("D"), x, y))}
	}
	return []*Node{ConvertDType(t.net.weight(s.In("W"), x), dtypes.Float32)}
}

// sampleStep makes samples of given noise and classes.
func (t *Trainer) sampleStep(s *nn.Scope, in []*Node) []*Node {
	s = s.Compute(dtypes.Float32).Eval()
	if t.c.EMA > 0 {
		s = s.In("ema")
	}
	var onehot *Node
	if t.c.Classes > 0 {
		onehot = OneHot(in[1], t.c.Classes, dtypes.Float32)
	}
	return []*Node{ConvertDType(t.net.generator(s.In("G"), in[0], onehot), dtypes.Float32)}
}

func (t *Trainer) optimizer(lr float64) nn.Optimizer {
	return nn.Adam{LR: lr, Beta1: t.c.Beta1, Beta2: t.c.Beta2}
}
