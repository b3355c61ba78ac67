package cli

import (
	"fmt"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/internal/text"
	"rot.example/rot/page"
)

// curveJSON is what curve --json prints; scripts rely on the names.
type curveJSON struct {
	Points     []pointJSON  `json:"points"`
	Elbow      float64      `json:"elbow"`
	Sharpness  number       `json:"sharpness"` // of the elbow; about 1 where there is none
	ElbowGamma float64      `json:"elbow_gamma"`
	Plain      number       `json:"plain"`
	RhoMax     number       `json:"rho_max"`
	Theorem    *theoremJSON `json:"theorem,omitempty"`
	Metric     string       `json:"metric"`
	M          int          `json:"m"` // rows of SOURCE
	N          int          `json:"n"` // rows of TARGET
	Dim        int          `json:"dim"`
	Seconds    float64      `json:"seconds"`
}

type pointJSON struct {
	Rho    float64 `json:"rho"`
	Value  number  `json:"value"`
	Lower  number  `json:"lower"`
	Solved bool    `json:"solved"` // false: bounded by its neighbours
	Gamma  float64 `json:"gamma"`
	Lambda number  `json:"lambda"` // −dV/dρ; null where V is infinitely steep
	Bound  *number `json:"bound,omitempty"`
}

type theoremJSON struct {
	Gamma number `json:"gamma"` // part of the source that is marked
	K     number `json:"k"`     // distance of the outliers, in units of clean
	Clean number `json:"clean"` // distance of the unmarked rows
}

func (c *curve) json() *curveJSON {
	cost := c.problem.Cost
	m, n := cost.Dims()
	j := &curveJSON{
		Elbow: c.Elbow, Sharpness: number(c.Sharpness), ElbowGamma: chisq.Ball{Rho: c.Elbow}.Gamma(), Plain: number(c.Plain), RhoMax: number(c.RhoMax),
		Metric: cost.Metric().String(), M: m, N: n, Dim: cost.Dim(), Seconds: c.seconds,
	}
	if t := c.theorem; t != nil {
		j.Theorem = &theoremJSON{number(t.Gamma), number(t.K), number(t.Clean)}
	}
	for _, p := range c.Points {
		q := pointJSON{Rho: p.Rho, Value: number(p.Value), Lower: number(p.Lower), Solved: p.Solved, Gamma: chisq.Ball{Rho: p.Rho}.Gamma(), Lambda: number(p.Lambda)}
		if c.theorem != nil {
			bound := number(c.theorem.At(p.Rho))
			q.Bound = &bound
		}
		j.Points = append(j.Points, q)
	}
	return j
}

// text is a table and what to make of it.
func (c *curve) text() string {
	var b strings.Builder
	o := c.options
	c.input.describe(&b, &o.input)
	b.WriteByte('\n')
	text.CurveTable(&b, c.CurveResult, c.theorem)
	fmt.Fprintf(&b, "\n%s\n", page.ElbowAdvice(c.CurveResult))
	if c.theorem != nil {
		fmt.Fprintf(&b, "\n%s\n", page.TheoremText(c.theorem))
	}
	solved, width := page.CurveEffort(c.CurveResult)
	fmt.Fprintf(&b, "\nSolved %d of %d radii in %s", solved, len(c.Points), seconds(c.seconds))
	if c.Plain > 0 && width > 1e-9*c.Plain {
		fmt.Fprintf(&b, "; every V(ρ) is exact to %s (--tol 1e-9 for more)", digits(width, 2))
	}
	b.WriteByte('.')
	for _, path := range []string{o.plot, o.page} {
		if path != "" {
			fmt.Fprintf(&b, " Wrote %s.", path)
		}
	}
	b.WriteByte('\n')
	if c.Elbow > 0 && o.input.source != "-" && o.input.target != "-" {
		fmt.Fprintf(&b, "\nNext: see which rows lose their weight there:\n  rot dist %s --rho %s\n", o.input.arguments(), digits(c.Elbow, 5))
	}
	return b.String()
}
