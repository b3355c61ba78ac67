package experiments

import (
	"rot.example/rot/da"
)

// scores compares what the weights may follow.
var scores = Experiment{
	Name:  "scores",
	Title: "what the weights of the target follow, with two classes left out of the source",
	Paper: "Not in the paper, whose weights follow the discriminator",
	Parts: []string{"efficientnet", "pacs"},
	study: func(o *Options, part string) (*study, error) {
		by := func(scores string, keep float64) func(c *da.Config) {
			return func(c *da.Config) { c.Scores, c.Keep = scores, keep }
		}
		return adaptStudy(o, part, []column{
			{name: "no weights", change: func(c *da.Config) { c.Method = da.Adversarial }},
			{name: "transport", change: by(da.Transport, 0.5)},
			{name: "discriminator (the paper)", change: by(da.Discriminator, 0)},
			{name: "discriminator, running mean", change: by(da.Discriminator, 0.9)},
			{name: "entropy, running mean", change: by(da.Uncertainty, 0.9)},
		}, openSet)
	},
}
