package gan

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot/chisq"
	"rot/dataset"
	"rot/engine"
	"rot/nn"
)

// A Trainer holds the networks of a run, at some step of it.
type Trainer struct {
	c    Config
	data *Data
	net  networks
	obj  objective

	state  *nn.State
	bank   *chisq.Bank // nil without
	order  *dataset.Order
	step   int // critic updates so far
	latest latest

	critic, weight, generator *nn.Program    // one update each
	cycles                    [2]*nn.Program // all updates up to one of the generator; the second with the weights
	score, sample             *nn.Program

	together            int // critic steps in one call
	labels, bankWeights *tensors.Tensor
}

// latest are the values of the last updates of each kind, which a checkpoint
// keeps so that a resumed run reports what an unbroken one would.
type latest struct {
	GeneratorLoss float64 `json:"generator_loss"`
	WeightLoss    float64 `json:"weight_loss"`
	Collapsed     int     `json:"collapsed"` // weight updates in a row that looked bad
	Seconds       float64 `json:"seconds"`   // of training
}

// New returns a Trainer at step 0.
func New(c Config, data *Data, b *engine.Backend) (*Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Classes > 0 && c.Classes != data.classes {
		return nil, fmt.Errorf("gan: the configuration has %d classes and the data %d", c.Classes, data.classes)
	}
	if want := Blank(&c).shape; !slices.Equal(want, data.shape) {
		return nil, fmt.Errorf("gan: the configuration is for samples of shape %v, and the data have %v", want, data.shape)
	}
	t := &Trainer{c: c, data: data, net: c.networks(), state: nn.NewState(c.Seed)}
	if !c.unbalanced() {
		t.obj = c.objective()
	}
	var err error
	if t.order, err = dataset.NewOrder(data.n, c.Batch, c.Seed); err != nil {
		return nil, fmt.Errorf("gan: %w", err)
	}
	if c.robust() && c.Weights == WeightBank && data.values != nil {
		if t.bank, err = chisq.NewBank(data.n, chisq.Ball{Rho: c.Rho}); err != nil {
			return nil, fmt.Errorf("gan: %w", err)
		}
	}
	labels := []int32{0}
	if c.Classes > 0 {
		labels = data.labels
	}
	t.labels = tensors.FromFlatDataAndDimensions(labels, len(labels))
	t.useBank()
	if t.together = 1; b.Kind != "go" {
		// Each call of a GPU has a price, whatever it does.
		t.together = c.CriticSteps
	}
	program := func(name string, f func(*nn.Scope, []*graph.Node) []*graph.Node) *nn.Program {
		return nn.NewProgram(b, t.state, name, f)
	}
	t.critic = program("critic step", t.cycle(1, false, false))
	t.weight = program("weight step", t.cycle(0, true, false))
	t.generator = program("generator step", t.cycle(0, false, true))
	t.cycles[0] = program("cycle without weights", t.cycle(c.CriticSteps, false, true))
	t.cycles[1] = program("cycle", t.cycle(c.CriticSteps, true, true))
	t.score = program("pass over the data", t.scoreStep)
	t.sample = program("sampling", t.sampleStep)
	return t, nil
}

// useBank hands the weights of the bank to the graphs.
func (t *Trainer) useBank() {
	w := []float64{1}
	if t.bank != nil {
		w = t.bank.Weights()
	}
	t.bankWeights = tensors.FromFlatDataAndDimensions(narrow(w), len(w))
}

// Config is the configuration of the run.
func (t *Trainer) Config() Config { return t.c }

// Step is the number of critic updates so far.
func (t *Trainer) Step() int { return t.step }

// Seconds is how long they took, up to the last checkpoint.
func (t *Trainer) Seconds() float64 { return t.latest.Seconds }

// A row is one row of control: what a graph needs to know for one of its
// steps. Each use of random numbers at a step has a stream of its own.
type row struct {
	batch        []int32
	step, stream int
}

// feed are the inputs of the graphs (see inputs).
func (t *Trainer) feed(rows []row) []any {
	width := t.c.Batch + controlExtra
	control := make([]uint64, 0, len(rows)*width)
	for _, r := range rows {
		for _, i := range r.batch {
			control = append(control, uint64(i))
		}
		rng := t.random(r.step, r.stream)
		control = append(control, rng.Uint64(), rng.Uint64(), rng.Uint64())
		control = append(control, uint64(t.c.schedule()(r.step-1)*rateUnit))
		if r.step > t.c.WarmUp {
			control = append(control, 1)
		} else {
			control = append(control, 0)
		}
	}
	return []any{t.data.values, t.labels, t.bankWeights, tensors.FromFlatDataAndDimensions(control, len(rows), width)}
}

// The streams of random numbers.
const (
	streamCritic = iota
	streamWeight
	streamGenerator
	streamSamples
)

// random is the source for one use at one step: a function of the seed, so
// that there is no state to save.
func (t *Trainer) random(step, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(t.c.Seed, uint64(step)<<8|uint64(stream)))
}

func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// run runs a program and returns its output.
func (t *Trainer) run(p *nn.Program, rows ...row) ([]float64, error) {
	step := rows[len(rows)-1].step
	out, err := p.Run(t.feed(rows)...)
	if err != nil {
		return nil, fmt.Errorf("gan: step %d: %w", step, err)
	}
	flat, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return nil, fmt.Errorf("gan: step %d: %w", step, err)
	}
	for _, o := range out {
		o.MustFinalizeAll()
	}
	wide := make([]float64, len(flat))
	for i, v := range flat {
		wide[i] = float64(v)
	}
	return wide, nil
}

// pass runs the networks in use over the whole data set: one number a sample.
func (t *Trainer) pass() ([]float64, error) {
	out := make([]float64, 0, t.data.n+t.c.Batch)
	index := make([]int32, t.c.Batch)
	for from := 0; from < t.data.n; from += len(index) {
		for i := range index {
			index[i] = int32(min(from+i, t.data.n-1))
		}
		part, err := t.run(t.score, row{index, t.step, streamCritic})
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return out[:t.data.n], nil
}

// Weights are the weights of the data, with mean 1: those of the bank, or what
// the weight network makes of the whole data set. They are all 1 for a plain
// GAN and during the warm-up.
func (t *Trainer) Weights() ([]float64, error) {
	if t.bank != nil {
		return t.bank.Weights(), nil
	}
	if !t.c.robust() || t.step <= t.c.WarmUp {
		w := make([]float64, t.data.n)
		for i := range w {
			w[i] = 1
		}
		return w, nil
	}
	raw, err := t.pass()
	if err != nil {
		return nil, err
	}
	return t.c.weighAll(raw), nil
}

// Sample makes n samples of the noise that the seed gives. A conditional GAN
// goes through the classes in turn.
func (t *Trainer) Sample(n int, seed uint64) (*Samples, error) {
	rng := rand.New(rand.NewPCG(seed, streamSamples))
	const chunk = 64 // one shape for the compiler, whatever n is
	var flat []float32
	for from := 0; from < n; from += chunk {
		z := make([]float32, chunk*t.c.Noise)
		for i := range z {
			z[i] = float32(rng.NormFloat64())
		}
		class := make([]int32, chunk)
		for i := range class {
			class[i] = int32((from + i) % max(1, t.c.Classes))
		}
		out, err := t.sample.Run(tensors.FromFlatDataAndDimensions(z, chunk, t.c.Noise), tensors.FromFlatDataAndDimensions(class, chunk))
		if err != nil {
			return nil, fmt.Errorf("gan: %w", err)
		}
		part, err := tensors.CopyFlatData[float32](out[0])
		if err != nil {
			return nil, fmt.Errorf("gan: %w", err)
		}
		flat = append(flat, part...)
	}
	size := 1
	for _, d := range t.data.shape {
		size *= d
	}
	return t.data.samples(flat[:n*size]), nil
}
