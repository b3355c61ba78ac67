package experiments

import (
	"context"
	"fmt"
	"strings"
)

// modedrop has a rare class: the digit 1, at a share of the data among nine
// other digits, or male faces among female ones.
var modedrop = Experiment{
	Name:   "modedrop",
	Title:  "rare modes survive: the share of a rare class among the samples (MNIST, and CelebA where it is given)",
	Paper:  "The paper's table of the share of males in CelebA",
	Parts:  []string{"mnist", "celeba"},
	scored: true,
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		if part == "celeba" {
			return g.celebaModes(ctx)
		}
		s := &section{Title: "MNIST, the digit 1 at 2, 5, 10 and 20 %"}
		note, err := g.missing(mnistImages)
		if err != nil || note != "" {
			s.Notes = append(s.Notes, note)
			return s, err
		}
		c, err := g.ganConfig("tiny")
		if err != nil {
			return nil, err
		}
		c.Data = g.at(mnistImages) + "[0:20000][label!=1]"
		if g.Quick {
			c.Data = g.at(mnistImages) + "[0:600][label!=1]"
		}
		shares := []float64{0.02, 0.05, 0.1, 0.2}
		if g.Quick {
			shares = shares[:1]
		}
		var settings []setting
		for _, share := range shares {
			settings = append(settings, setting{
				name: fmt.Sprintf("%g %% ones", 100*share), config: c, gamma: share, outliers: g.at(mnistImages) + "[20000:][label=1]",
			})
		}
		// The judge's eleventh class is the rare digit.
		cells, err := g.generate(ctx, settings, plainAndRobust(0.05), g.judgeOf(ctx, c.Data, g.at(mnistImages)+"[20000:40000][label=1]"))
		if err != nil {
			return nil, err
		}
		s.Numbers = cells
		s.Markdown = rareTable(cells)
		return s, nil
	},
}

// rareTable compares the share of the rare class in the data with that among
// the samples.
func rareTable(cells []generated) string {
	var s strings.Builder
	names := models(cells)
	fmt.Fprintf(&s, "| share in the data | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, set := range settingsOf(cells) {
		fmt.Fprintf(&s, "| %s |", set)
		for _, m := range names {
			var v []float64
			for _, c := range cells {
				if c.Setting == set && c.Model == m && c.Stopped == "" {
					v = append(v, 100*c.Outliers)
				}
			}
			fmt.Fprintf(&s, " %s %% |", spread(v, 2))
		}
		s.WriteString("\n")
	}
	s.WriteString("\n")
	return s.String()
}
