package da

import (
	"errors"
	"reflect"
	"testing"

	"rot.example/rot/train"
)

// TestComplete: what is not set is the network's, or follows from what is.
func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		name   string
		c      Config
		given  []string
		net    string
		change func(c *Config) // of the preset, what is expected
	}{
		{"vectors", Config{}, nil, "mlp", func(*Config) {}},
		{"images", Config{Source: "synth:digits", Target: "synth:digits,seed=1"}, nil, "lenet", func(*Config) {}},
		{"a network", Config{Net: "resnet18", Crop: true, Flip: true}, nil, "resnet18", func(c *Config) { c.Crop, c.Flip = true, true }},
		{"crops", Config{Net: "lenet", Crop: true, CropArea: 0.7}, nil, "lenet", func(c *Config) { c.Crop, c.CropArea = true, 0.7 }},
		{"steps", Config{Steps: 400}, nil, "mlp", func(c *Config) { c.Steps, c.WarmUp, c.SelfFrom, c.BankEvery, c.EvalEvery = 400, 100, 150, 50, 50 }},
		{"few steps", Config{Steps: 3, EvalEvery: 9}, nil, "mlp", func(c *Config) { c.Steps, c.WarmUp, c.SelfFrom, c.BankEvery, c.EvalEvery = 3, 1, 1, 1, 9 }},
		{"radius", Config{Rho: 0.1}, nil, "mlp", func(c *Config) { c.Rho = 0.1 }},
		{"zeros", Config{Steps: 400}, []string{"rho", "warm_up", "keep", "label_cost"}, "mlp", func(c *Config) {
			c.Steps, c.Rho, c.WarmUp, c.Keep, c.LabelCost, c.SelfFrom, c.BankEvery, c.EvalEvery = 400, 0, 0, 0, 0, 150, 50, 50
		}},
		{"no self-training", Config{}, []string{"self_train"}, "mlp", func(c *Config) { c.SelfTrain, c.SelfFrom, c.Align = 0, 0, 0.3 }},
		{"no weights", Config{Method: Adversarial}, nil, "mlp", func(c *Config) { c.Method, c.SelfTrain, c.SelfFrom, c.Align = Adversarial, 0, 0, 0.3 }},
		{"no weights, self-training", Config{Method: Adversarial, SelfTrain: 2}, nil, "mlp", func(c *Config) { c.Method, c.SelfTrain = Adversarial, 2 }},
		{"images, self-training", Config{Net: "lenet", SelfTrain: 1, Steps: 400}, nil, "lenet", func(c *Config) {
			c.SelfTrain, c.Steps, c.WarmUp, c.SelfFrom, c.BankEvery, c.EvalEvery = 1, 400, 100, 133, 33, 33
		}},
		{"automatic radius", Config{RhoAuto: true}, nil, "mlp", func(c *Config) { c.Rho, c.RhoAuto = 0, true }},
		{"a weight network", Config{Weights: WeightNet, WarmUp: 7}, nil, "mlp", func(c *Config) { c.Weights, c.WarmUp = WeightNet, 7 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.c.Source == "" {
				tt.c.Source, tt.c.Target = "s.csv", "t.csv"
			}
			want := preset(t, tt.net)
			want.Source, want.Target = tt.c.Source, tt.c.Target
			tt.change(&want)
			if err := tt.c.Complete(tt.given...); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(tt.c, want) {
				t.Errorf("got %+v, want %+v", tt.c, want)
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
		{"no data", Config{}, nil, "source", "da: source is not given\nda: target is not given"},
		{"standard input", Config{Source: "s.csv", Target: "-"}, nil, "target", "da: target is standard input, and a run reads its data again when it is resumed: save them to a file"},
		{"outliers", Config{Source: "s.csv", Target: "t.csv", Outliers: "u@2"}, nil, "outliers", `da: outliers "u@2": the fraction "2" is not a number in [0, 1)`},
		{"network", Config{Source: "s.csv", Target: "t.csv", Net: "vgg"}, nil, "net", `da: net is "vgg"; choose mlp, lenet, resnet18, resnet34, resnet50, resnet101`},
		{"two radii", Config{Source: "s.csv", Target: "t.csv", RhoAuto: true, Rho: 0.1}, nil, "rho", "da: rho is 0.1 and auto; choose one"},
		{"zero on purpose", Config{Source: "s.csv", Target: "t.csv"}, []string{"steps"}, "steps", "da: steps is 0 and must be at least 1"},
		{"all at once", Config{Source: "s.csv", Target: "t.csv", Steps: -1, LR: 2}, nil, "steps", "da: steps is -1 and must be at least 1\nda: lr is 2 and must be between 0 and 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.c.Complete(tt.given...)
			var field *train.FieldError
			if err == nil || err.Error() != tt.want || !errors.As(err, &field) || field.Field != tt.field {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	c := Config{Source: "s.csv", Target: "t.csv"}
	if err := c.Complete("Rho"); err == nil {
		t.Error("a field that is none is taken for given")
	}
}
