package gan

import (
	"cmp"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/engine"
	"rot.example/rot/nn"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// openBackend opens cpu, or the backend that ROT_TEST_BACKEND names, once for
// all tests.
var openBackend = sync.OnceValues(func() (*engine.Backend, error) {
	return engine.Open(cmp.Or(os.Getenv("ROT_TEST_BACKEND"), "cpu"), nil)
})

func testBackend(t testing.TB) *engine.Backend {
	t.Helper()
	b, err := openBackend()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// calculate runs the graph that f builds of vectors and returns the elements
// of each of its outputs.
func calculate(t testing.TB, f func(in []*graph.Node) []*graph.Node, in ...any) [][]float64 {
	t.Helper()
	p := nn.NewProgram(testBackend(t), nn.NewState(0), t.Name(), func(_ *nn.Scope, in []*graph.Node) []*graph.Node { return f(in) })
	out, err := p.Run(in...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for k, o := range out {
		switch flat := o.Value().(type) {
		case float32:
			values[k] = []float64{float64(flat)}
		case float64:
			values[k] = []float64{flat}
		case []float32:
			values[k] = wide(flat)
		case []float64:
			values[k] = flat
		default:
			t.Fatalf("output %d is %s", k, o.Shape())
		}
	}
	return values
}

func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// near says whether the elements of got and want differ by at most tol.
func near(got, want []float64, tol float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			return false
		}
	}
	return true
}

// eightConfig is a small robust GAN on synth:eight with outliers. The critic
// has three updates for one of the generator, and two for one of the weights.
func eightConfig(t testing.TB, change func(c *Config)) (Config, *train.Data) {
	t.Helper()
	return load(t, "mlp", "synth:eight,n=60", "synth:far@0.1", func(c *Config) {
		c.Batch, c.Steps, c.WarmUp, c.CriticSteps, c.WeightSteps, c.BankEvery = 8, 20, 6, 3, 2, 4
		if change != nil {
			change(c)
		}
	})
}

// digitsConfig is the same for images.
func digitsConfig(t testing.TB, change func(c *Config)) (Config, *train.Data) {
	t.Helper()
	return load(t, "tiny", "synth:digits,n=12", "synth:shapes@0.1", func(c *Config) {
		c.Batch, c.Steps, c.WarmUp, c.CriticSteps, c.WeightSteps, c.BankEvery = 4, 4, 1, 2, 1, 2
		if change != nil {
			change(c)
		}
	})
}

// load is the configuration and the data of a test. Where change asks for
// classes, the GAN is conditional.
func load(t testing.TB, preset, data, outliers string, change func(c *Config)) (Config, *train.Data) {
	t.Helper()
	c, err := Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	// Whatever presets are tuned to, tests count on these.
	c.Data, c.Outliers, c.SampleEvery, c.LogEvery, c.Seed = data, outliers, 1000, 5, 3
	c.Loss, c.Rho, c.TargetRho, c.Weights, c.Constraint = Wasserstein, 0.1, 0, WeightNet, Ball
	c.LR, c.WeightLR, c.EMA, c.Decay, c.Flip = 1e-3, 1e-3, 0, false, false
	change(&c)
	d, _, err := Load(&c)
	if err != nil {
		t.Fatal(err)
	}
	return c, d
}

func newTrainer(t testing.TB, c Config, d *train.Data) *Trainer {
	t.Helper()
	tr, err := New(c, d, testBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func newRun(t testing.TB, c Config) *runs.Run {
	t.Helper()
	run, err := runs.Create(t.TempDir(), "", "gan", c)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// trained is a Trainer that has run to the end, and its run.
func trained(t testing.TB, c Config, d *train.Data) (*Trainer, *runs.Run) {
	t.Helper()
	tr, run := newTrainer(t, c, d), newRun(t, c)
	if err := tr.Run(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
	return tr, run
}

// arrays are copies of the arrays of the State whose names start with one of
// the prefixes.
func arrays(tr *Trainer, prefixes ...string) map[string][]float32 {
	out := map[string][]float32{}
	for name, value := range tr.saved.State.All() {
		for _, p := range prefixes {
			if strings.HasPrefix(name, p) {
				out[name] = tensors.MustCopyFlatData[float32](value)
			}
		}
	}
	return out
}

// fill sets every element of the arrays under a path.
func fill(tr *Trainer, prefix string, v float32) {
	for name, value := range arrays(tr, prefix) {
		for i := range value {
			value[i] = v
		}
		tr.saved.State.Set(name, tensors.FromFlatDataAndDimensions(value, tr.saved.State.Get(name).Shape().Dimensions...))
	}
}

// updatesOf is how often Adam has changed the network called name.
func updatesOf(tr *Trainer, name string) int {
	steps := tr.saved.State.Get("adam/" + name + "/steps")
	if steps == nil {
		return 0
	}
	return int(tensors.ToScalar[float32](steps))
}
