package cli

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"rot.example/rot/gan"
)

// parseGANTrain is the options of a command line.
func parseGANTrain(t *testing.T, args ...string) *ganTrainOptions {
	t.Helper()
	var o ganTrainOptions
	f := pflag.NewFlagSet("train", pflag.ContinueOnError)
	o.bind(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := o.resolve(f); err != nil {
		t.Fatal(err)
	}
	return &o
}

// TestGANTrainFlags: what is not given is the preset's.
func TestGANTrainFlags(t *testing.T) {
	for _, tt := range []struct {
		args   string
		preset string
		change func(c *gan.Config)
	}{
		{"--data synth:eight", "mlp", func(c *gan.Config) { c.Data = "synth:eight" }},
		{"--data synth:digits", "tiny", func(c *gan.Config) { c.Data = "synth:digits" }},
		{"--data synth:digits --preset dcgan", "dcgan", func(c *gan.Config) { c.Data = "synth:digits" }},
		{"--data synth:digits --preset resnet", "resnet", func(c *gan.Config) { c.Data = "synth:digits" }},
		{"--data synth:eight --preset tiny", "tiny", func(c *gan.Config) { c.Data = "synth:eight" }},
		{"--data x.csv --outliers y.csv@0.1 --seed 7 --size 32", "mlp", func(c *gan.Config) {
			c.Data, c.Outliers, c.Seed, c.Size = "x.csv", "y.csv@0.1", 7, 32
		}},
		{"--data d --rho 0 --warm-up 0 --ema 0 --gradient-penalty 0 --lambda 0 --decay=false", "mlp", func(c *gan.Config) {
			c.Data, c.RhoAuto, c.WarmUp, c.EMA, c.GradientPenalty, c.Lambda, c.Decay = "d", false, 0, 0, 0, 0, false
		}},
		{"--data d --gamma 0.2 --target-rho 0.3", "mlp", func(c *gan.Config) {
			c.Data, c.Rho, c.RhoAuto, c.TargetRho, c.Weights = "d", 0.125, false, 0.3, gan.WeightNet
		}},
		{"--data d --rho auto", "mlp", func(c *gan.Config) { c.Data = "d" }},
		{"--data d --rho 0.3 --rho auto", "mlp", func(c *gan.Config) { c.Data = "d" }},
		{"--data d --gamma 0", "mlp", func(c *gan.Config) { c.Data, c.RhoAuto = "d", false }},
		{"--data d --rho auto --rho 0.3", "mlp", func(c *gan.Config) { c.Data, c.Rho, c.RhoAuto = "d", 0.3, false }},
		{"--data d --lr 0.01", "mlp", func(c *gan.Config) { c.Data, c.LR, c.WeightLR = "d", 0.01, 0.01 }},
		{"--data d --weight-lr 0.01", "mlp", func(c *gan.Config) { c.Data, c.WeightLR = "d", 0.01 }},
		{"--data d --lr 0.02 --weight-lr 0.01", "mlp", func(c *gan.Config) { c.Data, c.LR, c.WeightLR = "d", 0.02, 0.01 }},
		{"--data d --loss uot", "mlp", func(c *gan.Config) { c.Data, c.Loss, c.RhoAuto = "d", gan.UOT, false }},
		{"--data d --loss uot-printed --rho 0", "mlp", func(c *gan.Config) { c.Data, c.Loss, c.RhoAuto = "d", gan.UOTPrinted, false }},
		{"--data d --weights bank --bank-every 9", "mlp", func(c *gan.Config) {
			c.Data, c.Rho, c.RhoAuto, c.Weights, c.BankEvery = "d", 0.1, false, gan.WeightBank, 9
		}},
		{"--data d --constraint penalty", "mlp", func(c *gan.Config) {
			c.Data, c.Rho, c.RhoAuto, c.Constraint, c.Weights = "d", 0.1, false, gan.Penalty, gan.WeightNet
		}},
		{"--data d --batch 3 --critic-steps 4 --weight-steps 2 --log-every 6 --sample-every 8", "mlp", func(c *gan.Config) {
			c.Data, c.Batch, c.CriticSteps, c.WeightSteps, c.LogEvery, c.SampleEvery = "d", 3, 4, 2, 6, 8
		}},
		{"--data synth:digits --preset dcgan --decay --flip --loss ns --critic-bn --dtype bf16", "dcgan", func(c *gan.Config) {
			c.Data, c.Decay, c.Flip, c.Loss, c.CriticSteps, c.CriticBN, c.DType = "synth:digits", true, true, gan.NS, 1, true, "bf16"
		}},
		{"--data d --steps 55", "mlp", func(c *gan.Config) { c.Data, c.Steps, c.SampleEvery = "d", 55, 5 }},
		{"--data d --steps 5", "mlp", func(c *gan.Config) { c.Data, c.Steps, c.SampleEvery = "d", 5, 1 }},
	} {
		t.Run(tt.args, func(t *testing.T) {
			want, err := gan.Preset(tt.preset)
			if err != nil {
				t.Fatal(err)
			}
			want.SampleEvery, want.Weights, want.Rho, want.RhoAuto = want.Steps/10, gan.WeightTransport, 0, true
			tt.change(&want)
			got := parseGANTrain(t, strings.Fields(tt.args)...)
			if !reflect.DeepEqual(got.config, want) {
				t.Errorf("got %+v, want %+v", got.config, want)
			}
			if got.runs != "runs" || got.checkpoint != 30*time.Second || got.backend.name != "auto" || got.name != "" || got.json {
				t.Errorf("got %+v", got)
			}
		})
	}
	o := parseGANTrain(t, "--data", "d", "--name", "n", "--runs", "r", "--checkpoint", "5s", "--json", "--labels", "--backend", "go")
	if o.name != "n" || o.runs != "r" || o.checkpoint != 5*time.Second || !o.json || !o.config.Labels || o.backend.name != "go" {
		t.Errorf("got %+v", o)
	}
}

// TestGANTrainDefaults: a default that the help shows is that of every preset.
func TestGANTrainDefaults(t *testing.T) {
	for _, name := range gan.Presets() {
		var o ganTrainOptions
		f := pflag.NewFlagSet("train", pflag.ContinueOnError)
		o.bind(f)
		if err := f.Parse([]string{"--data", "d", "--preset", name}); err != nil {
			t.Fatal(err)
		}
		if err := o.resolve(f); err != nil {
			t.Fatal(err)
		}
		f.VisitAll(func(f *pflag.Flag) {
			if f.DefValue != "" && f.DefValue != f.Value.String() {
				t.Errorf("--%s is %s for preset %s, and the help says %s", f.Name, f.Value, name, f.DefValue)
			}
		})
	}
}

// TestGANCriticSteps: the loss decides them, unless they are given.
func TestGANCriticSteps(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want int
	}{
		{nil, 5},
		{[]string{"--loss", "hinge"}, 1},
		{[]string{"--loss", "ns", "--critic-steps", "3"}, 3},
	} {
		o := parseGANTrain(t, append([]string{"--data", "synth:digits"}, tt.args...)...)
		if o.config.CriticSteps != tt.want {
			t.Errorf("%v: %d critic steps, want %d", tt.args, o.config.CriticSteps, tt.want)
		}
	}
}

// TestGANHelp: the help of the flags fits into a hundred columns.
func TestGANHelp(t *testing.T) {
	for _, cmd := range newGAN(IO{}).Commands() {
		for line := range strings.Lines(cmd.UsageString()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 {
				t.Errorf("%s: %d columns: %s", cmd.Name(), n, line)
			}
		}
	}
}

// TestGANInterrupted: an interrupt before the first step leaves nothing.
func TestGANInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir, stdout, stderr, code := runIn(ctx, t, "gan", "train", "--data", "synth:eight,n=50", "--backend", "go")
	if code != ExitFailed || stderr != "rot: interrupted\n" || stdout != "" || entries(t, dir) != 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q, %d files", code, stdout, stderr, entries(t, dir))
	}
}

// TestGANStopped: a run that diverges is reported in plain words.
func TestGANStopped(t *testing.T) {
	trains(t)
	_, stdout, stderr, code := runIn(t.Context(), t, "gan", "train", "--data", "synth:eight,n=50", "--batch", "8", "--steps", "2000",
		"--lr", "0.99", "--gradient-penalty", "1e30", "--backend", "go", "--name", "a")
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	last := lines[len(lines)-1]
	if code != ExitFailed || stdout != "" || !strings.HasPrefix(last, "rot: stopped at step ") || !strings.HasSuffix(last, "(the batch is in runs/a/failure); try a new run with another --lr, --weight-lr") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
