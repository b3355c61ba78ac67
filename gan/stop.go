package gan

import (
	"fmt"

	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// Weights look collapsed when hardly any sample of a batch counts, or hardly
// more than one, or when every raw weight is 0 and the network has no gradient
// left. One batch may look so by chance; this many in a row do not.
const (
	leastShare = 0.02
	leastESS   = 1.1
	manyInARow = 50
	whatHelps  = "a smaller --lr or --weight-lr, a longer --warm-up or another --seed usually helps"
)

// withBF16 is what helps besides when training has diverged.
const withBF16 = ", and with --dtype bf16 so does f32"

// watch counts the weight updates in a row that look bad.
func (t *Trainer) watch(out []float64) {
	chi2, raw := out[1], out[2]
	if raw < train.WeightFloor || 1/(1+chi2) < max(leastShare, leastESS/float64(t.c.Batch)) {
		t.latest.Collapsed++
	} else {
		t.latest.Collapsed = 0
	}
}

// broken says in plain words why the run cannot go on, or nothing.
func (t *Trainer) broken(r Record, out []float64) string {
	if reason := train.Diverged([]train.Quantity{
		{Name: "the critic's loss", Value: r.CriticLoss}, {Name: "the gradient penalty", Value: r.GradientPenalty},
		{Name: "the critic's gradient", Value: r.GradientNorm}, {Name: "the weights' divergence", Value: r.Divergence},
		{Name: "the weights' loss", Value: r.WeightLoss}, {Name: "the generator's loss", Value: r.GeneratorLoss},
	}); reason != "" {
		return reason + withBF16
	}
	if t.latest.Collapsed >= manyInARow {
		if out[outRaw] < train.WeightFloor {
			return "the weight network gives every sample 0 and no longer learns; " + whatHelps
		}
		return fmt.Sprintf("the weights have collapsed on %.1f of %d samples of a batch; %s", r.ESS, t.c.Batch, whatHelps)
	}
	return ""
}

// stop saves the batch of a step and returns the error that ends the run.
func (t *Trainer) stop(run *runs.Run, r Record, reason string) error {
	return train.Stop(run, r.Step, reason, []train.Quantity{
		{Name: "step", Value: float64(r.Step)}, {Name: "critic_loss", Value: r.CriticLoss}, {Name: "generator_loss", Value: r.GeneratorLoss},
		{Name: "weight_loss", Value: r.WeightLoss}, {Name: "gradient_penalty", Value: r.GradientPenalty},
		{Name: "gradient_norm", Value: r.GradientNorm}, {Name: "divergence", Value: r.Divergence}, {Name: "ess", Value: r.ESS},
	}, t.data, t.order.Batch(nil, r.Step-1))
}
