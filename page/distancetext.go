package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
)

func (d *distance) markdown(charts string) string {
	var s strings.Builder
	o := &d.Options
	s.WriteString("# ")
	if d.Costs == "" {
		s.WriteString("From ")
	}
	fmt.Fprintf(&s, "%s\n\n", escaped(d.title()))
	fmt.Fprintf(&s, "Asked: how far is it from %s to %s", d.sideName(d.sides[0]), d.sideName(d.sides[1]))
	switch {
	case d.Robust():
		if fmt.Fprintf(&s, ", if %s may be set aside", d.mayBeSetAside()); o.Auto {
			s.WriteString(", as the elbow of the curve suggests")
		}
	case o.Method == ot.MethodPartial:
		fmt.Fprintf(&s, ", if %s of the mass is moved", words.Percent(o.Mass))
	}
	s.WriteString("?")
	s.WriteString(encodingSentence(d.Encoding))
	if d.Command != "" {
		s.WriteString(" " + codeSpan(d.Command))
	}
	fmt.Fprintf(&s, "\n\n**%s**\n\n", escaped(d.answer()))
	for _, side := range d.sides {
		for _, w := range LostClasses(side.Side, side.sample) {
			fmt.Fprintf(&s, "> **Warning:** %s\n\n", escaped(w))
		}
	}
	s.WriteString(charts)
	for _, side := range d.sides {
		d.suspectTable(&s, side)
	}
	for _, side := range d.sides {
		if !side.sample.labelled() || !side.Moves || side.Weights == nil {
			continue
		}
		low, _ := side.LowRows()
		classTable(&s, ClassShares(side.sample.Labels, low), words.Capital(side.Name)+" by class", fmt.Sprintf("below %v", ot.LowWeight), !side.sample.Marks)
	}
	d.method(&s)
	return s.String()
}

// sideName is a side with its size.
func (d *distance) sideName(s side) string {
	switch {
	case s.sample != nil:
		return fmt.Sprintf("%s (%s)", escaped(s.sample.Name), words.Plural(len(s.Base), "row"))
	case d.Costs != "":
		return fmt.Sprintf("the %s of %s", words.Plural(len(s.Base), s.Name), escaped(d.Costs))
	}
	return "the " + words.Plural(len(s.Base), s.Name)
}

// mayBeSetAside is the part of both sides that the radii have room for.
func (d *distance) mayBeSetAside() string {
	var parts []string
	if rho := d.Options.Rho; rho > 0 {
		parts = append(parts, words.Percent(d.Options.Gamma(rho))+" of the source")
	}
	if rho := d.Options.TargetRho; rho > 0 {
		parts = append(parts, words.Percent(d.Options.Gamma(rho))+" of the target")
	}
	return strings.Join(parts, " and ")
}

// answer is the result in a sentence or two.
func (d *distance) answer() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s costs %s", words.Capital(d.Kind()), words.Digits(d.Value, 6))
	if d.Robust() && d.Comparison.Plain != nil {
		fmt.Fprintf(&s, ", plain transport %s", words.Digits(*d.Comparison.Plain, 6))
	}
	fmt.Fprintf(&s, "; %s.", d.Certificate())
	for _, side := range d.sides {
		switch {
		case !side.Moves:
		case side.Weights == nil:
			fmt.Fprintf(&s, " No %s row is worth moving.", side.Name)
		case side.Low == 0:
			fmt.Fprintf(&s, " No %s row stands out: the lowest weight is %s.", side.Name, words.Digits(side.Lowest(), 3))
		default:
			fmt.Fprintf(&s, " %s of %s %s rows lose most of their weight, %s of them all of it.", words.Count(side.Low), words.Count(side.Counted), side.Name, words.CountOrNone(side.Dropped))
		}
	}
	return s.String()
}

// Effort says what the time of a solution was spent on, such as "86 pivots".
func Effort(s *ot.Solution) string {
	switch {
	case s.Sorted:
		return "by sorting"
	case s.Options.Method == ot.MethodEntropic:
		return words.Plural(s.Iters, "iteration")
	}
	return words.Plural(s.Iters, "pivot")
}

// suspectTable lists the rows of lowest weight beside the nearest of those that
// keep theirs.
func (d *distance) suspectTable(s *strings.Builder, side side) {
	if !side.Moves || side.Low == 0 {
		return
	}
	other := "target"
	if side.Name == "target" {
		other = "source"
	}
	suspects := slices.Clone(side.Suspects)
	for _, i := range side.Ranked(nil) { // beyond those that are ranked already
		if len(suspects) >= pageRows {
			break
		}
		if !slices.ContainsFunc(suspects, func(r ot.Suspect) bool { return r.Row == i }) {
			suspects = append(suspects, side.Suspect(i))
		}
	}
	fmt.Fprintf(s, "## %s rows of the lowest weight\n\n", words.Capital(side.Name))
	head := []string{"row"}
	if side.sample.named() {
		head = append(head, "id")
	}
	head = append(head, "weight", "cost to the nearest "+other)
	var cost *ot.Cost
	var units []columnUnit
	if side.sample != nil {
		fmt.Fprintf(s, "Beside each stands its nearest neighbour among the %s rows that keep their weight.\n\n", side.Name)
		if side.sample.Labels != nil {
			head = append(head, "label")
		}
		head = append(head, "nearest kept", "cost to it")
		if side.sample.Labels != nil {
			head = append(head, "its label")
		}
		head = append(head, "differs most in")
		points := side.sample.Points
		cost, _ = ot.NewCost(points, points, d.Problem.Cost.Metric()) // It has been one side of a cost already.
		units = columnUnits(points)
	}
	gone, ignored := side.LowRows()
	for i := range gone {
		gone[i] = gone[i] || ignored[i]
	}
	var rows [][]string
	for _, r := range suspects {
		cells := []string{fmt.Sprint(r.Row)}
		if side.sample.named() {
			cells = append(cells, escaped(words.Fit(side.sample.Points.ID(r.Row), 40)))
		}
		cells = append(cells, words.Digits(r.Weight, 3), words.Digits(r.Nearest, 4))
		if cost != nil {
			near, far, label, differs := "–", "–", "–", "–"
			if k, c := nearestKept(r.Row, gone, cost.At); k >= 0 {
				near, far = escaped(words.Fit(side.sample.Points.ID(k), 40)), words.Digits(c, 4)
				differs = escaped(differences(side.sample.Points.Row(r.Row), side.sample.Points.Row(k), units, side.sample.Column))
				if side.sample.Labels != nil {
					label = escaped(words.Fit(side.sample.Labels[k], 20))
				}
			}
			if side.sample.labelled() {
				cells = append(cells, escaped(words.Fit(side.sample.Labels[r.Row], 20)))
			}
			cells = append(cells, near, far)
			if side.sample.labelled() {
				cells = append(cells, label)
			}
			cells = append(cells, differs)
		}
		rows = append(rows, cells)
	}
	markdownTable(s, head, rows)
	if side.Low > len(rows) {
		fmt.Fprintf(s, "These are %d of %s.\n\n", len(rows), words.Count(side.Low))
	}
}

// method says how the answer was computed, and how certain it is.
func (d *distance) method(s *strings.Builder) {
	o, r := &d.Options, d.Result
	s.WriteString("## How it was computed\n\n")
	tol := o.Tol
	if tol == 0 {
		if tol = 1e-9; o.Method == ot.MethodEntropic {
			tol = 1e-5
		}
	}
	rows := [][]string{
		{"what", escaped(d.Solution.Title())},
		{"cost of a move", d.Problem.Cost.Metric().String()},
		{"value", words.Digits(r.Value, 9)},
		{"certified lower bound", words.Digits(r.Lower, 9)},
		{"gap", fmt.Sprintf("%s (relative %s; asked for %s)", words.Digits(math.Max(r.Gap(), 0), 2), words.Digits(math.Max(r.RelGap(), 0), 2), words.Digits(tol, 2))},
		{"solved in", fmt.Sprintf("%s, %s", words.Seconds(d.Seconds), Effort(d.Solution))},
	}
	if o.Auto {
		rows = append(rows, []string{"radius", escaped(d.RadiusChoice())})
	}
	for _, side := range d.sides {
		if side.Moves && side.Weights != nil {
			rows = append(rows, []string{"effective rows of the " + side.Name, fmt.Sprintf("%s of %s", words.Digits(side.ESS, 4), words.Count(side.Counted))})
		}
	}
	for _, row := range rows {
		fmt.Fprintf(s, "- **%s:** %s\n", row[0], row[1])
	}
	s.WriteByte('\n')
	switch {
	case d.Robust():
		s.WriteString("Rows that are expensive to move lose weight, within a chi-square ball of radius ρ around the weights of the input; what is left is moved at the least cost. ")
	case o.Method == ot.MethodExact:
		s.WriteString("Every row keeps its weight, and all of it is moved at the least cost. ")
	case o.Method == ot.MethodPartial:
		s.WriteString("The rows that are cheapest to move are moved at the least cost, and the others are left behind. ")
	case o.Method == ot.MethodUnbalanced:
		s.WriteString("Rows may lose or gain weight at a price, and what they have then is moved at the least cost. ")
	}
	if d.Problem.Cost.Metric() != ot.Given {
		s.WriteString("Columns are taken as they are: one with large numbers counts most.")
	}
	s.WriteString("\n\n")
	s.WriteString("## How certain it is\n\n")
	switch {
	case d.Short != nil:
		fmt.Fprintf(s, "The solver stopped before its tolerance, but the bounds hold: %s. ", escaped(d.Certificate()))
	case o.Method == ot.MethodEntropic:
		s.WriteString("The bounds are those of plain transport, so that their gap is the price of the smoothing. ")
	default:
		s.WriteString("The value is that of a plan that was found, and no plan costs less than the lower bound, which the dual potentials prove. ")
	}
	s.WriteString("That is about the rows at hand: other rows from the same place would give another distance, and the fewer rows and the more columns there are, the larger it is even between samples of one distribution. ")
	if d.Robust() {
		fmt.Fprintf(s, "A weight below %v says that the other sample has nothing like a row nearby at this radius, not that the row is wrong. Some weight is always lost where a radius allows it, also without any outliers. Compare robust distances at the same radius only.", ot.LowWeight)
	} else if o.Method == ot.MethodExact {
		s.WriteString("Every row had to be moved, so that a few outliers may make most of the distance; the curve shows how much.")
	}
	s.WriteString("\n")
}
