package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/drift"
	"rot.example/rot/figure"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
	"rot.example/rot/report"
)

// DriftOptions say what the page of a drift shows besides the result. Reference
// and New are needed.
type DriftOptions struct {
	Title          string // of the window; "" names the samples
	Footer         string // the line at the end
	Command        string // that makes this page again; "" leaves it out
	Encoding       string // how columns became numbers, in words; "" leaves it out
	Reference, New *Sample
	Columns        []drift.Column // as in drift.Options; nil: every number is one
	History        []drift.Record // results of earlier comparisons, the oldest first; the last is this one
	Alpha          float64        // what counts as evidence; 0 means drift.DefaultAlpha
	Seed           uint64
}

// Drift returns the page of a drift: the verdict, its course over time, the columns
// of both samples laid over each other, a map of the rows, and the rows to blame
// beside their nearest rows of the reference.
func Drift(r *drift.Result, opts *DriftOptions) *Page {
	return &Page{make: (&drifted{Result: r, DriftOptions: opts}).make}
}

type drifted struct {
	*drift.Result
	*DriftOptions
}

// shownColumns is how many columns have a chart of their own.
const shownColumns = 6

func (d *drifted) make() (*report.Page, error) {
	b := newBuilder()
	var names []string
	add := func(name string, chart *report.Chart, fig figure.Figure) error {
		names = append(names, name)
		return b.add(name, chart, fig)
	}
	if len(d.History) > 1 {
		chart, fig := d.historyChart()
		if err := add("history.png", chart, fig); err != nil {
			return nil, err
		}
	}
	for _, s := range d.Result.Columns {
		if len(names) >= shownColumns || s.Direction == "same" {
			continue
		}
		chart, fig := d.columnChart(s)
		if err := add(fmt.Sprintf("column-%d.png", len(names)+1), chart, fig); err != nil {
			return nil, err
		}
	}
	chart, fig, err := d.mapChart()
	if err != nil {
		return nil, err
	}
	if err := add("rows.png", chart, fig); err != nil {
		return nil, err
	}
	title := d.Title
	if title == "" {
		title = "Has " + d.New.Name + " moved?"
	}
	return b.page(title, d.markdown(names), d.Footer), nil
}

// DriftVerdict returns the verdict in a sentence.
func DriftVerdict(r *drift.Result) string {
	switch r.Verdict {
	case drift.Moved:
		return "The bulk has moved"
	case drift.Dirty:
		k := len(r.Suspects)
		if k == 1 {
			return "The bulk is the same, one row does not belong"
		}
		return fmt.Sprintf("The bulk is the same, %s rows do not belong", words.Count(k))
	}
	return "No drift seen"
}

// historyChart is the effect over time.
func (d *drifted) historyChart() (*report.Chart, figure.Figure) {
	s := report.Series{Name: "effect", Facts: []report.Fact{{Name: "p that it moved"}, {Name: "verdict"}}}
	var steps []int
	for k, p := range d.History {
		s.X, s.Y = append(s.X, float64(k+1)), append(s.Y, p.Effect)
		s.IDs = append(s.IDs, words.Fit(p.Time+" "+p.New, 80))
		s.Facts[0].Numbers = append(s.Facts[0].Numbers, p.PMoved)
		s.Facts[1].Words = append(s.Facts[1].Words, string(p.Verdict))
		steps = append(steps, k+1)
	}
	chart := &report.Chart{Kind: report.Lines, Title: "Over time", XLabel: "check", YLabel: "distance in units of noise", Series: []report.Series{s},
		Note: "1 is what two halves of the reference are apart."}
	return chart, &figure.LossCurves{XLabel: "check", Panels: []figure.LossPanel{{Label: "effect", Series: []figure.Series{{Name: "effect", Step: steps, Value: s.Y}}}}}
}

// columnChart lays the two distributions of a column over each other.
func (d *drifted) columnChart(s drift.Shift) (*report.Chart, figure.Figure) {
	column := drift.Column{Name: d.New.Column(s.Column), Kind: drift.Number, First: s.Column, Width: 1}
	if d.DriftOptions.Columns != nil {
		column = d.DriftOptions.Columns[s.Column]
	}
	chart := &report.Chart{Kind: report.Lines, Title: column.Name, XLabel: column.Name, YLabel: "part of the rows",
		Note: fmt.Sprintf("%s; p = %s for all columns together.", words.Capital(s.Text), words.Digits(s.Adjusted, 2))}
	sides := []struct {
		name  string
		style string
		x     *ot.Points
	}{{"reference", report.Other, d.Reference.Points}, {"new", "", d.New.Points}}
	var figures []figure.Series
	if column.Kind == drift.Category {
		var legend []string // the axis has numbers only
		for k, name := range column.Categories {
			legend = append(legend, fmt.Sprintf("%d %s", k+1, words.Fit(name, 20)))
		}
		chart.XLabel = words.Fit(strings.Join(legend, " · "), 110)
		for _, side := range sides {
			series := report.Series{Name: side.name, Look: side.style}
			for k := range column.Width {
				name := strconv.Itoa(k)
				if k < len(column.Categories) {
					name = column.Categories[k]
				}
				var sum float64
				for i := range side.x.Len() {
					if side.x.Row(i)[column.First+k] > 0 {
						sum += 1 / float64(side.x.Len())
					}
				}
				series.X, series.Y, series.IDs = append(series.X, float64(k+1)), append(series.Y, sum), append(series.IDs, words.Fit(name, 40))
			}
			chart.Series = append(chart.Series, series)
			figures = append(figures, steps(series))
		}
	} else {
		low, high, all := middleRange(d.Reference.Points, d.New.Points, column.First)
		if !all {
			chart.Note += " What lies farther out is at the ends."
		}
		const bins = 30
		for _, side := range sides {
			series := report.Series{Name: side.name, Look: side.style, X: make([]float64, bins), Y: make([]float64, bins)}
			width := (high - low) / bins
			for k := range bins {
				series.X[k] = low + (float64(k)+0.5)*width
			}
			for i := range side.x.Len() {
				k := 0
				if width > 0 {
					k = int(math.Max(0, math.Min(bins-1, math.Floor((side.x.Row(i)[column.First]-low)/width))))
				}
				series.Y[k] += 1 / float64(side.x.Len())
			}
			chart.Series = append(chart.Series, series)
			figures = append(figures, steps(series))
		}
	}
	return chart, &figure.LossCurves{XLabel: "bin", Panels: []figure.LossPanel{{Label: column.Name, Series: figures}}}
}

func steps(s report.Series) figure.Series {
	out := figure.Series{Name: s.Name, Value: s.Y}
	for k := range s.Y {
		out.Step = append(out.Step, k+1)
	}
	return out
}

// middleRange is where nearly all values of a column of both samples lie, and
// whether all of them do.
func middleRange(a, b *ot.Points, j int) (low, high float64, all bool) {
	var v []float64
	for _, x := range []*ot.Points{a, b} {
		for i := range x.Len() {
			v = append(v, x.Row(i)[j])
		}
	}
	slices.Sort(v)
	n := len(v)
	low, high = v[n/20], v[n-1-n/20]
	if low == high {
		return v[0], v[n-1], true
	}
	width := high - low
	low, high = math.Max(v[0], low-width), math.Min(v[n-1], high+width)
	return low, high, low == v[0] && high == v[n-1]
}

// mapChart draws both samples in the plane.
func (d *drifted) mapChart() (*report.Chart, figure.Figure, error) {
	clouds := []*ot.Points{d.New.Points, d.Reference.Points}
	xLabel, yLabel := "", ""
	if d.New.Points.Dim == 2 && d.New.Features == "" {
		xLabel, yLabel = d.New.Column(0), d.New.Column(1)
	} else if d.New.Features == "" {
		units := columnUnits(d.Reference.Points)
		for k, p := range clouds {
			clouds[k] = inUnits(p, units, farthestDrawn)
		}
	}
	if d.New.Points.Dim == 1 {
		for k, p := range clouds {
			flat := &ot.Points{Dim: 2}
			for _, v := range p.Coords {
				flat.Coords = append(flat.Coords, v, float64(k))
			}
			clouds[k] = flat
		}
		xLabel, yLabel = d.New.Column(0), "0: new, 1: reference"
	}
	flat, pc1, pc2, err := figure.Plane(clouds...)
	if err != nil {
		return nil, nil, err
	}
	if pc1 != "" {
		xLabel, yLabel = pc1, pc2
	}
	marked := make([]bool, d.New.Points.Len())
	for _, i := range d.Suspects {
		marked[i] = true
	}
	chart := cloudChart("Rows", xLabel, yLabel, d.Seed,
		&cloud{name: "new", markedName: "do not belong", at: flat[0], id: d.New.Points.ID, marked: marked, order: d.Suspects},
		&cloud{name: "reference", other: true, at: flat[1], id: d.Reference.Points.ID})
	panel := &figure.ScatterPanel{Data: flat[0], Outlier: marked, Generated: flat[1], XLabel: xLabel, YLabel: yLabel}
	return chart, &figure.Scatter{Panels: []*figure.ScatterPanel{panel}, Names: [3]string{"new", "do not belong", "reference"}}, nil
}

func (d *drifted) markdown(charts []string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# Has %s moved away from %s?\n\n", escaped(d.New.Name), escaped(d.Reference.Name))
	if e := encodingSentence(d.Encoding); e != "" {
		s.WriteString(strings.TrimSpace(e) + "\n\n")
	}
	if d.Command != "" {
		s.WriteString(codeSpan(d.Command) + "\n\n")
	}
	fmt.Fprintf(&s, "**%s.** p = %s that bulks which are the same look as different; p = %s that samples without foreign rows have as many that stand out. The distance is %s times the noise, which is what two random halves of the reference are apart.\n\n",
		DriftVerdict(d.Result), words.Digits(d.PMoved, 2), words.Digits(d.PDirty, 2), words.Digits(d.Effect, 3))
	for _, name := range charts {
		fmt.Fprintf(&s, "![%s](%s)\n\n", strings.TrimSuffix(name, ".png"), name)
	}
	s.WriteString("## What moved\n\n")
	var rows [][]string
	for _, c := range d.Result.Columns[:min(pageRows, len(d.Result.Columns))] {
		rows = append(rows, []string{escaped(c.Name), words.Digits(c.P, 2), words.Digits(c.Adjusted, 2), words.Digits(c.Effect, 3), escaped(c.Text)})
	}
	markdownTable(&s, []string{"column", "p", "p for all columns together", "moved by", "direction"}, rows)
	d.blameTable(&s)
	s.WriteString("## How it was done\n\n")
	fmt.Fprintf(&s, "%s of the reference and %s new ones that stand out from both samples together were set aside without a look at which sample they belong to. The other %s and %s rows were dealt out anew %d times; the p-value is how often that looks as different as the truth does, by all of these together:\n\n",
		words.Plural(d.SetAside[0], "row"), words.Count(d.SetAside[1]), words.Count(d.Tested[0]), words.Count(d.Tested[1]), d.Permutations)
	rows = nil
	stats := slices.Clone(d.Statistics)
	slices.SortStableFunc(stats, func(a, b drift.Statistic) int { return cmp.Compare(a.P, b.P) })
	for _, t := range stats {
		rows = append(rows, []string{t.Name, words.Digits(t.P, 2)})
	}
	markdownTable(&s, []string{"statistic", "p by itself, about"}, rows)
	fmt.Fprintf(&s, "A column moves by the transport distance of its values, in deviations of the column, or of a category by the part of the rows that changed it. Seed %d; the same data and seed give the same page.\n\n## How certain it is\n\nA small p-value says that there is a difference, not that it matters: that is what the effect is for. Rows are taken to be independent; those of a time series are less than they seem.\n", d.Seed)
	return s.String()
}

// blameTable lists the rows to blame beside their nearest rows of the reference.
func (d *drifted) blameTable(s *strings.Builder) {
	if d.Verdict == drift.Same || len(d.Blame) == 0 {
		return
	}
	s.WriteString("## Rows to blame\n\n")
	if d.Verdict == drift.Moved {
		s.WriteString("The bulk has moved, so that most rows are a little to blame. These are least like the reference.\n\n")
	}
	units := columnUnits(d.Reference.Points)
	suspect := map[int]bool{}
	for _, i := range d.Suspects {
		suspect[i] = true
	}
	head := []string{"id", "score", "p", "list", "nearest of the reference"}
	if d.New.Features == "" {
		head = append(head, "differs most in")
	}
	var rows [][]string
	for _, b := range d.Blame[:min(pageRows, len(d.Blame))] {
		list := "–"
		if suspect[b.Row] {
			list = "does not belong"
		}
		cells := []string{escaped(words.Fit(d.New.Points.ID(b.Row), 40)), words.Digits(b.Score, 3), words.Digits(b.P, 2), list, escaped(words.Fit(d.Reference.Points.ID(b.Nearest), 40))}
		if d.New.Features == "" {
			cells = append(cells, escaped(differences(d.New.Points.Row(b.Row), d.Reference.Points.Row(b.Nearest), units, d.New.Column)))
		}
		rows = append(rows, cells)
	}
	markdownTable(s, head, rows)
}
