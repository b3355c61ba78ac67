package page

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"rot.example/rot/figure"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
	"rot.example/rot/report"
)

// DistanceOptions say what the page of a distance shows besides the result. The
// zero value makes a page without a map of the rows.
type DistanceOptions struct {
	Title          string      // of the window, and the line at the end; "" names both sides
	Command        string      // that makes this page again; "" leaves it out
	Encoding       string      // how columns became numbers, in words; "" leaves it out
	Source, Target *Sample     // the rows of both sides; nil for a cost matrix
	Costs          string      // the name of a cost matrix, where there are no rows
	Comparison     *Comparison // with other radii; nil leaves it out
}

// Distance returns the page of a distance: the answer, a map of both samples, the
// weights, the curve V(ρ), and the rows of lowest weight beside their nearest
// kept neighbours.
func Distance(s *ot.Solution, opts *DistanceOptions) *Page {
	d := &distance{Solution: s}
	if opts != nil {
		d.DistanceOptions = *opts
	}
	if d.Comparison == nil {
		d.Comparison = &Comparison{}
	}
	d.sides = []side{{s.Source, d.DistanceOptions.Source}, {s.Target, d.DistanceOptions.Target}}
	return &Page{make: d.make}
}

// A distance is a page of one.
type distance struct {
	*ot.Solution
	DistanceOptions
	sides []side // the source and the target
}

// A side is what became of the weights of a sample, which is nil where there
// are costs only.
type side struct {
	*ot.Side
	sample *Sample
}

// title names both sides.
func (d *distance) title() string {
	switch {
	case d.sides[0].sample != nil && d.sides[1].sample != nil:
		return d.sides[0].sample.Name + " to " + d.sides[1].sample.Name
	case d.Costs != "":
		return "costs " + d.Costs
	}
	return "source to target"
}

// A Comparison is the cost at other radii, to be shown beside the result.
type Comparison struct {
	Curve   *ot.CurveResult // V(ρ); nil for methods without a radius
	Sampled bool            // Curve is of a random part of the rows
	Plain   *float64        // the cost of plain transport; nil when that was not solved
}

// plainBudget is how many costs plain transport may have to be solved for
// comparison: about a second.
const plainBudget = 1 << 24

// Compare solves what the page of s compares it with: the curve V(ρ), of at
// most 600 rows a side, and plain transport. It takes about a second. The only
// error is that of ctx; what cannot be solved is left out.
func Compare(ctx context.Context, s *ot.Solution) (*Comparison, error) {
	out := &Comparison{}
	o := &s.Options
	if o.Method != ot.MethodExact {
		return out, nil
	}
	m, n := s.Problem.Cost.Dims()
	out.Sampled = !o.Auto && (m > pageCurve || n > pageCurve)
	if out.Curve = s.Curve; !o.Auto && o.Divergence == ot.Chi2 {
		problem, err := s.Problem, error(nil)
		if out.Sampled {
			problem, err = someProblem(s.Problem, m, n)
		}
		var c *ot.CurveResult
		if err == nil {
			c, err = ot.Curve(ctx, problem, curveRhos(o.Rho), nil)
		}
		var short *ot.ConvergenceError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil || errors.As(err, &short):
			out.Curve = c // A page does without otherwise.
		}
	}
	switch {
	case !s.Robust():
		out.Plain = &s.Result.Value
	case out.Curve != nil && !out.Sampled:
		out.Plain = &out.Curve.Plain
	case m*n <= plainBudget:
		r, err := ot.Exact(ctx, s.Problem, nil)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			out.Plain = &r.Value
		}
	}
	return out, nil
}

// someProblem is p for a random part of its rows.
func someProblem(p *ot.Problem, m, n int) (*ot.Problem, error) {
	rng := rand.New(rand.NewPCG(0, 0x6375727665)) // "curve"
	is, js := someRows(rng, m, pageCurve), someRows(rng, n, pageCurve)
	matrix := make([]float64, 0, len(is)*len(js))
	for _, i := range is {
		for _, j := range js {
			matrix = append(matrix, p.Cost.At(i, j))
		}
	}
	cost, err := ot.NewMatrixCost(len(is), len(js), matrix)
	if err != nil {
		return nil, err
	}
	some := func(w []float64, rows []int) (out []float64) {
		for _, i := range rows {
			if w != nil {
				out = append(out, w[i])
			}
		}
		return out
	}
	return &ot.Problem{Cost: cost, A: some(p.A, is), B: some(p.B, js)}, nil
}

// make draws the page.
func (d *distance) make() (*report.Page, error) {
	for _, s := range d.sides {
		if s.sample != nil && s.sample.Points.Len() != len(s.Base) {
			return nil, fmt.Errorf("page: %s has %d rows, and the %s of the problem %d", s.sample.Name, s.sample.Points.Len(), s.Name, len(s.Base))
		}
	}
	b := newBuilder()
	var charts strings.Builder
	add := func(name, alt string, chart *report.Chart, fig figure.Figure) error {
		fmt.Fprintf(&charts, "![%s](%s)\n\n", alt, name)
		return b.add(name, chart, fig)
	}
	rowMap, still := d.mapChart()
	if rowMap != nil {
		if err := add("map.png", "map of both samples, rows of low weight marked", rowMap, still); err != nil {
			return nil, err
		}
	}
	for _, s := range d.sides {
		if !s.Moves || s.Weights == nil {
			continue
		}
		low, ignored := s.LowRows()
		below := fmt.Sprintf("below %v", ot.LowWeight)
		chart := weightBars("Weights of the "+s.Name, "Relative to those of the input, mean 1.", "rows", s.Weights, low, ignored, [2]string{"kept", below})
		if err := add(s.Name+"-weights.png", "weights of the "+s.Name, chart, &figure.Histogram{Weights: s.Weights, Outlier: low, Note: "orange: " + below}); err != nil {
			return nil, err
		}
	}
	if c := d.Comparison.Curve; c != nil {
		if err := add("curve.png", "cost against the radius", curveChart("What the radius does", d.curveNote(), c, d.Options.Rho), figure.NewCurve("", c, nil)); err != nil {
			return nil, err
		}
	}
	if rowMap != nil && d.Plan != nil {
		charts.WriteString("## Who goes where\n\n")
		if err := add("plan.png", "the plan", nil, d.coupling()); err != nil {
			return nil, err
		}
	}
	title := d.DistanceOptions.Title
	if title == "" {
		title = words.Capital(d.title())
	}
	return b.page(title, d.markdown(charts.String()), title), nil
}

// coupling draws the plan.
func (d *distance) coupling() figure.Figure {
	return Coupling(d.Solution, d.sides[0].sample.Points, d.sides[1].sample.Points)
}

// Coupling returns the figure of the plan of s between the rows x and y.
func Coupling(s *ot.Solution, x, y *ot.Points) figure.Figure {
	c := figure.NewCoupling(s.Title(), x, y, s.Result)
	if len(c.Plan.Mass) == 0 {
		c.Plan = nil // Nothing is worth moving.
	}
	return c
}

// curveNote says what to make of the curve.
func (d *distance) curveNote() string {
	c, of := d.Comparison.Curve, ""
	if d.Comparison.Sampled {
		of = fmt.Sprintf(" Of %d random rows of either side at most, so that its values differ a little from those of all.", pageCurve)
	}
	return elbowNote(c) + of
}

// mapChart draws both clouds; nil when they cannot be drawn.
func (d *distance) mapChart() (*report.Chart, figure.Figure) {
	if d.sides[0].sample == nil || d.sides[1].sample == nil {
		return nil, nil
	}
	var clouds []*ot.Points
	xLabel, yLabel := d.sides[0].sample.Column(0), "weight"
	for _, s := range d.sides {
		p := s.sample.Points
		if p.Dim == 1 {
			flat := &ot.Points{Dim: 2}
			for i, v := range p.Coords {
				flat.Coords = append(flat.Coords, v, s.Weight(i))
			}
			p = flat
		} else if p.Dim == 2 {
			yLabel = d.sides[0].sample.Column(1)
		}
		clouds = append(clouds, p)
	}
	flat, pc1, pc2, err := figure.Plane(clouds...)
	if err != nil {
		return nil, nil
	}
	if pc1 != "" {
		xLabel, yLabel = pc1, pc2
	}
	var shown []*cloud
	for k, s := range d.sides {
		low, _ := s.LowRows()
		weights := make([]float64, len(s.Base))
		for i := range weights {
			weights[i] = s.Weight(i)
		}
		c := &cloud{
			name: s.Name, markedName: fmt.Sprintf("%s, weight below %v", s.Name, ot.LowWeight), other: k == 1, at: flat[k],
			id: s.sample.Points.ID, marked: low, facts: []report.Fact{{Name: "weight", Numbers: weights}},
		}
		if s.Moves {
			c.order = s.Ranked(nil)
		}
		if s.sample.labelled() {
			c.facts = append(c.facts, report.Fact{Name: "label", Words: s.sample.Labels})
		}
		shown = append(shown, c)
	}
	still := figure.NewCoupling("", flat[0], flat[1], d.Result)
	still.Plan, still.XLabel, still.YLabel = nil, xLabel, yLabel
	return cloudChart("Both samples", xLabel, yLabel, 0, shown...), still
}
