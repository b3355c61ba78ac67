package experiments

var table2 = Experiment{
	Name:  "table2",
	Title: "robust domain adaptation, on digits, Office-Caltech10 and PACS, and on VisDA-17 where it is given",
	Paper: "The paper's table 2",
	Parts: []string{"digits", "surf", "efficientnet", "pacs", "visda"},
	study: func(o *Options, part string) (*study, error) {
		cols := columns()
		if part != "digits" && part != "visda" {
			cols = append([]column{{name: "nearest neighbour", near: 1}}, cols...)
		}
		return adaptStudy(o, part, cols, clean, contaminated, openSet)
	},
}
