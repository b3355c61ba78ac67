package da

import (
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// watch counts the steps in a row at which the weights that a network gave look
// bad.
func (t *Trainer) watch(step int, out []float64) {
	if t.c.weightNet() && t.weighs(step) && train.LooksCollapsed(out[outChi2], out[outRaw], t.c.Batch) {
		t.progress.Collapsed++
	} else {
		t.progress.Collapsed = 0
	}
}

// broken returns why the run cannot go on, or nil.
func (t *Trainer) broken(r Record, out []float64) error {
	err := train.Diverged(r.quantities())
	if err == nil && t.progress.Collapsed >= train.CollapsedFor {
		err = train.Collapsed(r.ESS, out[outRaw], t.c.Batch)
	}
	return err
}

// stop saves the target's part of the batch of a step and returns the error
// that ends the run.
func (t *Trainer) stop(run *runs.Run, r Record, cause error) error {
	return train.Stop(run, r.Step, cause, r.quantities(), t.data.Target, t.targets(max(1, r.Step)))
}
