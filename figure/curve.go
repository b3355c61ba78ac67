package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rot.example/rot/ot"
)

// A Curve is the elbow curve: the value V(ρ) of robust transport against the
// radius ρ. Only Rho and Value are needed.
type Curve struct {
	Title string
	Note  string // smaller line under the title

	Rho   []float64 // radii that were solved, increasing, from 0 up
	Value []float64 // V at Rho
	Lower []float64 // certified lower bounds at Rho; nil: not drawn

	Grid             []float64 // finer radii, increasing, for the three that follow; nil means Rho
	LowerAt, UpperAt []float64 // certified bounds of V on Grid, shaded between; nil: no shade
	Bound            []float64 // the theorem's upper bound on Grid; nil: none

	Elbow  float64 // the chosen radius; 0: not marked
	RhoMax float64 // radius from which V stays the same; 0: not marked
	Plain  float64 // value of plain transport; 0 means Value where Rho is 0, if it is there
	XMax   float64 // right end of the axis; 0 means the largest radius in Rho

	XLabel, YLabel string // empty: "radius ρ" and "robust transport cost V(ρ)"
	BoundLabel     string // empty: "bound of Theorem 2"
}

// NewCurve returns the figure of a curve, with the bound of Theorem 2 where theorem is not nil.
func NewCurve(title string, c *ot.CurveResult, theorem *ot.TheoremBound) *Curve {
	f := &Curve{Title: title, Elbow: c.Elbow, Plain: c.Plain}
	for _, p := range c.Points {
		f.Rho = append(f.Rho, p.Rho)
		f.Value = append(f.Value, p.Value)
		f.Lower = append(f.Lower, p.Lower)
	}
	const steps = 400
	top := f.Rho[len(f.Rho)-1]
	if c.RhoMax <= top {
		f.RhoMax = c.RhoMax
	}
	for k := 0; k <= steps && top > 0; k++ {
		// Squares lie close where V is steep, near 0.
		rho := top * float64(k*k) / (steps * steps)
		lower, upper := c.Bounds(rho)
		f.Grid = append(f.Grid, rho)
		f.LowerAt = append(f.LowerAt, lower)
		f.UpperAt = append(f.UpperAt, upper)
		// Without a distance of the clean rows to compare with, there is none.
		if theorem != nil && theorem.Clean > 0 {
			f.Bound = append(f.Bound, theorem.At(rho))
		}
	}
	if theorem != nil {
		f.Note = fmt.Sprintf("%.3g %% of the source are marked as outliers", 100*theorem.Gamma)
	}
	return f
}

var (
	curveLine = draw.LineStyle{Color: sourceColor, Width: 1.5}
	bandFill  = draw.LineStyle{Color: faded(sourceColor, 0.22)}
	bandEdge  = draw.LineStyle{Color: faded(sourceColor, 0.5), Width: 0.4}
	boundLine = draw.LineStyle{Color: targetColor, Width: 1.2, Dashes: []vg.Length{5, 3}}
	elbowLine = draw.LineStyle{Color: inkColor, Width: 0.9, Dashes: []vg.Length{2, 2}}
	limitLine = draw.LineStyle{Color: mutedColor, Width: 0.7, Dashes: []vg.Length{1, 2}}
	solvedDot = dotStyle{shape: circle, color: sourceColor, radius: 2.1}
	plainDot  = dotStyle{shape: triangle, color: inkColor, radius: 2.8}
)

func (c *Curve) prepare() (*drawing, error) {
	if c == nil {
		return nil, fmt.Errorf("figure: no curve: %w", ot.ErrShape)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("figure: curve: %w", err)
	}
	s := &sheet{
		title: c.Title, note: c.Note, legend: c.legend(), width: 480, height: 320,
		xLabel: orElse(c.XLabel, "radius ρ"), yLabel: orElse(c.YLabel, "robust transport cost V(ρ)"),
		plotter: curvePlot{c},
	}
	s.x, s.y = c.ranges()
	return s.drawing(), nil
}

func (c *Curve) check() error {
	if len(c.Rho) == 0 {
		return fmt.Errorf("no points: %w", ot.ErrShape)
	}
	grid := c.grid()
	for _, col := range []struct {
		name   string
		values []float64
		want   int // −1: as many as there are
	}{
		{"rho", c.Rho, -1}, {"value", c.Value, len(c.Rho)}, {"grid", grid, -1},
		{"lower", c.Lower, len(c.Rho)}, {"lower at", c.LowerAt, len(grid)},
		{"upper at", c.UpperAt, len(grid)}, {"bound", c.Bound, len(grid)},
		{"elbow, rho max, plain, x max", []float64{c.Elbow, c.RhoMax, c.Plain, c.XMax}, -1},
	} {
		if col.want >= 0 && len(col.values) != col.want && (col.values != nil || col.name == "value") {
			return fmt.Errorf("%d entries of %s for %d radii: %w", len(col.values), col.name, col.want, ot.ErrShape)
		}
		for k, v := range col.values {
			if !drawable(v) {
				return fmt.Errorf("%s: entry %d is %v: %w", col.name, k, v, ot.ErrValue)
			}
		}
	}
	if (c.LowerAt == nil) != (c.UpperAt == nil) {
		return fmt.Errorf("lower at and upper at come together: %w", ot.ErrShape)
	}
	if err := increasing("rho", c.Rho); err != nil {
		return err
	}
	if err := increasing("grid", grid); err != nil {
		return err
	}
	for _, v := range []float64{c.Elbow, c.RhoMax, c.XMax} {
		if v < 0 {
			return fmt.Errorf("elbow %v, rho max %v or x max %v is negative: %w", c.Elbow, c.RhoMax, c.XMax, ot.ErrOption)
		}
	}
	return nil
}

// increasing reports the first radius that is negative or not above the one
// before it.
func increasing(name string, rho []float64) error {
	last := math.Inf(-1)
	for k, v := range rho {
		if v < 0 || v <= last {
			return fmt.Errorf("%s: entry %d is %v, radii start at 0 and increase: %w", name, k, v, ot.ErrValue)
		}
		last = v
	}
	return nil
}

func (c *Curve) grid() []float64 {
	if c.Grid == nil {
		return c.Rho
	}
	return c.Grid
}

// plain is the value of plain transport, when it is known.
func (c *Curve) plain() (float64, bool) {
	switch {
	case c.Plain != 0:
		return c.Plain, true
	case c.Rho[0] == 0:
		return c.Value[0], true
	}
	return 0, false
}

// ranges shows every value and lower bound. The theorem's bound may leave the
// picture: it can be many times the value, which would then look flat.
func (c *Curve) ranges() (x, y span) {
	x = span{0, c.Rho[len(c.Rho)-1]}.with(c.Elbow)
	if c.XMax > 0 {
		x = span{0, c.XMax}.with(c.Elbow)
	}
	y = emptySpan().with(c.Value...).with(c.Lower...).with(c.LowerAt...).with(c.UpperAt...)
	if v, ok := c.plain(); ok {
		y = y.with(v)
	}
	if len(c.Bound) > 0 {
		y = y.with(math.Min(slices.Max(c.Bound), y.max+0.5*math.Abs(y.max)))
	}
	// From zero where that costs little: then heights compare as the costs do.
	if y.min > 0 && y.min < 0.6*y.max {
		y.min = 0
	}
	padded := y.padded(0.06)
	if y.min == 0 && y.max > 0 {
		padded.min = 0
	}
	if x.length() < tooSmall {
		x.max = 1
	}
	return span{x.min - 0.02*x.length(), x.max + 0.02*x.length()}, padded
}

func (c *Curve) legend() legend {
	l := legend{{"V(ρ), solved", lineWidth, func(b draw.Canvas) {
		lineSample(curveLine)(b)
		solvedDot.solid(b, b.Center())
	}}}
	if c.UpperAt != nil {
		l = append(l, key{"certified range", lineWidth, patchSample(bandFill, bandEdge)})
	}
	if c.Bound != nil {
		l = append(l, key{keyType.fit(orElse(c.BoundLabel, "bound of Theorem 2"), 150), lineWidth, lineSample(boundLine)})
	}
	if x, _ := c.ranges(); c.RhoMax > x.max {
		l = append(l, key{"ρ max = " + number(c.RhoMax) + ", off the axis", lineWidth, lineSample(limitLine)})
	}
	if v, ok := c.plain(); ok {
		l = append(l, key{"plain transport: " + number(v), dotWidth, plainDot.sample(false)})
	}
	return l
}

// A curvePlot draws a checked Curve.
type curvePlot struct{ *Curve }

func (c curvePlot) Plot(canvas draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&canvas)
	trace := func(rho, v []float64) []vg.Point {
		pts := make([]vg.Point, len(v))
		for k := range v {
			pts[k] = vg.Point{X: x(rho[k]), Y: y(v[k])}
		}
		return pts
	}
	lower, upper := trace(c.grid(), c.LowerAt), trace(c.grid(), c.UpperAt)
	if len(upper) > 0 {
		ring := slices.Clone(lower)
		slices.Reverse(ring)
		canvas.FillPolygon(bandFill.Color, canvas.ClipPolygonXY(append(slices.Clone(upper), ring...)))
		canvas.StrokeLines(bandEdge, canvas.ClipLinesXY(lower, upper)...)
	}
	bound, value := trace(c.grid(), c.Bound), trace(c.Rho, c.Value)
	names := labels{canvas: canvas}
	names.avoid(canvas.ClipLinesXY(bound, value, lower)...)

	if c.RhoMax > 0 {
		names.vertical(x(c.RhoMax), limitLine, tickType, "ρ max = "+number(c.RhoMax))
	}
	if c.Elbow > 0 {
		names.vertical(x(c.Elbow), elbowLine, axisType, c.elbowLabel())
	}
	canvas.StrokeLines(boundLine, canvas.ClipLinesXY(bound)...)
	canvas.StrokeLines(curveLine, canvas.ClipLinesXY(value)...)
	for k, at := range value {
		if !canvas.Contains(at) {
			continue
		}
		if c.Lower != nil {
			canvas.StrokeLine2(draw.LineStyle{Color: sourceColor, Width: 0.8}, at.X, y(c.Lower[k]), at.X, at.Y)
		}
		solvedDot.solid(canvas, at)
	}
	if v, ok := c.plain(); ok {
		plainDot.solid(canvas, vg.Point{X: x(0), Y: y(v)})
	}
}

// elbowLabel names the elbow, with its value where that was solved.
func (c *Curve) elbowLabel() string {
	s := "elbow ρ = " + number(c.Elbow)
	if k, ok := slices.BinarySearch(c.Rho, c.Elbow); ok {
		s += ", V = " + number(c.Value[k])
	}
	return s
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
