package text

import (
	"fmt"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// A Curve is a solved curve.
type Curve struct {
	Input
	*ot.CurveResult
	Theorem *ot.TheoremBound // nil unless the outliers are marked
	Seconds float64
	Wrote   []string // files
	Next    string   // what to do next; "" for nothing
}

// CurveJSON is a Curve as JSON has it; scripts rely on the names.
type CurveJSON struct {
	Points     []pointJSON  `json:"points"`
	Elbow      float64      `json:"elbow"`
	Sharpness  Number       `json:"sharpness"` // of the elbow; about 1 where there is none
	ElbowGamma float64      `json:"elbow_gamma"`
	Plain      Number       `json:"plain"`
	RhoMax     Number       `json:"rho_max"`
	Theorem    *theoremJSON `json:"theorem,omitempty"`
	Metric     string       `json:"metric"`
	M          int          `json:"m"` // rows of SOURCE
	N          int          `json:"n"` // rows of TARGET
	Dim        int          `json:"dim"`
	Seconds    float64      `json:"seconds"`
}

type pointJSON struct {
	Rho    float64 `json:"rho"`
	Value  Number  `json:"value"`
	Lower  Number  `json:"lower"`
	Solved bool    `json:"solved"` // false: bounded by its neighbours
	Gamma  float64 `json:"gamma"`
	Lambda Number  `json:"lambda"` // −dV/dρ; null where V is infinitely steep
	Bound  *Number `json:"bound,omitempty"`
}

type theoremJSON struct {
	Gamma Number `json:"gamma"` // part of the source that is marked
	K     Number `json:"k"`     // distance of the outliers, in units of clean
	Clean Number `json:"clean"` // distance of the unmarked rows
}

// JSON returns c as JSON has it.
func (c *Curve) JSON() *CurveJSON {
	cost := c.Cost
	m, n := cost.Dims()
	j := &CurveJSON{
		Elbow: c.Elbow, Sharpness: Number(c.Sharpness), ElbowGamma: chisq.Ball{Rho: c.Elbow}.Gamma(), Plain: Number(c.Plain), RhoMax: Number(c.RhoMax),
		Metric: cost.Metric().String(), M: m, N: n, Dim: cost.Dim(), Seconds: c.Seconds,
	}
	if t := c.Theorem; t != nil {
		j.Theorem = &theoremJSON{Number(t.Gamma), Number(t.K), Number(t.Clean)}
	}
	for _, p := range c.Points {
		q := pointJSON{Rho: p.Rho, Value: Number(p.Value), Lower: Number(p.Lower), Solved: p.Solved, Gamma: chisq.Ball{Rho: p.Rho}.Gamma(), Lambda: Number(p.Lambda)}
		if c.Theorem != nil {
			bound := Number(c.Theorem.At(p.Rho))
			q.Bound = &bound
		}
		j.Points = append(j.Points, q)
	}
	return j
}

// Text is a table and what to make of it.
func (c *Curve) Text() string {
	var b strings.Builder
	c.describe(&b)
	b.WriteByte('\n')
	CurveTable(&b, c.CurveResult, c.Theorem)
	fmt.Fprintf(&b, "\n%s\n", page.ElbowAdvice(c.CurveResult))
	if c.Theorem != nil {
		fmt.Fprintf(&b, "\n%s\n", page.TheoremText(c.Theorem))
	}
	solved, width := page.CurveEffort(c.CurveResult)
	fmt.Fprintf(&b, "\nSolved %d of %d radii in %s", solved, len(c.Points), seconds(c.Seconds))
	if c.Plain > 0 && width > 1e-9*c.Plain {
		fmt.Fprintf(&b, "; every V(ρ) is exact to %s (--tol 1e-9 for more)", digits(width, 2))
	}
	b.WriteByte('.')
	for _, path := range c.Wrote {
		fmt.Fprintf(&b, " Wrote %s.", path)
	}
	b.WriteByte('\n')
	if c.Next != "" {
		fmt.Fprintf(&b, "\nNext: %s\n", c.Next)
	}
	return b.String()
}

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
