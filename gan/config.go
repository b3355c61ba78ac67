package gan

import (
	"fmt"
	"slices"
	"strings"

	"rot.example/rot/nn"
	"rot.example/rot/table"
	"rot.example/rot/train"
)

// A Config is all that determines a run. Name the data, set what matters to
// you, and let Complete set the rest; Load then adds what the data decide.
type Config struct {
	Data     string `json:"data"`               // what it learns from
	Outliers string `json:"outliers,omitempty"` // what is mixed in, as DATA@FRACTION

	DataHash string `json:"data_hash"`              // of both together; Load sets it
	Label    string `json:"label_column,omitempty"` // of a table: the column that holds the classes
	ID       string `json:"id_column,omitempty"`    // and the one that names the rows

	// Of tables: the columns to use and to leave out, whether the first record
	// has names, what is done about missing cells, the unit of the numbers, whether
	// times give their weekday and hour, and how the columns become numbers, which Load sets, so that later files are read the same way.
	Columns  []string        `json:"columns,omitempty"`
	Ignore   []string        `json:"ignore,omitempty"`
	Header   table.Header    `json:"header,omitempty"`
	Missing  table.Missing   `json:"missing,omitempty"`
	Scale    table.Scale     `json:"scale,omitempty"`
	Clock    bool            `json:"clock,omitempty"`
	Encoding *table.Encoding `json:"encoding,omitempty"`

	// Labels asks for a conditional GAN on the labels of the data. In
	// config.json that is Classes > 0.
	Labels bool `json:"-"`

	Preset   string `json:"preset"`   // the networks: mlp, tiny, dcgan or resnet
	Size     int    `json:"size"`     // of the images in pixels; 0 for points
	Channels int    `json:"channels"` // of an image; the dimension of points
	Classes  int    `json:"classes"`  // > 0: a conditional GAN
	Noise    int    `json:"noise"`    // dimension of the generator's input

	Centre []float64 `json:"centre,omitempty"` // points are trained on as (x − Centre)/Unit
	Unit   []float64 `json:"unit,omitempty"`

	Loss            string  `json:"loss"`
	GradientPenalty float64 `json:"gradient_penalty"` // Wasserstein only
	CriticBN        bool    `json:"critic_bn"`        // batch norm in the critic; not with a gradient penalty

	Rho        float64 `json:"rho"`                // radius of the weights on the data; 0 is a plain GAN
	RhoAuto    bool    `json:"rho_auto,omitempty"` // chosen at every refresh of the bank; Rho is 0
	TargetRho  float64 `json:"target_rho"`         // the same for the generated samples
	Weights    string  `json:"weights"`            // net, bank or transport
	Constraint string  `json:"constraint"`         // ball or penalty
	Lambda     float64 `json:"lambda"`             // strength of the penalty
	// Features names the safetensors file of a pretrained network whose view of the
	// images the weights by transport follow, in place of the descriptor's; New
	// sets the hash of a new run's.
	Features     string `json:"features,omitempty"`
	FeaturesHash string `json:"features_hash,omitempty"`

	WarmUp    int `json:"warm_up"`    // steps before critic and samples have a say in the weights
	BankEvery int `json:"bank_every"` // steps between refreshes of the bank; weights by transport have at most 50 in a run

	Steps       int     `json:"steps"` // critic updates
	Batch       int     `json:"batch"`
	CriticSteps int     `json:"critic_steps"` // critic updates per generator update
	WeightSteps int     `json:"weight_steps"` // critic updates per weight update
	LR          float64 `json:"lr"`
	WeightLR    float64 `json:"weight_lr"`
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Decay       bool    `json:"decay"` // the learning rates fall linearly to 0
	EMA         float64 `json:"ema"`   // of the generator; 0 means none
	Flip        bool    `json:"flip"`  // images are mirrored at random

	Seed    uint64 `json:"seed"`
	DType   string `json:"dtype"`   // f32 or bf16
	Backend string `json:"backend"` // that it was begun on: cpu, go or xla

	LogEvery    int `json:"log_every"`    // steps between records of metrics.jsonl
	SampleEvery int `json:"sample_every"` // steps between pictures
}

// The losses of a GAN.
const (
	Wasserstein = "wasserstein" // with a gradient penalty
	NS          = "ns"          // non-saturating
	Hinge       = "hinge"       // with spectral norm in the critic
	UOT         = "uot"         // the dual of unbalanced OT, corrected
	UOTPrinted  = "uot-printed" // the same as printed in the paper
)

// The ways to weigh the data.
const (
	WeightNet       = "net"       // continuous: a network gives each sample its weight
	WeightBank      = "bank"      // discrete: the exact weight program over the data set, for the critic's scores
	WeightTransport = "transport" // the same, for what robust transport says of the data
	Ball            = "ball"      // weights are scaled into the ball
	Penalty         = "penalty"   // leaving the ball costs Lambda, as in the paper
)

var (
	losses      = []string{Wasserstein, NS, Hinge, UOT, UOTPrinted}
	weights     = []string{WeightTransport, WeightBank, WeightNet}
	constraints = []string{Ball, Penalty}
	dtypeNames  = []string{"f32", "bf16"}
)

// Losses returns the values of Config.Loss.
func Losses() []string { return slices.Clone(losses) }

// Weightings returns the values of Config.Weights.
func Weightings() []string { return slices.Clone(weights) }

// Presets returns the names that Preset knows.
func Presets() []string { return []string{"tiny", "dcgan", "resnet", "mlp"} }

// Preset returns the usual configuration for the networks called name, without
// data and without SampleEvery, which depends on the number of steps. The values
// of dcgan and resnet are those of the paper's tables; docs/math.md says where a
// default differs and why. Complete prefers other weights.
func Preset(name string) (Config, error) {
	c := Config{
		Preset: name, Noise: 128,
		Loss: Wasserstein, GradientPenalty: 10,
		Rho: 0.05, Weights: WeightNet, Constraint: Ball, Lambda: 1000, WarmUp: 300, BankEvery: 500,
		Batch: 128, CriticSteps: 5, WeightSteps: 5,
		DType: "f32", LogEvery: 50,
	}
	switch name {
	case "dcgan":
		c.Steps = 50_000
		c.LR, c.WeightLR, c.Beta1, c.Beta2 = 1e-4, 1e-4, 0.5, 0.9
	case "resnet":
		c.Steps = 50_000
		c.LR, c.WeightLR, c.Beta1, c.Beta2 = 2e-4, 2e-4, 0, 0.999
	case "tiny":
		// A laptop's hour is short: larger steps on small networks.
		c.Steps, c.Batch, c.Noise, c.BankEvery = 1500, 64, 64, 50
		c.LR, c.WeightLR, c.Beta1, c.Beta2 = 5e-4, 5e-4, 0.5, 0.9
	case "mlp":
		// A gradient penalty of 10 flattens the critic between modes that lie
		// close together; 0.1 is that of WGAN-GP's own code for points, as is
		// noise of two dimensions. Small batches and two critic steps buy the
		// generator many updates in the half minute that a person waits, large
		// steps make the most of them, and the decay lets the samples settle.
		c.Steps, c.Batch, c.Noise, c.BankEvery, c.Rho = 6000, 64, 2, 20, 0.1
		c.GradientPenalty, c.CriticSteps, c.Decay = 0.1, 2, true
		c.LR, c.WeightLR, c.Beta1, c.Beta2 = 3e-3, 3e-3, 0.5, 0.9
	default:
		return Config{}, &train.FieldError{Package: "gan", Field: "preset", Problem: fmt.Sprintf("is %q; choose %s", name, strings.Join(Presets(), ", "))}
	}
	return c, nil
}

// UseLoss sets the loss and the number of critic steps that goes with it. A
// critic that measures a distance should be ahead of the generator. One that
// classifies saturates when it is, and then ranks the data by how much they
// resemble a generator that has learned nothing yet, which the weights would
// follow.
func (c *Config) UseLoss(loss string) {
	c.Loss = loss
	if (loss == NS || loss == Hinge) && c.Preset != "mlp" {
		c.CriticSteps = 1
	}
}

// robust reports whether there are weights on the data.
func (c *Config) robust() bool { return c.Rho > 0 || c.RhoAuto }

// banked reports whether each sample of the data has a weight of its own.
func (c *Config) banked() bool { return c.Weights == WeightBank || c.Weights == WeightTransport }

// mostViews is how often weights by transport are renewed in a run at most: a
// view costs more than a pass of the critic.
const mostViews = 50

// refreshEvery returns the steps between two refreshes of the bank.
func (c *Config) refreshEvery() int {
	if c.Weights == WeightTransport {
		return max(c.BankEvery, c.Steps/mostViews)
	}
	return c.BankEvery
}

// ownViewOnly reports whether the weights follow what the data say of themselves,
// once and for all, and not what the generator makes: those of images whose
// radius is automatic, or that a pretrained network looks at. What a generator of
// images does not make is more often a kind that it is late to learn than a foreign
// one, and would never be learned once it is set aside.
func (c *Config) ownViewOnly() bool {
	return (c.RhoAuto || c.Features != "") && c.Weights == WeightTransport && c.Size > 0
}

// twoSided reports whether there are weights on the generated samples too.
func (c *Config) twoSided() bool { return c.TargetRho > 0 }

// unbalanced reports whether the loss has two critics and no weights.
func (c *Config) unbalanced() bool { return c.Loss == UOT || c.Loss == UOTPrinted }

// spectral reports whether the critic's layers are normalized.
func (c *Config) spectral() bool { return c.Loss == Hinge }

// Unweighted returns the steps at the start of a run in which all weights are 1:
// the warm-up, but for weights by transport, whose first view needs no critic.
func (c *Config) Unweighted() int {
	if c.Weights == WeightTransport {
		return 0
	}
	return c.WarmUp
}

func (c *Config) schedule() nn.Schedule {
	if c.Decay {
		return nn.LinearDecay(0, c.Steps)
	}
	return nn.Steady
}

// Validate returns everything that is wrong with c: FieldErrors of package
// train, joined. The rules about the data, such as the sizes of images that a
// preset takes, count once Load or Fit has seen them.
func (c *Config) Validate() error {
	f := &train.Faults{Package: "gan"}
	f.OneOf("preset", c.Preset, Presets())
	f.OneOf("loss", c.Loss, losses)
	f.OneOf("weights", c.Weights, weights)
	f.OneOf("constraint", c.Constraint, constraints)
	f.OneOf("dtype", c.DType, dtypeNames)
	f.Between("rho", c.Rho, 0, 1e6)
	f.Between("target_rho", c.TargetRho, 0, 1e6)
	f.Between("lambda", c.Lambda, 0, 1e6)
	f.Positive("steps", c.Steps)
	f.Positive("batch", c.Batch)
	f.Positive("critic_steps", c.CriticSteps)
	f.Positive("weight_steps", c.WeightSteps)
	f.Positive("noise", c.Noise)
	f.Positive("log_every", c.LogEvery)
	f.Positive("sample_every", c.SampleEvery)
	f.Positive("bank_every", c.BankEvery)
	f.Wrong(c.WarmUp < 0, "warm_up", "is %d and must not be negative", c.WarmUp)
	f.Rate("lr", c.LR)
	f.Rate("weight_lr", c.WeightLR)
	f.Wrong(!(c.EMA >= 0 && c.EMA < 1), "ema", "is %g and must be in [0, 1)", c.EMA)
	f.Wrong(!(c.GradientPenalty >= 0), "gradient_penalty", "is %g and must not be negative", c.GradientPenalty)
	f.Wrong(!(c.Beta1 >= 0 && c.Beta1 < 1 && c.Beta2 >= 0 && c.Beta2 < 1), "beta1", "is %g and beta2 %g, and both must be in [0, 1)", c.Beta1, c.Beta2)
	f.Wrong(c.RhoAuto && c.Rho != 0, "rho", "is %g and auto; choose one", c.Rho)
	f.Wrong(c.RhoAuto && !c.banked(), "rho_auto", "needs weights transport or bank, whose radius can change")
	f.Wrong(c.robust() && c.Batch == 1, "batch", "is 1, and the weights of one sample are always 1")
	f.Wrong(c.CriticBN && c.Loss == Wasserstein, "critic_bn", "is for loss ns: batch norm in a critic with a gradient penalty ties the samples of a batch together, and the penalty is per sample")
	f.Wrong(c.CriticBN && c.Loss == Hinge, "critic_bn", "does not go with loss hinge, whose critic has spectral norm")
	f.Wrong(c.CriticBN && c.Preset != "dcgan", "critic_bn", "is for preset dcgan")
	f.Wrong(c.twoSided() && c.banked(), "target_rho", "needs weights net: the others have a weight for each sample of the data, and generated samples are new each time")
	f.Wrong(c.twoSided() && !c.robust(), "target_rho", "needs rho as well")
	f.Wrong(c.banked() && c.Constraint == Penalty, "constraint", "penalty is for weights net: the others solve the weight program in the ball exactly")
	f.Wrong(c.unbalanced() && (c.robust() || c.twoSided()), "loss", "%s relaxes the marginals itself and takes rho 0", c.Loss)
	f.Wrong(c.unbalanced() && (c.Labels || c.Classes > 0), "loss", "%s knows no labels", c.Loss)
	f.Wrong(c.Features != "" && !c.robust(), "features", "decide about weights, and with rho 0 all images weigh the same")
	f.Wrong(c.Features != "" && c.robust() && c.Weights != WeightTransport, "features", "are for weights transport: the others follow the critic")
	f.Wrong(c.Features != "" && c.Preset == "mlp", "features", "are for images, and points are compared as they are")
	f.Wrong(c.Preset == "mlp" && c.Flip, "flip", "is for images: points cannot be mirrored")
	if c.Channels > 0 {
		c.validateSize(f)
	}
	return f.Err()
}

// validateSize checks the rules about the data, once they are known.
func (c *Config) validateSize(f *train.Faults) {
	f.Wrong(c.Preset == "mlp" && c.Size != 0, "preset", "mlp is for points, and the data are images")
	f.Wrong(c.Preset != "mlp" && c.Size == 0, "preset", "%s is for images, and the data are points: use preset mlp", c.Preset)
	size := func(choices ...int) bool { return c.Size == 0 || slices.Contains(choices, c.Size) }
	f.Wrong(c.Preset == "tiny" && !size(28, 32), "preset", "tiny takes images of 28 or 32 pixels, not %d", c.Size)
	f.Wrong((c.Preset == "dcgan" || c.Preset == "resnet") && !size(32, 64), "preset", "%s takes images of 32 or 64 pixels, not %d", c.Preset, c.Size)
}
