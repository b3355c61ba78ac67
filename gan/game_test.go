package gan

import (
	"math"
	"slices"
	"testing"

	"rot.example/rot/train"
)

// TestTogether: several critic steps in one call do what they do one by one.
func TestTogether(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(c *Config)
	}{
		{"weights in between", func(c *Config) {}},
		{"weights at the end", func(c *Config) { c.WeightSteps, c.WarmUp = 3, 7 }},
		{"bank", func(c *Config) { c.Weights, c.BankEvery = WeightBank, 3 }},
		{"plain hinge", func(c *Config) { c.Rho, c.Loss = 0, Hinge }},
		{"two-sided, labels, decay", func(c *Config) {
			c.WeightSteps, c.TargetRho, c.Classes, c.EMA, c.Decay = 6, 0.1, 8, 0.9, true
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, d := eightConfig(t, tt.change)
			single, singleRun := trained(t, c, d)
			cycles, run := newTrainer(t, c, d), newRun(t, c)
			cycles.together, cycles.remote = c.CriticSteps, true
			calls, at := 0, 0
			for step := range c.Steps { // how many calls it takes
				if step == at {
					at, calls = step+cycles.atOnce(step+1), calls+1
				}
			}
			if calls == c.Steps {
				t.Error("every step is a call of its own")
			}
			if err := cycles.Run(t.Context(), run, nil); err != nil {
				t.Fatal(err)
			}
			if diff := difference(arrays(single, ""), arrays(cycles, "")); !(diff <= 1e-5) {
				t.Errorf("the arrays differ by %v", diff)
			}
			a, b := untimed(t, singleRun), untimed(t, run)
			if len(a) != len(b) {
				t.Fatalf("%d records and %d", len(a), len(b))
			}
			for k := range a {
				for key := range a[k] {
					if math.Abs(a[k][key].(float64)-b[k][key].(float64)) > 1e-4 {
						t.Errorf("%s of record %d is %v and %v", key, k, a[k][key], b[k][key])
					}
				}
			}
		})
	}
}

// TestEveryGame: each loss trains all players of its game, and all numbers
// stay finite.
func TestEveryGame(t *testing.T) {
	for _, tt := range []struct {
		name    string
		config  func(testing.TB, func(*Config)) (Config, *train.Data)
		change  func(c *Config)
		players []string
	}{
		{"wasserstein", eightConfig, func(c *Config) {}, []string{"D/", "G/", "W/"}},
		{"wasserstein plain", eightConfig, func(c *Config) { c.Rho = 0 }, []string{"D/", "G/"}},
		{"without gradient penalty", eightConfig, func(c *Config) { c.GradientPenalty = 0 }, []string{"D/", "G/", "W/"}},
		{"penalty", eightConfig, func(c *Config) { c.Constraint = Penalty }, []string{"D/", "G/", "W/"}},
		{"bank", eightConfig, func(c *Config) { c.Weights = WeightBank }, []string{"D/", "G/"}},
		{"two-sided", eightConfig, func(c *Config) { c.TargetRho = 0.1 }, []string{"D/", "G/", "W/", "V/"}},
		{"ns", eightConfig, func(c *Config) { c.Loss = NS }, []string{"D/", "G/", "W/"}},
		{"ns two-sided", eightConfig, func(c *Config) { c.Loss, c.TargetRho = NS, 0.2 }, []string{"D/", "G/", "W/", "V/"}},
		{"hinge", eightConfig, func(c *Config) { c.Loss = Hinge }, []string{"D/", "G/", "W/"}},
		{"hinge bank", eightConfig, func(c *Config) { c.Loss, c.Weights = Hinge, WeightBank }, []string{"D/", "G/"}},
		{"uot", eightConfig, func(c *Config) { c.Loss, c.Rho = UOT, 0 }, []string{"D/data/", "D/model/", "G/"}},
		{"uot as printed", eightConfig, func(c *Config) { c.Loss, c.Rho = UOTPrinted, 0 }, []string{"D/data/", "D/model/", "G/"}},
		{"labels", eightConfig, func(c *Config) { c.Classes = 8 }, []string{"D/", "G/", "W/"}},
		{"bf16", eightConfig, func(c *Config) { c.DType = "bf16" }, []string{"D/", "G/", "W/"}},
		{"images", digitsConfig, func(c *Config) { c.Flip = true }, []string{"D/", "G/", "W/"}},
		{"images, hinge, labels, bank", digitsConfig, func(c *Config) { c.Loss, c.Classes, c.Weights = Hinge, 10, WeightBank }, []string{"D/", "G/"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, d := tt.config(t, tt.change)
			start := newTrainer(t, c, d)
			if _, err := fly(start, 1); err != nil { // for the arrays' first values, all but D's
				t.Fatal(err)
			}
			tr, run := trained(t, c, d) // all of it finite, or the last checkpoint would have failed
			for _, p := range tt.players {
				if diff := difference(arrays(start, p), arrays(tr, p)); !(diff > 0) || math.IsInf(diff, 0) {
					t.Errorf("%s moved by %v", p, diff)
				}
			}
			for _, p := range []string{"W/", "V/"} {
				if slices.Contains(tt.players, p) != (len(arrays(tr, p)) > 0) {
					t.Errorf("%d arrays of %s", len(arrays(tr, p)), p)
				}
			}
			records, err := run.Metrics()
			if err != nil || len(records) == 0 || records[len(records)-1]["step"] != float64(c.Steps) {
				t.Errorf("%d records, %v", len(records), err)
			}
		})
	}
}
