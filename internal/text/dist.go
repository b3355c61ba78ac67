package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/drift"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// An Input is what is compared, by the names that the user gave.
type Input struct {
	*dataset.Problem
	SourceName, TargetName string
	Costs                  string // name of a cost matrix, instead of the two
}

// Title names both sides, for a picture.
func (in *Input) Title() string {
	if in.Costs != "" {
		return "costs " + in.Costs
	}
	return in.SourceName + " to " + in.TargetName
}

// Encoding says how the columns became numbers; "" where there is nothing to
// say.
func (in *Input) Encoding() string {
	if in.Source == nil {
		return ""
	}
	return in.Source.Encoding.Summary()
}

// A Distance is a solved problem.
type Distance struct {
	Input
	*ot.Solution
	Noise    *drift.Floor // nil where nobody looked
	RhoFrom  string       // "rho", "gamma", "auto", or "default" for plain transport
	Device   string       // that helped with sweeps; "" for none
	Warnings []string
	Wrote    []string // files
	Next     string   // what to do next; "" for nothing
}

// DistanceJSON is a Distance as JSON has it; scripts rely on the names.
type DistanceJSON struct {
	Value     Number `json:"value"`
	Lower     Number `json:"lower"`
	Gap       Number `json:"gap"`
	RelGap    Number `json:"rel_gap"`
	Transport Number `json:"transport"` // value without penalties
	Mass      Number `json:"mass"`      // moved by the plan

	Rho       float64 `json:"rho"`
	TargetRho float64 `json:"target_rho"`
	Gamma     float64 `json:"gamma"`
	RhoFrom   string  `json:"rho_from"`

	Metric     string  `json:"metric"`
	Truncate   float64 `json:"truncate,omitempty"` // no pair costs more
	Method     string  `json:"method"`
	TrimSide   string  `json:"trim_side,omitempty"` // that leaves mass behind, both or source
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
	Device    string  `json:"device"` // that helped with sweeps
	GivenUp   string  `json:"device_given_up,omitempty"`

	SourceTotal Number `json:"source_total"` // of the given weights; null without
	TargetTotal Number `json:"target_total"`

	Noise *noiseJSON `json:"noise"`

	Dropped          int          `json:"dropped"` // rows of weight 0
	Low              int          `json:"low"`     // rows of a weight below 0.5, dropped ones included
	ESS              Number       `json:"effective_sample_size"`
	Suspicious       []suspectRow `json:"suspicious"`
	TargetDropped    int          `json:"target_dropped"`
	TargetLow        int          `json:"target_low"`
	TargetESS        Number       `json:"target_effective_sample_size"`
	TargetSuspicious []suspectRow `json:"target_suspicious"`
}

type noiseJSON struct {
	Source Number `json:"source"`
	Target Number `json:"target"`
}

// JSON returns d as JSON has it.
func (d *Distance) JSON() *DistanceJSON {
	o, r, c := &d.Options, d.Result, d.Input.Cost
	m, n := c.Dims()
	j := &DistanceJSON{
		Value: Number(r.Value), Lower: Number(r.Lower), Gap: Number(r.Gap()), RelGap: Number(r.RelGap()),
		Transport: Number(r.Transport),
		Rho:       o.Rho, TargetRho: o.TargetRho, Gamma: o.Gamma(o.Rho), RhoFrom: d.RhoFrom,
		Metric: c.Metric().String(), Truncate: d.Limit, Method: string(o.Method),
		M: m, N: n, Dim: c.Dim(), Seconds: d.Seconds, Iters: r.Iters, Converged: d.Short == nil && d.Stopped == nil, Encoding: d.Encoding(), Warnings: d.Warnings,
		Dropped: d.Solution.Source.Dropped, Low: d.Solution.Source.Low, ESS: Number(d.Solution.Source.ESS), Suspicious: suspects(d.Solution.Source, d.Input.Source),
		TargetDropped: d.Solution.Target.Dropped, TargetLow: d.Solution.Target.Low, TargetESS: Number(d.Solution.Target.ESS), TargetSuspicious: suspects(d.Solution.Target, d.Input.Target),
	}
	if j.Device = d.Device; r.SweeperFailed != nil {
		j.GivenUp = r.SweeperFailed.Error()
	}
	if d.Noise != nil {
		j.Noise = &noiseJSON{Number(d.Noise.Source), Number(d.Noise.Target)}
	}
	for _, v := range r.A {
		j.Mass += Number(v)
	}
	source, target := d.Input.Totals()
	j.SourceTotal, j.TargetTotal = Number(source), Number(target)
	switch o.Method {
	case ot.MethodEntropic:
		j.Epsilon = o.Epsilon
	case ot.MethodUnbalanced:
		j.Divergence, j.Penalty = o.Divergence.String(), o.Penalty
	case ot.MethodPartial:
		if j.TrimSide = "both"; o.OneSided {
			j.TrimSide = "source"
		}
	case ot.MethodExact:
		if o.Divergence != ot.Chi2 {
			j.Divergence = o.Divergence.String()
		}
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

// suspects are the rows of lowest weight with their names. The table is nil for
// a cost matrix.
func suspects(s *ot.Side, t *dataset.Table) []suspectRow {
	out := []suspectRow{}
	for _, r := range s.Suspects {
		row := suspectRow{Row: r.Row, ID: strconv.Itoa(r.Row), Weight: r.Weight, Nearest: r.Nearest}
		if t != nil {
			row.ID = t.Points.ID(r.Row)
			if t.Labels != nil {
				row.Label = &t.Labels[r.Row]
			}
		}
		out = append(out, row)
	}
	return out
}

// Text is the result in words.
func (d *Distance) Text() string {
	var b strings.Builder
	d.describe(&b)
	fmt.Fprintf(&b, "\n%s: %s\n", d.Solution.Title(), digits(d.Value, 6))
	fmt.Fprintf(&b, "  certified   %s\n", d.Certificate())
	if d.Noise != nil {
		fmt.Fprintf(&b, "  noise floor %s (two halves of the source), %s (of the target)\n", digits(d.Noise.Source, 3), digits(d.Noise.Target, 3))
	}
	if d.RhoFrom == "auto" {
		fmt.Fprintf(&b, "  radius      %s\n", d.radiusChoice())
	}
	if line := totalsLine(d.Input.Problem.Problem); line != "" {
		fmt.Fprintf(&b, "  weights     %s\n", line)
	}
	if d.Stopped != nil {
		fmt.Fprintf(&b, "  stopped     after %s, %s\n", seconds(d.Seconds), page.Effort(d.Solution))
		return b.String()
	}
	fmt.Fprintf(&b, "  solved in   %s, %s\n", seconds(d.Seconds), page.Effort(d.Solution))
	if d.Device != "" {
		fmt.Fprintf(&b, "  device      %s\n", d.deviceLine())
	}
	var lost []string
	for _, side := range []struct {
		*ot.Side
		table *dataset.Table
	}{{d.Solution.Source, d.Input.Source}, {d.Solution.Target, d.Input.Target}} {
		Side(&b, side.Side, side.table)
		lost = append(lost, page.LostClasses(side.Side, PageSample(side.Name, side.table))...)
	}
	for _, w := range lost {
		fmt.Fprintf(&b, "\nWarning: %s\n", w)
	}
	if len(d.Wrote) > 0 {
		fmt.Fprintf(&b, "\nWrote %s.\n", strings.Join(d.Wrote, ", "))
	}
	if d.Next != "" {
		fmt.Fprintf(&b, "\nNext: %s\n", d.Next)
	}
	return b.String()
}

// deviceLine says what helped, and whether it did to the end.
func (d *Distance) deviceLine() string {
	if d.SweeperFailed == nil {
		return d.Device
	}
	return fmt.Sprintf("%s, given up: %v", d.Device, d.SweeperFailed)
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
func (in *Input) describe(b *strings.Builder) {
	m, n := in.Cost.Dims()
	if in.Source == nil {
		fmt.Fprintf(b, "Costs %s: %s to %s%s\n", in.Costs, plural(m, "source"), plural(n, "target"), in.limit())
		return
	}
	fmt.Fprintf(b, "From %s (%s) to %s (%s), %s, %s cost%s\n",
		in.SourceName, plural(m, "row"), in.TargetName, plural(n, "row"), Columns(in.Cost.Dim(), in.Source.Encoding), in.Cost.Metric(), in.limit())
	if s := in.Encoding(); s != "" {
		fmt.Fprintf(b, "  encoded     %s\n", s)
	}
}

// limit says at what price costs are truncated; empty where they are not.
func (in *Input) limit() string {
	if in.Limit == 0 {
		return ""
	}
	return ", at most " + digits(in.Limit, -1)
}

// radiusChoice explains an automatic radius.
func (d *Distance) radiusChoice() string {
	if d.Options.Rho == 0 {
		return d.RadiusChoice()
	}
	return d.RadiusChoice() + "; rot curve shows it"
}

// PageSample is a table as pages take it; nil for none.
func PageSample(name string, t *dataset.Table) *page.Sample {
	if t == nil {
		return nil
	}
	_, err := t.Marks()
	return &page.Sample{Name: name, Points: &t.Points, Columns: t.Columns, Labels: t.Labels, Marks: t.Labels != nil && err == nil}
}
