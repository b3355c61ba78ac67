package da

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/chisq"
	"rot.example/rot/engine"
	"rot.example/rot/metrics"
	"rot.example/rot/train"
)

// strangers is a run whose target has a tenth of rows between two classes and
// off to a side, where a discriminator tells them from the source soon.
func strangers(t *testing.T, n, far int, seed uint64) Config {
	t.Helper()
	c := config(t, 0)
	c.Target = blobsAt(t, "target", n, far, [3]float64{4, 4, -4}, 0.5, 2+seed)
	c.Seed, c.Align, c.CriticLR = seed, 0.1, 1e-3
	return c
}

// TestWeightNet: after the warm-up, in which all weights are 1, those of the
// network have mean 1, lie in the ball, and are low for what does not belong.
func TestWeightNet(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			c := strangers(t, 120, 12, seed)
			c.Weights, c.Rho, c.Steps, c.WarmUp, c.EvalEvery = WeightNet, 0.06, 80, 40, 20
			d := load(t, &c)
			tr, run := newTrainer(t, c, d)
			check := func(step int, _ *Evaluation) {
				w := weights(t, tr)
				mean := 0.0
				for i, v := range w {
					mean += v / float64(len(w))
					if v < 0 || step <= c.WarmUp && v != 1 {
						t.Fatalf("step %d: weight %d is %g", step, i, v)
					}
				}
				ball := chisq.Divergence(w)
				if math.Abs(mean-1) > 1e-12 || ball > c.Rho*(1+1e-12) || step > c.WarmUp && ball == 0 {
					t.Errorf("step %d: weights of mean %g and divergence %g, ρ is %g", step, mean, ball, c.Rho)
				}
			}
			loss := 0.0
			each := func(r Record) {
				if r.Divergence > c.Rho*(1+1e-5) || r.Step <= c.WarmUp && (r.Divergence != 0 || r.WeightLoss != 0) {
					t.Errorf("step %d: divergence %g, loss of the weights %g", r.Step, r.Divergence, r.WeightLoss)
				}
				if learned := tr.saved.State.Get("W/out/w") != nil; learned != (r.Step > c.WarmUp) {
					t.Fatalf("step %d: there is a weight network: %v", r.Step, learned)
				}
				loss = r.WeightLoss
			}
			if err := tr.Run(context.Background(), run, &RunOptions{Hooks: Hooks{Step: each, Eval: check}}); err != nil {
				t.Fatal(err)
			}
			if loss >= 0 { // of the ns game, −softplus
				t.Errorf("the weights' loss is %g", loss)
			}
			low := weights(t, tr)
			for i := range low {
				low[i] = -low[i]
			}
			// Seen: 0.998 and more at every evaluation from step 60 to 120.
			auroc, err := metrics.AUROC(low, d.Foreign())
			if err != nil || auroc < 0.98 {
				t.Errorf("AUROC of the weights is %g, %v; want 0.98", auroc, err)
			}
		})
	}
}

// TestWeightsAfterUseBest: they stay those of the networks in training.
func TestWeightsAfterUseBest(t *testing.T) {
	c := strangers(t, 120, 12, 0)
	c.Weights, c.Select = WeightNet, LeastEntropy
	c.Steps, c.WarmUp, c.EvalEvery = 25, 10, 5
	d := load(t, &c)
	tr, run := newTrainer(t, c, d)
	if err := tr.Run(context.Background(), run, nil); err != nil {
		t.Fatal(err)
	}
	want := weights(t, tr)
	fresh, err := New(c, d, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fresh.Restore(run), fresh.UseBest()); err != nil {
		t.Fatal(err)
	}
	for i, v := range weights(t, fresh) {
		if v != want[i] {
			t.Fatalf("weight %d is %g with the best model and was %g", i, v, want[i])
		}
	}
}

// TestDeadWeightNet: a network whose outputs are all negative stops the run, also
// where the mean of so many equal weights is not that weight after rounding.
func TestDeadWeightNet(t *testing.T) {
	for _, kind := range []string{"cpu", "go"} {
		b, err := engine.Open(kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, batch := range []int{4, 16, 64} {
			t.Run(fmt.Sprint(kind, " ", batch), func(t *testing.T) {
				c := strangers(t, 120, 12, 0)
				c.Weights, c.WarmUp, c.Steps, c.Batch = WeightNet, 1, 70, batch
				tr, run := newTrainerOn(t, c, load(t, &c), b)
				err := tr.Run(context.Background(), run, &RunOptions{Hooks: Hooks{Step: func(r Record) {
					if r.Step == 3 {
						tr.saved.State.Set("W/out/b", tensors.FromFlatDataAndDimensions([]float32{-1e6}, 1))
					}
				}}})
				var stopped *train.StoppedError
				if !errors.As(err, &stopped) || stopped.Step != 3+train.CollapsedFor || !errors.Is(err, train.ErrDeadWeights) {
					t.Errorf("got %v, want a StoppedError at step %d", err, 3+train.CollapsedFor)
				}
			})
		}
	}
}
