package cli

import (
	"fmt"
	"slices"
	"strconv"

	"rot.example/rot/dataset"
	"rot.example/rot/page"
)

// marks reads which rows are known outliers; nil without --labels.
func (c *cleaned) marks() (marks []bool, err error) {
	o := c.options
	from := o.labels
	switch {
	case o.labels == "":
		return nil, nil
	case o.byLabel():
		from = "the labels of " + o.data
		marks, err = (&dataset.Table{Points: *c.data.Points, Labels: c.data.Labels, Name: o.data}).Marks()
	default:
		marks, err = dataset.LoadMarks(o.labels, c.data.Points.Len())
	}
	switch {
	case err != nil:
		return nil, err
	case !slices.Contains(marks, true):
		return nil, fmt.Errorf("%s: no row is marked as an outlier, so that there is no AUROC", from)
	case !slices.Contains(marks, false):
		return nil, fmt.Errorf("%s: every row is marked as an outlier, so that there is no AUROC", from)
	}
	return marks, nil
}

// byLabel says whether the labels of DATA mark its outliers.
func (o *cleanOptions) byLabel() bool { return o.labels == "label" || o.labels == "labels" }

// warn notices a batch that has moved as a whole, and classes that are suspect
// nearly as a whole: those are rare or far from the others, which is no reason to
// do without them.
func (c *cleaned) warn() {
	if c.options.against != "" && c.Guessed && c.Gamma >= 0.5 {
		c.warnings = append(c.warnings, fmt.Sprintf("half of %s or more is not like %s: it has moved as a whole, perhaps, and --gamma is yours to choose", c.options.data, c.options.against))
	}
	if c.data.Labels == nil || c.options.byLabel() {
		return
	}
	shares := page.ClassShares(c.data.Labels, c.Suspect)
	for _, k := range shares {
		if len(shares) > 1 && k.Lost() {
			c.warnings = append(c.warnings, fmt.Sprintf("%d of the %s of class %s are suspects: a rare class, rather than dirt?",
				k.Gone, c.data.Things(k.All), strconv.Quote(k.Name)))
		}
	}
}
