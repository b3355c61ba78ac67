package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/figure"
	"rot.example/rot/ot"
)

func (d *distance) markdown(charts string) string {
	var s strings.Builder
	o := d.options
	m, n := d.problem.Cost.Dims()
	s.WriteString("# ")
	if o.input.cost == "" {
		s.WriteString("From ")
	}
	fmt.Fprintf(&s, "%s\n\n", escaped(o.input.title()))
	fmt.Fprintf(&s, "Asked: how far is it from %s to %s", d.sideName("source", m), d.sideName("target", n))
	switch {
	case o.robust():
		if fmt.Fprintf(&s, ", if %s may be set aside", d.room()); o.rhoFrom == "auto" {
			s.WriteString(", as the elbow of the curve suggests")
		}
	case o.method == methodPartial:
		fmt.Fprintf(&s, ", if %s of the mass is moved", percent(o.mass))
	}
	fmt.Fprintf(&s, "? %s\n\n**%s**\n\n", codeSpan(d.command()), escaped(d.answer()))
	for _, side := range []*side{&d.source, &d.target} {
		for _, w := range side.warnings() {
			fmt.Fprintf(&s, "> **Warning:** %s\n\n", escaped(w))
		}
	}
	s.WriteString(charts)
	d.suspectTable(&s, &d.source)
	d.suspectTable(&s, &d.target)
	for _, side := range []*side{&d.source, &d.target} {
		if side.table == nil || side.table.Labels == nil || !side.moves || side.weights == nil {
			continue
		}
		_, err := side.table.Marks()
		low, _ := side.lowMarks()
		classTable(&s, classShares(side.table.Labels, low), capital(side.name)+" by class", fmt.Sprintf("below %v", figure.DefaultLow), err != nil)
	}
	d.how(&s)
	return s.String()
}

// sideName is a side with its size.
func (d *distance) sideName(name string, rows int) string {
	in := &d.options.input
	of := map[string]string{"source": in.source, "target": in.target}[name]
	if in.cost != "" {
		return fmt.Sprintf("the %s of %s", plural(rows, name), escaped(in.cost))
	}
	return fmt.Sprintf("%s (%s)", escaped(of), plural(rows, "row"))
}

// room is what the radii allow.
func (d *distance) room() string {
	var parts []string
	if rho := d.options.rho; rho > 0 {
		parts = append(parts, percent(chisq.Ball{Rho: rho}.Gamma())+" of the source")
	}
	if rho := d.options.targetRho; rho > 0 {
		parts = append(parts, percent(chisq.Ball{Rho: rho}.Gamma())+" of the target")
	}
	return strings.Join(parts, " and ")
}

// command repeats what was typed, as far as it matters.
func (d *distance) command() string {
	o := d.options
	words := []string{"rot dist", o.input.arguments()}
	if o.rhoFrom == "auto" {
		words = append(words, "--rho auto")
		if o.targetRho > 0 {
			words = append(words, "--target-rho "+digits(o.targetRho, -1))
		}
	} else if again := d.again(); again != "" {
		words = append(words, again)
	}
	switch o.method {
	case methodEntropic:
		words = append(words, "--method entropic")
		if o.epsilon > 0 {
			words = append(words, "--epsilon "+digits(o.epsilon, -1))
		}
	case methodUnbalanced:
		words = append(words, "--method unbalanced --divergence "+o.divergence+" --penalty "+digits(o.penalty, -1))
	case methodPartial:
		words = append(words, "--method partial --mass "+digits(o.mass, -1))
	}
	if o.tol > 0 {
		words = append(words, "--tol "+digits(o.tol, -1))
	}
	return strings.Join(words, " ")
}

// answer is the result in a sentence or two.
func (d *distance) answer() string {
	var s strings.Builder
	o, r := d.options, d.result
	fmt.Fprintf(&s, "%s costs %s", capital(o.what()), digits(r.Value, 6))
	if o.robust() && d.page.plain != nil {
		fmt.Fprintf(&s, ", plain transport %s", digits(*d.page.plain, 6))
	}
	fmt.Fprintf(&s, "; %s.", d.certificate())
	for _, side := range []*side{&d.source, &d.target} {
		switch {
		case !side.moves:
		case side.weights == nil:
			fmt.Fprintf(&s, " No %s row is worth moving.", side.name)
		case side.low == 0:
			fmt.Fprintf(&s, " No %s row stands out: the lowest weight is %s.", side.name, digits(side.lowest(), 3))
		default:
			fmt.Fprintf(&s, " %s of %s %s rows lose most of their weight, %s of them all of it.", count(side.low), count(side.counted), side.name, none(side.dropped))
		}
	}
	return s.String()
}

// suspectTable lists the rows of lowest weight beside the nearest of those that
// keep theirs.
func (d *distance) suspectTable(s *strings.Builder, side *side) {
	if !side.moves || side.low == 0 {
		return
	}
	_, n := d.problem.Cost.Dims()
	at, other := d.problem.Cost.At, "target"
	if side.name == "target" {
		n, _ = d.problem.Cost.Dims()
		at, other = func(j, i int) float64 { return d.problem.Cost.At(i, j) }, "source"
	}
	suspect := slices.Clone(side.suspect)
	for _, i := range side.rank(nil) { // beyond those that are ranked already
		if len(suspect) >= pageRows {
			break
		}
		if !slices.ContainsFunc(suspect, func(r suspectRow) bool { return r.Row == i }) {
			suspect = append(suspect, side.row(i, n, at))
		}
	}
	fmt.Fprintf(s, "## %s rows of the lowest weight\n\n", capital(side.name))
	head := []string{"row"}
	named := side.table != nil && side.table.Points.IDs != nil
	if named {
		head = append(head, "id")
	}
	head = append(head, "weight", "cost to the nearest "+other)
	var cost *ot.Cost
	var units []columnUnit
	if side.table != nil {
		fmt.Fprintf(s, "Beside each stands its nearest neighbour among the %s rows that keep their weight.\n\n", side.name)
		if side.table.Labels != nil {
			head = append(head, "label")
		}
		head = append(head, "nearest kept", "cost to it")
		if side.table.Labels != nil {
			head = append(head, "its label")
		}
		head = append(head, "differs most in")
		points := &side.table.Points
		cost, _ = ot.NewCost(points, points, d.problem.Cost.Metric()) // It has been one side of a cost already.
		units = columnUnits(points)
	}
	gone, skip := side.lowMarks()
	for i := range gone {
		gone[i] = gone[i] || skip[i]
	}
	var rows [][]string
	for _, r := range suspect {
		cells := []string{fmt.Sprint(r.Row)}
		if named {
			cells = append(cells, escaped(fit(r.ID, 40)))
		}
		cells = append(cells, digits(r.Weight, 3), digits(r.Nearest, 4))
		if cost != nil {
			near, far, label, differs := "–", "–", "–", "–"
			if k, c := nearestKept(r.Row, gone, cost.At); k >= 0 {
				near, far = escaped(fit(side.table.Points.ID(k), 40)), digits(c, 4)
				differs = escaped(differences(side.table.Points.Row(r.Row), side.table.Points.Row(k), units, func(j int) string { return columnName(side.table.Columns, j) }))
				if side.table.Labels != nil {
					label = escaped(fit(side.table.Labels[k], 20))
				}
			}
			if r.Label != nil {
				cells = append(cells, escaped(fit(*r.Label, 20)))
			}
			cells = append(cells, near, far)
			if r.Label != nil {
				cells = append(cells, label)
			}
			cells = append(cells, differs)
		}
		rows = append(rows, cells)
	}
	markdownTable(s, head, rows)
	if side.low > len(rows) {
		fmt.Fprintf(s, "These are %d of %s; --weights writes all.\n\n", len(rows), count(side.low))
	}
}

// how says how the answer was found, and what it is worth.
func (d *distance) how(s *strings.Builder) {
	o, r := d.options, d.result
	s.WriteString("## How it was computed\n\n")
	tol := o.tol
	if tol == 0 {
		if tol = 1e-9; o.method == methodEntropic {
			tol = 1e-5
		}
	}
	rows := [][]string{
		{"what", escaped(d.title())},
		{"cost of a move", d.problem.Cost.Metric().String()},
		{"value", digits(r.Value, 9)},
		{"certified lower bound", digits(r.Lower, 9)},
		{"gap", fmt.Sprintf("%s (relative %s; asked for %s)", digits(math.Max(r.Gap(), 0), 2), digits(math.Max(r.RelGap(), 0), 2), digits(tol, 2))},
		{"solved in", fmt.Sprintf("%s, %s", seconds(d.seconds), d.effort())},
	}
	if o.rhoFrom == "auto" {
		rows = append(rows, []string{"radius", escaped(d.choice())})
	}
	for _, side := range []*side{&d.source, &d.target} {
		if side.moves && side.weights != nil {
			rows = append(rows, []string{"effective rows of the " + side.name, fmt.Sprintf("%s of %s", digits(side.ess, 4), count(side.counted))})
		}
	}
	for _, row := range rows {
		fmt.Fprintf(s, "- **%s:** %s\n", row[0], row[1])
	}
	s.WriteString("\nRows that are expensive to move lose weight, within a chi-square ball of radius ρ around the weights of the input; what is left is moved at the least cost. Columns are taken as they are: one with large numbers counts most.\n\n")
	s.WriteString("## How certain it is\n\n")
	switch {
	case d.short != nil:
		fmt.Fprintf(s, "The solver stopped before its tolerance, but the bounds hold: %s. ", escaped(d.certificate()))
	case o.method == methodEntropic:
		s.WriteString("The bounds are those of plain transport, so that their gap is the price of the smoothing. ")
	default:
		s.WriteString("The value is that of a plan that was found, and no plan costs less than the lower bound, which the dual potentials prove. ")
	}
	s.WriteString("That is about the rows at hand: other rows from the same place would give another distance, and the fewer rows and the more columns there are, the larger it is even between samples of one distribution. ")
	if o.robust() {
		fmt.Fprintf(s, "A weight below %v says that the other sample has nothing like a row nearby at this radius, not that the row is wrong. Some weight is always lost where a radius allows it, also without any outliers. Compare robust distances at the same radius only.", figure.DefaultLow)
	} else if o.method == methodExact {
		s.WriteString("Every row had to be moved, so that a few outliers may make most of the distance; the curve shows how much.")
	}
	s.WriteString("\n")
}
