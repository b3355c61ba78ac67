package cli

import (
	"fmt"
	"math"
	"strings"

	"rot.example/rot/report"
)

// command is what was asked.
func (o *cleanOptions) command(c *cleaned) string {
	words := []string{"rot", "clean", shellWord(o.data)}
	flag := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name, shellWord(value))
		}
	}
	flag("against", o.against)
	if !c.Guessed {
		flag("gamma", digits(o.gamma, -1))
	}
	if o.core > 0 {
		flag("core", fmt.Sprint(o.core))
	}
	flag("labels", o.labels)
	flag("id-column", o.idColumn)
	flag("label-column", o.labelColumn)
	flag("features", o.features)
	if o.seed > 0 {
		flag("seed", fmt.Sprint(o.seed))
	}
	return strings.Join(words, " ")
}

// thing is what one of DATA is called.
func (s *sample) thing() string {
	if s.features != "" {
		return "image"
	}
	return "row"
}

func (c *cleaned) markdown(files report.Pictures) (string, error) {
	var s strings.Builder
	n, o := len(c.Score), c.options
	fmt.Fprintf(&s, "# What does not belong in %s\n\n", escaped(o.data))
	fmt.Fprintf(&s, "Asked: which of %s do not belong", c.data.things(n))
	if o.against != "" {
		fmt.Fprintf(&s, ", if the %s of %s do", c.data.things(c.reference.points.Len()), escaped(o.against))
	}
	fmt.Fprintf(&s, "? %s\n\n", codeSpan(o.command(c)))
	fmt.Fprintf(&s, "**%s of %s look as if they do not belong**, the worst %s.", c.data.things(c.dropped()), count(n), percent(float64(c.dropped())/float64(n)))
	if c.Guessed {
		s.WriteString(" How many there are cannot be seen from the data: that number is a rough guess, and the order does not depend on it.")
	}
	s.WriteString("\n\n")
	if c.auroc != nil {
		fmt.Fprintf(&s, "Against the marks in %s the AUROC of the scores is %.4f.\n\n", escaped(o.labels), *c.auroc)
	}
	for _, w := range c.warnings {
		fmt.Fprintf(&s, "> **Warning:** %s\n\n", escaped(w))
	}
	fmt.Fprintf(&s, "![weights of all %[1]ss](weights.png)\n\n![map of the %[1]ss, those dropped marked](rows.png)\n\n![where the cut lies](cut.png)\n\n", c.data.thing())
	s.WriteString("## The worst, and what they should look like\n\n")
	fmt.Fprintf(&s, "Beside each suspect stands its nearest neighbour among the %ss that are kept.\n\n", c.data.thing())
	if err := c.worstTable(&s, files); err != nil {
		return "", err
	}
	if c.data.labels != nil {
		classTable(&s, classShares(c.data.labels, c.Dropped), "By class", "dropped", !o.byLabel())
	}
	c.how(&s)
	return s.String(), nil
}

// how says how the answer was found, and what it is worth.
func (c *cleaned) how(s *strings.Builder) {
	o := c.options
	s.WriteString("## How it was done\n\n")
	if o.against != "" {
		fmt.Fprintf(s, "The score is what robust optimal transport to %s would pay for the %s. ", escaped(o.against), c.data.thing())
	} else {
		fmt.Fprintf(s, "The %ss were compared with cores of themselves in two passes (core %d of 1000); what looked odd in the first was not compared with in the second. ", c.data.thing(), c.Core)
	}
	if c.data.features != "" {
		fmt.Fprintf(s, "Images were turned into vectors of %d numbers by %s; nearest means nearest by these. ", c.data.points.Dim, escaped(c.data.features))
	} else {
		fmt.Fprintf(s, "Columns were brought to a common unit first. The nearest neighbour is that by all columns, of which none counts with more than %d units (half of what eight of ten rows span): where a row is far off, its other columns find what it should look like. ", mostApart)
	}
	fmt.Fprintf(s, "A score of 0 is that of the middle %s, 1 is the mean distance from it. Weights lie in the chi-square ball of radius ρ = %s, room to set %s aside. Seed %d; the same data and seed give the same page.\n\n",
		c.data.thing(), digits(c.Rho, 4), percent(c.Gamma), o.seed)
	s.WriteString("## How certain it is\n\n")
	fmt.Fprintf(s, "A score says that a %[1]s is unlike the others, not that it is wrong. Outliers that form a dense group of their own, or that are odd only beside their neighbours, may be missed, and rare but good %[1]ss may be listed: look at them before you drop them.", c.data.thing())
	if gap := c.margin(); !math.IsNaN(gap) {
		fmt.Fprintf(s, " The last %s dropped scores %s more than the first one kept", c.data.thing(), digits(gap, 2))
		if gap < 0.1 {
			s.WriteString(": which side of the cut those near it fall on is chance.")
		} else {
			s.WriteString(".")
		}
	}
	s.WriteString("\n")
}

// margin is the step in the scores at the cut; NaN where there is no cut.
func (c *cleaned) margin() float64 {
	n := c.dropped()
	if n == 0 || n == len(c.Score) {
		return math.NaN()
	}
	order := c.Order()
	return c.Score[order[n-1]] - c.Score[order[n]]
}
