package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// distJSON is what dist --json prints; scripts rely on the names.
type distJSON struct {
	Value     number `json:"value"`
	Lower     number `json:"lower"`
	Gap       number `json:"gap"`
	RelGap    number `json:"rel_gap"`
	Transport number `json:"transport"` // value without penalties
	Mass      number `json:"mass"`      // moved by the plan

	Rho       float64 `json:"rho"`
	TargetRho float64 `json:"target_rho"`
	Gamma     float64 `json:"gamma"`
	RhoFrom   string  `json:"rho_from"`

	Metric     string  `json:"metric"`
	Truncate   float64 `json:"truncate,omitempty"` // no pair costs more
	Method     string  `json:"method"`
	Epsilon    float64 `json:"epsilon,omitempty"`
	Divergence string  `json:"divergence,omitempty"`
	Penalty    float64 `json:"penalty,omitempty"`

	Encoding string   `json:"encoding,omitempty"` // how columns became numbers, in words
	Warnings []string `json:"warnings,omitempty"`

	M         int     `json:"m"` // rows of SOURCE
	N         int     `json:"n"` // rows of TARGET
	Dim       int     `json:"dim"`
	Seconds   float64 `json:"seconds"`
	Iters     int     `json:"iters"`
	Converged bool    `json:"converged"`

	SourceTotal number `json:"source_total"` // of the given weights; null without
	TargetTotal number `json:"target_total"`

	Noise *noiseFloor `json:"noise"`

	Dropped          int          `json:"dropped"` // rows of weight 0
	Low              int          `json:"low"`     // rows of a weight below 0.5, dropped ones included
	ESS              number       `json:"effective_sample_size"`
	Suspicious       []suspectRow `json:"suspicious"`
	TargetDropped    int          `json:"target_dropped"`
	TargetLow        int          `json:"target_low"`
	TargetESS        number       `json:"target_effective_sample_size"`
	TargetSuspicious []suspectRow `json:"target_suspicious"`
}

func (d *distance) json() *distJSON {
	o, r, c := &d.Options, d.Result, d.problem.Cost
	m, n := c.Dims()
	j := &distJSON{
		Value: number(r.Value), Lower: number(r.Lower), Gap: number(r.Gap()), RelGap: number(r.RelGap()),
		Transport: number(r.Transport),
		Rho:       o.Rho, TargetRho: o.TargetRho, Gamma: chisq.Ball{Rho: o.Rho}.Gamma(), RhoFrom: d.options.rhoFrom,
		Metric: c.Metric().String(), Truncate: d.options.input.truncate, Method: string(o.Method),
		M: m, N: n, Dim: c.Dim(), Seconds: d.Seconds, Iters: r.Iters, Converged: d.Short == nil && d.Stopped == nil, Noise: d.noise,
		Dropped: d.source.Dropped, Low: d.source.Low, ESS: number(d.source.ESS), Suspicious: d.source.suspects(),
		TargetDropped: d.target.Dropped, TargetLow: d.target.Low, TargetESS: number(d.target.ESS), TargetSuspicious: d.target.suspects(),
	}
	if j.Warnings = d.warnings; d.input.source != nil {
		j.Encoding = encodingText(tableEncoding(d.input.source))
	}
	for _, v := range r.A {
		j.Mass += number(v)
	}
	source, target := d.problem.Totals()
	j.SourceTotal, j.TargetTotal = number(source), number(target)
	switch o.Method {
	case ot.MethodEntropic:
		j.Epsilon = o.Epsilon
	case ot.MethodUnbalanced:
		j.Divergence, j.Penalty = o.Divergence.String(), o.Penalty
	}
	return j
}

// A suspectRow is a row of low weight.
type suspectRow struct {
	Row     int     `json:"row"`
	ID      string  `json:"id"`
	Weight  float64 `json:"weight"`
	Nearest float64 `json:"nearest"` // cost to the nearest row of the other side
	Label   *string `json:"label,omitempty"`
}

// suspects are the rows of lowest weight with their names.
func (s *side) suspects() []suspectRow {
	out := []suspectRow{}
	for _, r := range s.Suspects {
		row := suspectRow{Row: r.Row, ID: strconv.Itoa(r.Row), Weight: r.Weight, Nearest: r.Nearest}
		if s.table != nil {
			row.ID = s.table.Points.ID(r.Row)
			if s.table.Labels != nil {
				row.Label = &s.table.Labels[r.Row]
			}
		}
		out = append(out, row)
	}
	return out
}

// text is the result in words.
func (d *distance) text() string {
	var b strings.Builder
	o := d.options
	d.input.describe(&b, &o.input)
	fmt.Fprintf(&b, "\n%s: %s\n", d.Title(), digits(d.Value, 6))
	fmt.Fprintf(&b, "  certified   %s\n", d.Certificate())
	if d.noise != nil {
		fmt.Fprintf(&b, "  noise floor %s (two halves of the source), %s (of the target)\n", digits(float64(d.noise.Source), 3), digits(float64(d.noise.Target), 3))
	}
	if o.rhoFrom == "auto" {
		fmt.Fprintf(&b, "  radius      %s\n", d.radiusChoice())
	}
	if line := totalsLine(d.problem); line != "" {
		fmt.Fprintf(&b, "  weights     %s\n", line)
	}
	if d.Stopped != nil {
		fmt.Fprintf(&b, "  stopped     after %s, %s\n", seconds(d.Seconds), page.Effort(d.Solution))
		return b.String()
	}
	fmt.Fprintf(&b, "  solved in   %s, %s\n", seconds(d.Seconds), page.Effort(d.Solution))
	text.Side(&b, d.source.Side, d.source.table)
	text.Side(&b, d.target.Side, d.target.table)
	for _, s := range []*side{&d.source, &d.target} {
		for _, w := range page.LostClasses(s.Side, pageSample(s.Name, s.table)) {
			fmt.Fprintf(&b, "\nWarning: %s\n", w)
		}
	}
	var wrote []string
	for _, f := range []string{o.weights, o.targetWeightsOut, o.plan, o.potentials, o.plot, o.page} {
		if f != "" {
			wrote = append(wrote, f)
		}
	}
	if len(wrote) > 0 {
		fmt.Fprintf(&b, "\nWrote %s.\n", strings.Join(wrote, ", "))
	}
	if hint := d.hint(); hint != "" {
		fmt.Fprintf(&b, "\nNext: %s\n", hint)
	}
	return b.String()
}

// totalsLine says what became of weights whose totals differ, by more than
// rounding; empty where they do not.
func totalsLine(p *ot.Problem) string {
	source, target := p.Totals()
	if !(math.Abs(source-target) > 1e-9*math.Max(source, target)) { // NaN: not given
		return ""
	}
	return fmt.Sprintf("the totals differ, %s on the source side and %s on the target side; each was scaled to 1", digits(source, 6), digits(target, 6))
}

// describe says what is compared.
func (in *input) describe(b *strings.Builder, o *inputOptions) {
	m, n := in.problem.Cost.Dims()
	if in.source == nil {
		fmt.Fprintf(b, "Costs %s: %s to %s%s\n", o.cost, plural(m, "source"), plural(n, "target"), o.limitText())
		return
	}
	fmt.Fprintf(b, "From %s (%s) to %s (%s), %s, %s cost%s\n",
		o.source, plural(m, "row"), o.target, plural(n, "row"), in.columnsText(), o.metric, o.limitText())
	if s := encodingText(tableEncoding(in.source)); s != "" {
		fmt.Fprintf(b, "  encoded     %s\n", s)
	}
}

// limitText says at what price costs are truncated; empty where they are not.
func (o *inputOptions) limitText() string {
	if o.truncate == 0 {
		return ""
	}
	return ", at most " + digits(o.truncate, -1)
}

// columnsText says how many columns there are.
func (in *input) columnsText() string {
	return columnsText(in.problem.Cost.Dim(), in.source.Encoding)
}

// radiusChoice explains an automatic radius.
func (d *distance) radiusChoice() string {
	if d.Options.Rho == 0 {
		return d.RadiusChoice()
	}
	return d.RadiusChoice() + "; rot curve shows it"
}

// hint says what to do next.
func (d *distance) hint() string {
	o := d.options
	input := o.input.arguments()
	switch {
	case d.Short != nil || o.input.source == "-" || o.input.target == "-" || d.Options.Method != ot.MethodExact:
		return ""
	case !d.Robust() && o.rhoFrom == "auto":
		return ""
	case !d.Robust():
		return fmt.Sprintf("are there outliers? Set 5 %% of the source aside, or see what each radius would do:\n  rot dist %s --gamma 0.05\n  rot curve %s", input, input)
	case o.weights == "" && o.plot == "" && o.input.cost == "":
		return fmt.Sprintf("save the weight of every row, and look at the plan:\n  rot dist %s %s --weights weights.csv --plot plan.png", input, d.radiusFlags())
	case o.rhoFrom != "auto" && d.Options.TargetRho == 0:
		return fmt.Sprintf("see whether another radius would do as well:\n  rot curve %s", input)
	}
	return ""
}

// radiusFlags repeats the radii.
func (d *distance) radiusFlags() string {
	o := d.options
	var parts []string
	switch {
	case o.rhoFrom == "gamma":
		parts = append(parts, "--gamma "+digits(o.gamma, -1))
	case o.rhoFrom == "auto" && d.Options.Rho > 0:
		parts = append(parts, "--rho "+digits(d.Options.Rho, 5))
	case d.Options.Rho > 0:
		parts = append(parts, "--rho "+digits(d.Options.Rho, -1))
	}
	if o.solve.TargetRho > 0 {
		parts = append(parts, "--target-rho "+digits(o.solve.TargetRho, -1))
	}
	return strings.Join(parts, " ")
}
