package da

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/nn"
	"rot.example/rot/train"
)

// The weights of the target: 1 during the warm-up, then those of the bank or
// of the weight network.

// weighs reports whether the weights of a step have left 1.
func (t *Trainer) weighs(step int) bool {
	return t.c.robust() && t.c.Rho > 0 && step > t.c.WarmUp
}

// Weights returns the weights of the target, with mean 1: those of the bank, or
// what the weight network gives the whole target. They belong to the networks in
// training, also after UseBest.
func (t *Trainer) Weights() ([]float64, error) {
	if t.saved.Bank != nil {
		return t.saved.Bank.Weights(), nil
	}
	if t.weights == nil {
		w := train.EqualWeights(t.data.Target.N)
		if t.c.weightNet() && t.weighs(t.saved.Step) {
			rows, err := t.over(context.Background(), t.raw, t.data.Target, nil)
			if err != nil {
				return nil, err
			}
			raw := make([]float64, len(rows))
			for i, row := range rows {
				raw[i] = row[0]
			}
			w = train.WeighAll(raw, t.c.Rho)
		}
		t.weights = w
	}
	return append([]float64(nil), t.weights...), nil
}

// useWeights hands the bank and the radius to the graphs.
func (t *Trainer) useWeights() {
	w := train.EqualWeights(t.data.Target.N)
	if t.saved.Bank != nil {
		w = t.saved.Bank.Weights()
	}
	t.bank = tensors.FromFlatDataAndDimensions(train.Float32s(w), len(w))
	t.rho = tensors.FromFlatDataAndDimensions([]float32{float32(t.c.Rho)}, 1)
	t.weights = nil
}

// refreshDue reports whether the bank is refreshed before a step.
func (t *Trainer) refreshDue(step int) bool {
	return t.saved.Bank != nil && t.weighs(step) && (step-t.c.WarmUp-1)%t.c.BankEvery == 0
}

// refresh gives the bank the exact weights for the networks in use.
func (t *Trainer) refresh(ctx context.Context) error {
	err := t.reweigh(ctx)
	if err != nil {
		return fmt.Errorf("da: step %d: refreshing the weights: %w", t.saved.Step, err)
	}
	t.useWeights()
	return nil
}

func (t *Trainer) reweigh(ctx context.Context) error {
	if t.c.Scores == Transport {
		w, err := t.transport(ctx)
		if err != nil {
			return err
		}
		return t.saved.Bank.Mix(w, t.c.Keep)
	}
	scores, err := t.scores(ctx, nil)
	if err != nil {
		return err
	}
	return t.saved.Bank.Blend(scores, t.c.Keep)
}

// scores returns the scores of the weight program, by the discriminator or the
// classifier, for the target's samples at the given places, nil for all.
func (t *Trainer) scores(ctx context.Context, at []int) ([]float64, error) {
	rows, err := t.over(ctx, t.pass, t.data.Target, at)
	if err != nil {
		return nil, err
	}
	k := len(t.c.Classes)
	scores := make([]float64, len(rows))
	p := make([]float64, k)
	for i, row := range rows {
		if scores[i] = row[k]; t.c.follows() == Uncertainty {
			softmax(p, row[:k])
			scores[i] = entropyOf(p)
		}
	}
	return scores, nil
}

// rawStep runs the networks in use over samples: raw weights.
func (t *Trainer) rawStep(s *nn.Scope, in []*Node) []*Node {
	s = s.Eval()
	step := train.Unpack(in[1], 0)
	return []*Node{t.weigh(s, t.features(s.In("M").In("F"), t.samples(in[0], step.Index)))}
}
