package da

import (
	"context"
	"errors"
	"time"

	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// A Record is one line of metrics.jsonl.
type Record struct {
	Step            int     `json:"step"`
	ClassLoss       float64 `json:"class_loss"`         // on the source
	SourceAccuracy  float64 `json:"source_accuracy"`    // on the batch of the source
	CriticLoss      float64 `json:"critic_loss"`        // of the discriminator
	Entropy         float64 `json:"entropy"`            // of the predictions on the target
	Divergence      float64 `json:"divergence"`         // of the weights of the batch, (1/2n) Σ (w−1)²: at most ρ
	ESS             float64 `json:"ess"`                // effective sample size of the batch
	GradientNorm    float64 `json:"gradient_norm"`      // of features and classifier
	WeightLoss      float64 `json:"weight_loss"`        // of the weight network
	OwnLoss         float64 `json:"own_loss,omitempty"` // on the target's own labels
	ImagesPerSecond float64 `json:"images_per_second"`
	Seconds         float64 `json:"seconds"`
}

// Hooks are called by Run as it goes. Any of them may be nil.
type Hooks struct {
	Step   func(r Record)                // after every step
	Eval   func(step int, e *Evaluation) // after every evaluation
	Radius func(r *Radius)               // when the automatic radius is chosen
}

// RunOptions tunes Run. The zero value is ready to use.
type RunOptions struct {
	Hooks
	// Checkpoint is the longest time between two checkpoints; 0 means 30 s.
	Checkpoint time.Duration
}

// Run trains to the end of the configuration's steps. It starts at the newest
// checkpoint of the run's folder, or at step 0, writes metrics.jsonl and
// checkpoints there, and a last checkpoint when ctx is cancelled, so that
// nothing is lost. A *train.StoppedError reports a run that went wrong.
func (t *Trainer) Run(ctx context.Context, run *runs.Run, opts *RunOptions) error {
	if opts == nil {
		opts = &RunOptions{}
	}
	if err := t.Restore(run); err != nil {
		return err
	}
	session, err := train.NewSession(run, &t.saved, &t.progress.Seconds, opts.Checkpoint)
	if err != nil {
		return err
	}
	defer session.Close()

	last := Record{Step: t.saved.Step}
	save := func() error {
		err := session.Save()
		var unsound *train.UnsoundError
		if errors.As(err, &unsound) {
			return t.stop(run, last, unsound.Cause())
		}
		return err
	}
	first := t.saved.Step + 1 // which compiles
	for t.saved.Step < t.c.Steps {
		if ctx.Err() != nil {
			if err := save(); err != nil {
				return err
			}
			return ctx.Err()
		}
		step := t.saved.Step + 1
		if t.c.RhoAuto && t.progress.Radius == nil && step > t.c.WarmUp {
			if err := t.chooseRadius(ctx); ctx.Err() != nil {
				continue // and save
			} else if err != nil {
				return err
			}
			if opts.Radius != nil {
				opts.Radius(t.progress.Radius)
			}
		}
		if t.refreshDue(step) {
			if err := t.refresh(ctx); ctx.Err() != nil {
				continue // and save
			} else if err != nil {
				return err
			}
		}
		if t.labelsDue(step) {
			if err := t.relabel(ctx); ctx.Err() != nil {
				continue // and save
			} else if err != nil {
				return err
			}
		}
		out, err := t.advance(step)
		if err != nil {
			return err
		}
		t.saved.Step = step
		if step == first {
			session.Warm()
		}
		r := t.record(out)
		r.Seconds, r.ImagesPerSecond = session.Seconds(), session.Rate()*float64(t.c.Batch)
		t.watch(step, out)
		if cause := t.broken(r, out); cause != nil {
			return t.stop(run, r, cause)
		}
		last = r
		if opts.Step != nil {
			opts.Step(r)
		}
		if err := session.Log(r, t.c.LogEvery, t.c.Steps); err != nil {
			return err
		}
		if step%t.c.EvalEvery == 0 || step == t.c.Steps {
			e, err := t.consider(ctx)
			if err != nil {
				return err
			}
			if opts.Eval != nil {
				opts.Eval(step, e)
			}
		}
		if session.Due(t.c.Steps) {
			if err := save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// record returns the Record of a step, of which out is the output.
func (t *Trainer) record(out []float64) Record {
	return Record{
		Step: t.saved.Step, ClassLoss: out[outClass], SourceAccuracy: out[outRight], CriticLoss: out[outDisc],
		Entropy: out[outEntropy], Divergence: out[outChi2] / 2, ESS: float64(t.c.Batch) / (1 + out[outChi2]), GradientNorm: out[outNorm],
		WeightLoss: out[outWeight], OwnLoss: out[outOwn],
	}
}

func (r *Record) quantities() []train.Quantity {
	return []train.Quantity{
		{Name: "the classification loss", Value: r.ClassLoss}, {Name: "the discriminator's loss", Value: r.CriticLoss},
		{Name: "the entropy", Value: r.Entropy}, {Name: "the weights' divergence", Value: r.Divergence}, {Name: "the gradient", Value: r.GradientNorm},
		{Name: "the weights' loss", Value: r.WeightLoss}, {Name: "the loss on the target's own labels", Value: r.OwnLoss},
	}
}
