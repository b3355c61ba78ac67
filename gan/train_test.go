package gan

import (
	"bufio"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// difference is the largest difference between the elements of two sets of
// arrays; infinite when they are not alike.
func difference(a, b map[string][]float32) float64 {
	if !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) || len(a) == 0 {
		return math.Inf(1)
	}
	worst := 0.0
	for name, x := range a {
		y := b[name]
		for i := range x {
			if d := math.Abs(float64(x[i]) - float64(y[i])); !(d <= worst) {
				worst = d
			}
		}
	}
	return worst
}

// TestDeterministic: a seed gives the same run to the bit, another seed
// another one.
func TestDeterministic(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config func(testing.TB, func(*Config)) (Config, *train.Data)
	}{{"points", eightConfig}, {"images", digitsConfig}} {
		t.Run(tt.name, func(t *testing.T) {
			final := func(seed uint64) (map[string][]float32, []map[string]any) {
				c, d := tt.config(t, func(c *Config) { c.Flip = c.Preset == "tiny" })
				c.Seed = seed // of the training, not of the data
				tr, run := trained(t, c, d)
				return arrays(tr, ""), untimed(t, run)
			}
			a, logA := final(1)
			b, logB := final(1)
			if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(logA, logB) {
				t.Error("the same seed gave another result")
			}
			if c, _ := final(2); difference(a, c) == 0 {
				t.Error("another seed gave the same result")
			}
		})
	}
}

// untimed are the records of a run without what depends on the clock.
func untimed(t testing.TB, run *runs.Run) []map[string]any {
	t.Helper()
	records, err := run.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		delete(r, "seconds")
		delete(r, "images_per_second")
	}
	return records
}

// TestWarmUp: until it ends the weights are 1, the weight network is left
// alone, and all is as in a plain GAN.
func TestWarmUp(t *testing.T) {
	for _, weights := range []string{WeightNet, WeightBank} {
		t.Run(weights, func(t *testing.T) {
			warm := func(c *Config) { c.Steps, c.WarmUp, c.LogEvery, c.Weights = 7, 7, 1, weights }
			c, d := eightConfig(t, warm)
			robust, run := trained(t, c, d)
			c, d = eightConfig(t, func(c *Config) { warm(c); c.Rho = 0 })
			plain, _ := trained(t, c, d)
			if diff := difference(arrays(robust, "D/", "G/", "adam/D/", "adam/G/"), arrays(plain, "D/", "G/", "adam/D/", "adam/G/")); diff != 0 {
				t.Errorf("a robust GAN in its warm-up differs from a plain one by %v", diff)
			}
			w, err := robust.Weights()
			if mean, chi2 := moments(w); err != nil || len(w) != d.N || math.Abs(mean-1) > 1e-12 || chi2 != 0 {
				t.Errorf("%v: %d weights, mean %v, χ² %v", err, len(w), mean, chi2)
			}
			for _, r := range untimed(t, run) {
				if r["divergence"] != 0.0 || r["ess"] != 8.0 {
					t.Errorf("record %v", r)
				}
			}
			if n := updatesOf(robust, "W"); n != 0 {
				t.Errorf("%d updates of the weights", n)
			}
			if weights == WeightNet {
				start := newTrainer(t, robust.c, d)
				if _, err := fly(start, 1); err != nil {
					t.Fatal(err)
				}
				if diff := difference(arrays(robust, "W/"), arrays(start, "W/")); diff != 0 {
					t.Errorf("the weight network moved by %v", diff)
				}
			}
		})
	}
}

// TestWeightsLeaveOne: after the warm-up they do, within the ball, and the
// critic sees them.
func TestWeightsLeaveOne(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.LogEvery = 1 })
	tr, run := trained(t, c, d)
	w, err := tr.Weights()
	if err != nil {
		t.Fatal(err)
	}
	if mean, chi2 := moments(w); math.Abs(mean-1) > 1e-9 || chi2 == 0 || chi2 > 2*c.Rho*(1+1e-9) {
		t.Errorf("mean %v, χ² %v", mean, chi2)
	}
	for _, r := range untimed(t, run) {
		divergence, ess := r["divergence"].(float64), r["ess"].(float64)
		if (r["step"].(float64) > float64(c.WarmUp)) != (divergence > 0) || divergence > c.Rho*(1+1e-5) || math.Abs(ess-8/(1+2*divergence)) > 1e-9 {
			t.Errorf("record %v", r)
		}
	}
	c.Rho = 0
	plain, _ := trained(t, c, d)
	if difference(arrays(tr, "D/"), arrays(plain, "D/")) == 0 {
		t.Error("the critic did not notice the weights")
	}
}

func TestCadence(t *testing.T) {
	for _, tt := range []struct {
		steps, warmUp, critic, weight int
		g, w                          int
	}{
		{20, 6, 3, 2, 6, 7},  // weights after 8, 10, …, 20
		{20, 0, 5, 5, 4, 4},  // together
		{7, 3, 10, 1, 0, 4},  // weights after 4, 5, 6, 7
		{12, 8, 1, 4, 12, 1}, // weights after 12
		{5, 9, 2, 1, 2, 0},
	} {
		c, d := eightConfig(t, func(c *Config) {
			c.Steps, c.WarmUp, c.CriticSteps, c.WeightSteps = tt.steps, tt.warmUp, tt.critic, tt.weight
		})
		tr, _ := trained(t, c, d)
		if n, g, w := updatesOf(tr, "D"), updatesOf(tr, "G"), updatesOf(tr, "W"); n != tt.steps || g != tt.g || w != tt.w || tr.Step() != tt.steps {
			t.Errorf("%+v: %d updates of D, %d of G, %d of W", tt, n, g, w)
		}
	}
}

// TestMetrics: metrics.jsonl has what is promised of it.
func TestMetrics(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Steps, c.LogEvery = 17, 4 })
	_, run := trained(t, c, d)
	f, err := os.Open(filepath.Join(run.Path(), "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := []string{
		"critic_loss", "distance", "divergence", "ess", "generator_loss", "gradient_norm", "gradient_penalty",
		"images_per_second", "seconds", "step", "weight_loss",
	}
	var steps []float64
	last := map[string]float64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		clear(last)
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			t.Fatal(err)
		}
		if keys := slices.Sorted(maps.Keys(last)); !slices.Equal(keys, want) {
			t.Errorf("keys %v, want %v", keys, want)
		}
		steps = append(steps, last["step"])
	}
	if !slices.Equal(steps, []float64{4, 8, 12, 16, 17}) {
		t.Errorf("records of steps %v", steps)
	}
	for _, key := range want {
		if v := last[key]; v == 0 || math.IsNaN(v) {
			t.Errorf("%s is %v at the end", key, v)
		}
	}
}

// TestSchedule: samples are made on the schedule and at the end, every step is
// reported, and the rate excludes the first step.
func TestSchedule(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.SampleEvery = 6 })
	tr, run := newTrainer(t, c, d), newRun(t, c)
	var pictures, steps []int
	var rates []float64
	err := tr.Run(t.Context(), run, &RunOptions{Hooks: Hooks{
		Step: func(r Record) { steps, rates = append(steps, r.Step), append(rates, r.ImagesPerSecond) },
		Samples: func(step int, s *Samples) error {
			again, err := tr.Sample(fixedSamples, c.Seed)
			if err != nil || !slices.Equal(s.Points, again.Points) || len(s.Points) != 2*fixedSamples {
				t.Errorf("step %d: %d numbers, not those of the fixed noise, %v", step, len(s.Points), err)
			}
			pictures = append(pictures, step)
			return nil
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(pictures, []int{6, 12, 18, 20}) {
		t.Errorf("pictures at %v", pictures)
	}
	if len(steps) != 20 || steps[0] != 1 || !slices.IsSorted(steps) {
		t.Errorf("reports of steps %v", steps)
	}
	if rates[0] != 0 || slices.Min(rates[1:]) <= 0 || slices.Max(rates) > 1e9 {
		t.Errorf("rates %v", rates)
	}
	if tr.Seconds() <= 0 {
		t.Errorf("it took %v s", tr.Seconds())
	}
}

// TestDecay: the rates fall linearly, and at rate 0 nothing moves.
func TestDecay(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Decay, c.TargetRho = true, 0.1 })
	tr, _ := trained(t, c, d)
	for step, want := range map[int]float64{1: 1, 11: 0.5, 20: 0.05} {
		if got := tr.row(nil, step, streamCritic).Rate; math.Abs(got-want) > 1e-9 {
			t.Errorf("rate %v at step %d, want %v", got, step, want)
		}
	}
	before := arrays(tr, "D/", "G/", "W/", "V/")
	r := tr.row(tr.order.Batch(nil, 0), c.Steps+1, streamCritic)
	for _, p := range []struct {
		name string
		run  func() error
	}{
		{"critic", func() error { _, err := tr.run(tr.critic, r); return err }},
		{"weights", func() error { _, err := tr.run(tr.weight, r); return err }},
		{"generator", func() error { _, err := tr.run(tr.generator, r); return err }},
	} {
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		if diff := difference(before, arrays(tr, "D/", "G/", "W/", "V/")); diff != 0 {
			t.Errorf("%s: moved by %v at rate 0", p.name, diff)
		}
	}
}
