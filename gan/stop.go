package gan

import (
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// watch counts the weight updates in a row that look bad.
func (t *Trainer) watch(out []float64) {
	if chi2, raw := out[1], out[2]; train.LooksCollapsed(chi2, raw, t.c.Batch) {
		t.progress.Collapsed++
	} else {
		t.progress.Collapsed = 0
	}
}

// broken returns why the run cannot go on, or nil.
func (t *Trainer) broken(r Record, out []float64) error {
	err := train.Diverged([]train.Quantity{
		{Name: "the critic's loss", Value: r.CriticLoss}, {Name: "the gradient penalty", Value: r.GradientPenalty},
		{Name: "the critic's gradient", Value: r.GradientNorm}, {Name: "the weights' divergence", Value: r.Divergence},
		{Name: "the weights' loss", Value: r.WeightLoss}, {Name: "the generator's loss", Value: r.GeneratorLoss},
	})
	if err == nil && t.progress.Collapsed >= train.CollapsedFor {
		err = train.Collapsed(r.ESS, out[outRaw], t.c.Batch)
	}
	return err
}

// stop saves the batch of a step and returns the error that ends the run.
func (t *Trainer) stop(run *runs.Run, r Record, cause error) error {
	return train.Stop(run, r.Step, cause, []train.Quantity{
		{Name: "step", Value: float64(r.Step)}, {Name: "critic_loss", Value: r.CriticLoss}, {Name: "generator_loss", Value: r.GeneratorLoss},
		{Name: "weight_loss", Value: r.WeightLoss}, {Name: "gradient_penalty", Value: r.GradientPenalty},
		{Name: "gradient_norm", Value: r.GradientNorm}, {Name: "divergence", Value: r.Divergence}, {Name: "ess", Value: r.ESS},
	}, t.data, t.order.Batch(nil, r.Step-1))
}
