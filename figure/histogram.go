package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rot.example/rot/ot"
)

// A Histogram shows how sample weights are distributed, those of outliers
// apart from the rest when they are marked. Each group adds up to one, so that
// a few outliers compare with many clean samples.
type Histogram struct {
	Title string
	Note  string // smaller line under the title

	Weights []float64 // one per sample, at least 0
	Outlier []bool    // which samples are outliers; nil: unknown
	Bins    int       // 0 means about √n, between 10 and 40

	XLabel, YLabel string // empty: "weight" and "share of the group"
}

// A group is one of the histograms on top of each other.
type group struct {
	name  string
	color color.NRGBA
	n     int
	mean  float64
	share []float64 // of the group, in each bin
}

// bins is a checked Histogram, counted.
type bins struct {
	edges  []float64
	groups []group
}

func (h *Histogram) prepare() (*drawing, error) {
	b, err := h.count()
	if err != nil {
		return nil, fmt.Errorf("figure: histogram: %w", err)
	}
	s := &sheet{
		title: h.Title, note: h.Note, width: 430, height: 290, plotter: b,
		xLabel: orElse(h.XLabel, "weight"), yLabel: h.YLabel,
	}
	switch {
	case s.yLabel != "":
	case len(b.groups) > 1:
		s.yLabel = "share of the group"
	default:
		s.yLabel = "share of the samples"
	}
	s.y = span{0, 0}
	for _, g := range b.groups {
		s.y = s.y.with(g.share...)
		s.legend = append(s.legend, key{
			fmt.Sprintf("%s (n = %s, mean %s)", g.name, count(g.n), number(g.mean)),
			lineWidth, patchSample(g.fill(), g.outline()),
		})
	}
	s.y.max *= 1.06
	s.x = span{b.edges[0], b.edges[len(b.edges)-1]}
	s.x = s.x.widen(1.04 * s.x.length())
	return s.drawing(), nil
}

// count checks the data and sorts it into bins.
func (h *Histogram) count() (*bins, error) {
	switch {
	case h == nil || len(h.Weights) == 0:
		return nil, fmt.Errorf("no weights: %w", ot.ErrShape)
	case h.Outlier != nil && len(h.Outlier) != len(h.Weights):
		return nil, fmt.Errorf("%d outlier marks for %d weights: %w", len(h.Outlier), len(h.Weights), ot.ErrShape)
	case h.Bins < 0:
		return nil, fmt.Errorf("%d bins: %w", h.Bins, ot.ErrOption)
	}
	var top float64
	for i, w := range h.Weights {
		if !(w >= 0) || !drawable(w) {
			return nil, fmt.Errorf("weight %d is %v: %w", i, w, ot.ErrWeights)
		}
		top = math.Max(top, w)
	}
	if top < tooSmall {
		top = 1
	}
	n := h.Bins
	if n == 0 {
		n = int(clamp(math.Sqrt(float64(len(h.Weights))), 10, 40))
	}
	width := top / (float64(n) - 0.5) // The largest weight lies in the middle of the last bin.
	b := &bins{edges: make([]float64, n+1)}
	for k := range b.edges {
		b.edges[k] = width * float64(k)
	}
	groups := []group{{name: "samples", color: sourceColor}}
	if h.Outlier != nil {
		groups = []group{{name: "in distribution", color: sourceColor}, {name: "outliers", color: outlierColor}}
	}
	for g := range groups {
		groups[g].share = make([]float64, n)
	}
	for i, w := range h.Weights {
		g := &groups[0]
		if h.Outlier != nil && h.Outlier[i] {
			g = &groups[1]
		}
		g.n++
		g.mean += w
		g.share[min(int(w/width), n-1)]++
	}
	for _, g := range groups {
		if g.n == 0 {
			continue
		}
		g.mean /= float64(g.n)
		for k := range g.share {
			g.share[k] /= float64(g.n)
		}
		b.groups = append(b.groups, g)
	}
	return b, nil
}

func (g group) fill() draw.LineStyle    { return draw.LineStyle{Color: faded(g.color, 0.35)} }
func (g group) outline() draw.LineStyle { return draw.LineStyle{Color: g.color, Width: 0.9} }

// Plot draws each group as the outline of its bins. Empty bins are left out:
// the base lines of the groups would lie on top of each other.
func (b *bins) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	for _, g := range b.groups {
		for _, r := range runs(g.share) {
			steps := []vg.Point{{X: x(b.edges[r.first]), Y: y(0)}}
			for k := r.first; k < r.end; k++ {
				h := y(g.share[k])
				steps = append(steps, vg.Point{X: x(b.edges[k]), Y: h}, vg.Point{X: x(b.edges[k+1]), Y: h})
			}
			steps = append(steps, vg.Point{X: x(b.edges[r.end]), Y: y(0)})
			c.FillPolygon(g.fill().Color, steps)
			c.StrokeLines(g.outline(), steps)
		}
	}
}

// A run is a range of neighbouring bins.
type run struct{ first, end int }

// runs is the longest ranges of bins that are not empty.
func runs(share []float64) []run {
	var out []run
	for k, v := range share {
		switch {
		case v == 0:
		case k > 0 && share[k-1] > 0:
			out[len(out)-1].end = k + 1
		default:
			out = append(out, run{k, k + 1})
		}
	}
	return out
}
