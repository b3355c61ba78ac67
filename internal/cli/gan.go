package cli

import (
	"github.com/spf13/cobra"
)

func newGAN(std IO) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gan",
		Short: "Train a GAN on dirty data without learning the dirt",
		Long: `gan trains a generative adversarial network whose training data have weights
inside a chi-square ball of radius ρ around uniform. The weights leave out what
the generator cannot make: garbage ends at weight zero, and the generator does
not learn it.

A run is a folder under runs/ with its configuration, metrics.jsonl,
checkpoints, pictures of samples, and at its end weights.csv and report.html, a
page with the answer. It can be stopped or killed at any moment and resumed as
if nothing had happened.`,
		Example: `  rot gan train --data photos/ --gamma 0.05
  rot gan train --data synth:eight --outliers synth:far@0.05
  rot gan resume runs/gan-20261115-061203
  rot gan weights runs/gan-20261115-061203
  rot gan eval runs/gan-20261115-061203 --reference clean/`,
		Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newGANTrain(std), newGANResume(std), newGANSample(std), newGANWeights(std), newGANEval(std))
	return cmd
}
