package experiments

var table1 = Experiment{
	Name:   "table1",
	Title:  "clean CIFAR-10: WGAN, ρ = 0 and ρ = 0.3",
	Paper:  "The paper's table 1, with a classifier's features in place of Inception's",
	Parts:  []string{"dcgan", "resnet"},
	scored: true,
	study: func(o *Options, part string) (*study, error) {
		st, err := cifarStudy(o, part, 0, append(plainAndRobust(0.3), penalized("robust WGAN", 0.3), transported("robust WGAN", 0.3), automatic("robust WGAN")), showTable)
		if err == nil && st.missing == nil {
			st.notes = append(st.notes, "With ρ = 0 every weight is 1, so the paper's row ρ = 0 is the WGAN here.")
			st.title += ", " + part
		}
		return st, err
	},
}
