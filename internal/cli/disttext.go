package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/figure"
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
	Method     string  `json:"method"`
	Epsilon    float64 `json:"epsilon,omitempty"`
	Divergence string  `json:"divergence,omitempty"`
	Penalty    float64 `json:"penalty,omitempty"`

	M         int     `json:"m"` // rows of SOURCE
	N         int     `json:"n"` // rows of TARGET
	Dim       int     `json:"dim"`
	Seconds   float64 `json:"seconds"`
	Iters     int     `json:"iters"`
	Converged bool    `json:"converged"`

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
	o, r, c := d.options, d.result, d.problem.Cost
	m, n := c.Dims()
	j := &distJSON{
		Value: number(r.Value), Lower: number(r.Lower), Gap: number(r.Gap()), RelGap: number(r.RelGap()),
		Transport: number(r.Transport),
		Rho:       o.rho, TargetRho: o.targetRho, Gamma: chisq.Ball{Rho: o.rho}.Gamma(), RhoFrom: o.rhoFrom,
		Metric: c.Metric().String(), Method: o.method,
		M: m, N: n, Dim: c.Dim(), Seconds: d.seconds, Iters: r.Iters, Converged: d.short == nil,
		Dropped: d.source.dropped, Low: d.source.low, ESS: number(d.source.ess), Suspicious: rows(d.source.suspect),
		TargetDropped: d.target.dropped, TargetLow: d.target.low, TargetESS: number(d.target.ess), TargetSuspicious: rows(d.target.suspect),
	}
	for _, v := range r.A {
		j.Mass += number(v)
	}
	switch o.method {
	case methodEntropic:
		j.Epsilon = o.epsilon
	case methodUnbalanced:
		j.Divergence, j.Penalty = o.divergence, o.penalty
	}
	return j
}

// rows is r, as an empty list when there are none.
func rows(r []suspectRow) []suspectRow {
	if r == nil {
		return []suspectRow{}
	}
	return r
}

// report is the result in words.
func (d *distance) report() string {
	var b strings.Builder
	o, r := d.options, d.result
	d.input.describe(&b, &o.input)
	fmt.Fprintf(&b, "\n%s: %s\n", d.title(), digits(r.Value, 6))
	fmt.Fprintf(&b, "  certified   %s\n", d.certificate())
	if o.rhoFrom == "auto" {
		fmt.Fprintf(&b, "  radius      %s\n", d.choice())
	}
	fmt.Fprintf(&b, "  solved in   %s, %s\n", seconds(d.seconds), d.effort())
	d.source.report(&b)
	d.target.report(&b)
	for _, s := range []*side{&d.source, &d.target} {
		for _, w := range s.warnings() {
			fmt.Fprintf(&b, "\nWarning: %s\n", w)
		}
	}
	var wrote []string
	for _, f := range []string{o.weights, o.targetWeightsOut, o.plan, o.plot, o.page} {
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

// describe says what is compared.
func (in *input) describe(b *strings.Builder, o *inputOptions) {
	m, n := in.problem.Cost.Dims()
	if in.source == nil {
		fmt.Fprintf(b, "Costs %s: %s to %s\n", o.cost, plural(m, "source"), plural(n, "target"))
		return
	}
	fmt.Fprintf(b, "From %s (%s) to %s (%s), %s, %s cost\n",
		o.source, plural(m, "row"), o.target, plural(n, "row"), plural(in.problem.Cost.Dim(), "column"), o.metric)
}

// certificate says how exact the value is.
func (d *distance) certificate() string {
	r := d.result
	of := "the optimum"
	if d.options.method == methodEntropic {
		of = "plain transport without smoothing"
	}
	switch gap := r.RelGap(); {
	case math.Abs(gap) < 1e-12:
		return fmt.Sprintf("exact up to rounding (relative gap %s)", digits(math.Max(gap, 0), 2))
	case d.short == nil && math.Abs(r.Gap()) < 1e-14:
		return "exact up to rounding"
	case d.short == nil && d.options.method != methodEntropic:
		return fmt.Sprintf("at most %s above the optimum (relative gap %s)", digits(r.Gap(), 2), digits(gap, 2))
	default:
		return fmt.Sprintf("%s lies between %s and %s (relative gap %s)", of, digits(r.Lower, 6), digits(r.Value, 6), digits(gap, 2))
	}
}

// effort says what the time was spent on.
func (d *distance) effort() string {
	switch {
	case d.options.sorts(d.problem):
		return "by sorting"
	case d.options.method == methodEntropic:
		return plural(d.result.Iters, "iteration")
	}
	return plural(d.result.Iters, "pivot")
}

// choice explains an automatic radius.
func (d *distance) choice() string {
	if d.options.rho == 0 {
		return "the curve V(ρ) has no elbow: plain transport"
	}
	if d.options.sharpness < faint {
		return "where the curve V(ρ) bends most, though hardly: a very rough guess; rot curve shows it"
	}
	return "the elbow of the curve V(ρ), a rough guess; rot curve shows it"
}

// report says which rows were set aside.
func (s *side) report(b *strings.Builder) {
	if !s.moves {
		return
	}
	if s.weights == nil {
		fmt.Fprintf(b, "\nNo %s row is worth moving.\n", s.name)
		return
	}
	if s.low == 0 {
		fmt.Fprintf(b, "\nNo %s row stands out: the lowest weight is %s.\n", s.name, digits(s.lowest(), 3))
		return
	}
	fmt.Fprintf(b, "\n%s of %s %s rows lose most of their weight (it falls below %v), %s of them all of it.\n",
		count(s.low), count(s.counted), s.name, figure.DefaultLow, none(s.dropped))
	fmt.Fprintf(b, "The weights are worth %s equal rows. The most suspicious rows, worst first:\n", count(int(math.Round(s.ess))))
	t := table{head: []string{"row", "weight", "nearest " + map[string]string{"source": "target", "target": "source"}[s.name]}, left: []bool{false, false, false}}
	hasID := s.table != nil && s.table.Points.IDs != nil
	hasLabel := s.table != nil && s.table.Labels != nil
	if hasID {
		t.head, t.left = append(t.head, "id"), append(t.left, true)
	}
	if hasLabel {
		t.head, t.left = append(t.head, "label"), append(t.left, true)
	}
	for _, r := range s.suspect {
		cells := []string{fmt.Sprint(r.Row), digits(r.Weight, 3), digits(r.Nearest, 4)}
		if hasID {
			cells = append(cells, fit(r.ID, 40))
		}
		if hasLabel {
			cells = append(cells, fit(*r.Label, 40))
		}
		t.add(cells...)
	}
	t.writeTo(b)
	b.WriteString(s.labelled())
}

// lowest is the smallest weight of a row that counts.
func (s *side) lowest() float64 {
	low := math.Inf(1)
	for i, w := range s.weights {
		if s.base[i] > 0 {
			low = min(low, w)
		}
	}
	return low
}

// labelled compares the rows of low weight with two-valued labels.
func (s *side) labelled() string {
	if s.table == nil || s.table.Labels == nil {
		return ""
	}
	label, ok := positive(s.table)
	if !ok {
		return ""
	}
	var hit, all int
	for i, w := range s.weights {
		if s.table.Labels[i] == label && s.base[i] > 0 {
			if all++; w < figure.DefaultLow {
				hit++
			}
		}
	}
	return fmt.Sprintf("Label %s: %s of the %s rows below %v, %s of all %s rows.\n",
		fit(label, 40), count(hit), count(s.low), figure.DefaultLow, count(all), count(s.counted))
}

// positive is the label that marks outliers when there are two: 1 or true, or
// else the rarer one.
func positive(t *dataset.Table) (string, bool) {
	labels := t.Info().Labels // most frequent first
	if len(labels) != 2 {
		return "", false
	}
	if marks, err := t.Marks(); err == nil && slices.Contains(marks, true) {
		return t.Labels[slices.Index(marks, true)], true
	}
	return labels[1].Label, true
}

// hint says what to do next.
func (d *distance) hint() string {
	o := d.options
	again := o.input.arguments()
	switch {
	case d.short != nil || o.input.source == "-" || o.input.target == "-" || o.method != methodExact:
		return ""
	case !o.robust() && o.rhoFrom == "auto":
		return ""
	case !o.robust():
		return fmt.Sprintf("are there outliers? Set 5 %% of the source aside, or see what each radius would do:\n  rot dist %s --gamma 0.05\n  rot curve %s", again, again)
	case o.weights == "" && o.plot == "" && o.input.cost == "":
		return fmt.Sprintf("save the weight of every row, and look at the plan:\n  rot dist %s %s --weights weights.csv --plot plan.png", again, d.again())
	case o.rhoFrom != "auto" && o.targetRho == 0:
		return fmt.Sprintf("see whether another radius would do as well:\n  rot curve %s", again)
	}
	return ""
}

// again repeats the radii.
func (d *distance) again() string {
	o := d.options
	var parts []string
	switch {
	case o.rhoFrom == "gamma":
		parts = append(parts, "--gamma "+digits(o.gamma, -1))
	case o.rho > 0:
		parts = append(parts, "--rho "+digits(o.rho, 5))
	}
	if o.targetRho > 0 {
		parts = append(parts, "--target-rho "+digits(o.targetRho, -1))
	}
	return strings.Join(parts, " ")
}

// none is a number in a sentence.
func none(n int) string {
	if n == 0 {
		return "none"
	}
	return count(n)
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
