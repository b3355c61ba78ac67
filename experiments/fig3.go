package experiments

var fig3 = Experiment{
	Name:   "fig3",
	Title:  "samples and weights of WGAN and robust WGAN, CIFAR-10 with 5 % MNIST digits",
	Paper:  "The paper's figure 3",
	Parts:  []string{"mnist"},
	scored: true,
	study: func(o *Options, _ string) (*study, error) {
		return cifarStudy(o, "dcgan", 0.05, plainAndRobust(0.1), showPictures)
	},
}
