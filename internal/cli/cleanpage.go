package cli

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"rot/figure"
	"rot/ot"
	"rot/report"
)

// writePage writes report.html: the answer, pictures of the weights and of the
// rows, the worst of them, and how it was done.
func (c *cleaned) writePage(w io.Writer) error {
	files := report.Pictures{}
	for _, p := range []struct {
		name string
		fig  figure.Figure
	}{{"weights.png", c.histogram()}, {"rows.png", c.scatter()}} {
		var b bytes.Buffer
		if err := figure.WriteTo(&b, p.fig, "png", nil); err != nil {
			return err
		}
		files[p.name] = b.Bytes()
	}
	return report.Write(w, &report.Page{
		Title: "rot clean " + c.options.data, Body: c.markdown(), Files: files,
		Footer: "rot clean " + c.options.data + ". Nothing was deleted: weights.csv, dropped.txt and kept.txt lie beside this page.",
	})
}

func (c *cleaned) histogram() figure.Figure {
	return &figure.Histogram{Title: "Weights", Note: "mean 1; suspects have low ones, orange are those dropped", Weights: c.Weight, Outlier: c.Dropped}
}

// scatter draws the rows, in two columns as they are and otherwise by their
// principal components in comparable units.
func (c *cleaned) scatter() figure.Figure {
	panel := &figure.ScatterPanel{Title: "Rows", Note: "orange: dropped", Data: c.data.points, Outlier: c.Dropped}
	switch p := c.data.points; {
	case p.Dim == 1:
		flat := &ot.Points{Dim: 2}
		for i, v := range p.Coords {
			flat.Coords = append(flat.Coords, v, c.Score[i])
		}
		panel.Data, panel.XLabel, panel.YLabel = flat, c.data.column(0), "score"
	case p.Dim == 2:
		panel.XLabel, panel.YLabel = c.data.column(0), c.data.column(1)
	case c.data.features == "":
		panel.Data = inUnits(p)
	}
	return &figure.Scatter{Panels: []*figure.ScatterPanel{panel}}
}

// inUnits are rows in units of each column's spread, far values brought
// near, so that a picture of them shows more than one of them.
func inUnits(p *ot.Points) *ot.Points {
	n := p.Len()
	out := &ot.Points{Dim: p.Dim, Coords: slices.Clone(p.Coords)}
	column := make([]float64, n)
	for j := range p.Dim {
		for i := range n {
			column[i] = p.Coords[i*p.Dim+j]
		}
		slices.Sort(column)
		middle, unit := column[n/2], (column[n*9/10]-column[n/10])/2
		if unit == 0 {
			unit = math.Max(math.Abs(column[n-1]-middle), math.Max(math.Abs(middle-column[0]), 1))
		}
		for i := range n {
			z := (p.Coords[i*p.Dim+j] - middle) / unit
			out.Coords[i*p.Dim+j] = math.Copysign(math.Min(math.Abs(z), 8), z)
		}
	}
	return out
}

func (c *cleaned) markdown() string {
	var s strings.Builder
	n, o := len(c.Score), c.options
	fmt.Fprintf(&s, "# What does not belong in %s\n\n", escaped(o.data))
	fmt.Fprintf(&s, "**%s of %s look as if they do not belong**, the worst %s.", c.data.things(c.dropped()), count(n), percent(float64(c.dropped())/float64(n)))
	if c.Guessed {
		s.WriteString(" How many there are cannot be seen from the data: that number is a rough guess, and the order of the rows does not depend on it.")
	}
	s.WriteString("\n\n")
	if c.auroc != nil {
		fmt.Fprintf(&s, "Against the marks in %s the AUROC of the scores is %.4f.\n\n", escaped(o.labels), *c.auroc)
	}
	for _, w := range c.warnings {
		fmt.Fprintf(&s, "**Warning:** %s\n\n", escaped(w))
	}
	s.WriteString("![weights of all rows](weights.png)\n\n![the rows, those dropped marked](rows.png)\n\n## The worst\n\n")
	t := c.table()
	for k, h := range t.head {
		if h == "" {
			t.head[k] = "list"
		}
	}
	fmt.Fprintf(&s, "| %s |\n|%s\n", strings.Join(t.head, " | "), strings.Repeat("---|", len(t.head)))
	for _, row := range t.rows {
		for k := range row {
			row[k] = escaped(row[k])
		}
		fmt.Fprintf(&s, "| %s |\n", strings.Join(row, " | "))
	}
	s.WriteString("\n")
	c.classTable(&s)
	s.WriteString("## How it was done\n\n")
	if o.against != "" {
		fmt.Fprintf(&s, "The score is what robust optimal transport to %s would pay for the row. ", escaped(o.against))
	} else {
		fmt.Fprintf(&s, "The rows were compared with cores of themselves in two passes (core %d of 1000); what looked odd in the first was not compared with in the second. ", c.Core)
	}
	if c.data.features != "" {
		fmt.Fprintf(&s, "Images were turned into vectors by %s. ", escaped(c.data.features))
	} else {
		s.WriteString("Columns were brought to a common unit first. ")
	}
	fmt.Fprintf(&s, "Weights lie in the chi-square ball of radius ρ = %s. Seed %d; the same data and seed give the same page.\n\n", digits(c.Rho, 4), o.seed)
	s.WriteString("## How certain it is\n\nA score says that a row is unlike the others, not that it is wrong. Outliers that form a dense group of their own, or that are odd only beside their neighbours, may be missed, and rare but good rows may be listed: look at them before you drop them.\n")
	return s.String()
}

// classTable is the share of each class that was dropped.
func (c *cleaned) classTable(s *strings.Builder) {
	if c.data.labels == nil {
		return
	}
	all, gone := map[string]int{}, map[string]int{}
	for i, l := range c.data.labels {
		all[l]++
		if c.Dropped[i] {
			gone[l]++
		}
	}
	if len(all) > 50 {
		return // not classes
	}
	var names []string
	for l := range all {
		names = append(names, l)
	}
	slices.Sort(names)
	s.WriteString("## By class\n\n| class | rows | dropped | share |\n|---|---|---|---|\n")
	for _, l := range names {
		fmt.Fprintf(s, "| %s | %d | %d | %s |\n", escaped(l), all[l], gone[l], percent(float64(gone[l])/float64(all[l])))
	}
	s.WriteString("\n")
}

// escaped makes text safe for a cell of a Markdown table: what means something
// there is escaped.
func escaped(text string) string {
	var s strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#+!|~&$", r):
			s.WriteByte('\\')
			s.WriteRune(r)
		case r < ' ':
			s.WriteByte(' ')
		default:
			s.WriteRune(r)
		}
	}
	return s.String()
}
