package gan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rot/runs"
)

// A Record is one line of metrics.jsonl.
type Record struct {
	Step            int     `json:"step"`
	CriticLoss      float64 `json:"critic_loss"`
	GeneratorLoss   float64 `json:"generator_loss"`
	WeightLoss      float64 `json:"weight_loss"`
	Distance        float64 `json:"distance"` // mean score of the data less that of the samples
	GradientPenalty float64 `json:"gradient_penalty"`
	GradientNorm    float64 `json:"gradient_norm"` // of the critic
	Chi2            float64 `json:"chi2"`          // mean (w−1)² over the batch: at most 2ρ in the ball
	ESS             float64 `json:"ess"`           // effective sample size of the batch
	ImagesPerSecond float64 `json:"images_per_second"`
	Seconds         float64 `json:"seconds"`
}

// Hooks are called by Run as it goes. Any of them may be nil.
type Hooks struct {
	Step    func(r Record)                        // after every step
	Samples func(step int, s *Samples) error      // on the schedule, always of the same noise
	Saved   func(step int)                        // after a checkpoint
	Start   func(step int, compile time.Duration) // after the first step
}

// RunOptions tunes Run. The zero value is ready to use.
type RunOptions struct {
	Hooks
	// Checkpoint is the longest time between two checkpoints; 0 means 30 s.
	Checkpoint time.Duration
}

// fixedSamples is how many samples a picture of the schedule shows.
const fixedSamples = 64

// Run trains to the end of the configuration's steps. It starts at the newest
// checkpoint of the run's folder, or at step 0, writes metrics.jsonl and
// checkpoints there, and a last checkpoint when ctx is cancelled, so that
// nothing is lost. A *StoppedError reports a run that went wrong.
func (t *Trainer) Run(ctx context.Context, run *runs.Run, opts *RunOptions) error {
	if opts == nil {
		opts = &RunOptions{}
	}
	every := opts.Checkpoint
	if every == 0 {
		every = 30 * time.Second
	}
	if err := t.restore(run); err != nil {
		return err
	}
	log, err := run.OpenMetrics(t.step)
	if err != nil {
		return err
	}
	defer log.Close()

	first, start, saved := t.step, time.Now(), time.Now()
	before := t.latest.Seconds
	save := func() error {
		t.latest.Seconds = before + time.Since(start).Seconds()
		if err := t.save(run); err != nil {
			return err
		}
		saved = time.Now()
		if opts.Saved != nil {
			opts.Saved(t.step)
		}
		return nil
	}
	samples := func() error {
		if opts.Samples == nil {
			return nil
		}
		s, err := t.Sample(fixedSamples, t.c.Seed)
		if err != nil {
			return err
		}
		return opts.Samples(t.step, s)
	}

	var warm time.Time // after the first step, which compiles
	for t.step < t.c.Steps {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), save())
		}
		step := t.step + 1
		t.index = t.order.Batch(t.index, step-1)
		if t.bank != nil && step > t.c.WarmUp && (step-t.c.WarmUp-1)%t.c.BankEvery == 0 {
			if err := t.refresh(); err != nil {
				return err
			}
		}
		out, err := t.run(t.critic, t.index, step, streamCritic)
		if err != nil {
			return err
		}
		if step%t.c.WeightSteps == 0 && step > t.c.WarmUp && t.c.robust() && t.bank == nil {
			w, err := t.run(t.weight, t.index, step, streamWeight)
			if err != nil {
				return err
			}
			t.latest.WeightLoss = w[0]
			t.watch(w)
		}
		if step%t.c.CriticSteps == 0 {
			g, err := t.run(t.generator, t.index, step, streamGenerator)
			if err != nil {
				return err
			}
			t.latest.GeneratorLoss = g[0]
		}
		t.step = step

		r := t.record(out)
		if warm.IsZero() {
			warm = time.Now()
			if opts.Start != nil {
				opts.Start(step, warm.Sub(start))
			}
		} else {
			r.ImagesPerSecond = float64((step-first-1)*t.c.Batch) / time.Since(warm).Seconds()
		}
		r.Seconds = before + time.Since(start).Seconds()
		if reason := t.broken(r, out); reason != "" {
			return t.stop(run, r, reason)
		}
		if opts.Step != nil {
			opts.Step(r)
		}
		if step%t.c.LogEvery == 0 || step == t.c.Steps {
			if err := log.Append(r); err != nil {
				return err
			}
		}
		if step%t.c.SampleEvery == 0 || step == t.c.Steps {
			if err := samples(); err != nil {
				return err
			}
		}
		if time.Since(saved) >= every || step == t.c.Steps {
			if err := save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// record is what a critic step reports.
func (t *Trainer) record(out []float64) Record {
	return Record{
		Step:            t.step,
		CriticLoss:      out[outCritic],
		GeneratorLoss:   t.latest.GeneratorLoss,
		WeightLoss:      t.latest.WeightLoss,
		Distance:        out[outReal] - out[outFake],
		GradientPenalty: out[outPenalty],
		GradientNorm:    out[outGradNorm],
		Chi2:            out[outChi2],
		ESS:             float64(t.c.Batch) / (1 + out[outChi2]),
	}
}

// refresh gives the bank the exact weights for the critic's present scores.
func (t *Trainer) refresh() error {
	scores, err := t.pass()
	if err != nil {
		return err
	}
	if err := t.bank.Update(scores); err != nil {
		return fmt.Errorf("gan: step %d: refreshing the weights: %w", t.step+1, err)
	}
	return nil
}
