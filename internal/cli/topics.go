package cli

import "github.com/spf13/cobra"

// newRhoTopic is "rot help rho".
func newRhoTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "rho",
		Short: "How to choose the radius ρ",
		Long: `The weights w of a sample have mean 1 and stay in the ball

  (1/2n) Σ (wᵢ − 1)² ≤ ρ.

A radius ρ can set aside at most the fraction γ of the rows, and most verbs take
--gamma instead, which is the easier way to say it:

  ρ = γ / (2(1 − γ))        γ = 2ρ / (1 + 2ρ)

  γ    1 %      2 %     5 %     10 %    20 %   28.6 %  33.3 %  50 %
  ρ    0.00505  0.0102  0.0263  0.0556  0.125  0.2     0.25    0.5

Halve a ρ from a text that defines the ball without the ½.

If you know roughly how dirty the data are, use that γ, or a little more: a
radius that is too small leaves outliers their weight, one that is too large
takes weight from good rows that are expensive to move, and both show.

If you do not know it, draw the curve:

  rot curve today.csv reference.csv --plot curve.png

Far outliers make a visible elbow near the right radius: before it every bit of
room saves much, after it little. --rho auto takes that radius for "rot dist",
for "rot da train" on samples held back from the warm-up, and for "rot gan
train" on the critic's scores, if it is a clear one. A curve without outliers
has a sharpest bend, too, which means nothing; rot says when it is faint.

For a GAN use --gamma with one to two times the fraction of outliers that you
expect: a batch has more of them at times. A radius with room for far more than
there is costs quality, for the ball is always used to its edge; with
--constraint penalty less of it is. Look at the weights in any case:
"rot gan weights", "rot da weights" and "rot dist --weights" list them, lowest
first is worst.

A radius says how much may go, not what. A small, far and perfectly good group
goes first: look at what was dropped before you believe it.`,
		Example: `  rot dist today.csv reference.csv --rho auto
  rot curve today.csv reference.csv --plot curve.png`,
	}
}
