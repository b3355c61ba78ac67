package da

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
	Source   string `json:"source"`                 // labelled data to learn from
	Target   string `json:"target"`                 // data to adapt to; labels, if any, are for scoring only
	Outliers string `json:"outliers,omitempty"`     // what is mixed into the target, as DATA@FRACTION
	DataHash string `json:"data_hash"`              // of all of them together; Load sets it
	Label    string `json:"label_column,omitempty"` // of tables: the column that holds the classes
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

	// FileOrder keeps the columns of tables in the order of the files, as runs
	// from before there were encodings have them.
	FileOrder bool `json:"-"`

	Net        string   `json:"net"`                  // mlp, lenet, resnet18, resnet34, resnet50 or resnet101
	Pretrained string   `json:"pretrained,omitempty"` // safetensors file that F starts from
	Size       int      `json:"size"`                 // of the images in pixels; 0 for feature vectors
	Channels   int      `json:"channels"`             // of an image; the dimension of feature vectors
	Classes    []string `json:"classes"`              // of the source

	Method  string  `json:"method"`  // source, adversarial or robust
	Loss    string  `json:"loss"`    // ns, wasserstein or hinge
	Align   float64 `json:"align"`   // weight of the alignment
	Ramp    bool    `json:"ramp"`    // which grows from 0 to that over the run
	Entropy float64 `json:"entropy"` // weight of the predictions' entropy on the target

	Rho       float64 `json:"rho"`        // radius of the target's weights, for robust
	RhoAuto   bool    `json:"rho_auto"`   // the end of the warm-up chooses it; Rho is 0 until then
	Weights   string  `json:"weights"`    // bank or net
	Scores    string  `json:"scores"`     // what the bank follows: transport, discriminator or entropy
	LabelCost float64 `json:"label_cost"` // κ of transport: what a wrong class costs
	Keep      float64 `json:"keep"`       // share of the earlier weights or scores in a refresh
	WarmUp    int     `json:"warm_up"`    // steps before the weights leave 1
	BankEvery int     `json:"bank_every"` // steps between refreshes of the weights

	SelfTrain float64 `json:"self_train,omitempty"` // weight of the target's own labels; 0, as in the paper, is no self-training
	SelfFrom  int     `json:"self_from,omitempty"`  // steps before the target has labels of its own

	Steps       int     `json:"steps"`          // discriminator updates
	Batch       int     `json:"batch"`          // samples of each domain
	CriticSteps int     `json:"critic_steps"`   // discriminator updates per alignment of the features
	Optimizer   string  `json:"optimizer"`      // of F and C: sgd or adam
	LR          float64 `json:"lr"`             // of F and C
	CriticLR    float64 `json:"critic_lr"`      // of the discriminator and the weight network
	Flip        bool    `json:"flip"`           // source images are mirrored at random
	Crop        bool    `json:"crop"`           // source images are cropped at random
	CropArea    float64 `json:"crop_area"`      // to a share of their area between this and 1
	Zoom        float64 `json:"zoom,omitempty"` // source images are enlarged or shrunk at random by up to this; 0 is not at all

	Select    string `json:"select"`     // im, neighbours, entropy or last
	EvalEvery int    `json:"eval_every"` // steps between evaluations
	LogEvery  int    `json:"log_every"`  // steps between records of metrics.jsonl

	Seed    uint64 `json:"seed"`
	Backend string `json:"backend"` // that it was begun on: cpu, go or xla
}

// The values of Config.Method.
const (
	SourceOnly  = "source"
	Adversarial = "adversarial"
	Robust      = "robust"
)

// The values of Config.Loss.
const (
	NS          = "ns"
	Wasserstein = "wasserstein"
	Hinge       = "hinge"
)

// The values of Config.Weights: who gives a target sample its weight.
const (
	WeightBank = "bank" // the exact weight program over the target, now and then
	WeightNet  = "net"  // a network on the features, at every step
)

// The values of Config.Scores: who loses weight.
const (
	Transport     = "transport"     // what robust optimal transport between features leaves out
	Discriminator = "discriminator" // what the discriminator tells from the source, as in the paper
	Uncertainty   = "entropy"       // what the classifier is unsure about
)

// The values of Config.Select: how the model is picked without target labels.
const (
	InformationMax = "im"      // sure about each sample and even over the classes: H(mean p) − mean H(p)
	LeastEntropy   = "entropy" // sure about each sample: −mean H(p)
	Last           = "last"    // the last model

	// Neighbours takes the model that says the same of neighbours in the target
	// and is even over the classes: H(mean p) times the mean of p·p' over the
	// edges of their graph.
	Neighbours = "neighbours"
)

// Methods returns the values of Config.Method.
func Methods() []string { return []string{SourceOnly, Adversarial, Robust} }

// Nets returns the values of Config.Net, which are the names that Preset knows.
func Nets() []string {
	return []string{"mlp", "lenet", "resnet18", "resnet34", "resnet50", "resnet101"}
}

// Losses returns the values of Config.Loss.
func Losses() []string { return []string{NS, Wasserstein, Hinge} }

// Weights returns the values of Config.Weights.
func Weights() []string { return []string{WeightBank, WeightNet} }

// Scores returns the values of Config.Scores.
func Scores() []string { return []string{Transport, Discriminator, Uncertainty} }

// Selections returns the values of Config.Select.
func Selections() []string { return []string{InformationMax, Neighbours, LeastEntropy, Last} }

// Preset returns the usual configuration for the network called name, without
// data. The values of the ResNets are the paper's; docs/math.md §12 says where a
// default differs and why.
func Preset(name string) (Config, error) {
	if !slices.Contains(Nets(), name) {
		return Config{}, &train.FieldError{Package: "da", Field: "net", Problem: fmt.Sprintf("is %q; choose %s", name, strings.Join(Nets(), ", "))}
	}
	c := Config{
		Net: name, Method: Robust, Loss: NS, Align: 1, Rho: 0.2, Weights: WeightBank, Scores: Transport, LabelCost: 1, Keep: 0.5,
		Steps: 20_000, Batch: 28, CriticSteps: 5, BankEvery: 500, WarmUp: 500, Entropy: 0.25,
		Optimizer: "sgd", LR: 5e-4, CriticLR: 1e-4, Select: InformationMax, EvalEvery: 500, LogEvery: 50,
		CropArea: 0.08, // what ImageNet's networks are trained with
	}
	switch name {
	case "mlp":
		c.Steps, c.Batch, c.CriticSteps, c.BankEvery, c.WarmUp = 800, 64, 1, 100, 200
		c.Optimizer, c.LR, c.CriticLR, c.Ramp, c.EvalEvery = "adam", 3e-4, 3e-4, true, 100
		c.SelfTrain = 1
		c.Entropy = 0  // helps on some features and hurts on others as much (docs/experiments.md)
		c.Align = 0.05 // self-training does better than alignment, which sometimes folds classes onto each other
	case "lenet":
		c.Steps, c.Batch, c.CriticSteps, c.BankEvery, c.WarmUp = 3000, 128, 1, 250, 750
		c.Optimizer, c.LR, c.CriticLR, c.Ramp, c.EvalEvery = "adam", 1e-3, 1e-3, true, 250
		c.Align = 0.3
		c.CropArea = 0.5 // less of a digit may be another digit
	}
	c.SelfFrom = c.WarmUp + c.BankEvery // the weights have been refreshed once, and are refreshed again
	return c, nil
}

// NoSelfTraining turns self-training off, as in the paper, and sets the
// alignment to what the network takes without it.
func (c *Config) NoSelfTraining() {
	c.SelfTrain, c.SelfFrom = 0, 0
	if c.Net == "mlp" {
		c.Align = 0.3 // with 1 the features of an unweighted run collapse in the end (docs/experiments.md)
	}
}

// adapts reports whether the target takes part in training.
func (c *Config) adapts() bool { return c.Method != SourceOnly }

// robust reports whether the target has weights, or will have once there is a
// radius.
func (c *Config) robust() bool { return c.Method == Robust && (c.Rho > 0 || c.RhoAuto) }

// weightNet reports whether a network gives the weights.
func (c *Config) weightNet() bool { return c.robust() && c.Weights == WeightNet }

// follows returns which of the Scores the weights follow.
func (c *Config) follows() string {
	if c.Weights == WeightNet {
		return Discriminator
	}
	return c.Scores
}

func (c *Config) schedule() nn.Schedule {
	if c.Optimizer == "sgd" {
		return nn.Inv(1e-4, 0.75)
	}
	return nn.Steady
}

// Validate returns everything that is wrong with c: FieldErrors of package
// train, joined. The rules about the data, such as the sizes of images that a
// network takes, count once Load has seen them.
func (c *Config) Validate() error {
	f := &train.Faults{Package: "da"}
	f.OneOf("net", c.Net, Nets())
	f.OneOf("method", c.Method, Methods())
	f.OneOf("loss", c.Loss, Losses())
	f.OneOf("weights", c.Weights, Weights())
	f.OneOf("scores", c.Scores, Scores())
	f.OneOf("select", c.Select, Selections())
	f.OneOf("optimizer", c.Optimizer, []string{"sgd", "adam"})
	f.Positive("steps", c.Steps)
	f.Positive("critic_steps", c.CriticSteps)
	f.Positive("bank_every", c.BankEvery)
	f.Positive("eval_every", c.EvalEvery)
	f.Positive("log_every", c.LogEvery)
	f.Wrong(c.Batch < 2, "batch", "is %d, and batch norm needs at least 2", c.Batch)
	f.Wrong(c.WarmUp < 0, "warm_up", "is %d and must not be negative", c.WarmUp)
	f.Between("rho", c.Rho, 0, 1e6)
	f.Wrong(c.RhoAuto && c.Rho != 0, "rho", "is %g and auto; choose one", c.Rho)
	f.Wrong(c.RhoAuto && c.Method != Robust, "rho_auto", "is for method robust, not %s", c.Method)
	f.Wrong(c.RhoAuto && !(c.WarmUp >= 1 && c.WarmUp < c.Steps), "rho_auto", "chooses the radius at the end of the warm-up, which must come after the first of the %d steps and before the last, not after %d", c.Steps, c.WarmUp)
	f.Between("label_cost", c.LabelCost, 0, 1e6)
	f.Wrong(!(c.Keep >= 0 && c.Keep < 1), "keep", "is %g and must be from 0 to below 1", c.Keep)
	f.Between("entropy", c.Entropy, 0, 100)
	f.Between("align", c.Align, 0, 100)
	f.Between("self_train", c.SelfTrain, 0, 100)
	f.Wrong(c.SelfFrom < 0, "self_from", "is %d and must not be negative", c.SelfFrom)
	f.Rate("lr", c.LR)
	f.Rate("critic_lr", c.CriticLR)
	f.Wrong(c.Pretrained != "" && !strings.HasPrefix(c.Net, "resnet"), "pretrained", "weights are for resnets, not %s", c.Net)
	f.Wrong(c.Net == "mlp" && c.Flip, "flip", "is for images: feature vectors cannot be mirrored")
	f.Wrong(c.Net == "mlp" && c.Crop, "crop", "is for images: feature vectors cannot be cropped")
	f.Wrong(c.Zoom != 0 && !(c.Zoom >= 1 && c.Zoom <= 4), "zoom", "is %g and must be from 1 to 4, or 0", c.Zoom)
	f.Wrong(c.Net == "mlp" && c.Zoom > 1, "zoom", "is for images: feature vectors cannot be enlarged")
	f.Wrong(c.Crop && !(c.CropArea > 0 && c.CropArea <= 1), "crop_area", "is %g and must be above 0 and at most 1", c.CropArea)
	if c.Channels > 0 {
		c.validateSize(f)
	}
	return f.Err()
}

// validateSize checks the rules about the data, once they are known.
func (c *Config) validateSize(f *train.Faults) {
	f.Wrong(len(c.Classes) < 2, "source", "has %d classes and needs at least 2", len(c.Classes))
	f.Wrong(c.Net == "mlp" && c.Size != 0, "net", "mlp is for feature vectors, and the data are images: use lenet or a resnet")
	f.Wrong(c.Net != "mlp" && c.Size == 0, "net", "%s is for images, and the data are feature vectors: use net mlp", c.Net)
	f.Wrong(c.Net == "lenet" && c.Size != 28 && c.Size != 32, "net", "lenet takes images of 28 or 32 pixels, not %d", c.Size)
	f.Wrong(strings.HasPrefix(c.Net, "resnet") && c.Size < 32, "net", "%s takes images of at least 32 pixels, not %d", c.Net, c.Size)
}
