package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"rot.example/rot/figure"
	"rot.example/rot/ot"
	"rot.example/rot/report"
)

// farthest is how many units from the middle a value counts as, at most, where
// rows are compared on a page, and nearer where they are only drawn.
const (
	farthest      = 20
	farthestDrawn = 8
)

// findCurve solves for a few rows of DATA and of REF what the radius does.
func (c *cleaned) findCurve(ctx context.Context) error {
	if c.reference == nil {
		return nil
	}
	x, y := c.data.points, c.reference.points
	if c.data.features == "" {
		units := columnUnits(y)
		x, y = inUnits(x, units, farthest), inUnits(y, units, farthest)
	}
	rng := rand.New(rand.NewPCG(c.options.seed, 0x6375727665)) // "curve"
	problem, err := ot.NewProblem(pick(x, someRows(rng, x.Len(), pageCurve)), pick(y, someRows(rng, y.Len(), pageCurve)), ot.Euclidean)
	if err != nil {
		return nil // A page does without.
	}
	c.curve, err = ot.Curve(ctx, problem, curveRhos(c.Rho), nil)
	var short *ot.ConvergenceError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.As(err, &short):
		c.curve = nil
	}
	return nil
}

// pick is some rows of p.
func pick(p *ot.Points, rows []int) *ot.Points {
	out := &ot.Points{Dim: p.Dim, Coords: make([]float64, 0, len(rows)*p.Dim)}
	for _, i := range rows {
		out.Coords = append(out.Coords, p.Row(i)...)
	}
	return out
}

// writePage writes report.html: the answer, charts of the weights, of the rows
// and of the choice of the cut, the worst rows, and how it was done.
func (c *cleaned) writePage(w io.Writer) error {
	page := &report.Page{
		Title: "rot clean " + c.options.data, Files: report.Pictures{}, Charts: map[string]*report.Chart{},
		Footer: "rot clean " + c.options.data + ". Nothing was deleted: weights.csv, dropped.txt and kept.txt lie beside this page.",
	}
	rows, rowsPicture, err := c.rowsChart()
	if err != nil {
		return err
	}
	cut, cutPicture := c.cutChart()
	for _, p := range []struct {
		name  string
		chart *report.Chart
		fig   figure.Figure
	}{
		{"weights.png", weightBars("Weights", "Mean 1; suspects have low ones.", c.data.thing()+"s", c.Weight, c.Dropped, nil, [2]string{"kept", "dropped"}),
			&figure.Histogram{Weights: c.Weight, Outlier: c.Dropped, Note: "orange: dropped"}},
		{"rows.png", rows, rowsPicture}, {"cut.png", cut, cutPicture},
	} {
		picture, err := drawn(p.fig)
		if err != nil {
			return err
		}
		page.Files.(report.Pictures)[p.name], page.Charts[p.name] = picture, p.chart
	}
	body, err := c.markdown(page.Files.(report.Pictures))
	if err != nil {
		return err
	}
	page.Body = body
	return report.Write(w, page)
}

// rowsChart draws the rows and those of the reference, in two columns as they
// are and otherwise by the principal components of both in comparable units.
func (c *cleaned) rowsChart() (*report.Chart, figure.Figure, error) {
	clouds := []*ot.Points{c.data.points}
	other := "reference"
	if c.reference != nil {
		clouds = append(clouds, c.reference.points)
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
	switch d := c.data.points.Dim; {
	case d == 1:
		xLabel, yLabel, other = c.data.column(0), "score", "reference, at score 0"
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
	case d == 2 && c.data.features == "":
		xLabel, yLabel = c.data.column(0), c.data.column(1)
	case c.data.features == "":
		clip()
	}
	flat, pc1, pc2, err := figure.Plane(clouds...)
	if err != nil && c.data.features == "" { // numbers that are too large to draw
		clip()
		flat, pc1, pc2, err = figure.Plane(clouds...)
	}
	if err != nil {
		return nil, nil, err
	}
	if pc1 != "" {
		xLabel, yLabel = pc1, pc2
	}
	rows := &pageCloud{
		name: "kept", markedName: "dropped", at: flat[0], id: c.data.points.ID, marked: c.Dropped, order: c.Order(),
		facts: []report.Fact{{Name: "score", Numbers: c.Score}, {Name: "weight", Numbers: c.Weight}, {Name: "rank", Numbers: c.ranks()}},
	}
	if c.data.labels != nil {
		rows.facts = append(rows.facts, report.Fact{Name: "label", Words: c.data.labels})
	}
	panel := &figure.ScatterPanel{Data: flat[0], Outlier: c.Dropped, XLabel: xLabel, YLabel: yLabel}
	shown := []*pageCloud{rows}
	if c.reference != nil {
		shown = append(shown, &pageCloud{name: other, other: true, at: flat[1], id: c.reference.points.ID})
		panel.Generated = flat[1]
	}
	chart := cloudChart("Rows", xLabel, yLabel, c.options.seed, shown...)
	if clipped {
		chart.Note += fmt.Sprintf(" Columns are in units of their spread; what lies more than %d out is drawn at %[1]d.", farthestDrawn)
	}
	if c.data.features != "" {
		chart.Title = "Images"
	}
	return chart, &figure.Scatter{Panels: []*figure.ScatterPanel{panel}, Names: [3]string{"kept", "dropped", other}}, nil
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
	if c.curve != nil {
		m, n := min(c.data.points.Len(), pageCurve), min(c.reference.points.Len(), pageCurve)
		note := fmt.Sprintf("Robust transport of %s of DATA to %s of REF. The curve falls steeply while outliers lose their weight; the elbow is a rough guess of the right radius.", plural(m, "row"), count(n))
		return curveChart("What the radius does", note, c.curve, c.Rho), figure.NewCurve("", c.curve, nil)
	}
	dropped, n := c.dropped(), len(c.Score)
	shown := min(n, max(5*dropped, 100))
	s := report.Series{Name: "score", IDs: []string{}}
	var steps []int
	step := max(1, shown/500)
	order := c.Order()
	for k := 0; k < shown; k += step {
		i := order[k]
		s.X, s.Y = append(s.X, float64(k+1)), append(s.Y, c.Score[i])
		s.IDs = append(s.IDs, fit(c.data.points.ID(i), 80))
		steps = append(steps, k+1)
	}
	chart := &report.Chart{
		Kind: report.Lines, Title: "Scores, the highest first", XLabel: "rank", YLabel: "score", Series: []report.Series{s},
		Marks: []report.Mark{{X: float64(dropped) + 0.5, Name: fmt.Sprintf("%s dropped", count(dropped))}},
		Note:  "A bend before the line is where suspects end by themselves; where there is none, the number to drop is a matter of taste.",
	}
	if shown < n {
		chart.Note += fmt.Sprintf(" Shown: the first %s of %s.", count(shown), count(n))
	}
	return chart, &figure.LossCurves{XLabel: "rank", Panels: []figure.LossPanel{{Label: "score", Series: []figure.Series{{Name: "score", Step: steps, Value: s.Y}}}}}
}
