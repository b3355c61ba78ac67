package page

import (
	"fmt"
	"math"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/figure"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
	"rot.example/rot/report"
)

// CurveOptions say what the page of a curve shows besides the result. The zero
// value is ready to use.
type CurveOptions struct {
	Title          string           // of the window, and the line at the end; "" names both sides
	Command        string           // that makes this page again; "" leaves it out
	Encoding       string           // how columns became numbers, in words; "" leaves it out
	Source, Target string           // names of both sides
	Theorem        *ot.TheoremBound // where the outliers are known; nil otherwise
	Seconds        float64          // that it took; 0 leaves them out
}

// Curve returns the page of the robust distance V(ρ) for many radii: where its elbow
// is, a chart, and a table of all radii.
func Curve(c *ot.CurveResult, opts *CurveOptions) *Page {
	p := &curvePage{CurveResult: c}
	if opts != nil {
		p.CurveOptions = *opts
	}
	if p.Source == "" {
		p.Source = "the source"
	}
	if p.Target == "" {
		p.Target = "the target"
	}
	return &Page{make: p.make}
}

type curvePage struct {
	*ot.CurveResult
	CurveOptions
}

// make draws the page.
func (c *curvePage) make() (*report.Page, error) {
	b := newBuilder()
	if err := b.add("curve.png", curveChart("What the radius does", elbowNote(c.CurveResult), c.CurveResult, 0), figure.NewCurve("", c.CurveResult, c.Theorem)); err != nil {
		return nil, err
	}
	if c.Theorem != nil && c.Theorem.Clean > 0 {
		b.charts["curve.png"].Series = append(b.charts["curve.png"].Series, c.boundSeries())
	}
	title := c.Title
	if title == "" {
		title = fmt.Sprintf("Radii from %s to %s", c.Source, c.Target)
	}
	return b.page(title, c.markdown(), title), nil
}

// boundSeries is the bound of the theorem, as far as it is near the curve: at
// small radii it is many times as high.
func (c *curvePage) boundSeries() report.Series {
	s := report.Series{Name: "bound where the outliers are known", Look: report.Other}
	for _, p := range c.Points {
		if v := c.Theorem.At(p.Rho); v <= 2*c.Plain {
			s.X, s.Y = append(s.X, p.Rho), append(s.Y, v)
		}
	}
	return s
}

func (c *curvePage) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "# Which radius, from %s to %s?\n\n", escaped(c.Source), escaped(c.Target))
	s.WriteString("Asked: what does the distance become if rows of the source may lose weight, within a chi-square ball of radius ρ?")
	s.WriteString(encodingSentence(c.Encoding))
	if c.Command != "" {
		s.WriteString(" " + codeSpan(c.Command))
	}
	fmt.Fprintf(&s, "\n\n**%s**\n\n", escaped(ElbowAdvice(c.CurveResult)))
	s.WriteString("![cost against the radius](curve.png)\n\n")
	if t := c.Theorem; t != nil {
		fmt.Fprintf(&s, "%s\n\n", escaped(TheoremText(t)))
	}
	s.WriteString("## All radii\n\n")
	head := []string{"radius ρ", "room to set aside", "V(ρ)", "at least", "of plain"}
	if c.Theorem != nil {
		head = append(head, "bound")
	}
	head = append(head, "")
	var rows [][]string
	for _, p := range c.Points {
		of := "–"
		if c.Plain > 0 {
			of = fmt.Sprintf("%.1f %%", 100*p.Value/c.Plain)
		}
		row := []string{words.Digits(p.Rho, 4), words.Percent(chisq.Ball{Rho: p.Rho}.Gamma()), words.Digits(p.Value, 6), words.Digits(p.Lower, 6), of}
		if c.Theorem != nil {
			row = append(row, TheoremCell(c.Theorem, p.Rho))
		}
		mark := ""
		if p.Rho == c.Elbow && p.Rho > 0 {
			mark = "← elbow"
		}
		rows = append(rows, append(row, mark))
	}
	markdownTable(&s, head, rows)
	solved, width := CurveEffort(c.CurveResult)
	s.WriteString("## How certain it is\n\n")
	fmt.Fprintf(&s, "Solved at %d of %d radii", solved, len(c.Points))
	if c.Seconds > 0 {
		fmt.Fprintf(&s, " in %s", words.Seconds(c.Seconds))
	}
	if solved < len(c.Points) {
		s.WriteString("; between these the curve, which is convex, has bounds")
	}
	fmt.Fprintf(&s, ". Every value is exact to %s. The elbow is where the curve bends most: far outliers make a clear one near the right radius, and without outliers it means nothing.\n", words.Digits(width, 2))
	return s.String()
}

// CurveEffort returns at how many radii a curve was solved, and the largest
// distance between its bounds.
func CurveEffort(c *ot.CurveResult) (solved int, width float64) {
	for _, p := range c.Points {
		if p.Solved {
			solved++
		}
		width = math.Max(width, p.Value-p.Lower)
	}
	return solved, width
}

// ElbowAdvice returns a sentence or two on the elbow of a curve.
func ElbowAdvice(c *ot.CurveResult) string {
	if c.Elbow == 0 {
		return "There is no elbow: no radius lowers the distance by much more than another does."
	}
	lower, upper := c.Bounds(c.Elbow)
	value := words.Digits(upper, 4)
	if upper-lower > 5e-4*upper {
		value = words.Digits(lower, 4) + " to " + value
	}
	doubt := "It is a rough guess"
	if c.Sharpness < ot.FaintElbow {
		doubt = "The curve hardly bends more there than elsewhere, as it does without far outliers: it is a very rough guess"
	}
	return fmt.Sprintf("The elbow is at ρ = %s, enough to set aside %s of the source, where the distance is %s.\n%s and depends on the radii, here 0 to %s.",
		words.Digits(c.Elbow, 4), words.Percent(chisq.Ball{Rho: c.Elbow}.Gamma()), value, doubt, words.Digits(c.Points[len(c.Points)-1].Rho, 4))
}

// TheoremText says what known outliers tell about V(ρ).
func TheoremText(t *ot.TheoremBound) string {
	s := fmt.Sprintf("Without the %s of the source that are marked the distance is %s, which V(ρ) does not exceed\nfrom ρ = %s on.",
		words.Percent(t.Gamma), words.Digits(t.Clean, 6), words.Digits(t.Gamma/(2*(1-t.Gamma)), 4))
	if t.Clean > 0 {
		s += fmt.Sprintf(" The marked rows are %s times as far from the others as those are from the target.", words.Digits(t.K, 3))
	}
	return s
}

// TheoremCell returns the bound at a radius for a table; a dash where it says
// nothing.
func TheoremCell(t *ot.TheoremBound, rho float64) string {
	if t.Clean > 0 {
		return words.Digits(t.At(rho), 4)
	}
	return "–"
}
