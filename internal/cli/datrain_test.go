package cli

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"rot.example/rot/da"
)

// TestDATrainFlags: what is not given is the network's.
func TestDATrainFlags(t *testing.T) {
	for _, tt := range []struct {
		args, net string
		change    func(c *da.Config)
	}{
		{"", "mlp", func(*da.Config) {}},
		{"--net lenet", "lenet", func(*da.Config) {}},
		{"--steps 400", "mlp", func(c *da.Config) { c.Steps, c.WarmUp, c.SelfFrom, c.BankEvery, c.EvalEvery = 400, 100, 150, 50, 50 }},
		{"--steps 3 --eval-every 9", "mlp", func(c *da.Config) { c.Steps, c.WarmUp, c.SelfFrom, c.BankEvery, c.EvalEvery = 3, 1, 1, 1, 9 }},
		{"--self-train 0", "mlp", func(c *da.Config) { c.NoSelfTraining() }},
		{"--method adversarial", "mlp", func(c *da.Config) { c.NoSelfTraining(); c.Method = da.Adversarial }},
		{"--net lenet --self-train 0.5 --self-from 9", "lenet", func(c *da.Config) { c.SelfTrain, c.SelfFrom = 0.5, 9 }},
		{"--rho 0.1", "mlp", func(c *da.Config) { c.Rho = 0.1 }},
		{"--rho 0", "mlp", func(c *da.Config) { c.Rho = 0 }},
		{"--rho auto", "mlp", func(c *da.Config) { c.Rho, c.RhoAuto = 0, true }},
		{"--rho auto --rho 0.3", "mlp", func(c *da.Config) { c.Rho = 0.3 }},
		{"--rho 0.3 --rho auto", "mlp", func(c *da.Config) { c.Rho, c.RhoAuto = 0, true }},
		{"--weights net --warm-up 7", "mlp", func(c *da.Config) { c.Weights, c.WarmUp = da.WeightNet, 7 }},
		{"--net resnet18 --crop --flip", "resnet18", func(c *da.Config) { c.Crop, c.Flip = true, true }},
		{"--net lenet --crop --crop-area 0.7", "lenet", func(c *da.Config) { c.Crop, c.CropArea = true, 0.7 }},
	} {
		t.Run(tt.args, func(t *testing.T) {
			var o daTrainOptions
			f := pflag.NewFlagSet("train", pflag.ContinueOnError)
			o.bind(f)
			if err := f.Parse(append(strings.Fields(tt.args), "--source", "s", "--target", "t")); err != nil {
				t.Fatal(err)
			}
			if err := o.resolve(f); err != nil {
				t.Fatal(err)
			}
			want, err := da.Preset(tt.net)
			if err != nil {
				t.Fatal(err)
			}
			want.Source, want.Target = "s", "t"
			tt.change(&want)
			if !reflect.DeepEqual(o.config, want) {
				t.Errorf("got %+v, want %+v", o.config, want)
			}
		})
	}
}

// TestDACompletion: a shell is offered the words of a choice.
func TestDACompletion(t *testing.T) {
	for flag, want := range map[string][]string{"--weights": da.Weights(), "--scores": da.Scores(), "--select": da.Selections()} {
		var out bytes.Buffer
		cmd := newDA(IO{})
		cmd.SetOut(&out)
		cmd.SetArgs([]string{"__complete", "train", flag, ""})
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w+"\n") {
				t.Errorf("%s: offered %q, want %s among them", flag, out.String(), w)
			}
		}
	}
}
