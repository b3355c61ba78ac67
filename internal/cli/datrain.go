package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/da"
)

type daTrainOptions struct {
	config     da.Config
	name, runs string
	checkpoint time.Duration
	tables     tableFlags // --encoding
	backend    backendFlags
	json       bool
}

func newDATrain(std IO) *cobra.Command {
	var o daTrainOptions
	cmd := &cobra.Command{
		Use:   "train --source DATA --target DATA",
		Short: "Train a classifier on a source and adapt it to a target",
		Long: `train trains features, classifier and discriminator. DATA is anything that
"rot data info" reads; the source must have labels.

The feature network is chosen by --net:

  mlp                  feature vectors; two hidden layers
  lenet                images of 28 or 32 pixels, such as digits
  resnet18 34 50 101   images of 32 pixels or more; the ImageNet networks, which
                       --pretrained can load

Without --net it is mlp for feature vectors and lenet for images. The method is
one of

  source        the source alone, no adaptation
  adversarial   domains are aligned, all target samples alike
  robust        domains are aligned, target samples weighted

The weights of the target stay in the ball of radius --rho. With --rho auto a
fifth of the target takes no part in the warm-up, and at its end the radius is
where the curve of the weights' value on those samples has its elbow.

With --self-train the target gets labels of its own once the weights have
settled, from the predictions for each sample and its neighbours, equally many
of every class, and the networks learn them, too. Feature vectors have it with
method robust; --self-train 0 turns it off, which is the paper's form.

The model is picked without target labels: --select im takes the one that is
sure about each target sample and even over the classes, neighbours the one that
says the same of neighbours in the target and is even over the classes, entropy
the one that is sure, last the last. Where the target has labels, the accuracy
of that model is printed, and beside it that of the best model of all, which
nobody without labels could have picked.

With --json one object is printed at the end: run, steps, seconds,
images_per_second, backend, accuracy, selected_by, oracle_accuracy, rho,
unknown (samples of weight below 0.5), h_score and more.`,
		Example: `  rot da train --source 'surf.npz:amazon_x,amazon_y' --target 'surf.npz:webcam_x,webcam_y'
  rot da train --source mnist.gz --target usps.gz --net lenet --outliers uniform@0.15
  rot da train --source photo/ --target sketch/ --net resnet18 --size 64 --rho 0.2`,
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.resolve(cmd.Flags()); err != nil {
				return err
			}
			return runDATrain(cmd.Context(), std, o)
		},
	}
	o.bind(cmd.Flags())
	completeChoices(cmd)
	return cmd
}

func (o *daTrainOptions) bind(f *pflag.FlagSet) {
	c := &o.config
	o.runs, o.checkpoint = "runs", 30*time.Second
	f.StringVar(&c.Source, "source", "", "labelled `DATA` to learn from")
	f.StringVar(&c.Target, "target", "", "`DATA` to adapt to")
	f.StringVar(&c.Outliers, "outliers", "", "mix `DATA@FRACTION`, or uniform@FRACTION, into the target")
	f.StringVar(&c.Label, "label-column", "", "`column` of the classes, in CSV and Parquet files")
	f.StringVar(&c.ID, "id-column", "", "`column` of the rows' names")
	o.tables.bindConfig(f, tableConfig{&c.Columns, &c.Ignore, (*string)(&c.Header), (*string)(&c.Missing), (*string)(&c.Scale), &c.Clock})
	f.Var(choiceFlag{&c.Net, da.Nets()}, "net", strings.Join(da.Nets(), ", "))
	f.StringVar(&c.Pretrained, "pretrained", "", "safetensors `FILE` that a resnet starts from")
	f.Var(choiceFlag{&c.Method, da.Methods()}, "method", strings.Join(da.Methods(), ", "))
	f.Var(choiceFlag{&c.Loss, da.Losses()}, "loss", strings.Join(da.Losses(), ", "))
	f.Var(radiusFlag{&c.Rho, &c.RhoAuto}, "rho", "radius of the target's weights; auto: by held-back samples")
	f.Var(numberFlag{&c.Entropy, ruleRadius}, "entropy", "strength of the entropy term on the target")
	f.Var(numberFlag{&c.Align, ruleRadius}, "align", "strength of the alignment")
	f.Var(choiceFlag{&c.Weights, da.Weights()}, "weights", "bank: one per sample, exact; net: by a network")
	f.Var(choiceFlag{&c.Scores, da.Scores()}, "scores", "what the bank follows: "+strings.Join(da.Scores(), ", "))
	f.Var(numberFlag{&c.LabelCost, ruleRadius}, "label-cost", "what a wrong class costs in --scores transport")
	f.Var(numberFlag{&c.Keep, ruleRadius}, "keep", "share of the earlier weights in a refresh, below 1")
	f.Var(countFlag{&c.WarmUp}, "warm-up", "steps before the weights leave 1")
	f.Var(countFlag{&c.BankEvery}, "bank-every", "steps between refreshes of the weights")
	f.Var(numberFlag{&c.SelfTrain, ruleRadius}, "self-train", "weight of the target's own labels; 0: none")
	f.Var(countFlag{&c.SelfFrom}, "self-from", "steps before the target has labels of its own")
	f.Var(countFlag{&c.Steps}, "steps", "discriminator updates")
	f.Var(countFlag{&c.Batch}, "batch", "samples of each domain in a batch")
	f.Var(countFlag{&c.CriticSteps}, "critic-steps", "discriminator updates per alignment of the features")
	f.Var(choiceFlag{&c.Optimizer, []string{"sgd", "adam"}}, "optimizer", "of features and classifier: sgd, adam")
	f.Var(numberFlag{&c.LR, ruleTol}, "lr", "learning rate of features and classifier")
	f.Var(numberFlag{&c.CriticLR, ruleTol}, "critic-lr", "learning rate of the discriminator")
	f.BoolVar(&c.Flip, "flip", false, "mirror source images at random")
	f.BoolVar(&c.Crop, "crop", false, "crop source images at random, and resize them to the full size")
	f.Var(numberFlag{&c.Zoom, ruleRadius}, "zoom", "enlarge or shrink source images at random by up to this factor; 0: not at all")
	f.Var(numberFlag{&c.CropArea, ruleMass}, "crop-area", "least share of an image that --crop leaves")
	f.Var(countFlag{&c.Size}, "size", "resize the images to this many pixels")
	f.Var(choiceFlag{&c.Select, da.Selections()}, "select", "how the model is picked: "+strings.Join(da.Selections(), ", "))
	f.Var(countFlag{&c.EvalEvery}, "eval-every", "steps between evaluations")
	f.Var(countFlag{&c.LogEvery}, "log-every", "steps between records of metrics.jsonl")
	f.Uint64Var(&c.Seed, "seed", 0, "seed of everything random")
	o.backend.bind(f)
	f.DurationVar(&o.checkpoint, "checkpoint", o.checkpoint, "longest time between checkpoints")
	f.StringVar(&o.name, "name", "", "`name` of the run (default from the time)")
	f.StringVar(&o.runs, "runs", o.runs, "`folder` for runs")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	showDefaults(f, "the network's", da.Nets(), func(net string) {
		*c, _ = da.Preset(net)
		c.Net = "" // chosen by the data
	})
	*c = da.Config{} // what is not given is for Complete to set
}

// resolve completes the configuration: what the flags did not say is the
// network's default.
func (o *daTrainOptions) resolve(flags *pflag.FlagSet) error {
	c := &o.config
	switch {
	case c.Source == "" || c.Target == "":
		return usagef("train needs --source DATA and --target DATA")
	case o.checkpoint <= 0:
		return usagef("--checkpoint %s: want a time above 0", o.checkpoint)
	}
	if err := o.tables.readConfig(flags, c.Source); err != nil {
		return err
	}
	c.Encoding = o.tables.known
	return configUsage(c.Complete(givenFields(flags, *c)...))
}

func runDATrain(ctx context.Context, std IO, o daTrainOptions) error {
	g := &daRun{da.Session{Config: o.config}}
	c := &g.Config
	var out outputs
	defer out.discard()
	if err := o.tables.addOutput(&out, nil); err != nil {
		return err
	}
	var notes []string
	var err error
	if g.Data, notes, err = da.Load(c); err != nil {
		return err
	}
	if err := configUsage(c.Validate()); err != nil { // now that the data are known
		return err
	}
	if c.Method == da.Robust && c.WarmUp >= c.Steps {
		notes = append(notes, fmt.Sprintf("the weights stay 1: the warm-up of %s ends after the last step", plural(c.WarmUp, "step")))
	}
	if g.Backend, err = o.backend.open(""); err != nil {
		return err
	}
	if g.Trainer, err = da.New(*c, g.Data, g.Backend); err != nil {
		return err
	}
	g.Config = g.Trainer.Config()
	if err := o.tables.stage(&out, c.Encoding); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if g.Run, err = createRun(o.runs, o.name, "da", c); err != nil {
		return err
	}
	unlock, err := g.Run.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := out.commit(ctx); err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintf(std.Err, "rot: %s\n", n)
	}
	return g.train(ctx, std, o.checkpoint, o.json)
}
