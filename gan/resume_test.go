package gan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// resumables are runs that have to survive.
var resumables = []struct {
	name   string
	config func(testing.TB, func(*Config)) (Config, *train.Data)
	change func(c *Config)
}{
	{"net", eightConfig, func(*Config) {}},
	{"bank", eightConfig, func(c *Config) { c.Weights = WeightBank }},
	{"transport", eightConfig, func(c *Config) { c.Weights, c.WarmUp, c.BankEvery = WeightTransport, 4, 3 }},
	{"transport, automatic radius", eightConfig, func(c *Config) { c.Weights, c.Rho, c.RhoAuto, c.WarmUp, c.BankEvery = WeightTransport, 0, true, 4, 3 }},
	{"bank, automatic radius", eightConfig, func(c *Config) { c.Weights, c.Rho, c.RhoAuto = WeightBank, 0, true }},
	{"ema, decay, labels", eightConfig, func(c *Config) { c.EMA, c.Decay, c.Classes = 0.9, true, 8 }},
	{"hinge, two-sided", eightConfig, func(c *Config) { c.Loss, c.TargetRho = Hinge, 0.1 }},
	{"images", digitsConfig, func(c *Config) { c.Flip, c.Classes, c.Steps = true, 10, 5 }},
}

// TestResume: a run that is interrupted again and again ends as one that is
// not, to the bit.
func TestResume(t *testing.T) {
	for _, tt := range resumables {
		t.Run(tt.name, func(t *testing.T) {
			c, d := tt.config(t, tt.change)
			c.LogEvery, c.SampleEvery = 2, 7
			_, whole := trained(t, c, d)

			broken := newRun(t, c)
			stops := []int{0, 1, 2, 4, 8, 9, 15, 19, c.Steps}
			for _, stop := range stops {
				if stop <= c.Steps {
					trainUntil(t, c, d, broken, stop)
				}
			}
			wantSame(t, broken, whole)
		})
	}
}

// trainUntil trains a run with a Trainer of its own, and cancels it after a
// step; 0 is before the first.
func trainUntil(t *testing.T, c Config, d *train.Data, run *runs.Run, stop int) {
	t.Helper()
	tr := newTrainer(t, c, d)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if stop == 0 {
		cancel()
	}
	err := tr.Run(ctx, run, &RunOptions{Hooks: Hooks{
		Step: func(r Record) {
			if r.Step == stop {
				cancel()
			}
		},
		Samples: func(int, *Samples) error { return nil },
	}})
	if stop == c.Steps && err == nil {
		return
	}
	if !errors.Is(err, context.Canceled) || tr.Step() != stop {
		t.Fatalf("stopped at step %d instead of %d: %v", tr.Step(), stop, err)
	}
}

// wantSame compares the last checkpoints and the records of two runs.
func wantSame(t *testing.T, got, want *runs.Run) {
	t.Helper()
	a, b := latestOf(t, got), latestOf(t, want)
	if a.Step != b.Step {
		t.Errorf("step %d, want %d", a.Step, b.Step)
	}
	for k := range max(len(a.Tensors), len(b.Tensors)) {
		if k >= len(a.Tensors) || k >= len(b.Tensors) || !reflect.DeepEqual(a.Tensors[k], b.Tensors[k]) {
			t.Errorf("array %d of %d and %d is another", k, len(a.Tensors), len(b.Tensors))
			break
		}
	}
	if x, y := untimedProgress(t, a), untimedProgress(t, b); !reflect.DeepEqual(x, y) {
		t.Errorf("latest values %+v, want %+v", x, y)
	}
	if x, y := untimed(t, got), untimed(t, want); !reflect.DeepEqual(x, y) {
		t.Errorf("records\n%v, want\n%v", x, y)
	}
}

func latestOf(t *testing.T, run *runs.Run) *runs.Checkpoint {
	t.Helper()
	c, err := run.Latest()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func untimedProgress(t *testing.T, c *runs.Checkpoint) (l progress) {
	t.Helper()
	if err := json.Unmarshal([]byte(c.Meta["progress"]), &l); err != nil {
		t.Fatal(err)
	}
	l.Seconds = 0
	return l
}

// TestCheckpointHoldsAll: a checkpoint has everything that the run has.
func TestCheckpointHoldsAll(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Weights, c.EMA = WeightBank, 0.9 })
	tr, run := trained(t, c, d)
	var names []string
	for _, a := range latestOf(t, run).Tensors {
		names = append(names, a.Name)
	}
	if want := append([]string{"bank"}, tr.saved.State.Names()...); !slices.Equal(names, want) {
		t.Errorf("arrays %v, want %v", names, want)
	}
	for _, prefix := range []string{"D/", "G/", "adam/D/", "adam/G/", "ema/G/"} {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, prefix) }) {
			t.Errorf("no array under %s in %v", prefix, names)
		}
	}
}

// TestResumeDamaged: when the newest checkpoint is cut short, the one before
// it takes its place, and the end is the same.
func TestResumeDamaged(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.LogEvery = 1 })
	_, whole := trained(t, c, d)
	run := newRun(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	err := newTrainer(t, c, d).Run(ctx, run, &RunOptions{Checkpoint: time.Nanosecond, Hooks: Hooks{Step: func(r Record) {
		if r.Step == 12 {
			cancel()
		}
	}}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	steps, err := run.List()
	if err != nil || !slices.Equal(steps, []int{11, 12}) {
		t.Fatalf("checkpoints of steps %v, %v", steps, err)
	}
	if err := os.Truncate(filepath.Join(run.Path(), "checkpoints", "step-00000012.safetensors"), 1000); err != nil {
		t.Fatal(err)
	}
	tr := newTrainer(t, c, d)
	if err := tr.Restore(run); err != nil || tr.Step() != 11 || len(run.Warnings()) != 1 {
		t.Errorf("restored step %d, %d warnings, %v", tr.Step(), len(run.Warnings()), err)
	}
	if err := tr.Run(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
	wantSame(t, run, whole)
}

// TestResumeFinished: a run that has come to its end stays as it is.
func TestResumeFinished(t *testing.T) {
	c, d := eightConfig(t, nil)
	_, run := trained(t, c, d)
	before := latestOf(t, run)
	tr := newTrainer(t, c, d)
	err := tr.Run(t.Context(), run, &RunOptions{Hooks: Hooks{Step: func(r Record) { t.Errorf("step %d", r.Step) }}})
	if err != nil || tr.Step() != c.Steps || !reflect.DeepEqual(latestOf(t, run), before) {
		t.Errorf("step %d, %v", tr.Step(), err)
	}
	if tr.Seconds() <= 0 {
		t.Error("its time is forgotten")
	}
}

// TestRestoreOther: a checkpoint of another run is refused, not half taken.
func TestRestoreOther(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Weights = WeightBank })
	_, run := trained(t, c, d)
	more, other := load(t, "mlp", "synth:eight,n=70", "", func(c *Config) { c.Weights = WeightBank })
	err := newTrainer(t, more, other).Restore(run)
	if want := "train: checkpoint of step 20: the bank: 60 weights for 70 samples"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	wider, d3 := load(t, "mlp", "synth:gauss,d=3,n=50", "", func(c *Config) { c.Batch, c.Steps = 8, 30 })
	tr := newTrainer(t, wider, d3)
	if err := tr.Run(t.Context(), run, nil); err == nil || !strings.Contains(err.Error(), "the network wants") {
		t.Errorf("arrays of another shape: %v", err)
	}
	for _, meta := range []string{"", "{"} {
		run := newRun(t, c)
		if err := run.Save(&runs.Checkpoint{Step: 3, Meta: map[string]string{"progress": meta}}); err != nil {
			t.Fatal(err)
		}
		if err := newTrainer(t, c, d).Restore(run); err == nil || !strings.HasPrefix(err.Error(), "train: checkpoint of step 3: ") {
			t.Errorf("bad meta %q: %v", meta, err)
		}
	}
}

// TestBlank: a generator needs no data to be sampled from, whatever the run
// has besides.
func TestBlank(t *testing.T) {
	for _, tt := range resumables {
		t.Run(tt.name, func(t *testing.T) {
			c, d := tt.config(t, tt.change)
			tr, run := trained(t, c, d)
			want, err := tr.Sample(5, 9)
			if err != nil {
				t.Fatal(err)
			}
			blank := newTrainer(t, c, Blank(&c))
			if err := blank.Restore(run); err != nil {
				t.Fatal(err)
			}
			if got, err := blank.Sample(5, 9); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v: got %v, want %v", err, got, want)
			}
		})
	}
}

// TestBlankCannotTrain: without data there is an error, not a crash.
func TestBlankCannotTrain(t *testing.T) {
	c, _ := eightConfig(t, func(c *Config) { c.WarmUp = 0 })
	tr := newTrainer(t, c, Blank(&c))
	if err := tr.Run(t.Context(), newRun(t, c), nil); err == nil {
		t.Error("it trained on nothing")
	}
	tr.saved.Step = 1
	if w, err := tr.Weights(); err == nil {
		t.Errorf("nothing has the weights %v", w)
	}
}

// TestInterruptedSave: when the last checkpoint cannot be written, that is the
// error, and not the interrupt, which would say that all is well.
func TestInterruptedSave(t *testing.T) {
	c, d := eightConfig(t, nil)
	run := newRun(t, c)
	dir := filepath.Join(run.Path(), "checkpoints")
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newTrainer(t, c, d).Run(ctx, run, nil); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestHookError: what a hook cannot do ends the run.
func TestHookError(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.SampleEvery = 3 })
	full := fmt.Errorf("the disk is full")
	tr := newTrainer(t, c, d)
	err := tr.Run(t.Context(), newRun(t, c), &RunOptions{Hooks: Hooks{Samples: func(int, *Samples) error { return full }}})
	if !errors.Is(err, full) || tr.Step() != 3 {
		t.Errorf("step %d: %v", tr.Step(), err)
	}
}
