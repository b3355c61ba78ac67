package cli

import (
	"context"

	"github.com/spf13/cobra"

	"rot.example/rot/internal/text"
	"rot.example/rot/page"
)

type ganWeightsOptions struct {
	run, data string
	backend   backendFlags
	json      bool
}

func newGANWeights(std IO) *cobra.Command {
	var o ganWeightsOptions
	cmd := &cobra.Command{
		Use:   "weights RUN",
		Short: "The weights that a run gives its data: low means outlier",
		Long: `weights passes the data once through the weights of the newest checkpoint and
writes into the run's folder

  weights.csv   the weight of every sample, by id, with mean 1; with weights by
                transport also its score: how odd it is among the others
  weights.png   a histogram, outliers that were mixed in apart
  sorted.png    samples from the lowest weight to the highest (images only)

With --json: n, outliers, auroc (of low weights as a mark of the outliers; null
when none were mixed in), mean_in and mean_out; with scores auroc_scores, the
same of high scores, which tell samples in order also where all weigh the same.`,
		Example: "  rot gan weights runs/gan-20261115-061203",
		Args:    exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runGANWeights(cmd.Context(), std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "where the `DATA` are now (default: where they were)")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

func runGANWeights(ctx context.Context, std IO, o ganWeightsOptions) error {
	run, err := openRun(o.run, "gan")
	if err != nil {
		return err
	}
	g, err := openGAN(run, o.data, o.backend)
	if err != nil {
		return err
	}
	if g.Trainer.Step() == 0 {
		return noCheckpoint(o.run, "gan")
	}
	weights, err := page.GANWeights(ctx, &g.Session)
	if err != nil {
		return err
	}
	r, err := page.WriteWeights(run, weights)
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(text.NewWeightsJSON(r))
	}
	return std.print([]byte(text.GANWeights(&g.Session, r)))
}
