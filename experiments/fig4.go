package experiments

import (
	"context"
	"fmt"

	"rot.example/rot/gan"
)

var fig4 = Experiment{
	Name:   "fig4",
	Title:  "sketches with photographs among them (PACS in place of DomainNet), SN-GAN and robust SN-GAN",
	Paper:  "The paper's figure 4",
	Parts:  []string{"pacs"},
	scored: true,
	run: func(ctx context.Context, g *grid, _ string) (*section, error) {
		s := &section{Title: "PACS sketches, 10 % of them photographs"}
		note, err := g.missing(sketches, sketchClass, photographs)
		if err != nil || note != "" {
			s.Notes = append(s.Notes, note)
			return s, err
		}
		c, err := g.ganConfig("resnet")
		if err != nil {
			return nil, err
		}
		c.Data = fmt.Sprintf("stack:%s,%s", g.at(sketches), g.at(sketchClass))
		if g.Quick {
			c.Data += "[0:600]"
			c.Size = 32
		}
		c.UseLoss(gan.Hinge)
		if !g.Quick {
			c.Steps, c.Batch = 5000, 64 // of images four times as large
		}
		photos := "stack:" + g.at(photographs)
		t := setting{name: "sketches with 10 % photographs", config: c, gamma: 0.1, outliers: photos}
		cells, err := g.generate(ctx, []setting{t}, []model{
			{name: "SN-GAN", change: func(c *gan.Config) { c.Rho = 0 }},
			matching("robust SN-GAN"),
			penalized("robust SN-GAN", 0.1),
			automatic("robust SN-GAN"),
		}, g.judgeOf(ctx, c.Data, photos))
		if err != nil {
			return nil, err
		}
		s.Numbers = cells
		s.Markdown = ganTable(cells) + ganPictures(cells)
		s.figures = histograms(cells)
		return s, nil
	},
}
