package gan

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"rot.example/rot/table"
)

// valid is a configuration that nothing is wrong with.
func valid(t testing.TB, preset string) Config {
	t.Helper()
	c, err := Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	c.Size, c.Channels, c.SampleEvery = 32, 3, 1
	if preset == "mlp" {
		c.Size, c.Channels = 0, 2
	}
	return c
}

func TestValidate(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		preset string
		change func(c *Config)
		want   string // after "gan: "
	}{
		{"tiny", func(c *Config) { c.Preset = "vgg" }, `preset is "vgg"; choose tiny, dcgan, resnet, mlp`},
		{"tiny", func(c *Config) { c.Loss = "lsgan" }, `loss is "lsgan"; choose wasserstein, ns, hinge, uot, uot-printed`},
		{"tiny", func(c *Config) { c.Weights = "none" }, `weights is "none"; choose transport, bank, net`},
		{"tiny", func(c *Config) { c.Constraint = "box" }, `constraint is "box"; choose ball, penalty`},
		{"tiny", func(c *Config) { c.DType = "f16" }, `dtype is "f16"; choose f32, bf16`},
		{"tiny", func(c *Config) { c.Rho = -1 }, "rho is -1 and must be from 0 to 1e+06"},
		{"tiny", func(c *Config) { c.Rho = nan }, "rho is NaN and must be from 0 to 1e+06"},
		{"tiny", func(c *Config) { c.RhoAuto, c.Weights = true, WeightBank }, "rho is 0.05 and auto; choose one"},
		{"tiny", func(c *Config) { c.Rho, c.RhoAuto = 0, true }, "rho_auto needs weights transport or bank, whose radius can change"},
		{"tiny", func(c *Config) { c.TargetRho = 1e7 }, "target_rho is 1e+07 and must be from 0 to 1e+06"},
		{"tiny", func(c *Config) { c.Lambda = -2 }, "lambda is -2 and must be from 0 to 1e+06"},
		{"tiny", func(c *Config) { c.Steps = 0 }, "steps is 0 and must be at least 1"},
		{"tiny", func(c *Config) { c.Batch = 0 }, "batch is 0 and must be at least 1"},
		{"tiny", func(c *Config) { c.CriticSteps = 0 }, "critic_steps is 0 and must be at least 1"},
		{"tiny", func(c *Config) { c.WeightSteps = -1 }, "weight_steps is -1 and must be at least 1"},
		{"tiny", func(c *Config) { c.Noise = 0 }, "noise is 0 and must be at least 1"},
		{"tiny", func(c *Config) { c.LogEvery = 0 }, "log_every is 0 and must be at least 1"},
		{"tiny", func(c *Config) { c.SampleEvery = 0 }, "sample_every is 0 and must be at least 1"},
		{"tiny", func(c *Config) { c.BankEvery = 0 }, "bank_every is 0 and must be at least 1"},
		{"tiny", func(c *Config) { c.WarmUp = -1 }, "warm_up is -1 and must not be negative"},
		{"tiny", func(c *Config) { c.LR = 0 }, "lr is 0 and must be between 0 and 1"},
		{"tiny", func(c *Config) { c.WeightLR = 1 }, "weight_lr is 1 and must be between 0 and 1"},
		{"tiny", func(c *Config) { c.EMA = 1 }, "ema is 1 and must be in [0, 1)"},
		{"tiny", func(c *Config) { c.GradientPenalty = nan }, "gradient_penalty is NaN and must not be negative"},
		{"tiny", func(c *Config) { c.Beta1, c.Beta2 = 0.5, 1 }, "beta1 is 0.5 and beta2 1, and both must be in [0, 1)"},
		{"tiny", func(c *Config) { c.Batch = 1 }, "batch is 1, and the weights of one sample are always 1"},
		{"dcgan", func(c *Config) { c.CriticBN = true }, "critic_bn is for loss ns: batch norm in a critic with a gradient penalty ties the samples of a batch together, and the penalty is per sample"},
		{"dcgan", func(c *Config) { c.CriticBN, c.GradientPenalty = true, 0 }, "critic_bn is for loss ns: batch norm in a critic with a gradient penalty ties the samples of a batch together, and the penalty is per sample"},
		{"dcgan", func(c *Config) { c.CriticBN, c.Loss = true, Hinge }, "critic_bn does not go with loss hinge, whose critic has spectral norm"},
		{"resnet", func(c *Config) { c.CriticBN, c.Loss = true, NS }, "critic_bn is for preset dcgan"},
		{"tiny", func(c *Config) { c.TargetRho, c.Weights = 0.1, WeightBank }, "target_rho needs weights net: the others have a weight for each sample of the data, and generated samples are new each time"},
		{"tiny", func(c *Config) { c.TargetRho, c.Rho = 0.1, 0 }, "target_rho needs rho as well"},
		{"tiny", func(c *Config) { c.Weights, c.Constraint = WeightBank, Penalty }, "constraint penalty is for weights net: the others solve the weight program in the ball exactly"},
		{"tiny", func(c *Config) { c.Loss = UOT }, "loss uot relaxes the marginals itself and takes rho 0"},
		{"tiny", func(c *Config) { c.Loss = UOTPrinted }, "loss uot-printed relaxes the marginals itself and takes rho 0"},
		{"tiny", func(c *Config) { c.Loss, c.Rho, c.Classes = UOT, 0, 2 }, "loss uot knows no labels"},
		{"mlp", func(c *Config) { c.Size = 28 }, "preset mlp is for points, and the data are images"},
		{"dcgan", func(c *Config) { c.Size, c.Preset = 0, "tiny" }, "preset tiny is for images, and the data are points: use preset mlp"},
		{"mlp", func(c *Config) { c.Flip = true }, "flip is for images: points cannot be mirrored"},
		{"tiny", func(c *Config) { c.Size = 64 }, "preset tiny takes images of 28 or 32 pixels, not 64"},
		{"dcgan", func(c *Config) { c.Size = 28 }, "preset dcgan takes images of 32 or 64 pixels, not 28"},
		{"resnet", func(c *Config) { c.Size = 128 }, "preset resnet takes images of 32 or 64 pixels, not 128"},
		{"tiny", func(c *Config) { c.Features, c.Rho = "net.safetensors", 0 }, "features decide about weights, and with rho 0 all images weigh the same"},
		{"tiny", func(c *Config) { c.Features, c.Weights = "net.safetensors", WeightBank }, "features are for weights transport: the others follow the critic"},
		{"mlp", func(c *Config) { c.Features, c.Weights = "net.safetensors", WeightTransport }, "features are for images, and points are compared as they are"},
		{"tiny", func(c *Config) { c.Steps, c.EMA = 0, 2 }, "steps is 0 and must be at least 1\ngan: ema is 2 and must be in [0, 1)"},
	} {
		t.Run(strings.ReplaceAll(tt.want, " ", "_"), func(t *testing.T) {
			c := valid(t, tt.preset)
			tt.change(&c)
			if err := c.Validate(); err == nil || err.Error() != "gan: "+tt.want {
				t.Errorf("got %v, want gan: %s", err, tt.want)
			}
			if _, err := New(c, Blank(&c), testBackend(t)); err == nil {
				t.Error("New takes it")
			}
		})
	}
}

// TestValid: what is allowed stays so.
func TestValid(t *testing.T) {
	for _, tt := range []struct {
		preset string
		change func(c *Config)
	}{
		{"mlp", func(*Config) {}},
		{"tiny", func(c *Config) { c.Size = 28 }},
		{"dcgan", func(c *Config) { c.Size, c.Flip, c.EMA, c.Decay, c.DType = 64, true, 0.999, true, "bf16" }},
		{"dcgan", func(c *Config) { c.Loss, c.CriticBN = NS, true }},
		{"resnet", func(c *Config) { c.Loss, c.Classes, c.TargetRho = Hinge, 10, 0.1 }},
		{"tiny", func(c *Config) { c.Weights = WeightBank }},
		{"tiny", func(c *Config) { c.Constraint = Penalty }},
		{"tiny", func(c *Config) { c.Features, c.Weights = "net.safetensors", WeightTransport }},
		{"tiny", func(c *Config) { c.Rho, c.Batch = 0, 1 }},
		{"tiny", func(c *Config) { c.Loss, c.Rho = UOTPrinted, 0 }},
	} {
		c := valid(t, tt.preset)
		tt.change(&c)
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", tt.preset, err)
		}
	}
}

// TestPresetPaper compares with the hyper-parameters of the paper's two tables
// of architectures.
func TestPresetPaper(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		lr, beta1, beta2        float64
		critic, weight          int
		penalty                 float64
		batch, noise            int
		lambda                  float64
		warmUp                  int
		loss, weights, restrain string
	}{
		{"dcgan", 0.0001, 0.5, 0.9, 5, 5, 10, 128, 128, 1000, 300, Wasserstein, WeightNet, Ball},
		{"resnet", 0.0002, 0, 0.999, 5, 5, 10, 128, 128, 1000, 300, Wasserstein, WeightNet, Ball},
	} {
		c, err := Preset(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		got := tt
		got.lr, got.beta1, got.beta2 = c.LR, c.Beta1, c.Beta2
		got.critic, got.weight, got.penalty = c.CriticSteps, c.WeightSteps, c.GradientPenalty
		got.batch, got.noise, got.lambda, got.warmUp = c.Batch, c.Noise, c.Lambda, c.WarmUp
		got.loss, got.weights, got.restrain = c.Loss, c.Weights, c.Constraint
		if got != tt || c.WeightLR != tt.lr || c.EMA != 0 || c.Decay || c.CriticBN {
			t.Errorf("got %+v, want %+v", c, tt)
		}
	}
}

func TestPresetUnknown(t *testing.T) {
	_, err := Preset("vgg")
	if want := `gan: preset is "vgg"; choose tiny, dcgan, resnet, mlp`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, name := range Presets() {
		if c := valid(t, name); c.Validate() != nil {
			t.Errorf("%s: %v", name, c.Validate())
		}
	}
}

// TestConfigJSON sends a configuration without zeros through JSON.
func TestConfigJSON(t *testing.T) {
	var c Config
	fields := reflect.ValueOf(&c).Elem()
	for i := range fields.NumField() {
		if fields.Type().Field(i).Tag.Get("json") == "-" {
			continue
		}
		switch f := fields.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("text")
		case reflect.Int:
			f.SetInt(int64(i + 1))
		case reflect.Uint64:
			f.SetUint(math.MaxUint64)
		case reflect.Float64:
			f.SetFloat(1 / float64(i+3))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			if f.Type().Elem().Kind() == reflect.String {
				f.Set(reflect.ValueOf([]string{"a", "b*"}))
				continue
			}
			f.Set(reflect.ValueOf([]float64{0.1, 1e-300}))
		case reflect.Pointer:
			f.Set(reflect.ValueOf(&table.Encoding{Version: 1, Columns: []table.EncodedColumn{{Name: "x", Unit: []float64{0.1}}}}))
		default:
			t.Fatalf("field %d is %s", i, f.Kind())
		}
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Config
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, c) {
		t.Errorf("%v: got %+v, want %+v", err, back, c)
	}
}

// TestUseLoss: a critic that classifies goes step by step with the generator.
func TestUseLoss(t *testing.T) {
	for _, tt := range []struct {
		preset, loss string
		want         int
	}{
		{"tiny", Wasserstein, 5}, {"tiny", NS, 1}, {"dcgan", Hinge, 1}, {"resnet", UOT, 5}, {"mlp", NS, 2},
	} {
		c, err := Preset(tt.preset)
		if err != nil {
			t.Fatal(err)
		}
		if c.UseLoss(tt.loss); c.Loss != tt.loss || c.CriticSteps != tt.want {
			t.Errorf("%s, %s: loss %s, %d critic steps, want %d", tt.preset, tt.loss, c.Loss, c.CriticSteps, tt.want)
		}
	}
}
