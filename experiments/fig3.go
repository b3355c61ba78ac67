package experiments

import "context"

var fig3 = Experiment{
	Name:   "fig3",
	Title:  "samples and weights of WGAN and robust WGAN, CIFAR-10 with 5 % MNIST digits",
	Paper:  "The paper's figure 3",
	Parts:  []string{"mnist"},
	scored: true,
	run: func(ctx context.Context, g *grid, _ string) (*section, error) {
		return g.ganSection(ctx, "dcgan", 0.05, plainAndRobust(0.1), true)
	},
}
