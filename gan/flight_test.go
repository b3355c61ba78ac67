package gan

import (
	"context"
	"errors"
	"testing"
	"time"
)

// fly takes the steps from first on that go together.
func fly(tr *Trainer, first int) (u updates, err error) {
	f, err := tr.start(first)
	if err != nil {
		return u, err
	}
	return f.land()
}

// TestStepsAhead: a run that starts its next steps before it has heard of the last
// ones does what one does that waits, to the bit, also when it is interrupted, and
// when samples, refreshes and checkpoints come in between.
func TestStepsAhead(t *testing.T) {
	for _, tt := range resumables {
		t.Run(tt.name, func(t *testing.T) {
			c, d := tt.config(t, tt.change)
			c.LogEvery, c.SampleEvery = 2, 7
			_, whole := trained(t, c, d)
			ahead, more := newRun(t, c), 0
			for i, stop := range []int{1, 4, 11, c.Steps} {
				checkpoint := time.Duration(0)
				if i == 1 {
					checkpoint = time.Nanosecond // which is after every step
				}
				tr := newTrainer(t, c, d)
				tr.remote = true
				ctx, cancel := context.WithCancel(t.Context())
				err := tr.Run(ctx, ahead, &RunOptions{Checkpoint: checkpoint, Hooks: Hooks{
					Step: func(r Record) {
						if r.Step == stop {
							cancel()
						}
					},
					Samples: func(step int, _ *Samples) error {
						if step != tr.Step() || step%c.SampleEvery != 0 && step != c.Steps {
							t.Errorf("samples of step %d at step %d", step, tr.Step())
						}
						return nil
					},
				}})
				cancel()
				more += max(0, tr.Step()-stop)
				done := tr.Step() == c.Steps // the steps after it may be the last
				if done && err != nil && !errors.Is(err, context.Canceled) || !done && (!errors.Is(err, context.Canceled) || tr.Step() < stop || tr.Step() > stop+2*c.CriticSteps) {
					t.Fatalf("stopped after step %d at step %d: %v", stop, tr.Step(), err)
				}
			}
			if more == 0 {
				t.Error("no step was started before the last one had been heard of")
			}
			wantSame(t, ahead, whole)
		})
	}
}
