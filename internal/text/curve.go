package text

import (
	"fmt"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// CurveTable appends a table of radii and values to b, with the bound of the
// theorem where that is not nil.
func CurveTable(b *strings.Builder, c *ot.CurveResult, theorem *ot.TheoremBound) {
	t := Table{Head: []string{"radius ρ", "part γ", "distance V(ρ)", "of plain"}, Left: make([]bool, 4)}
	if theorem != nil {
		t.Head, t.Left = append(t.Head, "bound"), append(t.Left, false)
	}
	t.Head, t.Left = append(t.Head, ""), append(t.Left, true)
	for _, p := range someRadii(c) {
		cells := []string{words.Digits(p.Rho, 4), words.Percent(chisq.Ball{Rho: p.Rho}.Gamma()), words.Digits(p.Value, 6), "–"}
		if c.Plain > 0 {
			cells[3] = fmt.Sprintf("%.1f %%", 100*p.Value/c.Plain)
		}
		if theorem != nil {
			cells = append(cells, page.TheoremCell(theorem, p.Rho))
		}
		mark := ""
		if p.Rho == c.Elbow && p.Rho > 0 {
			mark = "← elbow"
		}
		t.Add(append(cells, mark)...)
	}
	t.AppendTo(b)
}

// someRadii is at most 25 of the points, the elbow among them.
func someRadii(c *ot.CurveResult) []ot.CurvePoint {
	const most = 25
	if len(c.Points) <= most {
		return c.Points
	}
	var out []ot.CurvePoint
	last := -1
	for k, p := range c.Points {
		if step := k * (most - 1) / (len(c.Points) - 1); step != last || p.Rho == c.Elbow {
			out = append(out, p)
			last = step
		}
	}
	return out
}
