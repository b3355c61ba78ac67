package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/chisq"
	"rot.example/rot/engine"
	"rot.example/rot/gan"
	"rot.example/rot/runs"
)

// backendFlags choose where networks are trained.
type backendFlags struct{ name string }

func (o *backendFlags) bind(flags *pflag.FlagSet) {
	o.name = "auto"
	flags.Var(choiceFlag{&o.name, []string{"auto", "cpu", "go", "xla"}}, "backend", "auto takes a GPU, by xla, or else cpu")
}

// open opens the backend; was is the one that a run began on, which auto stays
// with so that the run goes on as it began.
func (o *backendFlags) open(was string) (*engine.Backend, error) {
	name := o.name
	if name == "auto" && was != "" {
		name = was
	}
	return engine.Open(name, engineOptions())
}

// engineOptions say where XLA may keep its autotuning results.
func engineOptions() *engine.Options {
	opts := &engine.Options{}
	if dir, err := os.UserCacheDir(); err == nil {
		opts.CacheDir = filepath.Join(dir, "rot", "xla")
	}
	return opts
}

type ganTrainOptions struct {
	config     gan.Config
	gamma      float64
	name, runs string
	checkpoint time.Duration
	tables     tableFlags // --encoding
	backend    backendFlags
	json       bool
}

func newGANTrain(std IO) *cobra.Command {
	var o ganTrainOptions
	cmd := &cobra.Command{
		Use:   "train --data DATA",
		Short: "Train a GAN",
		Long: `train trains a GAN on images or points. DATA is anything that "rot data info"
reads. The weights of the data stay in the ball that --rho or --gamma gives;
--rho 0 trains a plain GAN. With --rho auto, the default, the run chooses the
radius: that of the samples which stand out clearly among the data, and 0 if
none do (of points also what the generator cannot make, as it goes). Where that
cannot be, with --weights bank or net, --constraint penalty or --target-rho, the
default is the preset's, 0.05, or 0.1 for points.

What loses its weight is said by --weights:

  transport  what rot clean would suspect and, but for images with --rho auto,
             what the generator cannot make
  bank       what the critic's scores single out, by exact weights
  net        the same, by a network, as in the paper; goes with --target-rho

Images that stand out little among the others are found better, with --gamma, by
a pretrained network that --features names: a ResNet, MobileNetV2 or SqueezeNet
1.1 for photographs and drawings, or a classifier. It looks once, before the
first step.

The networks are chosen by --preset:

  mlp      points; small dense networks
  tiny     images of 28 or 32 pixels; minutes on two cores
  dcgan    images of 32 or 64 pixels; the paper's DCGAN, for a GPU
  resnet   images of 32 or 64 pixels; the paper's ResNet, for a GPU

Without --preset it is mlp for points and tiny for images. Whatever is not given
is the preset's.

A step is one update of the critic. The generator is updated after as many as
the preset says, with --loss ns and hinge after each, unless --critic-steps is
given. With --json one object is printed at the end: run, steps, seconds,
images_per_second, backend, auroc and rho.`,
		Example: `  rot gan train --data synth:eight,n=4000 --outliers synth:far@0.05
  rot gan train --data train-images-idx3-ubyte.gz --gamma 0.05 --steps 1500
  rot gan train --data photos/ --gamma 0.05 --features squeezenet.safetensors
  rot gan train --data 'stack:data_batch_*.png' --outliers uniform@0.05 --preset dcgan
  rot gan train --data photos/ --size 64 --preset resnet --loss hinge --ema 0.999`,
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.resolve(cmd.Flags()); err != nil {
				return err
			}
			return runGANTrain(cmd.Context(), std, o)
		},
	}
	o.bind(cmd.Flags())
	completeChoices(cmd)
	return cmd
}

func (o *ganTrainOptions) bind(f *pflag.FlagSet) {
	c := &o.config
	o.runs, o.checkpoint = "runs", 30*time.Second
	f.StringVar(&c.Data, "data", "", "`DATA` to learn from")
	f.StringVar(&c.Outliers, "outliers", "", "mix in `DATA@FRACTION`, or uniform@FRACTION for noise")
	f.StringVar(&c.Label, "label-column", "", "`column` of the classes, in tables")
	f.StringVar(&c.ID, "id-column", "", "`column` of the rows' names, in tables")
	o.tables.bindConfig(f, tableConfig{&c.Columns, &c.Ignore, (*string)(&c.Header), (*string)(&c.Missing), (*string)(&c.Scale), &c.Clock})
	f.Var(choiceFlag{&c.Preset, gan.Presets()}, "preset", strings.Join(gan.Presets(), ", "))
	f.Var(choiceFlag{&c.Loss, gan.Losses()}, "loss", strings.Join(gan.Losses(), ", "))
	f.BoolVar(&c.Labels, "labels", false, "train a conditional GAN on the labels of the data")
	f.Var(radiusFlag{&c.Rho, &c.RhoAuto}, "rho", "radius of the weights, 0 for none, or auto")
	f.Var(numberFlag{&o.gamma, ruleFraction}, "gamma", "fraction of outliers to allow for, instead of --rho")
	f.Var(numberFlag{&c.TargetRho, ruleRadius}, "target-rho", "radius of the weights on the generated samples")
	f.Var(choiceFlag{&c.Weights, gan.Weightings()}, "weights", strings.Join(gan.Weightings(), ", "))
	f.StringVar(&c.Features, "features", "", "safetensors `file` of a network to look with (default: descriptor)")
	f.Var(choiceFlag{&c.Constraint, []string{gan.Ball, gan.Penalty}}, "constraint", "ball: never left; penalty: leaving costs --lambda")
	f.Var(numberFlag{&c.Lambda, ruleRadius}, "lambda", "strength of --constraint penalty")
	f.Var(countFlag{&c.WarmUp}, "warm-up", "steps before the critic has a say in the weights")
	f.Var(countFlag{&c.BankEvery}, "bank-every", "steps between refreshes of the bank")
	f.Var(countFlag{&c.Steps}, "steps", "critic updates")
	f.Var(countFlag{&c.Batch}, "batch", "samples in a batch")
	f.Var(countFlag{&c.CriticSteps}, "critic-steps", "critic updates per generator update")
	f.Var(countFlag{&c.WeightSteps}, "weight-steps", "critic updates per weight update")
	f.Var(numberFlag{&c.LR, ruleTol}, "lr", "learning rate")
	f.Var(numberFlag{&c.WeightLR, ruleTol}, "weight-lr", "learning rate of the weights, or --lr")
	f.Var(numberFlag{&c.GradientPenalty, ruleRadius}, "gradient-penalty", "strength of the gradient penalty")
	f.BoolVar(&c.CriticBN, "critic-bn", false, "batch norm in the dcgan critic, for --loss ns")
	f.BoolVar(&c.Decay, "decay", false, "let the learning rates fall linearly to 0")
	f.Var(numberFlag{&c.EMA, ruleFraction}, "ema", "sample from a running mean of the generator, as in 0.999")
	f.BoolVar(&c.Flip, "flip", false, "mirror images at random")
	f.Var(countFlag{&c.Size}, "size", "resize the images to this many pixels")
	f.Uint64Var(&c.Seed, "seed", 0, "seed of everything random")
	o.backend.bind(f)
	f.Var(choiceFlag{&c.DType, []string{"f32", "bf16"}}, "dtype", "type that the networks calculate in")
	f.Var(countFlag{&c.LogEvery}, "log-every", "steps between records of metrics.jsonl")
	f.Var(countFlag{&c.SampleEvery}, "sample-every", "steps between pictures of samples (default a tenth of --steps)")
	f.DurationVar(&o.checkpoint, "checkpoint", o.checkpoint, "longest time between checkpoints")
	f.StringVar(&o.name, "name", "", "`name` of the run (default from the time)")
	f.StringVar(&o.runs, "runs", o.runs, "`folder` for runs")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	showDefaults(f, "the preset's", gan.Presets(), func(preset string) {
		*c, _ = gan.Preset(preset)
		c.Preset, c.Weights, c.Rho, c.RhoAuto = "", gan.WeightTransport, 0, true // chosen by Complete
	})
	*c = gan.Config{} // what is not given is for Complete to set
}

// showDefaults tells the help what flags are without being given: a value
// where all of the choices, which use sets, agree, and whose it is elsewhere.
func showDefaults(flags *pflag.FlagSet, whose string, choices []string, use func(choice string)) {
	values := map[*pflag.Flag][]string{}
	for _, name := range choices {
		use(name)
		flags.VisitAll(func(f *pflag.Flag) { values[f] = append(values[f], f.Value.String()) })
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.DefValue = values[f][0]; len(slices.Compact(values[f])) > 1 {
			f.DefValue, f.Usage = "", f.Usage+" (default "+whose+")"
		}
	})
}

// resolve completes the configuration: what the flags did not say is the
// preset's.
func (o *ganTrainOptions) resolve(flags *pflag.FlagSet) error {
	c := &o.config
	switch {
	case c.Data == "":
		return usagef("train needs --data DATA")
	case o.checkpoint <= 0:
		return usagef("--checkpoint %s: want a time above 0", o.checkpoint)
	case flags.Changed("gamma") && flags.Changed("rho"):
		return usagef("--gamma and --rho both give the radius; choose one")
	}
	given := givenFields(flags, *c)
	if flags.Changed("gamma") {
		ball, err := chisq.FromGamma(o.gamma)
		if err != nil {
			return usagef("--gamma: %s", plainText(err))
		}
		c.Rho, given = ball.Rho, append(given, "rho")
	}
	if err := o.tables.readConfig(flags, c.Data); err != nil {
		return err
	}
	c.Encoding = o.tables.known
	return configUsage(c.Complete(given...))
}

func runGANTrain(ctx context.Context, std IO, o ganTrainOptions) error {
	g := &ganRun{gan.Session{Config: o.config}}
	c := &g.Config
	var out outputs
	defer out.discard()
	if err := o.tables.addOutput(&out, nil); err != nil {
		return err
	}
	var notes []string
	var err error
	if g.Data, notes, err = gan.Load(c); err != nil {
		return err
	}
	if err := configUsage(c.Validate()); err != nil { // now that the data are known
		return err
	}
	if g.Backend, err = o.backend.open(""); err != nil {
		return err
	}
	if g.Trainer, err = gan.New(*c, g.Data, g.Backend); err != nil {
		return err
	}
	g.Config = g.Trainer.Config()
	if err := o.tables.stage(&out, c.Encoding); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if g.Run, err = createRun(o.runs, o.name, "gan", c); err != nil {
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
	if (c.Rho > 0 || c.RhoAuto) && c.Unweighted() >= c.Steps {
		notes = append(notes, fmt.Sprintf("the weights stay 1: the warm-up of %s ends after the last step", plural(c.WarmUp, "step")))
	}
	for _, n := range notes {
		fmt.Fprintf(std.Err, "rot: %s\n", n)
	}
	return g.train(ctx, std, o.checkpoint, o.json)
}

// createRun makes the folder of a run of a verb, with its configuration.
func createRun(dir, name, verb string, config any) (*runs.Run, error) {
	run, err := runs.Create(dir, name, verb, config)
	switch {
	case errors.Is(err, runs.ErrName):
		return nil, usagef("--name: %s", plainText(err))
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("--name %s: there is such a run already in %s (rot %s resume goes on with it)", name, dir, verb)
	}
	return run, err
}
