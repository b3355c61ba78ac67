package da

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"rot/chisq"
	"rot/dataset"
	"rot/engine"
	"rot/nn"
	"rot/runs"
	"rot/train"
)

// A Trainer holds the networks of a run, at some step of it.
type Trainer struct {
	c    Config
	data *Domains

	saved    train.Saved
	progress progress
	orders   [2]*dataset.Order // of source and target

	train, pass, embedding *nn.Program

	labels, bank *tensors.Tensor
}

// progress is what a checkpoint keeps besides arrays and bank.
type progress struct {
	Seconds  float64 `json:"seconds"`
	Score    float64 `json:"score"`    // of the model picked so far; see Config.Select
	Picked   int     `json:"picked"`   // its step, 0 for none
	Accuracy float64 `json:"accuracy"` // its accuracy on the target, −1 where that has no labels
	Oracle   float64 `json:"oracle"`   // the best accuracy of any model
}

// New returns a Trainer at step 0.
func New(c Config, data *Domains, b *engine.Backend) (*Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t := &Trainer{c: c, data: data}
	t.progress = progress{Accuracy: -1, Oracle: -1}
	t.saved = train.Saved{State: nn.NewState(c.Seed), Progress: &t.progress}
	var err error
	for i, n := range []int{data.Source.N, data.Target.N} {
		// The seeds differ: sets of one size would be in one order.
		if t.orders[i], err = dataset.NewOrder(n, c.Batch, c.Seed+uint64(i)<<32); err != nil {
			return nil, fmt.Errorf("da: %w", err)
		}
	}
	if c.robust() {
		if t.saved.Bank, err = chisq.NewBank(data.Target.N, chisq.Ball{Rho: c.Rho}); err != nil {
			return nil, fmt.Errorf("da: %w", err)
		}
	}
	t.labels = tensors.FromFlatDataAndDimensions(data.Source.Labels, data.Source.N)
	t.useBank()
	if c.Pretrained != "" {
		if err := t.loadPretrained(b); err != nil {
			return nil, err
		}
	}
	t.train = nn.NewProgram(b, t.saved.State, "training step", t.trainStep)
	t.pass = nn.NewProgram(b, t.saved.State, "pass over the data", t.passStep)
	t.embedding = nn.NewProgram(b, t.saved.State, "embedding of the data", t.embedStep)
	return t, nil
}

// Config is the configuration of the run.
func (t *Trainer) Config() Config { return t.c }

// Step is the number of steps so far.
func (t *Trainer) Step() int { return t.saved.Step }

// useBank hands the weights of the bank to the graphs.
func (t *Trainer) useBank() {
	w := make([]float32, t.data.Target.N)
	for i, v := range t.Weights() {
		w[i] = float32(v)
	}
	t.bank = tensors.FromFlatDataAndDimensions(w, len(w))
}

// Weights are those of the target, with mean 1.
func (t *Trainer) Weights() []float64 {
	if t.saved.Bank != nil {
		return t.saved.Bank.Weights()
	}
	w := make([]float64, t.data.Target.N)
	for i := range w {
		w[i] = 1
	}
	return w
}

// batch is the row of control of a step.
func (t *Trainer) batch(step int) train.Row {
	index := append(t.orders[0].Batch(nil, step-1), t.orders[1].Batch(nil, step-1)...)
	ramp := 1.0
	if t.c.Ramp {
		// From 0 to 1, as Ganin et al. (2016): an untrained F has nothing to
		// align.
		ramp = 2/(1+math.Exp(-10*float64(step)/float64(t.c.Steps))) - 1
	}
	return train.Row{Index: index, Step: step, Rate: t.c.schedule()(step - 1), Scale: ramp, Flag: step%t.c.CriticSteps == 0}
}

// one makes a step and returns what it reports.
func (t *Trainer) one(step int) ([]float64, error) {
	control := train.Control(t.c.Seed, []train.Row{t.batch(step)})
	out, err := t.train.Run(t.data.Source.Values, t.labels, t.data.Target.Values, t.bank, control)
	return numbers(out, err, step)
}

// numbers copies the first output of a program.
func numbers(out []*tensors.Tensor, err error, step int) ([]float64, error) {
	if err == nil {
		var flat []float32
		if flat, err = tensors.CopyFlatData[float32](out[0]); err == nil {
			wide := make([]float64, len(flat))
			for i, v := range flat {
				wide[i] = float64(v)
			}
			for _, o := range out {
				o.MustFinalizeAll()
			}
			return wide, nil
		}
	}
	return nil, fmt.Errorf("da: step %d: %w", step, err)
}

// over runs a program over all of d and returns its output row by row.
func (t *Trainer) over(p *nn.Program, d *train.Data) ([][]float64, error) {
	rows := make([][]float64, 0, d.N)
	index := make([]int32, min(256, d.N))
	for from := 0; from < d.N; from += len(index) {
		for i := range index {
			index[i] = int32(min(from+i, d.N-1))
		}
		control := train.Control(t.c.Seed, []train.Row{{Index: index, Step: t.saved.Step}})
		out, err := p.Run(d.Values, control)
		part, err := numbers(out, err, t.saved.Step)
		if err != nil {
			return nil, err
		}
		width := len(part) / len(index)
		for i := 0; i < len(index) && from+i < d.N; i++ {
			rows = append(rows, part[i*width:(i+1)*width])
		}
	}
	return rows, nil
}

// refresh gives the bank the exact weights for the networks in use.
func (t *Trainer) refresh() error {
	err := t.reweigh()
	if err != nil {
		return fmt.Errorf("da: step %d: refreshing the weights: %w", t.saved.Step, err)
	}
	t.useBank()
	return nil
}

func (t *Trainer) reweigh() error {
	if t.c.Scores == Transport {
		w, err := t.transport()
		if err != nil {
			return err
		}
		return t.saved.Bank.Mix(w, t.c.Keep)
	}
	rows, err := t.over(t.pass, t.data.Target)
	if err != nil {
		return err
	}
	k := len(t.c.Classes)
	cost := make([]float64, len(rows))
	p := make([]float64, k)
	for i, row := range rows {
		if cost[i] = row[k]; t.c.Scores == Uncertainty {
			softmax(p, row[:k])
			cost[i] = surprise(p)
		}
	}
	return t.saved.Bank.Blend(cost, t.c.Keep)
}

// Restore brings t to the newest checkpoint of the run. Without one t stays at
// step 0.
func (t *Trainer) Restore(run *runs.Run) error {
	if err := t.saved.Restore(run); err != nil {
		return err
	}
	t.useBank()
	return nil
}

// NewModel returns a Trainer for use, not for training: the model that the run
// picked, whatever target it is asked about.
func NewModel(c Config, data *Domains, b *engine.Backend, run *runs.Run) (*Trainer, error) {
	c.Method = SourceOnly // weights belong to the target of the run
	c.Pretrained = ""     // the checkpoint has what became of them
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
	return t, t.UseBest()
}

// Seconds is how long training took, up to the last checkpoint.
func (t *Trainer) Seconds() float64 { return t.progress.Seconds }
