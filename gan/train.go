package gan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rot.example/rot/internal/standout"
	"rot.example/rot/runs"
	"rot.example/rot/train"
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
	Divergence      float64 `json:"divergence"`    // of the weights of the batch, (1/2n) Σ (w−1)²: at most ρ in the ball
	ESS             float64 `json:"ess"`           // effective sample size of the batch
	ImagesPerSecond float64 `json:"images_per_second"`
	Seconds         float64 `json:"seconds"`
}

// Hooks are called by Run as it goes. Any of them may be nil.
type Hooks struct {
	Look    func(done, total int)            // as a network looks at the images, before the first step
	Step    func(r Record)                   // after every step
	Samples func(step int, s *Samples) error // on the schedule, always of the same noise
}

// RunOptions tunes Run. The zero value is ready to use.
type RunOptions struct {
	Hooks
	// Checkpoint is the longest time between two checkpoints; 0 means 30 s.
	Checkpoint time.Duration
}

// fixedSamples is the number of samples in a picture of the schedule.
const fixedSamples = 64

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
	t.looking = opts.Look
	session, err := train.NewSession(run, &t.saved, &t.progress.Seconds, opts.Checkpoint)
	if err != nil {
		return err
	}
	defer session.Close()
	defer t.compileAhead()()

	last := Record{Step: t.saved.Step}
	save := func() error {
		err := session.Save()
		var unsound *train.UnsoundError
		if errors.As(err, &unsound) {
			return t.stop(run, last, unsound.Cause())
		}
		return err
	}
	// The rate counts from the last compilation on.
	warm, measured := false, false
	var now *flight
	for t.saved.Step < t.c.Steps {
		if now == nil {
			if ctx.Err() != nil {
				if err := save(); err != nil {
					return err
				}
				return ctx.Err()
			}
			if t.refreshDue(t.saved.Step + 1) {
				if err := t.refresh(ctx); ctx.Err() != nil {
					continue // and save
				} else if err != nil {
					return err
				}
			}
			if now, err = t.start(t.saved.Step + 1); err != nil {
				return err
			}
		}
		// A GPU has its next steps before it is asked about these, unless
		// something else comes first.
		var next *flight
		pause := now.last == t.c.Steps || crossed(now.first, now.last, t.c.SampleEvery) || t.refreshDue(now.last+1) || session.Due(t.c.Steps)
		if t.remote && !pause && ctx.Err() == nil {
			if next, err = t.start(now.last + 1); err != nil {
				return err
			}
		}
		u, err := now.land()
		if err != nil {
			return err
		}
		for i, row := range u.critic {
			if t.saved.Step = now.first + i; t.saved.Step == now.last {
				t.note(u)
			}
			r := t.record(row)
			r.Seconds, r.ImagesPerSecond = session.Seconds(), session.Rate()*float64(t.c.Batch)
			if cause := t.broken(r, row); cause != nil {
				return t.stop(run, r, cause)
			}
			last = r
			if opts.Step != nil {
				opts.Step(r)
			}
			if err := session.Log(r, t.c.LogEvery, t.c.Steps); err != nil {
				return err
			}
		}
		if !warm || !measured && t.compiled() {
			session.Warm()
			warm, measured = true, t.compiled()
		}
		if crossed(now.first, now.last, t.c.SampleEvery) || now.last == t.c.Steps {
			if err := t.show(opts.Samples); err != nil {
				return err
			}
		}
		if now = next; now == nil && session.Due(t.c.Steps) {
			if err := save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// note keeps the losses of the updates after the last critic step.
func (t *Trainer) note(u updates) {
	if u.weight != nil {
		t.progress.WeightLoss = u.weight[0]
		t.watch(u.weight)
	}
	if u.generator != nil {
		t.progress.GeneratorLoss = u.generator[0]
	}
}

// weightDue reports whether the weight network is updated after a step.
func (t *Trainer) weightDue(step int) bool {
	return t.c.robust() && t.saved.Bank == nil && step > t.c.WarmUp && step%t.c.WeightSteps == 0
}

// refreshDue reports whether the bank is refreshed before a step.
func (t *Trainer) refreshDue(step int) bool {
	if t.saved.Bank == nil {
		return false
	}
	if step == t.c.Unweighted()+1 {
		return true
	}
	return !t.c.ownViewOnly() && step > t.c.WarmUp && (step-t.c.WarmUp-1)%t.c.refreshEvery() == 0
}

// compiled reports whether every program that a step needs has run once: the
// rate counts from then on.
func (t *Trainer) compiled() bool {
	return t.saved.Step >= t.c.CriticSteps && (!t.c.robust() || t.saved.Bank != nil || t.saved.Step > t.c.WarmUp+t.c.WeightSteps)
}

// crossed reports whether a multiple of every lies in first..last.
func crossed(first, last, every int) bool { return last/every > (first-1)/every }

// show makes the samples of the schedule and hands them to the hook.
func (t *Trainer) show(samples func(int, *Samples) error) error {
	if samples == nil {
		return nil
	}
	s, err := t.Sample(fixedSamples, t.c.Seed)
	if err != nil {
		return err
	}
	return samples(t.saved.Step, s)
}

// record returns the Record of a critic step, of which out is the output.
func (t *Trainer) record(out []float64) Record {
	return Record{
		Step:            t.saved.Step,
		CriticLoss:      out[outCritic],
		GeneratorLoss:   t.progress.GeneratorLoss,
		WeightLoss:      t.progress.WeightLoss,
		Distance:        out[outReal] - out[outFake],
		GradientPenalty: out[outPenalty],
		GradientNorm:    out[outGradNorm],
		Divergence:      out[outChi2] / 2,
		ESS:             float64(t.c.Batch) / (1 + out[outChi2]),
	}
}

// bankMemory is the share of earlier scores in those that the bank answers to.
// Without it critic and bank chase each other around the outliers.
const bankMemory = 0.9

// refresh gives the bank the exact weights for the latest scores of the data.
func (t *Trainer) refresh(ctx context.Context) error {
	err := t.renew(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("gan: step %d: refreshing the weights: %w", t.saved.Step+1, err)
	}
	t.useBank()
	return nil
}

func (t *Trainer) renew(ctx context.Context) (err error) {
	bank := t.saved.Bank
	before := bank.Ball()
	if t.c.Weights == WeightTransport {
		if err := t.makeGallery(ctx); err != nil {
			return err
		}
	}
	if t.saved.Step >= t.c.WarmUp && !t.c.ownViewOnly() { // Before, there is nothing to learn from critic and samples.
		if err := t.blend(ctx); err != nil {
			return err
		}
	}
	if t.c.RhoAuto {
		if err := t.chooseRadius(); err != nil {
			return err
		}
	}
	if t.gallery != nil {
		return t.updateByViews()
	}
	if bank.Ball() != before {
		return bank.Update(bank.Scores())
	}
	return nil
}

// blend takes the latest scores of the data into the bank's running mean: the
// critic's, or with weights by transport the prices of transport to the
// generator's samples, if they tell some of the data apart, or if the data are
// images of which none stand out among themselves.
func (t *Trainer) blend(ctx context.Context) error {
	scores, err := t.pass(ctx)
	if err != nil {
		return err
	}
	memory, least := bankMemory, 1.0 // As long as the radius may be given up, so may what it set aside.
	if t.progress.Settled {
		least = leastTrust
	}
	if t.gallery != nil {
		var price []float64
		if price, t.gallery.trusted, err = t.prices(ctx); err != nil {
			return err
		}
		memory, scores = viewMemory, standout.Standard(scores)
		if price = standout.Standard(price); t.gallery.plain() || t.tells(price) {
			scores, least = price, 1 // The generator does not forget what it never made.
		}
	}
	return t.saved.Bank.BlendSeen(scores, memory, least)
}
