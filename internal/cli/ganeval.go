package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/features"
	"rot.example/rot/gan"
	"rot.example/rot/internal/terminal"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
)

type ganEvalOptions struct {
	run, reference string
	features       string // "" stands for the descriptor
	outliers       string
	steps          int // of a classifier; 0 means its default
	n              int
	seed           uint64
	backend        backendFlags
	json           bool
}

func newGANEval(std IO) *cobra.Command {
	o := ganEvalOptions{n: 10_000}
	cmd := &cobra.Command{
		Use:   "eval RUN --reference DATA",
		Short: "Score the samples of a generator against clean data",
		Long: `eval makes samples from the newest checkpoint of a run, those of "rot gan
sample" with the same seed, and compares them with clean reference data by the
vectors that a network, the features, makes of both. It prints

  Fréchet distance   between the two sets; called FID with Inception-v3 only
  KID                another distance, without bias, and its standard error
  Inception score    clear and varied classes, where the network has classes
  precision, recall  samples that look real, and reference that samples reach
  density, coverage  the same, less easily moved by outliers

KID and the last four look at 5000 vectors of either side at most. Only scores
of the same features, reference and -n can be compared. The features:

  descriptor   gradients, colours and a thumbnail; needs no file, for a first
               look and to compare runs with each other
  classifier   a small network that is trained on the labels of the reference,
               in minutes, and kept; for digits, letters, drawings, and all that
               networks for photographs say little about
  FILE         a safetensors file with Inception-v3, which published FIDs are
               about, a ResNet, MobileNetV2, SqueezeNet 1.1 or a
               classifier: for photographs

Runs on points are scored in the space of the data and take no features. With
--outliers a classifier is trained with one more class, of those images, and the
share of the samples that it takes for outliers is printed.

With --json: run, n, reference, reference_hash, features, features_hash, fid
(the Fréchet distance), kid, kid_stderr, inception_score, inception_score_sd,
precision, recall, density, coverage, class_counts, outlier_share; null where
there is none. Statistics of the reference and classifiers are kept in the
user's cache folder, by the content of what they were made of.`,
		Example: `  rot gan eval runs/gan-20261115-061203 --reference clean/
  rot gan eval runs/digits --reference t10k-images-idx3-ubyte.gz --features classifier
  rot gan eval runs/digits --reference t10k-images-idx3-ubyte.gz --outliers letters/
  rot gan eval runs/photos --reference clean/ --features inception.safetensors -n 50000
  rot gan eval runs/points --reference clean.csv --json`,
		Args: exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runGANEval(cmd.Context(), std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.reference, "reference", "", "clean `DATA` to compare with")
	f.StringVar(&o.features, "features", "", "`FILE` with a network, or classifier (default descriptor)")
	f.StringVar(&o.outliers, "outliers", "", "`DATA` of outliers to count among the samples, or uniform for noise")
	f.Var(countFlag{&o.steps}, "classifier-steps", "steps to train a classifier for (default five epochs, 200 to 2000)")
	f.VarP(countFlag{&o.n}, "count", "n", "how many samples")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the noise")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	// It fails for a flag that does not exist; this one does.
	_ = cmd.RegisterFlagCompletionFunc("features", cobra.FixedCompletions([]string{"descriptor", "classifier"}, cobra.ShellCompDirectiveDefault))
	return cmd
}

func runGANEval(ctx context.Context, std IO, o ganEvalOptions) error {
	switch {
	case o.reference == "":
		return usagef("eval needs --reference DATA")
	case o.n < 10 || o.n > 1_000_000:
		return usagef("-n %d: want a number from 10 to a million", o.n)
	}
	run, err := openRun(o.run, "gan")
	if err != nil {
		return err
	}
	var c gan.Config
	if err := run.Config(&c); err != nil {
		return err
	}
	if c.Size == 0 && (o.features != "" || o.outliers != "") {
		return fmt.Errorf("%s: makes points, which are scored as they are: --features and --outliers are for images", o.run)
	}
	reference, notes, err := gan.LoadReference(&c, o.reference)
	if err != nil {
		return fmt.Errorf("--reference: %w", err)
	}
	for _, note := range notes {
		fmt.Fprintf(std.Err, "rot: %s\n", note)
	}
	g, err := openGenerator(run, o.run, o.backend)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	opts := &gan.EvalOptions{N: o.n, Seed: o.seed, CacheDir: evalCache()}
	networks, stop := evalNetworks(std, &o, g.Backend)
	net, err := openNetworks(ctx, networks, &o, reference, opts)
	stop()
	if err != nil {
		return err
	}
	p := startProgress(std)
	doing := ""
	opts.Progress = func(now string, done, total int) {
		if now != doing {
			doing = now
			p.stage(doing)
		}
		p.report(ot.Progress{Done: float64(done) / float64(total)})
	}
	s, err := await(ctx, func() (*gan.Scores, error) { return g.Trainer.Evaluate(ctx, reference, net, opts) })
	p.stop()
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(text.NewGANScoresJSON(run.Path(), s))
	}
	var classes []string
	if c, ok := net.(*features.Classifier); ok {
		classes = c.ClassNames()
	}
	return std.print([]byte(text.GANScores(run.Path(), g.Trainer.Step(), s, classes)))
}

// openNetworks opens what makes vectors of images, nil for points, and what
// counts outliers among the samples, which it puts into opts.
func openNetworks(ctx context.Context, networks *features.Networks, o *ganEvalOptions, reference *gan.Reference, opts *gan.EvalOptions) (features.Embedder, error) {
	if reference.Images == nil {
		return nil, nil
	}
	net, err := networks.Open(ctx, o.features, reference.Images)
	if errors.Is(err, features.ErrNoLabels) {
		return nil, fmt.Errorf("--features classifier: %s %w", o.reference, features.ErrNoLabels)
	}
	if err != nil || o.outliers == "" {
		return net, err
	}
	judge, err := networks.Judge(ctx, reference.Images, o.outliers)
	if err != nil {
		return nil, fmt.Errorf("--outliers: %w", err)
	}
	opts.Judge = judge
	return net, nil
}

// evalCache is the folder for what eval keeps, "" where there is none.
func evalCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "rot", "eval")
}

// evalNetworks are the networks that look at images, and what ends the line that
// shows how far the training of one is. They run where the generator does, or,
// since GoMLX's Go backend would take hours for them, on our own backend.
func evalNetworks(std IO, o *ganEvalOptions, generator *engine.Backend) (networks *features.Networks, stop func()) {
	say := func(format string, args ...any) { fmt.Fprintf(std.Err, "rot: "+format+"\n", args...) }
	var p *trainProgress
	stop = func() {
		if p != nil {
			p.stop()
		}
		p = nil
	}
	return &features.Networks{
		Backend: func() (*engine.Backend, error) {
			if generator.Kind == "go" && o.backend.name == "auto" {
				return (&backendFlags{name: "cpu"}).open("")
			}
			return generator, nil
		},
		CacheDir: evalCache(), Steps: o.steps,
		Found: func(im *dataset.Images) { say("classifier of %s kept from before", im.Name) },
		Training: func(im *dataset.Images, b *engine.Backend) {
			say("training a classifier of %s on %s (backend %s)", im.Name, b.Device, b.Kind)
		},
		Progress: func(step, steps int, loss float64) {
			if p == nil {
				p = startTraining(std, steps, "images")
			}
			p.report(terminal.Step{Number: step, Values: []terminal.Value{{Name: "loss", Short: "loss", Value: loss}}})
		},
		Trained: func(c *features.Classifier, kept error) {
			stop()
			say("the classifier is right about %s of the images held back", percent(c.Accuracy()))
			if kept != nil {
				say("the classifier is not kept: %s", plainText(kept))
			}
		},
	}, stop
}
