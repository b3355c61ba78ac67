package da

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/nn"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// A Trainer holds the networks of a run, at some step of it.
type Trainer struct {
	c    Config
	data *Domains

	saved    train.Saved
	progress progress
	orders   [2]*dataset.Order // of source and target

	// With an automatic radius: the target samples that are held back from the
	// warm-up, the others, and their order in it.
	held, others []int
	early        *dataset.Order

	train     *nn.Program // a step
	learn     *nn.Program // a step that trains the weight network too
	pass      *nn.Program // logits and costs
	raw       *nn.Program // raw weights
	embedding *nn.Program
	cosines   *nn.Program // between rows

	labels, bank, rho *tensors.Tensor
	own               *tensors.Tensor // labels of the target's own; nil without self-training
	graph             neighbourhood   // of the target's rows; nil before it is needed
	weights           []float64       // of the weight network at this step; nil before someone asks
}

// progress is what a checkpoint keeps besides arrays and bank.
type progress struct {
	Seconds  float64 `json:"seconds"`
	Score    float64 `json:"score"`    // of the model picked so far; see Config.Select
	Picked   int     `json:"picked"`   // its step, 0 for none
	Accuracy float64 `json:"accuracy"` // its accuracy on the target, −1 where that has no labels
	Oracle   float64 `json:"oracle"`   // the best accuracy of any model
	Radius   *Radius `json:"radius"`   // the automatic one; nil before it is chosen

	// Collapsed counts the steps in a row at which the weights of the network
	// looked bad.
	Collapsed int `json:"dead"`

	// Target is the units that the rows of the target were brought to; nil for
	// images.
	Target *train.Scaling `json:"target_scaling,omitempty"`
}

// New returns a Trainer at step 0. Its Config is c, with the backend that the
// run begins on.
func New(c Config, data *Domains, b *engine.Backend) (*Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Backend = cmp.Or(c.Backend, b.Kind)
	t := &Trainer{c: c, data: data}
	t.progress = progress{Accuracy: -1, Oracle: -1}
	if s := data.Target.Scaling; len(s.Unit) > 0 {
		// Copies: a checkpoint that is read writes into them.
		t.progress.Target = &train.Scaling{Centre: slices.Clone(s.Centre), Unit: slices.Clone(s.Unit)}
	}
	t.saved = train.Saved{State: nn.NewState(c.Seed), Progress: &t.progress, Kernels: b.Kernels}
	var err error
	for i, n := range []int{data.Source.N, data.Target.N} {
		// The seeds differ: sets of one size would be in one order.
		if t.orders[i], err = dataset.NewOrder(n, c.Batch, c.Seed+uint64(i)<<32); err != nil {
			return nil, fmt.Errorf("da: %w", err)
		}
	}
	if c.RhoAuto {
		if err := t.holdBack(); err != nil {
			return nil, err
		}
	}
	if c.robust() && !c.weightNet() {
		if t.saved.Bank, err = chisq.NewBank(data.Target.N, chisq.Ball{Rho: c.Rho}); err != nil {
			return nil, fmt.Errorf("da: %w", err)
		}
	}
	t.labels = tensors.FromFlatDataAndDimensions(data.Source.Labels, data.Source.N)
	t.useWeights()
	if c.Pretrained != "" {
		if err := t.loadPretrained(b); err != nil {
			return nil, err
		}
	}
	t.train = nn.NewProgram(b, t.saved.State, "training step", t.trainStep(false))
	t.learn = nn.NewProgram(b, t.saved.State, "training step with weights", t.trainStep(true))
	t.pass = nn.NewProgram(b, t.saved.State, "pass over the data", t.passStep)
	t.raw = nn.NewProgram(b, t.saved.State, "weights of the data", t.rawStep)
	t.embedding = nn.NewProgram(b, t.saved.State, "embedding of the data", t.embedStep)
	t.cosines = nn.NewProgram(b, t.saved.State, "cosines between rows", cosinesStep)
	return t, t.useLabels()
}

// Config returns the configuration of the run.
func (t *Trainer) Config() Config { return t.c }

// Step returns the number of steps so far.
func (t *Trainer) Step() int { return t.saved.Step }

// batch returns the row of control of a step.
func (t *Trainer) batch(step int) train.Row {
	index := append(t.orders[0].Batch(nil, step-1), t.targets(step)...)
	ramp := 1.0
	if t.c.Ramp {
		// From 0 to 1, as Ganin et al. (2016): an untrained F has nothing to
		// align.
		ramp = 2/(1+math.Exp(-10*float64(step)/float64(t.c.Steps))) - 1
	}
	return train.Row{Index: index, Step: step, Use: useBatch, Rate: t.c.schedule()(step - 1), Scale: ramp, Flag: step%t.c.CriticSteps == 0}
}

// advance makes a step and returns its output.
func (t *Trainer) advance(step int) ([]float64, error) {
	control := train.Control(t.c.Seed, []train.Row{t.batch(step)})
	p := t.train
	if t.c.weightNet() && t.weighs(step) {
		p = t.learn
	}
	t.weights = nil
	in := []any{t.data.Source.Values, t.labels, t.data.Target.Values, t.bank, t.rho, control}
	if t.own != nil {
		in = append(in, t.own)
	}
	return t.run(p, step, in...)
}

// run runs a program and returns its output.
func (t *Trainer) run(p *nn.Program, step int, in ...any) ([]float64, error) {
	out, err := p.Run(in...)
	if err != nil {
		return nil, fmt.Errorf("da: step %d: %w", step, err)
	}
	numbers, err := train.Numbers(out)
	if err != nil {
		return nil, fmt.Errorf("da: step %d: %w", step, err)
	}
	return numbers, nil
}

// over runs a program over some rows of d, nil for all, and returns its output
// row by row, or ctx.Err() when ctx is cancelled.
func (t *Trainer) over(ctx context.Context, p *nn.Program, d *train.Data, rows []int) ([][]float64, error) {
	n := len(rows)
	if rows == nil {
		n = d.N
	}
	out := make([][]float64, 0, n)
	index := make([]int32, min(256, n))
	for from := 0; from < n; from += len(index) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range index {
			at := min(from+i, n-1)
			if rows != nil {
				at = rows[at]
			}
			index[i] = int32(at)
		}
		control := train.Control(t.c.Seed, []train.Row{{Index: index, Step: t.saved.Step}})
		part, err := t.run(p, t.saved.Step, d.Values, control)
		if err != nil {
			return nil, err
		}
		width := len(part) / len(index)
		for i := 0; i < len(index) && from+i < n; i++ {
			out = append(out, part[i*width:(i+1)*width])
		}
	}
	return out, nil
}

// Restore brings t to the newest checkpoint of the run. Without one t stays at
// step 0.
func (t *Trainer) Restore(run *runs.Run) error {
	if err := t.saved.Restore(run); err != nil {
		return err
	}
	if err := t.useLabels(); err != nil {
		return err
	}
	if t.c.RhoAuto {
		return t.useRadius()
	}
	t.useWeights()
	return nil
}

// Resume returns a Trainer at the newest checkpoint of the run, whose
// configuration is c, or at step 0 if there is none yet. The file of pretrained
// weights is needed in the latter case only.
func Resume(c Config, data *Domains, b *engine.Backend, run *runs.Run) (*Trainer, error) {
	if steps, err := run.List(); err == nil && len(steps) > 0 {
		c.Pretrained = "" // the checkpoint has what became of them
	}
	t, err := New(c, data, b)
	if err != nil {
		return nil, err
	}
	return t, t.Restore(run)
}

// NewModel returns a Trainer for use, not for training: the model that the run
// picked, whatever target it is asked about. Rows of a table are brought to the
// units that those of the run's target were.
func NewModel(c Config, data *Domains, b *engine.Backend, run *runs.Run) (*Trainer, error) {
	c.Method, c.RhoAuto = SourceOnly, false // weights belong to the target of the run
	c.SelfTrain = 0                         // and so do its own labels
	c.Pretrained = ""                       // the checkpoint has what became of them
	t, err := New(c, data, b)
	if err != nil {
		return nil, err
	}
	if err := t.Restore(run); err != nil {
		return nil, err
	}
	if t.progress.Picked == 0 {
		return nil, fmt.Errorf("da: %s has picked no model yet", run.Path())
	}
	if s := t.progress.Target; s != nil {
		if err := data.Target.Rescale(*s); err != nil {
			return nil, fmt.Errorf("da: %s: %w", c.Target, err)
		}
	}
	return t, t.UseBest()
}

// Seconds returns how long training took, up to the last checkpoint.
func (t *Trainer) Seconds() float64 { return t.progress.Seconds }
