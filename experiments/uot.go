package experiments

import (
	"context"

	"rot.example/rot/figure"
	"rot.example/rot/gan"
)

var uot = Experiment{
	Name:   "uot",
	Title:  "the dual of unbalanced OT, as printed and as corrected, against ours, CIFAR-10 with 5 % MNIST digits",
	Paper:  "The paper's comparison with unbalanced OT",
	Parts:  []string{"mnist"},
	scored: true,
	run: func(ctx context.Context, g *grid, _ string) (*section, error) {
		s, err := g.ganSection(ctx, "dcgan", 0.05, []model{
			{name: "robust", change: func(c *gan.Config) { c.Rho = 0.1 }},
			{name: "uot, corrected", change: func(c *gan.Config) { c.Loss, c.Rho = gan.UOT, 0 }},
			{name: "uot, as printed", change: func(c *gan.Config) { c.Loss, c.Rho = gan.UOTPrinted, 0 }},
		}, true)
		if err != nil || s.Numbers == nil {
			return s, err
		}
		f := &figure.LossCurves{Title: "Loss of the critic"}
		for _, c := range s.Numbers.([]generated) {
			if c.Seed == 0 && len(c.Losses) > 0 && len(c.Losses[0].Step) > 0 {
				l := c.Losses[0]
				l.Name = c.Model
				f.Panels = append(f.Panels, figure.LossPanel{Label: c.Model, Series: []figure.Series{l}})
			}
		}
		if len(f.Panels) > 0 {
			s.figures = append(s.figures, picture{"losses.png", f})
			s.Markdown += "![losses](losses.png)\n\n"
		}
		return s, nil
	},
}
