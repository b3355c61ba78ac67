package page

import (
	"fmt"
	"math"
	"strings"

	"rot.example/rot/clean"
	"rot.example/rot/internal/words"
	"rot.example/rot/report"
)

func (c *cleaned) markdown(files report.Pictures) (string, error) {
	var s strings.Builder
	n := len(c.Score)
	fmt.Fprintf(&s, "# What does not belong in %s\n\n", escaped(c.Data.Name))
	fmt.Fprintf(&s, "Asked: which of %s do not belong", c.Data.Things(n))
	if c.Reference != nil {
		fmt.Fprintf(&s, ", if the %s of %s do", c.Data.Things(c.Reference.Points.Len()), escaped(c.Reference.Name))
	}
	s.WriteString("?")
	s.WriteString(encodingSentence(c.Encoding))
	if c.Command != "" {
		s.WriteString(" " + codeSpan(c.Command))
	}
	s.WriteString("\n\n")
	fmt.Fprintf(&s, "**%s.** %s", c.answer(n), Rate(c.Result))
	s.WriteString("\n\n")
	if groups := Groups(c.Result, c.Data); groups != "" {
		s.WriteString(groups + "\n\n")
	}
	if c.AUROC != nil {
		fmt.Fprintf(&s, "Against the marks in %s the AUROC of the scores is %.4f.\n\n", escaped(c.Marks), *c.AUROC)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(&s, "> **Warning:** %s\n\n", escaped(w))
	}
	fmt.Fprintf(&s, "![weights of all %[1]ss](weights.png)\n\n![map of the %[1]ss, the suspects marked](rows.png)\n\n![where the cut lies](cut.png)\n\n", c.Data.thing())
	s.WriteString("## The worst, and what they should look like\n\n")
	fmt.Fprintf(&s, "Beside each suspect stands its nearest neighbour among the %ss that are kept.\n\n", c.Data.thing())
	if err := c.worstTable(&s, files); err != nil {
		return "", err
	}
	if c.Data.Labels != nil {
		classTable(&s, ClassShares(c.Data.Labels, c.Suspect), "By class", "suspects", !c.Data.Marks)
	}
	if err := c.labelTable(&s, files); err != nil {
		return "", err
	}
	if err := c.repeatedTable(&s, files); err != nil {
		return "", err
	}
	c.method(&s)
	return s.String(), nil
}

// method says how the answer was found, and what it is worth.
func (c *cleaned) method(s *strings.Builder) {
	s.WriteString("## How it was done\n\n")
	if c.Reference != nil {
		fmt.Fprintf(s, "The score is what robust optimal transport to %s would pay for the %s. ", escaped(c.Reference.Name), c.Data.thing())
	} else {
		fmt.Fprintf(s, "The %ss were compared with cores of themselves in two passes (core %d of 1000); what looked odd in the first was not compared with in the second. ", c.Data.thing(), c.Core)
	}
	if c.Data.Features != "" {
		fmt.Fprintf(s, "Images were turned into vectors of %d numbers by %s; nearest means nearest by these. ", c.Data.Points.Dim, escaped(c.Data.Features))
	} else {
		fmt.Fprintf(s, "Columns were brought to a common unit first. The nearest neighbour is that by all columns, of which none counts with more than %d units (half of what eight of ten rows span): where a row is far off, its other columns find what it should look like. ", mostApart)
	}
	fmt.Fprintf(s, "A score of 0 is that of the middle %s, 1 is the mean distance from it. Weights lie in the chi-square ball of radius ρ = %s, room to set %s aside. Seed %d; the same data and seed give the same page.\n\n",
		c.Data.thing(), words.Digits(c.Rho, 4), words.Percent(c.Gamma), c.Seed)
	s.WriteString("## How certain it is\n\n")
	fmt.Fprintf(s, "A score says that a %[1]s is unlike the others, not that it is wrong. Outliers that form a dense group of their own, or that are odd only beside their neighbours, may be missed, and rare but good %[1]ss may be listed: look at them before you do without them.", c.Data.thing())
	if gap := c.margin(); !math.IsNaN(gap) {
		fmt.Fprintf(s, " The last suspect %s scores %s more than the first one kept", c.Data.thing(), words.Digits(gap, 2))
		if gap < 0.1 {
			s.WriteString(": which side of the cut those near it fall on is chance.")
		} else {
			s.WriteString(".")
		}
	}
	s.WriteString("\n")
}

// answer is the number of suspects in words.
func (c *cleaned) answer(n int) string {
	k := c.suspects()
	if k == 0 {
		return "Nothing stands out"
	}
	verb := "look as if they do not belong"
	if k == 1 {
		verb = "looks as if it does not belong"
	}
	return fmt.Sprintf("%s of %s %s, the worst %s", c.Data.Things(k), words.Count(n), verb, words.Percent(float64(k)/float64(n)))
}

// Rate says in a sentence what the number of suspects rests on.
func Rate(r *clean.Result) string {
	rate := words.Percent(r.FDR)
	switch {
	case !r.Guessed:
		return "Their number was given."
	case r.Proven:
		return fmt.Sprintf("On average at most %s of such suspects belong after all: a guarantee, as long as good rows come from where the reference does.", rate)
	}
	return fmt.Sprintf("Their number is an estimate from the bulk of the rows at a rate of %s, not a guarantee: of such suspects in public tables about half were anomalies.", rate)
}

// Groups says in a sentence how many rows look like each other and unlike the
// rest; it is empty where there are no such rows.
func Groups(r *clean.Result, data *Sample) string {
	sizes := r.CrowdSizes()
	switch len(sizes) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s look like each other and unlike the rest: a group of its own, with an empty space around it.", data.Things(sizes[0]))
	}
	parts := make([]string, len(sizes))
	for k, n := range sizes {
		parts[k] = words.Count(n)
	}
	return fmt.Sprintf("%s look like each other within a group and unlike the rest: %d groups of %s, with an empty space around each.", data.Things(sum(sizes)), len(sizes), strings.Join(parts, ", "))
}

func sum(values []int) (total int) {
	for _, v := range values {
		total += v
	}
	return total
}

// margin is the step in the scores at the cut; NaN where there is no cut.
func (c *cleaned) margin() float64 {
	n := c.suspects()
	if n == 0 || n == len(c.Score) {
		return math.NaN()
	}
	order := c.Order()
	return c.Score[order[n-1]] - c.Score[order[n]]
}

// suspects is how many rows are suspects.
func (c *cleaned) suspects() (n int) {
	for _, d := range c.Suspect {
		if d {
			n++
		}
	}
	return n
}

// Causes returns the columns that make row i of data a suspect. Images have none:
// elements of a feature vector would tell nobody anything.
func Causes(r *clean.Result, data *Sample, i int) []clean.Cause {
	if data.Features != "" {
		return nil
	}
	return r.Causes(data.Points.Row(i), mostCauses)
}

// Because returns Causes in words.
func Because(r *clean.Result, data *Sample, i int) string {
	var parts []string
	for _, e := range Causes(r, data, i) {
		far := "the only one"
		if !math.IsInf(e.Z, 0) {
			far = fmt.Sprintf("%+.3g", e.Z)
		}
		if data.Levels != nil && data.Levels[e.Column] {
			is := ""
			if e.Value == 0 {
				is = "not "
			}
			parts = append(parts, fmt.Sprintf("%s%s (%s)", is, words.Fit(data.Column(e.Column), 40), far))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s = %s (%s)", words.Fit(data.Column(e.Column), 24), words.TableValue(e.Value), far))
	}
	if parts == nil {
		return "its columns together"
	}
	return strings.Join(parts, ", ")
}
