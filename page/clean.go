package page

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"rot.example/rot/clean"
	"rot.example/rot/figure"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
	"rot.example/rot/report"
)

// farthest is how many units from the middle a value counts as, at most, where
// rows are compared on a page, and nearer where they are only drawn.
const (
	farthest      = 20
	farthestDrawn = 8
)

// CleanOptions say what the page of a cleaned sample shows besides the result.
// Only Data is needed.
type CleanOptions struct {
	Title     string          // of the window; "" names the data
	Footer    string          // the line at the end
	Command   string          // that makes this page again; "" leaves it out
	Encoding  string          // how columns became numbers, in words; "" leaves it out
	Data      *Sample         // what was cleaned
	Reference *Sample         // what it was compared with; nil: with itself
	Curve     *ot.CurveResult // of CleanCurve; nil leaves it out
	Marks     string          // where the outliers are marked; "" where they are not known
	AUROC     *float64        // of the scores for the marked outliers; nil where they are not known
	Warnings  []string
	Seed      uint64

	Repeated    *clean.Repeated    // rows that repeat; nil leaves them out
	WrongLabels *clean.LabelResult // labels that do not fit Data; nil leaves them out
}

// Clean returns the page of a cleaned sample: the answer, charts of the weights, of
// the rows and of the choice of the cut, the worst rows beside their nearest
// kept neighbours, and how it was done.
func Clean(r *clean.Result, opts *CleanOptions) *Page {
	return &Page{make: (&cleaned{Result: r, CleanOptions: opts}).make}
}

// A cleaned is a page of a cleaned sample.
type cleaned struct {
	*clean.Result
	*CleanOptions
}

// CleanCurve solves what the radius does, for at most 600 rows of the data and
// of the reference. It is nil where that cannot be solved; the only error is
// that of ctx.
func CleanCurve(ctx context.Context, data, reference *Sample, rho float64, seed uint64) (*ot.CurveResult, error) {
	x, y := data.Points, reference.Points
	if data.Features == "" {
		units := columnUnits(y)
		x, y = inUnits(x, units, farthest), inUnits(y, units, farthest)
	}
	rng := rand.New(rand.NewPCG(seed, 0x6375727665)) // "curve"
	problem, err := ot.NewProblem(pick(x, someRows(rng, x.Len(), pageCurve)), pick(y, someRows(rng, y.Len(), pageCurve)), ot.Euclidean)
	if err != nil {
		return nil, nil // A page does without.
	}
	c, err := ot.Curve(ctx, problem, curveRhos(rho), nil)
	var short *ot.ConvergenceError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.As(err, &short):
		return nil, nil
	}
	return c, nil
}

// pick is some rows of p.
func pick(p *ot.Points, rows []int) *ot.Points {
	out := &ot.Points{Dim: p.Dim, Coords: make([]float64, 0, len(rows)*p.Dim)}
	for _, i := range rows {
		out.Coords = append(out.Coords, p.Row(i)...)
	}
	return out
}

// make draws the page.
func (c *cleaned) make() (*report.Page, error) {
	if n := c.Data.Points.Len(); n != len(c.Score) {
		return nil, fmt.Errorf("page: %s has %d rows, and the result %d", c.Data.Name, n, len(c.Score))
	}
	b := newBuilder()
	rows, rowsPicture, err := c.rowsChart()
	if err != nil {
		return nil, err
	}
	cut, cutPicture := c.cutChart()
	for _, p := range []struct {
		name  string
		chart *report.Chart
		fig   figure.Figure
	}{
		{"weights.png", weightBars("Weights", "Mean 1; suspects have low ones.", c.Data.thing()+"s", c.Weight, c.Suspect, nil, [2]string{"kept", "suspects"}),
			&figure.Histogram{Weights: c.Weight, Outlier: c.Suspect, Note: "orange: suspects"}},
		{"rows.png", rows, rowsPicture}, {"cut.png", cut, cutPicture},
	} {
		if err := b.add(p.name, p.chart, p.fig); err != nil {
			return nil, err
		}
	}
	body, err := c.markdown(b.pictures)
	if err != nil {
		return nil, err
	}
	title := c.Title
	if title == "" {
		title = "What does not belong in " + c.Data.Name
	}
	return b.page(title, body, c.Footer), nil
}

// rowsChart draws the rows and those of the reference, in two columns as they
// are and otherwise by the principal components of both in comparable units.
func (c *cleaned) rowsChart() (*report.Chart, figure.Figure, error) {
	clouds := []*ot.Points{c.Data.Points}
	other := "reference"
	if c.Reference != nil {
		clouds = append(clouds, c.Reference.Points)
	}
	var xLabel, yLabel string
	clipped := false
	clip := func() {
		clipped = true
		units := columnUnits(clouds[len(clouds)-1])
		for k, p := range clouds {
			clouds[k] = inUnits(p, units, farthestDrawn)
		}
	}
	switch d := c.Data.Points.Dim; {
	case d == 1:
		xLabel, yLabel, other = c.Data.Column(0), "score", "reference, at score 0"
		for k, p := range clouds {
			flat := &ot.Points{Dim: 2}
			for i, v := range p.Coords {
				score := 0.0
				if k == 0 {
					score = c.Score[i]
				}
				flat.Coords = append(flat.Coords, v, score)
			}
			clouds[k] = flat
		}
	case d == 2 && c.Data.Features == "":
		xLabel, yLabel = c.Data.Column(0), c.Data.Column(1)
	case c.Data.Features == "":
		clip()
	}
	flat, pc1, pc2, err := figure.Plane(clouds...)
	if err != nil && c.Data.Features == "" { // numbers that are too large to draw
		clip()
		flat, pc1, pc2, err = figure.Plane(clouds...)
	}
	if err != nil {
		return nil, nil, err
	}
	if pc1 != "" {
		xLabel, yLabel = pc1, pc2
	}
	rows := &cloud{
		name: "kept", markedName: "suspects", at: flat[0], id: c.Data.Points.ID, marked: c.Suspect, order: c.Order(),
		facts: []report.Fact{{Name: "score", Numbers: c.Score}, {Name: "weight", Numbers: c.Weight}, {Name: "rank", Numbers: c.ranks()}},
	}
	if c.Data.Features == "" {
		rows.facts = append(rows.facts, report.Fact{Name: "because of", Words: c.reasons()})
	}
	if c.Crowd != nil {
		rows.facts = append(rows.facts, report.Fact{Name: "group", Words: c.groups()})
	}
	if c.Data.Labels != nil {
		rows.facts = append(rows.facts, report.Fact{Name: "label", Words: c.Data.Labels})
	}
	panel := &figure.ScatterPanel{Data: flat[0], Outlier: c.Suspect, XLabel: xLabel, YLabel: yLabel}
	shown := []*cloud{rows}
	if c.Reference != nil {
		shown = append(shown, &cloud{name: other, other: true, at: flat[1], id: c.Reference.Points.ID})
		panel.Generated = flat[1]
	}
	chart := cloudChart("Rows", xLabel, yLabel, c.Seed, shown...)
	if clipped {
		chart.Note += fmt.Sprintf(" Columns are in units of their spread; what lies more than %d out is drawn at %[1]d.", farthestDrawn)
	}
	if c.Data.Features != "" {
		chart.Title = "Images"
	}
	return chart, &figure.Scatter{Panels: []*figure.ScatterPanel{panel}, Names: [3]string{"kept", "suspects", other}}, nil
}

// reasons are the columns that make each row stand out, in words.
func (c *cleaned) reasons() []string {
	out := make([]string, len(c.Score))
	for i := range out {
		out[i] = Because(c.Result, c.Data, i)
	}
	return out
}

// groups are the numbers of the rows' groups, in words.
func (c *cleaned) groups() []string {
	out := make([]string, len(c.Crowd))
	for i, k := range c.Crowd {
		if out[i] = "none"; k > 0 {
			out[i] = strconv.Itoa(k)
		}
	}
	return out
}

func (c *cleaned) ranks() []float64 {
	out := make([]float64, len(c.Rank))
	for i, k := range c.Rank {
		out[i] = float64(k)
	}
	return out
}

// cutChart shows what the cut was chosen from: with a reference the robust
// cost against the radius, and otherwise the scores from the highest on.
func (c *cleaned) cutChart() (*report.Chart, figure.Figure) {
	if c.Curve != nil {
		m, n := min(c.Data.Points.Len(), pageCurve), min(c.Reference.Points.Len(), pageCurve)
		note := fmt.Sprintf("Robust transport of %s of DATA to %s of REF. The curve falls steeply while outliers lose their weight; the elbow is a rough guess of the right radius.", words.Plural(m, "row"), words.Count(n))
		return curveChart("What the radius does", note, c.Curve, c.Rho), figure.NewCurve("", c.Curve, nil)
	}
	suspects, n := c.suspects(), len(c.Score)
	shown := min(n, max(5*suspects, 100))
	s := report.Series{Name: "score", IDs: []string{}}
	var steps []int
	step := max(1, shown/500)
	order := c.Order()
	for k := 0; k < shown; k += step {
		i := order[k]
		s.X, s.Y = append(s.X, float64(k+1)), append(s.Y, c.Score[i])
		s.IDs = append(s.IDs, words.Fit(c.Data.Points.ID(i), 80))
		steps = append(steps, k+1)
	}
	chart := &report.Chart{
		Kind: report.Lines, Title: "Scores, the highest first", XLabel: "rank", YLabel: "score", Series: []report.Series{s},
		Marks: []report.Mark{{X: float64(suspects) + 0.5, Name: fmt.Sprintf("%s suspects", words.Count(suspects))}},
		Note:  "A bend before the line is where suspects end by themselves; where there is none, how many there are is a matter of taste.",
	}
	if shown < n {
		chart.Note += fmt.Sprintf(" Shown: the first %s of %s.", words.Count(shown), words.Count(n))
	}
	return chart, &figure.LossCurves{XLabel: "rank", Panels: []figure.LossPanel{{Label: "score", Series: []figure.Series{{Name: "score", Step: steps, Value: s.Y}}}}}
}
