package cli

import (
	"github.com/spf13/cobra"
)

func newDA(std IO) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "da",
		Short: "Carry a classifier to an unlabelled, dirty domain",
		Long: `da trains a classifier on a labelled source and adapts it to an unlabelled
target that contains samples which do not belong. A discriminator tells the
features of the two domains apart, the features learn to deceive it, and with
--method robust every target sample has a weight inside a chi-square ball of
radius ρ around uniform: what looks least like the source loses its weight, and
is aligned with nothing.

A run is a folder under runs/, as for rot gan, with predictions.csv, what every
target sample is taken for, and a page report.html at its end. Labels of the
target, where it has any, are used for scoring only.`,
		Example: `  rot da train --source amazon.csv --target webcam.csv
  rot da train --source mnist-images.gz --target usps-images.gz --net lenet
  rot da resume runs/da-20261115-061203
  rot da eval runs/da-20261115-061203 --target usps-test-images.gz
  rot da predict runs/da-20261115-061203 --target new-images.gz`,
		Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newDATrain(std), newDAResume(std), newDAEval(std), newDAPredict(std), newDAWeights(std))
	return cmd
}
