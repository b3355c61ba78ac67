package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot/chisq"
	"rot/dataset"
	"rot/engine"
	"rot/gan"
	"rot/runs"
)

// backendFlags choose where networks are trained.
type backendFlags struct{ name string }

func (o *backendFlags) bind(flags *pflag.FlagSet) {
	o.name = "auto"
	flags.Var(choiceFlag{&o.name, []string{"auto", "go", "xla"}}, "backend", "where to train: auto takes a GPU where it finds one, go is pure Go on the CPU, xla is XLA")
}

// open opens the backend; was is the one that a run began on, which auto stays
// with so that the run goes on as it began.
func (o *backendFlags) open(std IO, was string) (*engine.Backend, error) {
	name := o.name
	if name == "auto" && was != "" {
		name = was
	}
	opts := &engine.Options{}
	if dir, err := os.UserCacheDir(); err == nil {
		opts.CacheDir = filepath.Join(dir, "rot", "xla")
	}
	b, err := engine.Open(name, opts)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(std.Err, "rot: training on %s (backend %s)\n", b.Device, b.Kind)
	return b, nil
}

type ganTrainOptions struct {
	config     gan.Config // what the flags said, over a preset
	gamma      float64
	labels     bool
	name, runs string
	checkpoint time.Duration
	backend    backendFlags
	json       bool
}

func newGANTrain(std IO) *cobra.Command {
	o := ganTrainOptions{runs: "runs", checkpoint: 30 * time.Second}
	preset, _ := gan.Preset("dcgan") // the defaults that help shows
	c := &o.config
	*c = preset
	c.Preset = ""
	cmd := &cobra.Command{
		Use:   "train --data DATA",
		Short: "Train a GAN",
		Long: `train trains a GAN on images or points. DATA is anything that "rot data info"
reads. The weights of the data stay in the ball that --rho or --gamma gives;
--rho 0 trains a plain GAN.

The networks are chosen by --preset:

  mlp      points; two hidden layers
  tiny     images of 28 or 32 pixels; minutes on two cores
  dcgan    images of 32 or 64 pixels; the DCGAN networks of the paper, for a GPU
  resnet   images of 32 or 64 pixels; the ResNet networks of the paper, for a GPU

Without --preset it is mlp for points and tiny for images. The learning rates,
batch sizes and steps that are not given are the preset's.

A step is one update of the critic. With --json one object is printed at the
end: run, steps, seconds, images_per_second, backend.`,
		Example: `  rot gan train --data synth:eight,n=4000 --outliers synth:far@0.05
  rot gan train --data train-images-idx3-ubyte.gz --gamma 0.05 --steps 1500
  rot gan train --data 'stack:data_batch_*.png' --outliers uniform@0.05 --preset dcgan --dtype bf16
  rot gan train --data photos/ --size 64 --preset resnet --loss hinge --ema 0.999`,
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.resolve(cmd.Flags()); err != nil {
				return err
			}
			return runGANTrain(cmd.Context(), std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.Data, "data", "", "`DATA` to learn from")
	f.StringVar(&c.Outliers, "outliers", "", "mix these in: `DATA@FRACTION`, or uniform@FRACTION for noise")
	f.Var(choiceFlag{&c.Preset, gan.Presets()}, "preset", "networks: "+strings.Join(gan.Presets(), ", "))
	f.Var(choiceFlag{&c.Loss, gan.Losses()}, "loss", "loss: "+strings.Join(gan.Losses(), ", "))
	f.BoolVar(&o.labels, "labels", false, "train a conditional GAN on the labels of the data")
	f.Var(numberFlag{&c.Rho, ruleRadius}, "rho", "radius of the weights on the data; 0 is a plain GAN")
	f.Var(numberFlag{&o.gamma, ruleFraction}, "gamma", "fraction of outliers to allow for, instead of --rho")
	f.Var(numberFlag{&c.TargetRho, ruleRadius}, "target-rho", "radius of the weights on the generated samples")
	f.Var(choiceFlag{&c.Weights, []string{gan.WeightNet, gan.WeightBank}}, "weights", "net: a network gives the weights; bank: the exact weight program over the data set")
	f.Var(choiceFlag{&c.Constraint, []string{gan.Ball, gan.Penalty}}, "constraint", "ball: weights are kept in the ball exactly; penalty: leaving it costs --lambda")
	f.Var(numberFlag{&c.Lambda, ruleRadius}, "lambda", "strength of the penalty")
	f.Var(countFlag{&c.WarmUp}, "warm-up", "steps before the weights leave 1")
	f.Var(countFlag{&c.BankEvery}, "bank-every", "steps between refreshes of the bank")
	f.Var(countFlag{&c.Steps}, "steps", "critic updates (default: the preset's)")
	f.Var(countFlag{&c.Batch}, "batch", "samples in a batch (default: the preset's)")
	f.Var(countFlag{&c.CriticSteps}, "critic-steps", "critic updates per generator update")
	f.Var(countFlag{&c.WeightSteps}, "weight-steps", "critic updates per weight update")
	f.Var(numberFlag{&c.LR, ruleTol}, "lr", "learning rate (default: the preset's)")
	f.Var(numberFlag{&c.WeightLR, ruleTol}, "weight-lr", "learning rate of the weights (default: the preset's)")
	f.Var(numberFlag{&c.GradientPenalty, ruleRadius}, "gradient-penalty", "strength of the gradient penalty of the Wasserstein loss (default: the preset's)")
	f.BoolVar(&c.CriticBN, "critic-bn", false, "batch norm in the dcgan critic, for --loss ns")
	f.BoolVar(&c.Decay, "decay", false, "let the learning rates fall linearly to 0")
	f.Var(numberFlag{&c.EMA, ruleFraction}, "ema", "keep a running mean of the generator and sample from it, as in 0.999")
	f.BoolVar(&c.Flip, "flip", false, "mirror images at random")
	f.Var(countFlag{&c.Size}, "size", "resize the images to this many pixels")
	f.Uint64Var(&c.Seed, "seed", 0, "seed of everything random")
	o.backend.bind(f)
	f.Var(choiceFlag{&c.DType, []string{"f32", "bf16"}}, "dtype", "type that the networks calculate in")
	f.Var(countFlag{&c.LogEvery}, "log-every", "steps between records of metrics.jsonl")
	f.Var(countFlag{&c.SampleEvery}, "sample-every", "steps between pictures of samples (default: a tenth of --steps)")
	f.DurationVar(&o.checkpoint, "checkpoint", o.checkpoint, "longest time between checkpoints")
	f.StringVar(&o.name, "name", "", "`name` of the run (default: from the time)")
	f.StringVar(&o.runs, "runs", o.runs, "`folder` for runs")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	// What depends on the preset shows no default.
	for _, name := range []string{"preset", "steps", "batch", "lr", "weight-lr", "gradient-penalty"} {
		f.Lookup(name).DefValue = ""
	}
	completeChoices(cmd)
	return cmd
}

// resolve completes the configuration: what the flags did not say is the
// preset's.
func (o *ganTrainOptions) resolve(flags *pflag.FlagSet) error {
	if o.config.Data == "" {
		return usagef("train needs --data DATA")
	}
	if o.config.Outliers != "" {
		if _, _, err := dataset.ParseMix(o.config.Outliers); err != nil {
			return usagef("--outliers: %s", plainText(err))
		}
	}
	if flags.Changed("gamma") {
		if flags.Changed("rho") {
			return usagef("--gamma and --rho both give the radius; choose one")
		}
		ball, err := chisq.FromGamma(o.gamma)
		if err != nil {
			return usagef("--gamma: %s", plainText(err))
		}
		o.config.Rho = ball.Rho
	}
	given := o.config
	if given.Preset == "" {
		given.Preset = "mlp"
		if dataset.IsImages(given.Data) {
			given.Preset = "tiny"
		}
	}
	preset, err := gan.Preset(given.Preset)
	if err != nil {
		return usagef("%s", plainText(err))
	}
	given.Noise = preset.Noise
	given.Beta1, given.Beta2 = preset.Beta1, preset.Beta2
	for _, d := range []struct {
		flag string
		set  func()
	}{
		{"steps", func() { given.Steps = preset.Steps }},
		{"batch", func() { given.Batch = preset.Batch }},
		{"lr", func() { given.LR = preset.LR }},
		{"weight-lr", func() {
			given.WeightLR = preset.WeightLR
			if flags.Changed("lr") {
				given.WeightLR = given.LR
			}
		}},
		{"gradient-penalty", func() { given.GradientPenalty = preset.GradientPenalty }},
		{"sample-every", func() { given.SampleEvery = max(1, given.Steps/10) }},
	} {
		if !flags.Changed(d.flag) {
			d.set()
		}
	}
	if (given.Loss == gan.UOT || given.Loss == gan.UOTPrinted) && !flags.Changed("rho") && !flags.Changed("gamma") {
		given.Rho = 0
	}
	o.config = given
	return nil
}

type ganTrainReport struct {
	Run             string  `json:"run"`
	Steps           int     `json:"steps"`
	Seconds         number  `json:"seconds"`
	ImagesPerSecond number  `json:"images_per_second"`
	Backend         string  `json:"backend"`
	AUROC           *number `json:"auroc"`
}

func runGANTrain(ctx context.Context, std IO, o ganTrainOptions) error {
	c := o.config
	data, notes, err := gan.Load(&c, o.labels)
	if err != nil {
		return err
	}
	if err := c.Validate(); err != nil {
		return usagef("%s", plainText(err))
	}
	for _, n := range notes {
		fmt.Fprintf(std.Err, "rot: %s\n", n)
	}
	b, err := o.backend.open(std, "")
	if err != nil {
		return err
	}
	c.Backend = b.Kind
	t, err := gan.New(c, data, b)
	if err != nil {
		return err
	}
	run, err := runs.Create(o.runs, o.name, "gan", c)
	if err != nil {
		return err
	}
	return trainGAN(ctx, std, t, data, run, b, o.checkpoint, o.json)
}

// trainGAN runs the training of a run to its end and writes what it leaves.
func trainGAN(ctx context.Context, std IO, t *gan.Trainer, data *gan.Data, run *runs.Run, b *engine.Backend, checkpoint time.Duration, asJSON bool) error {
	unlock, err := run.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	p := startTraining(std, t.Config().Steps)
	start := time.Now()
	err = t.Run(ctx, run, &gan.RunOptions{
		Hooks: gan.Hooks{
			Step:    p.report,
			Samples: func(step int, s *gan.Samples) error { return saveSamples(run, data, step, s) },
		},
		Checkpoint: checkpoint,
	})
	p.stop()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		fmt.Fprintf(std.Err, "rot: stopped at step %d; go on with: rot gan resume %s\n", t.Step(), shellWord(run.Path()))
		return err
	}
	if err != nil {
		return err
	}
	w, err := writeGANWeights(run, t, data)
	if err != nil {
		return err
	}
	last := p.latest()
	r := ganTrainReport{
		Run: run.Path(), Steps: t.Step(), Seconds: number(time.Since(start).Seconds()),
		ImagesPerSecond: number(last.ImagesPerSecond), Backend: b.Kind, AUROC: w.AUROC,
	}
	if asJSON {
		return std.printJSON(r)
	}
	return std.print([]byte(ganTrainText(t, run, r, last, w)))
}

func ganTrainText(t *gan.Trainer, run *runs.Run, r ganTrainReport, last gan.Record, w *ganWeightsReport) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s critic steps in %s", count(r.Steps), seconds(float64(r.Seconds)))
	if r.ImagesPerSecond > 0 {
		fmt.Fprintf(&s, ", %s samples a second", count(int(r.ImagesPerSecond)))
	}
	fmt.Fprintf(&s, "; critic distance %s\n", digits(last.Distance, 3))
	if t.Config().Rho > 0 {
		s.WriteString(w.text())
	}
	fmt.Fprintf(&s, "run        %s\n", run.Path())
	fmt.Fprintf(&s, "samples    %s\n", filepath.Join(run.Path(), "samples", sampleName(t.Step())))
	fmt.Fprintf(&s, "weights    %s\n", filepath.Join(run.Path(), "weights.csv"))
	return s.String()
}
