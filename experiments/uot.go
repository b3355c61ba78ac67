package experiments

import (
	"rot.example/rot/figure"
	"rot.example/rot/gan"
)

var uot = Experiment{
	Name:   "uot",
	Title:  "the dual of unbalanced OT, as printed and as corrected, against ours, CIFAR-10 with 5 % MNIST digits",
	Paper:  "The paper's comparison with unbalanced OT",
	Parts:  []string{"mnist"},
	scored: true,
	study: func(o *Options, _ string) (*study, error) {
		return cifarStudy(o, "dcgan", 0.05, []model{
			{name: "robust", change: func(c *gan.Config) { c.Rho = 0.1 }},
			{name: "uot, corrected", change: func(c *gan.Config) { c.Loss, c.Rho = gan.UOT, 0 }},
			{name: "uot, as printed", change: func(c *gan.Config) { c.Loss, c.Rho = gan.UOTPrinted, 0 }},
		}, func(s *section, cells []generated) {
			showPictures(s, cells)
			if f := criticLosses(cells); len(f.Panels) > 0 {
				s.figures = append(s.figures, picture{"losses.png", f})
				s.Markdown += "![losses](losses.png)\n\n"
			}
		})
	},
}

// criticLosses returns the figure of the critics' losses at the first seed.
func criticLosses(cells []generated) *figure.LossCurves {
	f := &figure.LossCurves{Title: "Loss of the critic"}
	for _, c := range cells {
		if c.Seed == 0 && len(c.Losses) > 0 && len(c.Losses[0].Step) > 0 {
			l := c.Losses[0]
			l.Name = c.Model
			f.Panels = append(f.Panels, figure.LossPanel{Label: c.Model, Series: []figure.Series{l}})
		}
	}
	return f
}
