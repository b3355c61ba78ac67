package experiments

import "context"

var table1 = Experiment{
	Name:   "table1",
	Title:  "clean CIFAR-10: WGAN, ρ = 0 and ρ = 0.3",
	Paper:  "The paper's table 1, with a classifier's features in place of Inception's",
	Parts:  []string{"dcgan", "resnet"},
	scored: true,
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		s, err := g.ganSection(ctx, part, 0, append(plainAndRobust(0.3), penalized("robust WGAN", 0.3), automatic("robust WGAN")), false)
		if err == nil && s.Markdown != "" {
			s.Notes = append(s.Notes, "With ρ = 0 every weight is 1, so the paper's row ρ = 0 is the WGAN here.")
			s.Title += ", " + part
		}
		return s, err
	},
}
