package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"rot.example/rot/figure"
	"rot.example/rot/ot"
	"rot.example/rot/report"
)

// A distPage is what a page tells besides the result.
type distPage struct {
	curve   *ot.CurveResult // V(ρ); nil for methods without a radius
	sampled bool            // of some rows only
	plain   *float64        // the cost of plain transport; nil when that was not solved
}

// plainBudget is how many costs plain transport may have to be solved for
// comparison: about a second.
const plainBudget = 1 << 24

// preparePage solves what the page of d shows besides.
func (d *distance) preparePage(ctx context.Context) error {
	d.page = &distPage{}
	o := d.options
	if o.method != methodExact {
		return nil
	}
	m, n := d.problem.Cost.Dims()
	d.page.sampled = !o.auto && (m > pageCurve || n > pageCurve)
	if d.page.curve = o.curve; !o.auto {
		problem, err := d.problem, error(nil)
		if d.page.sampled {
			problem, err = someProblem(d.problem, m, n)
		}
		var c *ot.CurveResult
		if err == nil {
			c, err = ot.Curve(ctx, problem, curveRhos(o.rho), nil)
		}
		var short *ot.ConvergenceError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil || errors.As(err, &short):
			d.page.curve = c // A page does without otherwise.
		}
	}
	switch {
	case !o.robust():
		d.page.plain = &d.result.Value
	case d.page.curve != nil && !d.page.sampled:
		d.page.plain = &d.page.curve.Plain
	case m*n <= plainBudget:
		r, err := ot.Exact(ctx, d.problem, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			d.page.plain = &r.Value
		}
	}
	return nil
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

// lowMarks says which rows have lost most of their weight, and which had none
// to begin with.
func (s *side) lowMarks() (low, skip []bool) {
	low, skip = make([]bool, len(s.base)), make([]bool, len(s.base))
	for i, b := range s.base {
		skip[i] = b <= 0
		low[i] = b > 0 && s.moves && s.weights != nil && s.weights[i] < figure.DefaultLow
	}
	return low, skip
}

// warnings are the classes that lose their weight nearly as a whole. Labels
// that mark outliers are no classes.
func (s *side) warnings() []string {
	if s.table == nil || s.table.Labels == nil || !s.moves || s.weights == nil {
		return nil
	}
	if _, err := s.table.Marks(); err == nil {
		return nil
	}
	low, _ := s.lowMarks()
	shares := classShares(s.table.Labels, low)
	var out []string
	for _, k := range shares {
		if len(shares) > 1 && k.lost() {
			out = append(out, fmt.Sprintf("%d of the %d %s rows of class %q lose most of their weight: a rare class, rather than dirt?", k.gone, k.all, s.name, k.name))
		}
	}
	return out
}

// renderPage is the page.
func (d *distance) renderPage() ([]byte, error) {
	page := &report.Page{Title: "rot dist " + d.options.input.title(), Charts: map[string]*report.Chart{}}
	page.Footer = page.Title
	files := report.Pictures{}
	page.Files = files
	var charts strings.Builder
	add := func(name, alt string, chart *report.Chart, fig figure.Figure) error {
		picture, err := drawn(fig)
		if err != nil {
			return err
		}
		files[name] = picture
		if chart != nil {
			page.Charts[name] = chart
		}
		fmt.Fprintf(&charts, "![%s](%s)\n\n", alt, name)
		return nil
	}
	where, still := d.mapChart()
	if where != nil {
		if err := add("map.png", "map of both samples, rows of low weight marked", where, still); err != nil {
			return nil, err
		}
	}
	for _, s := range []*side{&d.source, &d.target} {
		if !s.moves || s.weights == nil {
			continue
		}
		low, skip := s.lowMarks()
		chart := weightBars("Weights of the "+s.name, "Relative to those of the input, mean 1.", "rows", s.weights, low, skip,
			[2]string{"kept", fmt.Sprintf("below %v", figure.DefaultLow)})
		if err := add(s.name+"-weights.png", "weights of the "+s.name, chart, &figure.Histogram{Weights: s.weights, Outlier: low, Note: fmt.Sprintf("orange: below %v", figure.DefaultLow)}); err != nil {
			return nil, err
		}
	}
	if c := d.page.curve; c != nil {
		if err := add("curve.png", "cost against the radius", curveChart("What the radius does", d.curveNote(), c, d.options.rho), figure.NewCurve("", c, nil)); err != nil {
			return nil, err
		}
	}
	if where != nil && d.result.Plan != nil {
		charts.WriteString("## Who goes where\n\n")
		if err := add("plan.png", "the plan", nil, d.figure()); err != nil {
			return nil, err
		}
	}
	page.Body = d.markdown(charts.String())
	var b bytes.Buffer
	err := report.Write(&b, page)
	return b.Bytes(), err
}

func (d *distance) curveNote() string {
	c, of := d.page.curve, ""
	if d.page.sampled {
		of = fmt.Sprintf(" Of %d random rows of either side at most, so that its values differ a little from those of all.", pageCurve)
	}
	switch {
	case c.Elbow == 0:
		return "There is no elbow: no radius lowers the cost by much more than another does." + of
	case c.Sharpness < faint:
		return "The curve hardly bends anywhere, as it does without far outliers: the elbow is a very rough guess." + of
	}
	return "The curve falls steeply while outliers lose their weight, and slowly once good rows have to; the bend in between, the elbow, is a rough guess of the right radius." + of
}

// mapChart draws both clouds; nil when they cannot be drawn.
func (d *distance) mapChart() (*report.Chart, figure.Figure) {
	if d.input.source == nil {
		return nil, nil
	}
	sides := []*side{&d.source, &d.target}
	var clouds []*ot.Points
	xLabel, yLabel := columnName(d.input.source.Columns, 0), "weight"
	for _, s := range sides {
		p := &s.table.Points
		if p.Dim == 1 {
			flat := &ot.Points{Dim: 2}
			for i, v := range p.Coords {
				flat.Coords = append(flat.Coords, v, s.weight(i))
			}
			p = flat
		} else if p.Dim == 2 {
			yLabel = columnName(d.input.source.Columns, 1)
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
	var shown []*pageCloud
	for k, s := range sides {
		low, _ := s.lowMarks()
		weights := make([]float64, len(s.base))
		for i := range weights {
			weights[i] = s.weight(i)
		}
		cloud := &pageCloud{
			name: s.name, markedName: fmt.Sprintf("%s, weight below %v", s.name, figure.DefaultLow), other: k == 1, at: flat[k],
			id: s.table.Points.ID, marked: low, facts: []report.Fact{{Name: "weight", Numbers: weights}}, order: s.rank(nil),
		}
		if !s.moves {
			cloud.order = nil
		}
		if s.table.Labels != nil {
			cloud.facts = append(cloud.facts, report.Fact{Name: "label", Words: s.table.Labels})
		}
		shown = append(shown, cloud)
	}
	still := figure.NewCoupling("", flat[0], flat[1], d.result)
	still.Plan, still.XLabel, still.YLabel = nil, xLabel, yLabel
	return cloudChart("Both samples", xLabel, yLabel, 0, shown...), still
}

// weight is that of row i; 0 where the plan moves nothing.
func (s *side) weight(i int) float64 {
	if s.weights == nil {
		return 0
	}
	return s.weights[i]
}
