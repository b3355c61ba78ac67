package gan

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/dataset"
	"rot.example/rot/nn"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// runPoisoned trains with a checkpoint after every step, and calls poison
// after the given one.
func runPoisoned(t *testing.T, c Config, d *train.Data, after int, poison func(tr *Trainer)) (*runs.Run, *train.StoppedError) {
	t.Helper()
	tr, run := newTrainer(t, c, d), newRun(t, c)
	err := tr.Run(t.Context(), run, &RunOptions{Checkpoint: time.Nanosecond, Hooks: Hooks{
		// The samples come after the step and before its checkpoint.
		Samples: func(step int, _ *Samples) error {
			if step == after {
				poison(tr)
			}
			return nil
		},
	}})
	var stopped *train.StoppedError
	if !errors.As(err, &stopped) {
		t.Fatalf("it was not stopped: %v", err)
	}
	if text := err.Error(); strings.ContainsAny(text, "\n") || !strings.Contains(text, stopped.Cause.Error()) || !strings.Contains(text, stopped.Saved) {
		t.Errorf("the message is %q", text)
	}
	return run, stopped
}

// wantBatch checks what a stopped run has left: the batch of the step.
func wantBatch(t *testing.T, run *runs.Run, c Config, d *train.Data, stopped *train.StoppedError) {
	t.Helper()
	if want := filepath.Join(run.Path(), "failure"); stopped.Saved != want {
		t.Errorf("saved in %s, want %s", stopped.Saved, want)
	}
	text, err := os.ReadFile(filepath.Join(stopped.Saved, "batch.json"))
	if err != nil {
		t.Fatal(err)
	}
	var note struct {
		Reason string
		Record map[string]string
		Index  []int32
		IDs    []string
	}
	if err := json.Unmarshal(text, &note); err != nil {
		t.Fatal(err)
	}
	order, err := dataset.NewOrder(d.N, c.Batch, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	batch := order.Batch(nil, stopped.Step-1)
	if note.Reason != stopped.Cause.Error() || !slices.Equal(note.Index, batch) || len(note.IDs) != len(batch) || note.IDs[0] != d.ID(int(batch[0])) || len(note.Record) != 8 {
		t.Errorf("note %+v", note)
	}
	picture := filepath.Join(stopped.Saved, "batch.png")
	if c.Size == 0 {
		if _, err := os.Stat(picture); err == nil {
			t.Error("points have a picture")
		}
		return
	}
	im, err := dataset.LoadImages("stack:"+picture, &dataset.ImageOptions{Channels: c.Channels})
	if err != nil || im.Len() != len(batch) {
		t.Fatalf("the picture: %v", err)
	}
	for k, i := range batch {
		if !slices.Equal(im.At(k), d.Image(int(i))) {
			t.Errorf("image %d is not that of sample %d", k, i)
		}
	}
}

// TestStopAtNaN: a NaN ends the run, the batch is kept, and the checkpoint
// before it is good.
func TestStopAtNaN(t *testing.T) {
	nan := float32(math.NaN())
	for _, tt := range []struct {
		name       string
		config     func(testing.TB, func(*Config)) (Config, *train.Data)
		after      int
		under      string
		stop, good int
		reason     string
	}{
		// Poison is found when the checkpoint of the same step is written.
		{"critic", eightConfig, 9, "D/", 9, 8, "the array D/"},
		{"generator", eightConfig, 12, "G/", 12, 11, "the array G/"},
		{"moments", eightConfig, 9, "adam/W/", 9, 8, "the array adam/W/"},
		{"images", digitsConfig, 2, "G/", 2, 1, "the array G/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, d := tt.config(t, func(c *Config) { c.SampleEvery, c.LogEvery = 1, 1 })
			run, stopped := runPoisoned(t, c, d, tt.after, func(tr *Trainer) { fill(tr, tt.under, nan) })
			if stopped.Step != tt.stop || !errors.Is(stopped, train.ErrDiverged) || !strings.HasPrefix(stopped.Cause.Error(), tt.reason) {
				t.Errorf("stopped at step %d: %v", stopped.Step, stopped.Cause)
			}
			wantBatch(t, run, c, d, stopped)
			wantGood(t, c, d, run, tt.good)
		})
	}
}

// TestStopAtLoss: without a checkpoint in between the next loss tells.
func TestStopAtLoss(t *testing.T) {
	for _, tt := range []struct {
		name, under string
		value       float64
		reason      string
	}{
		{"NaN", "D/", math.NaN(), "the critic's loss is NaN; training has diverged: a smaller learning rate usually helps"},
		{"infinite", "G/", math.Inf(1), "the critic's loss is "},
		{"weights", "W/", math.NaN(), "the critic's loss is NaN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, d := eightConfig(t, func(c *Config) { c.SampleEvery, c.LogEvery = 1, 1 })
			tr, run := newTrainer(t, c, d), newRun(t, c)
			err := tr.Run(t.Context(), run, &RunOptions{Hooks: Hooks{Samples: func(step int, _ *Samples) error {
				if step == 9 {
					fill(tr, tt.under, float32(tt.value))
				}
				return nil
			}}})
			var stopped *train.StoppedError
			if !errors.As(err, &stopped) || stopped.Step != 10 || !errors.Is(err, train.ErrDiverged) || !strings.HasPrefix(stopped.Cause.Error(), tt.reason) {
				t.Fatalf("got %v", err)
			}
			wantBatch(t, run, c, d, stopped)
			if records := untimed(t, run); len(records) != 9 {
				t.Errorf("%d records, want those of the 9 good steps", len(records))
			}
			if _, err := run.Latest(); !errors.Is(err, runs.ErrNoCheckpoint) {
				t.Errorf("a checkpoint of the poisoned state: %v", err)
			}
		})
	}
}

// wantGood checks that the newest checkpoint of a stopped run is that of a
// step, and that training goes on from there.
func wantGood(t *testing.T, c Config, d *train.Data, run *runs.Run, step int) {
	t.Helper()
	tr := newTrainer(t, c, d)
	if err := tr.Restore(run); err != nil || tr.Step() != step {
		t.Fatalf("the checkpoint is of step %d, want %d: %v", tr.Step(), step, err)
	}
	if err := tr.Run(t.Context(), run, nil); err != nil || tr.Step() != c.Steps {
		t.Errorf("going on: step %d, %v", tr.Step(), err)
	}
}

// TestStopWhenInterrupted: an interrupt does not save what is broken.
func TestStopWhenInterrupted(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.SampleEvery = 1 })
	tr, run := newTrainer(t, c, d), newRun(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	err := tr.Run(ctx, run, &RunOptions{Hooks: Hooks{Samples: func(step int, _ *Samples) error {
		if step == 9 {
			fill(tr, "G/", float32(math.NaN()))
			cancel()
		}
		return nil
	}}})
	var stopped *train.StoppedError
	if !errors.As(err, &stopped) || stopped.Step != 9 {
		t.Errorf("got %v", err)
	}
	if _, err := run.Latest(); !errors.Is(err, runs.ErrNoCheckpoint) {
		t.Errorf("a checkpoint of the poisoned state: %v", err)
	}
}

// TestStopAtDivergence: a learning rate that is too large is said to be so.
func TestStopAtDivergence(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.LR, c.Steps, c.GradientPenalty = 0.99, 2000, 1e30 })
	err := newTrainer(t, c, d).Run(t.Context(), newRun(t, c), nil)
	var stopped *train.StoppedError
	if !errors.As(err, &stopped) || !errors.Is(err, train.ErrDiverged) {
		t.Errorf("got %v", err)
	}
}

// TestStopAtCollapse: a weight network that gives every sample 0 cannot learn
// any more. One update may look so by chance; after fifty the run ends.
func TestStopAtCollapse(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) {
		c.Steps, c.WarmUp, c.WeightSteps, c.SampleEvery = 100, 0, 1, 1
	})
	run, stopped := runPoisoned(t, c, d, 10, func(tr *Trainer) {
		fill(tr, "W/", 0)
		fill(tr, "W/out/b", -100)
	})
	if stopped.Step != 10+train.CollapsedFor || stopped.Cause != train.ErrDeadWeights {
		t.Errorf("step %d: %v", stopped.Step, stopped.Cause)
	}
	wantBatch(t, run, c, d, stopped)
}

// TestWeightsComeBack: a weight network that gives every sample 0, but not by
// far, learns again.
func TestWeightsComeBack(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) {
		c.Steps, c.WarmUp, c.WeightSteps, c.SampleEvery, c.WeightLR = 100, 0, 1, 1, 0.05
	})
	tr := newTrainer(t, c, d)
	err := tr.Run(t.Context(), newRun(t, c), &RunOptions{Hooks: Hooks{Samples: func(step int, _ *Samples) error {
		if step == 10 {
			fill(tr, "W/", 0)
			fill(tr, "W/out/b", -1)
		}
		return nil
	}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := tr.Weights()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Max(w) == slices.Min(w) {
		t.Errorf("all weights are %v", w[0])
	}
}

// TestStopAtOneSample: weights that leave all but one sample of a batch out.
func TestStopAtOneSample(t *testing.T) {
	c, d := eightConfig(t, nil)
	tr := newTrainer(t, c, d)
	for _, tt := range []struct {
		chi2, raw float64
		bad       bool
	}{
		{0.2, 1, false},
		{0.2, 0, true},
		{0, train.WeightFloor / 2, true},
		{6, 1, false}, // 8/7 of 8 samples count
		{6.9, 1, true},
	} {
		tr.progress.Collapsed = 7
		tr.watch([]float64{0, tt.chi2, tt.raw})
		if bad := tr.progress.Collapsed == 8; bad != tt.bad || !bad && tr.progress.Collapsed != 0 {
			t.Errorf("%+v: the count is %d", tt, tr.progress.Collapsed)
		}
	}
	tr.progress.Collapsed = train.CollapsedFor
	out := make([]float64, outMetrics)
	out[outRaw] = 1
	got := tr.broken(Record{ESS: 1.01}, out)
	if want := "1.0 of 8 samples of a batch count; the weights have collapsed"; !errors.Is(got, train.ErrCollapsed) || !strings.HasPrefix(got.Error(), want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSmallBatch: two samples in a batch are few, and no collapse.
func TestSmallBatch(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Batch, c.Steps, c.WarmUp, c.WeightSteps = 2, 2*train.CollapsedFor, 0, 1 })
	trained(t, c, d)
}

// lopsided gives the first sample of a batch a weight, and the others less
// than none.
type lopsided struct{ networks }

func (lopsided) weight(s *nn.Scope, x *Node) *Node {
	first := s.Param("first", nn.Constant(3), 1)
	rest := MulScalar(Ones(s.Graph(), shapes.Make(dtypes.Float32, x.Shape().Dimensions[0]-1)), -5)
	return Concatenate([]*Node{first, rest}, 0)
}

// TestNegativeRaw: raw weights that are negative on average are no collapse as
// long as some are positive.
func TestNegativeRaw(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Steps, c.WarmUp, c.WeightSteps = train.CollapsedFor+10, 0, 1 })
	tr := newTrainer(t, c, d)
	tr.net = lopsided{tr.net}
	u, err := fly(tr, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := []float64{u.critic[0][outRaw], u.weight[2], u.critic[0][outChi2], u.weight[1]}
	if want := []float64{3. / 8, 3. / 8, 2 * c.Rho, 2 * c.Rho}; !near(got, want, 1e-6) {
		t.Errorf("mean raw weights and χ² are %v, want %v", got, want)
	}
	if err := tr.Run(t.Context(), newRun(t, c), nil); err != nil {
		t.Error(err)
	}
}
