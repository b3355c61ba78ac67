package experiments

import "slices"

var table2 = Experiment{
	Name:  "table2",
	Title: "robust domain adaptation, on digits, Office-Caltech10 and PACS, and on VisDA-17 where it is given",
	Paper: "The paper's table 2",
	Parts: []string{"digits", "surf", "efficientnet", "pacs", "visda"},
	study: func(o *Options, part string) (*study, error) {
		cols := columns()
		if part != "digits" && part != "visda" {
			// What robust is by default, and what it is without self-training.
			robust := slices.IndexFunc(cols, func(c column) bool { return c.name == "robust" })
			cols[robust].name = "weights alone"
			cols = slices.Insert(cols, robust+1, column{name: "robust", change: selfTrained})
			cols = slices.Insert(cols, 0, column{name: "nearest neighbour", near: 1})
		}
		return adaptStudy(o, part, cols, clean, contaminated, openSet)
	},
}
