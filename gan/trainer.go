package gan

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/features"
	"rot.example/rot/nn"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// A Trainer holds the networks of a run, at some step of it.
type Trainer struct {
	c       Config
	data    *train.Data
	backend *engine.Backend
	net     networks
	obj     objective

	saved    train.Saved // its step counts critic updates
	progress progress
	order    *dataset.Order

	critic, weight, generator *nn.Program // one update each
	critics                   *nn.Program // all critic steps up to an update of the generator
	score, sample, price      *nn.Program

	gallery             *gallery      // of weights by transport; nil before the first refresh
	looks               *features.Net // at the images, for the gallery; nil before it is opened and after it is done
	looking             func(done, total int)
	together            int  // critic steps in one call
	remote              bool // a GPU does the work: compiling takes long, and who has started a step need not wait for it
	labels, bankWeights *tensors.Tensor
}

// progress is what a checkpoint keeps besides arrays and bank: the values of the
// last updates of each kind, so that a resumed run reports what an unbroken one
// would, and the automatic radius.
type progress struct {
	GeneratorLoss float64 `json:"generator_loss"`
	WeightLoss    float64 `json:"weight_loss"`
	Collapsed     int     `json:"collapsed"` // weight updates in a row that looked bad
	Seconds       float64 `json:"seconds"`   // of training
	Radius        *Radius `json:"radius,omitempty"`
	ViewRho       float64 `json:"view_rho,omitempty"` // with weights by transport: the part of it that the generator's samples ask for
	Clear         int     `json:"clear,omitempty"`    // refreshes in a row with a clear elbow; negative: without
	Settled       bool    `json:"settled,omitempty"`  // the radius is not given up any more
}

// New returns a Trainer at step 0. Its Config is c, with the backend that the
// run begins on and the hash of the network that looks at the images.
func New(c Config, data *train.Data, b *engine.Backend) (*Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Backend = cmp.Or(c.Backend, b.Kind)
	if c.Classes > 0 && c.Classes != len(data.ClassNames) {
		return nil, fmt.Errorf("gan: the configuration has %d classes and the data %d", c.Classes, len(data.ClassNames))
	}
	if want := Blank(&c).Shape; !slices.Equal(want, data.Shape) {
		return nil, fmt.Errorf("gan: the configuration is for samples of shape %v, and the data have %v", want, data.Shape)
	}
	t := &Trainer{c: c, data: data, backend: b, net: c.networks()}
	if err := t.checkFeatures(); err != nil {
		return nil, err
	}
	t.saved = train.Saved{State: nn.NewState(c.Seed), Progress: &t.progress, Kernels: b.KernelsOf(c.DType == "bf16")}
	if !c.unbalanced() {
		t.obj = c.objective()
	}
	var err error
	if t.order, err = dataset.NewOrder(data.N, c.Batch, c.Seed); err != nil {
		return nil, fmt.Errorf("gan: %w", err)
	}
	if c.robust() && c.banked() && data.Values != nil {
		if t.saved.Bank, err = chisq.NewBank(data.N, chisq.Ball{Rho: c.Rho}); err != nil {
			return nil, fmt.Errorf("gan: %w", err)
		}
	}
	labels := []int32{0}
	if c.Classes > 0 {
		labels = data.Labels
	}
	t.labels = tensors.FromFlatDataAndDimensions(labels, len(labels))
	t.useBank()
	if t.together = 1; b.Kind == "xla" {
		// Each call of a GPU has a price, whatever it does.
		t.together, t.remote = c.CriticSteps, true
	}
	program := func(name string, f func(*nn.Scope, []*graph.Node) []*graph.Node) *nn.Program {
		return nn.NewProgram(b, t.saved.State, name, f)
	}
	t.critic = program("critic step", t.update(t.criticStep))
	t.critics = program("critic steps", t.updates(c.CriticSteps, t.criticStep))
	t.weight = program("weight step", t.update(t.weightStep))
	t.generator = program("generator step", t.update(t.generatorStep))
	t.score = program("pass over the data", t.scoreStep)
	t.sample = program("sampling", t.sampleStep)
	t.price = program("prices of transport", priceStep)
	return t, nil
}

// useBank hands the weights of the bank to the graphs.
func (t *Trainer) useBank() {
	w := []float64{1}
	if t.saved.Bank != nil {
		w = t.saved.Bank.Weights()
	}
	t.bankWeights = tensors.FromFlatDataAndDimensions(train.Float32s(w), len(w))
}

// Config returns the configuration of the run.
func (t *Trainer) Config() Config { return t.c }

// Step returns the number of critic updates so far.
func (t *Trainer) Step() int { return t.saved.Step }

// Seconds returns how long training took, up to the last checkpoint.
func (t *Trainer) Seconds() float64 { return t.progress.Seconds }

// Restore brings t to the newest checkpoint of the run. Without one t stays at
// step 0.
func (t *Trainer) Restore(run *runs.Run) error {
	if err := t.saved.Restore(run); err != nil {
		return err
	}
	t.useBank()
	return nil
}

// Resume returns a Trainer at the newest checkpoint of the run, whose
// configuration is c, or at step 0 if there is none yet.
func Resume(c Config, data *train.Data, b *engine.Backend, run *runs.Run) (*Trainer, error) {
	t, err := New(c, data, b)
	if err != nil {
		return nil, err
	}
	return t, t.Restore(run)
}

// row returns the row of control for one step of a graph.
func (t *Trainer) row(batch []int32, step, stream int) train.Row {
	return train.Row{Index: batch, Step: step, Use: stream, Rate: t.c.schedule()(step - 1), Flag: step > t.c.Unweighted()}
}

// feed returns the inputs of the graphs (see inputs).
func (t *Trainer) feed(rows []train.Row) []any {
	return []any{t.data.Values, t.labels, t.bankWeights, train.Control(t.c.Seed, rows)}
}

// The streams of random numbers: each use at a step has its own.
const (
	streamCritic = iota
	streamWeight
	streamGenerator
	streamSamples
	streamView
)

// A result is the output of a program, which a GPU may still be at work on.
type result struct {
	step int
	out  []*tensors.Tensor
}

// numbers waits for the result; there are none of a program that was not started.
func (r result) numbers() ([]float64, error) {
	if r.out == nil {
		return nil, nil
	}
	numbers, err := train.Numbers(r.out)
	if err != nil {
		return nil, fmt.Errorf("gan: step %d: %w", r.step, err)
	}
	return numbers, nil
}

// begin starts a program with a row of control for each of its steps.
func (t *Trainer) begin(p *nn.Program, rows ...train.Row) (r result, err error) {
	r.step = rows[len(rows)-1].Step
	if r.out, err = p.Run(t.feed(rows)...); err != nil {
		return r, fmt.Errorf("gan: step %d: %w", r.step, err)
	}
	return r, nil
}

// run runs a program and returns its output.
func (t *Trainer) run(p *nn.Program, rows ...train.Row) ([]float64, error) {
	r, err := t.begin(p, rows...)
	if err != nil {
		return nil, err
	}
	return r.numbers()
}

// pass runs the networks in use over the whole data set, and returns one number
// a sample, or ctx.Err() when ctx is cancelled.
func (t *Trainer) pass(ctx context.Context) ([]float64, error) {
	out := make([]float64, 0, t.data.N+t.c.Batch)
	index := make([]int32, t.c.Batch)
	for from := 0; from < t.data.N; from += len(index) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range index {
			index[i] = int32(min(from+i, t.data.N-1))
		}
		part, err := t.run(t.score, t.row(index, t.saved.Step, streamCritic))
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return out[:t.data.N], nil
}

// Weights returns the weights of the data, with mean 1: those of the bank, or
// what the weight network gives the whole data set. They are all 1 for a plain
// GAN and during the warm-up.
func (t *Trainer) Weights() ([]float64, error) {
	if t.saved.Bank != nil {
		return t.saved.Bank.Weights(), nil
	}
	if !t.c.robust() || t.saved.Step <= t.c.Unweighted() {
		return train.EqualWeights(t.data.N), nil
	}
	raw, err := t.pass(context.Background())
	if err != nil {
		return nil, err
	}
	return t.c.weighAll(raw), nil
}

// Sample returns n samples, made from the noise that the seed gives. A conditional GAN
// goes through the classes in turn.
func (t *Trainer) Sample(n int, seed uint64) (*Samples, error) {
	rng := train.Random(seed, 0, streamSamples)
	var flat []float32
	for from := 0; from < n; from += sampleChunk {
		part, err := t.sampleFrom(rng, from)
		if err != nil {
			return nil, err
		}
		flat = append(flat, part...)
	}
	size := 1
	for _, d := range t.data.Shape {
		size *= d
	}
	s := samples(t.data, flat[:n*size])
	s.Encoding = t.c.Encoding
	return s, nil
}

// sampleChunk is the number of samples that the generator makes at a time: one
// shape for the compiler, whatever is asked for.
const sampleChunk = 64

// sampleFrom makes the chunk of samples that begins with number from.
func (t *Trainer) sampleFrom(rng *rand.Rand, from int) ([]float32, error) {
	z, class := make([]float32, sampleChunk*t.c.Noise), make([]int32, sampleChunk)
	for i := range z {
		z[i] = float32(rng.NormFloat64())
	}
	for i := range class {
		class[i] = int32((from + i) % max(1, t.c.Classes))
	}
	out, err := t.sample.Run(tensors.FromFlatDataAndDimensions(z, sampleChunk, t.c.Noise), tensors.FromFlatDataAndDimensions(class, sampleChunk))
	if err != nil {
		return nil, fmt.Errorf("gan: %w", err)
	}
	flat, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return nil, fmt.Errorf("gan: %w", err)
	}
	out[0].MustFinalizeAll()
	return flat, nil
}

// Weighted returns the data with their weights.
func (t *Trainer) Weighted() (*train.Weighted, error) {
	w, err := t.Weights()
	if err != nil {
		return nil, err
	}
	d := t.data
	return &train.Weighted{W: w, Outlier: d.Outlier, IDs: d.IDs, Size: t.c.Size, Channels: t.c.Channels, Image: d.Image}, nil
}
