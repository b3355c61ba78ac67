package experiments

import (
	"rot.example/rot/gan"
)

var ballVsPenalty = Experiment{
	Name:   "ball-vs-penalty",
	Title:  "the exact ball against the paper's penalty, CIFAR-10 with 5 % MNIST digits",
	Paper:  "Not in the paper, which has the penalty only",
	Parts:  []string{"mnist"},
	scored: true,
	study: func(o *Options, _ string) (*study, error) {
		return cifarStudy(o, "dcgan", 0.05, []model{
			{name: "ball", change: func(c *gan.Config) { c.Rho, c.Constraint = 0.1, gan.Ball }},
			matching("ball"),
			{name: "penalty, λ = 1000", change: func(c *gan.Config) { c.Rho, c.Constraint = 0.1, gan.Penalty }},
			{name: "bank", change: func(c *gan.Config) { c.Rho, c.Weights = 0.1, gan.WeightBank }},
			{name: "transport", change: func(c *gan.Config) { c.Rho, c.Weights = 0.1, gan.WeightTransport }},
		}, showPictures)
	},
}
