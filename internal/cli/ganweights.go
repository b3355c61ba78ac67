package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"rot.example/rot/runs"
	"rot.example/rot/train"
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

  weights.csv   the weight of every sample, by id, with mean 1
  weights.png   a histogram, outliers that were mixed in apart
  sorted.png    samples from the lowest weight to the highest (images only)

With --json: n, outliers, auroc (of low weights as a mark of the outliers; null
when none were mixed in), mean_in and mean_out.`,
		Example: "  rot gan weights runs/gan-20261115-061203",
		Args:    exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runGANWeights(std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "where the `DATA` are now (default: where they were)")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

func runGANWeights(std IO, o ganWeightsOptions) error {
	run, err := runs.Open(o.run)
	if err != nil {
		return err
	}
	g, err := openGAN(run, o.data, o.backend)
	if err != nil {
		return err
	}
	if g.trainer.Step() == 0 {
		return noCheckpoint(o.run, "gan")
	}
	weights, err := g.weighted()
	if err != nil {
		return err
	}
	r, err := writeWeights(run, weights)
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(newWeightsJSON(r))
	}
	s := weightsText(r)
	for _, f := range []struct{ label, name string }{{"weights", "weights.csv"}, {"histogram", "weights.png"}, {"sorted", "sorted.png"}} {
		if f.name != "sorted.png" || g.config.Size > 0 {
			s += fmt.Sprintf("%-10s %s\n", f.label, filepath.Join(run.Path(), f.name))
		}
	}
	return std.print([]byte(s))
}

// weighted are the data with the weights of the newest checkpoint.
func (g *ganRun) weighted() (*train.Weighted, error) {
	w, err := g.trainer.Weights()
	if err != nil {
		return nil, err
	}
	d := g.data
	return &train.Weighted{W: w, Outlier: d.Outlier, IDs: d.IDs, Size: g.config.Size, Channels: g.config.Channels, Image: d.Image}, nil
}
