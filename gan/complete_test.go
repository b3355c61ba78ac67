package gan

import (
	"errors"
	"reflect"
	"testing"

	"rot.example/rot/train"
)

// TestComplete: what is not set is the preset's, or follows from what is.
func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		name   string
		c      Config
		given  []string
		preset string
		change func(c *Config) // of the preset, what is expected
	}{
		{"points", Config{Data: "synth:eight"}, nil, "mlp", func(*Config) {}},
		{"images", Config{Data: "synth:digits"}, nil, "tiny", func(*Config) {}},
		{"a preset", Config{Data: "synth:digits", Preset: "dcgan"}, nil, "dcgan", func(*Config) {}},
		{"data", Config{Data: "x.csv", Outliers: "y.csv@0.1", Seed: 7, Label: "l", ID: "i", Labels: true}, nil, "mlp", func(c *Config) {
			c.Data, c.Outliers, c.Seed, c.Label, c.ID, c.Labels = "x.csv", "y.csv@0.1", 7, "l", "i", true
		}},
		{"zeros", Config{Data: "synth:eight"}, []string{"rho", "warm_up", "gradient_penalty", "lambda", "decay"}, "mlp", func(c *Config) {
			c.RhoAuto, c.WarmUp, c.GradientPenalty, c.Lambda, c.Decay = false, 0, 0, 0, false
		}},
		{"radii", Config{Data: "synth:eight", Rho: 0.125, TargetRho: 0.3}, []string{"rho"}, "mlp", func(c *Config) {
			c.Rho, c.RhoAuto, c.TargetRho, c.Weights = 0.125, false, 0.3, WeightNet
		}},
		{"automatic radius", Config{Data: "synth:eight", RhoAuto: true}, nil, "mlp", func(*Config) {}},
		{"a radius", Config{Data: "synth:eight", Rho: 0.03}, nil, "mlp", func(c *Config) { c.Rho, c.RhoAuto = 0.03, false }},
		{"not automatic, on purpose", Config{Data: "synth:eight"}, []string{"rho_auto"}, "mlp", func(c *Config) { c.Rho, c.RhoAuto = 0.1, false }},
		{"automatic radius, by the command line", Config{Data: "synth:eight", RhoAuto: true}, []string{"rho"}, "mlp", func(*Config) {}},
		{"learning rate", Config{Data: "synth:eight", LR: 0.01}, nil, "mlp", func(c *Config) { c.LR, c.WeightLR = 0.01, 0.01 }},
		{"learning rate of the weights", Config{Data: "synth:eight", WeightLR: 0.01}, nil, "mlp", func(c *Config) { c.WeightLR = 0.01 }},
		{"both", Config{Data: "synth:eight", LR: 0.02, WeightLR: 0.01}, nil, "mlp", func(c *Config) { c.LR, c.WeightLR = 0.02, 0.01 }},
		{"unbalanced", Config{Data: "synth:eight", Loss: UOTPrinted}, nil, "mlp", func(c *Config) { c.Loss, c.RhoAuto = UOTPrinted, false }},
		{"a classifying critic", Config{Data: "synth:digits", Loss: Hinge}, nil, "tiny", func(c *Config) { c.Loss, c.CriticSteps = Hinge, 1 }},
		{"a classifying critic for points", Config{Data: "synth:eight", Loss: NS}, nil, "mlp", func(c *Config) { c.Loss = NS }},
		{"critic steps", Config{Data: "synth:digits", Loss: NS, CriticSteps: 3}, nil, "tiny", func(c *Config) { c.Loss, c.CriticSteps = NS, 3 }},
		{"radius of the samples", Config{Data: "synth:eight", TargetRho: 0.1}, nil, "mlp", func(c *Config) { c.Rho, c.RhoAuto, c.TargetRho, c.Weights = 0.1, false, 0.1, WeightNet }},
		{"penalty", Config{Data: "synth:eight", Constraint: Penalty}, nil, "mlp", func(c *Config) { c.Rho, c.RhoAuto, c.Constraint, c.Weights = 0.1, false, Penalty, WeightNet }},
		{"bank", Config{Data: "synth:eight", Weights: WeightBank, BankEvery: 9}, nil, "mlp", func(c *Config) { c.Rho, c.RhoAuto, c.Weights, c.BankEvery = 0.1, false, WeightBank, 9 }},
		{"steps", Config{Data: "synth:eight", Steps: 55}, nil, "mlp", func(c *Config) { c.Steps, c.SampleEvery = 55, 5 }},
		{"few steps", Config{Data: "synth:eight", Steps: 5}, nil, "mlp", func(c *Config) { c.Steps, c.SampleEvery = 5, 1 }},
		{"samples", Config{Data: "synth:eight", Steps: 55, SampleEvery: 8}, nil, "mlp", func(c *Config) { c.Steps, c.SampleEvery = 55, 8 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, err := Preset(tt.preset)
			if err != nil {
				t.Fatal(err)
			}
			want.Data, want.SampleEvery, want.Weights = tt.c.Data, want.Steps/10, WeightTransport
			want.Rho, want.RhoAuto = 0, true
			tt.change(&want)
			if err := tt.c.Complete(tt.given...); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(tt.c, want) {
				t.Errorf("got %+v, want %+v", tt.c, want)
			}
			// What is complete stays as it is, if all of it is given.
			again := tt.c
			if err := again.Complete(train.FieldNames(again)...); err != nil || !reflect.DeepEqual(again, tt.c) {
				t.Errorf("completed again: %+v, %v", again, err)
			}
		})
	}
}

func TestCompleteErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		c     Config
		given []string
		field string // of the first error
		want  string
	}{
		{"no data", Config{}, nil, "data", "gan: data is not given"},
		{"standard input", Config{Data: "-"}, nil, "data", "gan: data is standard input, and a run reads its data again when it is resumed: save them to a file"},
		{"outliers", Config{Data: "synth:eight", Outliers: "synth:far"}, nil, "outliers", `gan: outliers "synth:far": outliers are written DATA@FRACTION, as in uniform@0.05`},
		{"preset", Config{Data: "synth:eight", Preset: "vgg"}, nil, "preset", `gan: preset is "vgg"; choose tiny, dcgan, resnet, mlp`},
		{"automatic radius of a network", Config{Data: "synth:eight", RhoAuto: true, Weights: WeightNet}, nil, "rho_auto", "gan: rho_auto needs weights transport or bank, whose radius can change"},
		{"two radii", Config{Data: "synth:eight", RhoAuto: true, Rho: 0.1}, nil, "rho", "gan: rho is 0.1 and auto; choose one"},
		{"unbalanced with a radius", Config{Data: "synth:eight", Loss: UOT, Rho: 0.1}, nil, "loss", "gan: loss uot relaxes the marginals itself and takes rho 0"},
		{"zero steps on purpose", Config{Data: "synth:eight"}, []string{"steps"}, "steps", "gan: steps is 0 and must be at least 1"},
		{"zero critic steps on purpose", Config{Data: "synth:digits", Loss: Hinge}, []string{"critic_steps"}, "critic_steps", "gan: critic_steps is 0 and must be at least 1"},
		{"all at once", Config{Data: "synth:eight", Steps: -1, Batch: -2}, nil, "steps", "gan: steps is -1 and must be at least 1\ngan: batch is -2 and must be at least 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.c.Complete(tt.given...)
			var field *train.FieldError
			if err == nil || err.Error() != tt.want || !errors.As(err, &field) || field.Field != tt.field {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	c := Config{Data: "synth:eight"}
	if err := c.Complete("Rho"); err == nil {
		t.Error("a field that is none is taken for given")
	}
}
