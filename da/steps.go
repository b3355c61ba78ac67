package da

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/nn"
	"rot.example/rot/train"
)

// The graph of a step takes
//
//	source  [Ns,…]     the source, which stays on the device, as does
//	labels  [Ns]       its classes
//	target  [Nt,…]     the target
//	bank    [Nt]       the weights of the target, from the bank
//	rho     [1]        the radius that a weight network keeps to
//	control [1,2B+6]   the batches of both domains: see package train
//	own     [Nt,K]     with self-training, the labels of the target's own
//
// and that of a pass over the data takes samples and control.

// The positions of what a step reports.
const (
	outClass   = iota // classification loss on the source
	outDisc           // discriminator's loss
	outEntropy        // of the predictions on the target
	outChi2           // of the weights of the batch
	outNorm           // of the gradient of F and C
	outRight          // share of the source batch that is classified right
	outWeight         // what the weight network minimizes
	outRaw            // mean of the network's raw weights, negative ones as 0; 1 without a network
	outOwn            // loss on the target's own labels
)

// trainStep builds the graph that updates D, the weight network if it learns,
// and F and C.
func (t *Trainer) trainStep(learns bool) func(*nn.Scope, []*Node) []*Node {
	return func(s *nn.Scope, in []*Node) []*Node {
		s = s.Training()
		step := train.Unpack(in[5], 0)
		b := t.c.Batch
		is, it := Slice(step.Index, AxisRange(0, b)), Slice(step.Index, AxisRange(b, 2*b))
		m := s.In("M")
		xs := t.samples(in[0], is)
		if t.c.Crop {
			xs = crop(step, xs, t.c.CropArea)
		}
		if t.c.Zoom > 1 {
			xs = zoom(step, xs, t.pixels(ScalarZero(s.Graph(), dtypes.Float32)), t.c.Zoom)
		}
		xs = t.flip(step, xs)
		y := OneHot(Gather(in[1], Reshape(is, b, 1)), len(t.c.Classes), dtypes.Float32)
		fs := t.features(m.In("F"), xs)
		logits := t.classify(m, fs)
		class := crossEntropy(logits, y)
		right := ReduceAllMean(ConvertDType(Equal(ArgMax(logits, 1), ArgMax(y, 1)), dtypes.Float32))
		zero := ScalarZero(s.Graph(), dtypes.Float32)
		if !t.c.adapts() {
			norm := t.optimizer().Minimize(s, class, "M", step.Rate)
			return []*Node{row(class, zero, zero, zero, norm, right, zero, OnesLike(zero), zero)}
		}

		ft := t.features(m.In("F"), t.samples(in[2], it))
		var w, chi2, raw, learned *Node
		if learns {
			raw = t.weigh(s, StopGradient(ft))
			learned, chi2 = train.Weigh(raw, Reshape(in[4]))
			w = StopGradient(learned)
		} else {
			w = Gather(in[3], Reshape(it, b, 1))
			w = Div(w, AddScalar(ReduceAllMean(w), 1e-12)) // mean 1 over the batch, not only over the data
			chi2 = ReduceAllMean(Square(AddScalar(w, -1)))
		}

		disc := t.objective(t.discriminate(s, StopGradient(fs)), t.discriminate(s, StopGradient(ft)), w)
		t.adam(s, disc, "D")

		// F ascends on what D descends on, against the D of this step, and the
		// weights descend on what they leave of it.
		frozen := s.Frozen()
		dt := t.discriminate(frozen, ft)
		weight, rawMean := zero, OnesLike(zero)
		if learns {
			rawMean = ReduceAllMean(MaxScalar(raw, 0))
			weight = mean(StopGradient(t.cost(dt)), learned)
			t.adam(s, Add(weight, train.Anchor(raw)), "W")
		}
		deceived := t.objective(t.discriminate(frozen, fs), dt, w)
		total := Sub(class, Mul(deceived, Mul(step.Flag, MulScalar(step.Scale, t.c.Align))))
		entropy := mean(entropies(t.classify(m, ft)), w)
		if t.c.Entropy > 0 {
			total = Add(total, Mul(entropy, MulScalar(step.Scale, t.c.Entropy)))
		}
		own := zero
		if t.c.selfTrains() {
			own = mean(crossEntropies(t.classify(m, ft), Gather(in[6], Reshape(it, b, 1))), w)
			total = Add(total, MulScalar(own, t.c.SelfTrain))
		}
		norm := t.optimizer().Minimize(s, total, "M", step.Rate)
		return []*Node{row(class, disc, entropy, chi2, norm, right, weight, rawMean, own)}
	}
}

// objective returns the loss that the discriminator minimizes: its scores are high on the
// source.
func (t *Trainer) objective(source, target, w *Node) *Node {
	switch t.c.Loss {
	case Wasserstein:
		return Sub(mean(target, w), ReduceAllMean(source))
	case Hinge:
		return Add(ReduceAllMean(MaxScalar(OneMinus(source), 0)), mean(MaxScalar(OnePlus(target), 0), w))
	}
	return Add(ReduceAllMean(Softplus(Neg(source))), mean(Softplus(target), w))
}

// cost returns the cost of each target sample, whose weighted mean the weights
// minimize: low where a sample looks like the source.
func (t *Trainer) cost(target *Node) *Node {
	switch t.c.Loss {
	case Wasserstein:
		return Neg(target)
	case Hinge:
		return Neg(MaxScalar(OnePlus(target), 0))
	}
	return Neg(Softplus(target))
}

// passStep runs the networks in use over samples: logits [B,classes] and the
// cost of each, in one array [B,classes+1].
func (t *Trainer) passStep(s *nn.Scope, in []*Node) []*Node {
	s = s.Eval()
	step := train.Unpack(in[1], 0)
	f := t.features(s.In("M").In("F"), t.samples(in[0], step.Index))
	logits := t.classify(s.In("M"), f)
	cost := ScalarZero(s.Graph(), dtypes.Float32)
	column := BroadcastToDims(Reshape(cost, 1, 1), logits.Shape().Dimensions[0], 1)
	if t.c.adapts() {
		column = Reshape(t.cost(t.discriminate(s, f)), -1, 1)
	}
	return []*Node{Concatenate([]*Node{logits, column}, 1)}
}

// The mean and standard deviation of ImageNet's channels, which the ResNets
// were made for.
var (
	imageMean = [][][][]float32{{{{0.485, 0.456, 0.406}}}}
	imageSD   = [][][][]float32{{{{0.229, 0.224, 0.225}}}}
)

// samples returns the samples at index, prepared for F: pixels in [−1, 1], or for a
// ResNet as ImageNet's.
func (t *Trainer) samples(values, index *Node) *Node {
	x := Gather(values, Reshape(index, -1, 1))
	if t.c.Size == 0 {
		return x
	}
	return t.pixels(ConvertDType(x, dtypes.Float32))
}

// pixels scales bytes to the numbers that F takes.
func (t *Trainer) pixels(x *Node) *Node {
	x = MulScalar(x, 1.0/255)
	if t.c.Net == "lenet" {
		x = AddScalar(MulScalar(x, 2), -1)
	} else {
		x = Div(Sub(x, Const(x.Graph(), imageMean)), Const(x.Graph(), imageSD))
	}
	for x.Rank() < 4 {
		x = ExpandDims(x, 0) // a single value is that of every pixel
	}
	return x
}

// flip mirrors each image with probability ½, if the configuration asks for it.
func (t *Trainer) flip(step *train.Step, x *Node) *Node {
	if !t.c.Flip {
		return x
	}
	mirror := GreaterThan(step.Uniform(x.Shape().Dimensions[0], 1, 1, 1), Scalar(x.Graph(), dtypes.Float32, 0.5))
	return Where(BroadcastToDims(mirror, x.Shape().Dimensions...), Reverse(x, 2), x)
}

// adam updates the discriminator or the weight network.
func (t *Trainer) adam(s *nn.Scope, loss *Node, under string) {
	nn.Adam{LR: t.c.CriticLR, Beta1: 0.9, Beta2: 0.999}.Minimize(s, loss, under, nil)
}

func (t *Trainer) optimizer() nn.Optimizer {
	if t.c.Optimizer == "adam" {
		return nn.Adam{LR: t.c.LR, Beta1: 0.9, Beta2: 0.999}
	}
	return nn.SGD{LR: t.c.LR, Momentum: 0.9, WeightDecay: 5e-4}
}

func crossEntropy(logits, onehot *Node) *Node {
	return ReduceAllMean(crossEntropies(logits, onehot))
}

// crossEntropies returns the cross-entropy of each prediction, [B]; 0 where a
// row of labels is 0.
func crossEntropies(logits, labels *Node) *Node {
	return Neg(ReduceSum(Mul(LogSoftmax(logits, 1), labels), 1))
}

// entropies returns the entropy of each prediction, [B].
func entropies(logits *Node) *Node {
	p := LogSoftmax(logits, 1)
	return Neg(ReduceSum(Mul(Exp(p), p), 1))
}

func mean(x, w *Node) *Node { return ReduceAllMean(Mul(x, w)) }

// row puts everything that a step reports into one array, which is one transfer
// from the device.
func row(values ...*Node) *Node {
	for i, v := range values {
		values[i] = Reshape(ConvertDType(v, dtypes.Float32), 1)
	}
	return Concatenate(values, 0)
}
