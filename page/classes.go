package page

import (
	"fmt"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
)

// A ClassShare is how much of a class is gone.
type ClassShare struct {
	Name      string
	All, Gone int // rows of the class, and those of them that are gone
}

// ClassShares counts rows by label, and those that are gone.
func ClassShares(labels []string, gone []bool) []ClassShare {
	names, index := (&dataset.Table{Labels: labels}).Classes()
	out := make([]ClassShare, len(names))
	for k, name := range names {
		out[k].Name = name
	}
	for i, k := range index {
		out[k].All++
		if gone[i] {
			out[k].Gone++
		}
	}
	return out
}

// Lost reports whether a class goes nearly as a whole, which is the mark of a
// rare class rather than of dirt.
func (c ClassShare) Lost() bool { return c.Gone > 1 && float64(c.Gone) >= 0.9*float64(c.All) }

// classTable is the share of each class that is gone, as Markdown, with a mark
// where alarm is true and nearly all of a class is. More than a hundred labels
// are not classes.
func classTable(s *strings.Builder, shares []ClassShare, heading, gone string, alarm bool) {
	if len(shares) == 0 || len(shares) > 100 {
		return
	}
	fmt.Fprintf(s, "## %s\n\n| class | rows | %s | share | |\n|---|---|---|---|---|\n", heading, gone)
	for _, c := range shares {
		mark := ""
		if alarm && c.Lost() && len(shares) > 1 {
			mark = "⚠ nearly all of it"
		}
		fmt.Fprintf(s, "| %s | %d | %d | %s | %s |\n", escaped(c.Name), c.All, c.Gone, words.Percent(float64(c.Gone)/float64(c.All)), mark)
	}
	s.WriteString("\n")
}

// LostClasses returns warnings about the classes of a sample that lose their weight
// nearly as a whole. Labels that mark outliers are no classes.
func LostClasses(side *ot.Side, sample *Sample) []string {
	if !sample.labelled() || sample.Marks || !side.Moves || side.Weights == nil {
		return nil
	}
	low, _ := side.LowRows()
	shares := ClassShares(sample.Labels, low)
	var out []string
	for _, k := range shares {
		if len(shares) > 1 && k.Lost() {
			out = append(out, fmt.Sprintf("%d of the %d %s rows of class %q lose most of their weight: a rare class, rather than dirt?", k.Gone, k.All, side.Name, k.Name))
		}
	}
	return out
}
