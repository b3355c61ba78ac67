package da

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rot.example/rot/chisq"
	"rot.example/rot/engine"
	"rot.example/rot/metrics"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// openBackend opens one for all tests, since data do not move between two: cpu,
// or the one that ROT_TEST_BACKEND names.
var openBackend = sync.OnceValues(func() (*engine.Backend, error) {
	return engine.Open(cmp.Or(os.Getenv("ROT_TEST_BACKEND"), "cpu"), nil)
})

func backend(t *testing.T) *engine.Backend {
	t.Helper()
	b, err := openBackend()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// blobs writes a labelled table of three clusters, moved by shift, with some
// rows far from all of them whose label is "other".
func blobs(t *testing.T, name string, n, far int, shift float64, seed uint64) string {
	t.Helper()
	return blobsAt(t, name, n, far, [3]float64{-9, -9, 9}, shift, seed)
}

// blobsAt is blobs with the place of the far rows.
func blobsAt(t *testing.T, name string, n, far int, at [3]float64, shift float64, seed uint64) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var text strings.Builder
	text.WriteString("x,y,z,label\n")
	for i := range n {
		k := i % 3
		centre := [3]float64{}
		centre[k] = 4
		label := string(rune('a' + k))
		if i < far {
			centre, label = at, "other"
		}
		for _, c := range centre {
			fmt.Fprintf(&text, "%.4f,", c+shift+0.6*rng.NormFloat64())
		}
		text.WriteString(label + "\n")
	}
	path := filepath.Join(t.TempDir(), name+".csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func preset(t *testing.T, name string) Config {
	t.Helper()
	c, err := Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// config is a short run between two tables.
func config(t *testing.T, far int) Config {
	c := preset(t, "mlp")
	c.Source, c.Target = blobs(t, "source", 150, 0, 0, 1), blobs(t, "target", 120, far, 0.5, 2)
	c.Label, c.Entropy = "label", 0.25
	c.Steps, c.Batch, c.WarmUp, c.BankEvery, c.EvalEvery, c.LogEvery = 60, 16, 10, 10, 20, 10
	c.NoSelfTraining() // the tests of self-training turn it on
	return c
}

func load(t *testing.T, c *Config) *Domains {
	t.Helper()
	d, _, err := Load(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func newTrainer(t *testing.T, c Config, d *Domains) (*Trainer, *runs.Run) {
	t.Helper()
	return newTrainerOn(t, c, d, backend(t))
}

func newTrainerOn(t *testing.T, c Config, d *Domains, b *engine.Backend) (*Trainer, *runs.Run) {
	t.Helper()
	tr, err := New(c, d, b)
	if err != nil {
		t.Fatal(err)
	}
	run, err := runs.Create(t.TempDir(), "run", "da", c)
	if err != nil {
		t.Fatal(err)
	}
	return tr, run
}

func weights(t *testing.T, tr *Trainer) []float64 {
	t.Helper()
	w, err := tr.Weights()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestMethods trains each method and loss a little: all must learn the easy
// source and leave finite numbers.
func TestMethods(t *testing.T) {
	t.Parallel()
	for _, m := range Methods() {
		for _, loss := range Losses() {
			if m != Robust && loss != NS {
				continue // the losses differ by what the weights multiply
			}
			t.Run(m+" "+loss, func(t *testing.T) {
				t.Parallel()
				c := config(t, 12)
				c.Method, c.Loss = m, loss
				d := load(t, &c)
				tr, run := newTrainer(t, c, d)
				var last Record
				if err := tr.Run(context.Background(), run, &RunOptions{Hooks: Hooks{Step: func(r Record) { last = r }}}); err != nil {
					t.Fatal(err)
				}
				if last.Step != c.Steps || last.SourceAccuracy < 0.9 {
					t.Errorf("ended with %+v", last)
				}
				if got := tr.Result(); got.Accuracy < 0.5 || got.Oracle < got.Accuracy || got.SelectedAt == 0 {
					t.Errorf("result %+v", got)
				}
				ball := chisq.Divergence(weights(t, tr))
				// The mean of weights on the border lies a little inside.
				if m == Robust && !(ball > 0.9*c.Rho && ball < c.Rho+1e-9) || m != Robust && ball != 0 {
					t.Errorf("%s: divergence of the weights is %g, ρ is %g", m, ball, c.Rho)
				}
			})
		}
	}
}

// TestForeign finds what does not belong: rows of a class that the source does
// not have.
func TestForeign(t *testing.T) {
	t.Parallel()
	t.Run("transport", func(t *testing.T) {
		testForeign(t, func(c *Config) { c.Rho = 0.06 }) // for the tenth that is foreign
	})
	t.Run("discriminator", func(t *testing.T) {
		testForeign(t, func(c *Config) { c.Scores, c.Align, c.Keep = Discriminator, 1, 0 })
	})
}

func testForeign(t *testing.T, change func(*Config)) {
	c := config(t, 12)
	c.Steps = 150
	change(&c)
	d := load(t, &c)
	if want := []string{"a", "b", "c"}; !slices.Equal(c.Classes, want) {
		t.Fatalf("classes %v, want %v", c.Classes, want)
	}
	foreign := d.Foreign()
	n := 0
	for i, f := range foreign {
		if f != (d.Known[i] < 0) {
			t.Fatalf("row %d: foreign %v, class %d", i, f, d.Known[i])
		}
		if f {
			n++
		}
	}
	if n != 12 {
		t.Fatalf("%d rows are foreign, want 12", n)
	}
	tr, run := newTrainer(t, c, d)
	if err := tr.Run(context.Background(), run, nil); err != nil {
		t.Fatal(err)
	}
	low := weights(t, tr)
	for i := range low {
		low[i] = -low[i]
	}
	auroc, err := metrics.AUROC(low, foreign)
	if err != nil || auroc < 0.95 {
		t.Errorf("AUROC of the weights is %g, %v; want 0.95", auroc, err)
	}
}

// TestUncertainty: with scores entropy the least certain samples lose weight.
func TestUncertainty(t *testing.T) {
	t.Parallel()
	c := config(t, 0)
	c.Scores, c.Keep = Uncertainty, 0
	d := load(t, &c)
	tr, run := newTrainer(t, c, d)
	if err := tr.Run(context.Background(), run, nil); err != nil {
		t.Fatal(err)
	}
	if err := tr.refresh(t.Context()); err != nil { // for the networks as they are now
		t.Fatal(err)
	}
	e, err := tr.Evaluate(d.Target, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := weights(t, tr)
	surest, least := 0, 0
	for i, p := range e.Sure {
		if p > e.Sure[surest] {
			surest = i
		}
		if p < e.Sure[least] {
			least = i
		}
	}
	if !(w[least] == 0 && w[surest] > 1) {
		t.Errorf("the least certain sample (%g) has weight %g, the surest (%g) %g", e.Sure[least], w[least], e.Sure[surest], w[surest])
	}
}

// TestTransportParts: in parts, the weights have mean 1 and lie in the ball, and
// the rows far from everything have none.
func TestTransportParts(t *testing.T) {
	t.Parallel()
	c := config(t, 12)
	c.Source = blobs(t, "source", 2*transportRows+50, 0, 0, 1)
	c.Target = blobs(t, "target", 2*transportRows+1, 200, 0, 2)
	c.Rho, c.Steps, c.WarmUp = 0.03, 1, 0
	d := load(t, &c)
	tr, _ := newTrainer(t, c, d)
	w, err := tr.transport(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mean, far := 0.0, 0.0
	for i, v := range w {
		mean += v / float64(len(w))
		if d.Known[i] < 0 {
			far += v / 200
		}
	}
	if math.Abs(mean-1) > 1e-9 || chisq.Divergence(w) > c.Rho*(1+1e-6) || far > 0.05 {
		t.Errorf("mean weight %g, divergence %g, mean weight of far rows %g", mean, chisq.Divergence(w), far)
	}
}

// TestCancelRefresh: an interrupt while the weights are refreshed ends the run
// before the next step, and leaves a checkpoint from which it goes on.
func TestCancelRefresh(t *testing.T) {
	c := config(t, 12)
	// A refresh that takes seconds: two problems of 2000 × 2000.
	c.Source = blobs(t, "source", transportRows, 0, 0, 1)
	c.Target = blobs(t, "target", 2*transportRows, 200, 0, 2)
	c.Rho, c.Steps, c.WarmUp = 0.03, 4, 2
	tr, run := newTrainer(t, c, load(t, &c))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var cancelled time.Time
	err := tr.Run(ctx, run, &RunOptions{Hooks: Hooks{Step: func(r Record) {
		if r.Step == c.WarmUp {
			time.AfterFunc(50*time.Millisecond, func() { cancelled = time.Now(); cancel() })
		}
	}}})
	if !errors.Is(err, context.Canceled) || tr.Step() != c.WarmUp {
		t.Errorf("at step %d: %v; want it cancelled after step %d", tr.Step(), err, c.WarmUp)
	}
	t.Logf("it took %v", time.Since(cancelled))
	if saved, err := run.Latest(); err != nil || saved.Step != c.WarmUp {
		t.Errorf("the checkpoint: %+v, %v", saved, err)
	}
}

// TestLabelsOfTarget: they may be anything without changing the model that is
// picked, or anything else of the run but scores.
func TestLabelsOfTarget(t *testing.T) {
	t.Parallel()
	c := config(t, 0)
	first := train1(t, c)
	text, err := os.ReadFile(c.Target)
	if err != nil {
		t.Fatal(err)
	}
	wrong := bytes.ReplaceAll(text, []byte(",b\n"), []byte(",a\n"))
	if err := os.WriteFile(c.Target, wrong, 0o666); err != nil {
		t.Fatal(err)
	}
	second := train1(t, c)
	equalTensors(t, first, second)
}

// train1 trains to the end and returns the last checkpoint.
func train1(t *testing.T, c Config) *runs.Checkpoint {
	t.Helper()
	d := load(t, &c)
	tr, run := newTrainer(t, c, d)
	if err := tr.Run(context.Background(), run, nil); err != nil {
		t.Fatal(err)
	}
	saved, err := run.Latest()
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func equalTensors(t *testing.T, a, b *runs.Checkpoint) {
	t.Helper()
	if a.Step != b.Step || len(a.Tensors) != len(b.Tensors) {
		t.Fatalf("step %d with %d arrays against step %d with %d", a.Step, len(a.Tensors), b.Step, len(b.Tensors))
	}
	for i := range a.Tensors {
		if a.Tensors[i].Name != b.Tensors[i].Name || !bytes.Equal(a.Tensors[i].Data, b.Tensors[i].Data) {
			t.Fatalf("array %s differs", a.Tensors[i].Name)
		}
	}
}

// TestResume stops a run in the middle, three times, and compares its end with
// that of an unbroken one, bit for bit.
func TestResume(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, c *Config){
		"bank":           func(_ *testing.T, c *Config) { c.Steps = 45 },
		"weight network": func(_ *testing.T, c *Config) { c.Weights = WeightNet },
		"radius, bank":   func(_ *testing.T, c *Config) { c.Rho, c.RhoAuto = 0, true },
		"radius, network": func(t *testing.T, c *Config) {
			*c = strangers(t, 300, 30, 0)
			c.Rho, c.RhoAuto, c.Weights, c.WarmUp, c.Steps, c.LogEvery = 0, true, WeightNet, 30, 45, 5
		},
		"crop and flip": func(_ *testing.T, c *Config) {
			net := preset(t, "lenet")
			c.Net, c.Crop, c.CropArea, c.Flip = "lenet", true, net.CropArea, true
			c.Source, c.Target, c.Label = "synth:digits,n=20", "synth:digits,n=20,seed=1", ""
			c.Batch, c.WarmUp, c.Steps, c.LogEvery, c.EvalEvery = 4, 2, 11, 1, 5
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t, 12)
			c.Steps, c.LogEvery, c.EvalEvery = 25, 5, 10
			change(t, &c)
			want := train1(t, c)
			d := load(t, &c)
			_, run := newTrainer(t, c, d)
			// Before the end of the warm-up, there, and after.
			for _, stop := range []int{c.WarmUp - 1, c.WarmUp, c.WarmUp + 6, c.Steps + 1} {
				tr, err := New(c, d, backend(t))
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(context.Background())
				err = tr.Run(ctx, run, &RunOptions{Hooks: Hooks{Step: func(r Record) {
					if r.Step == stop {
						cancel()
					}
				}}})
				if done := stop > c.Steps; done != (err == nil) || !done && !errors.Is(err, context.Canceled) {
					t.Fatalf("stopped at %d: %v", stop, err)
				}
				cancel()
			}
			got, err := run.Latest()
			if err != nil {
				t.Fatal(err)
			}
			equalTensors(t, got, want)
			if r := equalRadii(t, got, want); c.RhoAuto != (r != nil) {
				t.Errorf("radius %+v", r)
			} else if r != nil && !r.Found() {
				t.Errorf("there is no elbow to go on with: %+v", r)
			}
			log, err := run.Metrics()
			if err != nil || len(log) != (c.Steps+c.LogEvery-1)/c.LogEvery {
				t.Errorf("%d records, %v; want one in %d of %d", len(log), err, c.LogEvery, c.Steps)
			}
		})
	}
}

// equalRadii compares what the checkpoints say about the automatic radius, and
// returns it.
func equalRadii(t *testing.T, a, b *runs.Checkpoint) *Radius {
	t.Helper()
	var p, q progress
	if err := errors.Join(json.Unmarshal([]byte(a.Meta["progress"]), &p), json.Unmarshal([]byte(b.Meta["progress"]), &q)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p.Radius, q.Radius) {
		t.Errorf("radius %+v against %+v", p.Radius, q.Radius)
	}
	return p.Radius
}

// TestDiverged takes far too large steps: the run ends with an explanation, and the
// batch is there to look at.
func TestDiverged(t *testing.T) {
	c := config(t, 0)
	d := load(t, &c)
	tr, run := newTrainer(t, c, d)
	tr.c.LR = 1e30
	err := tr.Run(context.Background(), run, nil)
	var stopped *train.StoppedError
	if !errors.As(err, &stopped) {
		t.Fatalf("got %v, want a StoppedError", err)
	}
	if _, err := os.Stat(filepath.Join(run.Path(), "failure", "batch.json")); err != nil {
		t.Error(err)
	}
}

// TestEvaluation counts by hand.
func TestEvaluation(t *testing.T) {
	e := &Evaluation{Class: make([]float64, 3), Counts: [][]int{{3, 1, 0}, {0, 0, 2}, {0, 0, 0}}}
	e.score()
	if e.Accuracy != 0.5 || e.Mean != 0.375 || !slices.Equal(e.Class, []float64{0.75, 0, -1}) {
		t.Errorf("accuracy %g, mean %g, classes %v", e.Accuracy, e.Mean, e.Class)
	}
	none := &Evaluation{Accuracy: -1, Mean: -1, Class: make([]float64, 1), Counts: [][]int{{0}}}
	if none.score(); none.Accuracy != -1 {
		t.Errorf("without samples the accuracy is %g, want −1", none.Accuracy)
	}
	if h := entropyOf([]float64{0.5, 0.5, 0}); math.Abs(h-math.Ln2) > 1e-15 {
		t.Errorf("entropy %g, want log 2", h)
	}
}

func TestValidate(t *testing.T) {
	good := preset(t, "mlp")
	good.Channels, good.Classes, good.Rho = 3, []string{"a", "b"}, 0.2
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		change func(c *Config)
		want   string
	}{
		{func(c *Config) { c.Net = "vgg" }, `net is "vgg"`},
		{func(c *Config) { c.Method = "magic" }, `method is "magic"`},
		{func(c *Config) { c.Steps = 0 }, "steps is 0"},
		{func(c *Config) { c.Batch = 1 }, "batch norm needs at least 2"},
		{func(c *Config) { c.Rho = math.NaN() }, "rho is NaN"},
		{func(c *Config) { c.Scores = "guess" }, `scores is "guess"`},
		{func(c *Config) { c.Keep = 1 }, "keep is 1"},
		{func(c *Config) { c.LabelCost = -1 }, "label_cost is -1"},
		{func(c *Config) { c.Classes = c.Classes[:1] }, "source has 1 classes"},
		{func(c *Config) { c.Size = 28 }, "net mlp is for feature vectors"},
		{func(c *Config) { c.Net = "lenet" }, "net lenet is for images"},
		{func(c *Config) { c.Net, c.Size = "lenet", 64 }, "28 or 32 pixels, not 64"},
		{func(c *Config) { c.Net, c.Size = "resnet18", 16 }, "at least 32 pixels, not 16"},
		{func(c *Config) { c.Pretrained = "x" }, "pretrained weights are for resnets"},
		{func(c *Config) { c.Flip = true }, "cannot be mirrored"},
		{func(c *Config) { c.Zoom = 2 }, "cannot be enlarged"},
		{func(c *Config) { c.Zoom = 0.5 }, "zoom is 0.5"},
		{func(c *Config) { c.Crop = true }, "cannot be cropped"},
		{func(c *Config) { c.Net, c.Size, c.Crop, c.CropArea = "lenet", 28, true, 0 }, "crop_area is 0"},
		{func(c *Config) { c.Weights = "guess" }, `weights is "guess"`},
		{func(c *Config) { c.RhoAuto = true }, "rho is 0.2 and auto"},
		{func(c *Config) { c.Rho, c.RhoAuto, c.Method = 0, true, Adversarial }, "rho_auto is for method robust"},
		{func(c *Config) { c.Rho, c.RhoAuto, c.WarmUp = 0, true, 0 }, "at the end of the warm-up"},
		{func(c *Config) { c.Rho, c.RhoAuto, c.WarmUp = 0, true, c.Steps }, "at the end of the warm-up"},
	} {
		c := good
		tt.change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}

// TestPretrained: what is wrong with the file of weights is an error that names
// the file and the tensor.
func TestPretrained(t *testing.T) {
	c := preset(t, "resnet18")
	c.Source, c.Target, c.Size = "synth:digits,n=6", "synth:digits,n=6,seed=1", 32
	d := load(t, &c)
	if c.Channels != 3 {
		t.Fatalf("%d channels, want 3", c.Channels)
	}
	c.Pretrained = filepath.Join(t.TempDir(), "missing.safetensors")
	if _, err := New(c, d, backend(t)); err == nil || !strings.Contains(err.Error(), "missing.safetensors") {
		t.Errorf("a missing file: got %v", err)
	}
	run, err := runs.Create(t.TempDir(), "x", "da", c)
	if err != nil {
		t.Fatal(err)
	}
	weights := runs.Tensor{Name: "conv1.weight", DType: "F32", Shape: []int{64, 3, 7, 7}, Data: make([]byte, 4*64*3*7*7)}
	if err := run.Save(&runs.Checkpoint{Step: 1, Tensors: []runs.Tensor{weights}}); err != nil {
		t.Fatal(err)
	}
	c.Pretrained = filepath.Join(run.Path(), "checkpoints", "step-00000001.safetensors")
	if _, err := New(c, d, backend(t)); err == nil || !strings.Contains(err.Error(), `no tensor "bn1.running_mean" [64]`) {
		t.Errorf("a missing tensor: got %v", err)
	}
}
