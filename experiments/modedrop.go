package experiments

import (
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
	study: func(o *Options, part string) (*study, error) {
		if part == "celeba" {
			return celebaStudy(o)
		}
		st := &study{title: "MNIST, the digit 1 at 2, 5, 10 and 20 %"}
		if err := o.missing(mnistImages); err != nil {
			return notRun(st.title, err)
		}
		c, err := ganConfig(o, "tiny")
		if err != nil {
			return nil, err
		}
		c.Data = o.at(mnistImages) + "[0:20000][label!=1]"
		if o.Quick {
			c.Data = o.at(mnistImages) + "[0:600][label!=1]"
		}
		shares := []float64{0.02, 0.05, 0.1, 0.2}
		if o.Quick {
			shares = shares[:1]
		}
		var settings []setting
		for _, share := range shares {
			settings = append(settings, setting{
				name: fmt.Sprintf("%g %% ones", 100*share), config: c, gamma: share, outliers: o.at(mnistImages) + "[20000:][label=1]",
			})
		}
		// The judge's eleventh class is the rare digit.
		judge := newJudge(c.Data, o.at(mnistImages)+"[20000:40000][label=1]")
		return st, st.train(o, settings, append(plainAndRobust(0.05), transported("robust WGAN", 0.05), automatic("robust WGAN")), judge, func(s *section, cells []generated) {
			s.Markdown = rareTable(cells)
		})
	},
}

// rareTable returns a table that compares the share of the rare class in the data with that among
// the samples.
func rareTable(cells []generated) string {
	var s strings.Builder
	names := models(cells)
	fmt.Fprintf(&s, "| share in the data | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, set := range settingsOf(cells) {
		fmt.Fprintf(&s, "| %s |", set)
		for _, m := range names {
			var v []float64
			var from []origin
			for _, c := range cells {
				if c.Setting == set && c.Model == m && c.Stopped == "" {
					v, from = append(v, 100*c.Outliers), append(from, c.origin)
				}
			}
			fmt.Fprintf(&s, " %s %%%s |", spread(v, 2), markOld(origins(cells), from))
		}
		s.WriteString("\n")
	}
	s.WriteString("\n")
	return s.String()
}
