package figure

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rot.example/rot/ot"
)

// LossCurves shows how a run went: quantities over its steps, those of one
// kind in one panel, the panels on top of each other over the same steps.
type LossCurves struct {
	Title  string
	Note   string  // smaller line under the title
	XLabel string  // empty: "step"
	XUnit  float64 // what a step is on the axis; 0 means 1
	Panels []LossPanel
}

// A LossPanel is the quantities that share an axis.
type LossPanel struct {
	Label  string // of the axis
	Series []Series
}

// A Series is a quantity that was logged at some steps.
type Series struct {
	Name  string
	Step  []int // not decreasing
	Value []float64
}

// Okabe and Ito's colours, the darker ones first. Series beyond them are
// dashed.
var seriesColors = []color.NRGBA{
	sourceColor, targetColor, linkColor,
	{R: 0xCC, G: 0x79, B: 0xA7, A: 0xFF}, {R: 0xE6, G: 0x9F, B: 0x00, A: 0xFF}, {R: 0x56, G: 0xB4, B: 0xE9, A: 0xFF},
}

// seriesLine is how series k of a panel looks, thinner when it has many points
// and may be noisy.
func seriesLine(k, points int) draw.LineStyle {
	sty := draw.LineStyle{Color: seriesColors[k%len(seriesColors)], Width: 1.1}
	if points > maxTrace/2 {
		sty.Width = 0.6
	}
	if k >= len(seriesColors) {
		sty.Dashes = []vg.Length{4, 2}
	}
	return sty
}

const maxTrace = 2000 // points of a drawn line: more than a screen has columns

func (lc *LossCurves) prepare() (*drawing, error) {
	s, err := lc.stack()
	if err != nil {
		return nil, fmt.Errorf("figure: loss curves: %w", err)
	}
	return s.drawing(), nil
}

// stack checks the data and thins it out.
func (lc *LossCurves) stack() (*stack, error) {
	if lc == nil || len(lc.Panels) == 0 {
		return nil, fmt.Errorf("no panels: %w", ot.ErrShape)
	}
	s := &stack{title: lc.Title, note: lc.Note, xLabel: orElse(lc.XLabel, "step"), x: emptySpan()}
	unit := lc.XUnit
	if unit == 0 {
		unit = 1
	}
	for _, p := range lc.Panels {
		if len(p.Series) == 0 {
			return nil, fmt.Errorf("panel %q has no series: %w", p.Label, ot.ErrShape)
		}
		sp := stackPanel{yLabel: p.Label, y: emptySpan()}
		for k, series := range p.Series {
			at, err := series.thinned()
			if err != nil {
				return nil, fmt.Errorf("series %q: %w", series.Name, err)
			}
			for i := range at {
				at[i].x *= unit
				q := at[i]
				s.x, sp.y = s.x.with(q.x), sp.y.with(q.y)
			}
			sp.traces = append(sp.traces, trace{at, seriesLine(k, len(at))})
			sp.legend = append(sp.legend, key{keyType.fit(series.Name, 150), lineWidth, lineSample(seriesLine(k, 0))})
		}
		if len(p.Series) == 1 && (p.Label == "" || strings.EqualFold(p.Label, p.Series[0].Name)) {
			sp.yLabel, sp.legend = p.Series[0].Name, nil // The axis says it all.
		}
		if n := len(s.panels); n > 0 && len(sp.legend) > 0 && sameSeries(lc.Panels[n-1].Series, p.Series) {
			sp.legend = nil // That of the panel above serves both.
		}
		sp.y = sp.y.padded(0.06)
		s.panels = append(s.panels, sp)
	}
	s.x = s.x.padded(0.01)
	return s, nil
}

// sameSeries tells whether panels show the same things.
func sameSeries(a, b []Series) bool {
	return slices.EqualFunc(a, b, func(x, y Series) bool { return x.Name == y.Name })
}

// thinned checks a series and returns the points to draw. Of many, the lowest
// and the highest in each stretch are drawn, so that no spike is lost.
func (s *Series) thinned() ([]xy, error) {
	if len(s.Step) == 0 || len(s.Step) != len(s.Value) {
		return nil, fmt.Errorf("%d steps and %d values: %w", len(s.Step), len(s.Value), ot.ErrShape)
	}
	all := make([]xy, len(s.Step))
	for k, v := range s.Value {
		if !drawable(v) {
			return nil, fmt.Errorf("value %d is %v: %w", k, v, ot.ErrValue)
		}
		if k > 0 && s.Step[k] < s.Step[k-1] {
			return nil, fmt.Errorf("step %d after step %d: %w", s.Step[k], s.Step[k-1], ot.ErrValue)
		}
		all[k] = xy{float64(s.Step[k]), v}
	}
	if len(all) <= maxTrace {
		return all, nil
	}
	const stretches = maxTrace / 2
	out := make([]xy, 0, maxTrace)
	for k := range stretches {
		part := all[k*len(all)/stretches : (k+1)*len(all)/stretches]
		low, high := 0, 0
		for i, q := range part {
			if q.y < part[low].y {
				low = i
			}
			if q.y > part[high].y {
				high = i
			}
		}
		out = append(out, part[min(low, high)], part[max(low, high)])
	}
	return out, nil
}
