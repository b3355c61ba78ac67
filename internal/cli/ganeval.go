package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rot.example/rot/engine"
	"rot.example/rot/features"
	"rot.example/rot/gan"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
	"rot.example/rot/runs"
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
               about, MobileNetV2, SqueezeNet 1.1 or a classifier: for
               photographs

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
	e, err := openGANEval(std, o)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	net, err := e.network(ctx)
	if err != nil {
		return err
	}
	opts := &gan.EvalOptions{N: o.n, Seed: o.seed, CacheDir: e.cache}
	if o.outliers != "" {
		judge, err := e.judge(ctx)
		if err != nil {
			return err
		}
		opts.Judge = judge
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
	s, err := await(ctx, func() (*gan.Scores, error) { return e.trainer.Evaluate(ctx, e.reference, net, opts) })
	p.stop()
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(text.NewGANScoresJSON(e.run.Path(), s))
	}
	var classes []string
	if c, ok := net.(*features.Classifier); ok {
		classes = c.ClassNames()
	}
	return std.print([]byte(text.GANScores(e.run.Path(), e.trainer.Step(), s, classes)))
}

// A ganEval is a run at its newest checkpoint, and what it is compared with.
type ganEval struct {
	std       IO
	o         ganEvalOptions
	cache     string // "" where there is no folder for it
	run       *runs.Run
	trainer   *gan.Trainer
	reference *gan.Reference
	backend   *engine.Backend // of the generator
	networks  *engine.Backend // of all others; nil before the first
}

func openGANEval(std IO, o ganEvalOptions) (*ganEval, error) {
	e := &ganEval{std: std, o: o, cache: evalCache()}
	var err error
	if e.run, err = runs.Open(o.run); err != nil {
		return nil, err
	}
	var c gan.Config
	if err := e.run.Config(&c); err != nil {
		return nil, err
	}
	if c.Size == 0 && (o.features != "" || o.outliers != "") {
		return nil, fmt.Errorf("%s: makes points, which are scored as they are: --features and --outliers are for images", o.run)
	}
	var notes []string
	if e.reference, notes, err = gan.LoadReference(&c, o.reference); err != nil {
		return nil, fmt.Errorf("--reference: %w", err)
	}
	for _, note := range notes {
		fmt.Fprintf(std.Err, "rot: %s\n", note)
	}
	g, err := openGenerator(e.run, o.run, o.backend)
	if err != nil {
		return nil, err
	}
	e.trainer, e.backend = g.Trainer, g.Backend
	return e, nil
}

// network is what makes vectors of images; nil for points.
func (e *ganEval) network(ctx context.Context) (features.Embedder, error) {
	switch {
	case e.reference.Images == nil:
		return nil, nil
	case e.o.features == "" || e.o.features == "descriptor":
		return features.Descriptor{}, nil
	case e.o.features == "classifier":
		im := e.reference.Images
		if im.Labels == nil {
			return nil, fmt.Errorf("--features classifier: %s has no labels to learn", e.o.reference)
		}
		return e.classifier(ctx, im)
	}
	b, err := e.networkBackend()
	if err != nil {
		return nil, err
	}
	return features.Open(b, e.o.features)
}

// judge is the classifier that tells outliers from the reference.
func (e *ganEval) judge(ctx context.Context) (gan.Classifier, error) {
	both, err := features.LoadWithOutliers(e.reference.Images, e.o.outliers, classifierSeed)
	if err != nil {
		return nil, fmt.Errorf("--outliers: %w", err)
	}
	return e.classifier(ctx, both)
}

// networkBackend is where networks other than the generator run: with it, or,
// since GoMLX's Go backend would take hours for them, on our own.
func (e *ganEval) networkBackend() (*engine.Backend, error) {
	if e.networks == nil {
		e.networks = e.backend
		if e.backend.Kind == "go" && e.o.backend.name == "auto" {
			b, err := (&backendFlags{name: "cpu"}).open("")
			if err != nil {
				return nil, err
			}
			e.networks = b
		}
	}
	return e.networks, nil
}
