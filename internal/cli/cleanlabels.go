package cli

import (
	"errors"
	"fmt"
	"strconv"

	"rot.example/rot/dataset"
	"rot.example/rot/page"
)

// marks reads which rows are known outliers; nil without --labels.
func (c *cleaned) marks() ([]bool, error) {
	if c.options.labels == "" {
		return nil, nil
	}
	t := &dataset.Table{Points: *c.Data.Points, Labels: c.Data.Labels, Name: c.Data.Name}
	marks, err := t.KnownOutliers(c.options.labels)
	var useless *dataset.MarksError
	if errors.As(err, &useless) {
		rows := "no row"
		if useless.All {
			rows = "every row"
		}
		return nil, fmt.Errorf("%s: %s is marked as an outlier, so that there is no AUROC", useless.From, rows)
	}
	return marks, err
}

// byLabel says whether the labels of DATA mark its outliers.
func (o *cleanOptions) byLabel() bool { return dataset.LabelsMark(o.labels) }

// warn notices a batch that has moved as a whole, and classes that are suspect
// nearly as a whole: those are rare or far from the others, which is no reason to
// do without them.
func (c *cleaned) warn() {
	if c.options.against != "" && c.Guessed && c.Gamma >= 0.5 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("half of %s or more is not like %s: it has moved as a whole, perhaps, and --gamma is yours to choose", c.options.data, c.options.against))
	}
	if c.Data.Labels == nil || c.options.byLabel() {
		return
	}
	shares := page.ClassShares(c.Data.Labels, c.Suspect)
	for _, k := range shares {
		if len(shares) > 1 && k.Lost() {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%d of the %s of class %s are suspects: a rare class, rather than dirt?",
				k.Gone, c.Data.Things(k.All), strconv.Quote(k.Name)))
		}
	}
}
