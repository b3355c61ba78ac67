package figure

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rot.example/rot/ot"
)

// A Scatter compares samples of generators with the data that they were
// trained on, a panel for each, side by side with equal axes. Points of more
// than two dimensions are projected on the principal components of all panels
// together.
type Scatter struct {
	Title   string
	Panels  []*ScatterPanel // all of one dimension, two or more
	Columns int             // panels in a row; 0 means up to 4

	// Names are what the legend calls data, outliers and what was generated;
	// empty ones mean these words.
	Names [3]string
}

// A ScatterPanel is the point clouds of one panel, of which one may be
// missing. Data is grey, its outliers are orange triangles, and what was
// generated is blue.
type ScatterPanel struct {
	Title string
	Note  string // smaller line under the title

	Data      *ot.Points
	Outlier   []bool // which points of Data are outliers; nil: none or unknown
	Generated *ot.Points

	XLabel, YLabel string // axis labels; empty: none, or the principal components
}

// The kinds of points of a scatter, in the order in which they are drawn.
const (
	dataDots = iota
	outlierDots
	generatedDots
)

// dotKinds is how they look. What was generated lies on top, and is smaller so
// that the data can be seen around it.
var dotKinds = [...]struct {
	name  string
	shape shape
	color color.NRGBA
	size  vg.Length // relative to the usual one
}{
	dataDots:      {"data", circle, dataColor, 1.3},
	outlierDots:   {"outliers in the data", triangle, outlierColor, 1.3},
	generatedDots: {"generated", circle, sourceColor, 0.8},
}

// A scatterTile is a checked panel with its points in the plane, of which
// clouds has one for each kind.
type scatterTile struct {
	*ScatterPanel
	clouds [len(dotKinds)]cloud
}

func (s *Scatter) prepare() (*drawing, error) {
	g, err := s.grid()
	if err != nil {
		return nil, fmt.Errorf("figure: scatter: %w", err)
	}
	return g.drawing(), nil
}

// grid checks s and gives all panels the same ranges.
func (s *Scatter) grid() (*grid, error) {
	if s == nil || len(s.Panels) == 0 {
		return nil, fmt.Errorf("no panels: %w", ot.ErrShape)
	}
	if s.Columns < 0 {
		return nil, fmt.Errorf("%d columns: %w", s.Columns, ot.ErrOption)
	}
	var all []*ot.Points
	for k, p := range s.Panels {
		clouds, err := p.check()
		if err == nil && len(all) > 0 && clouds[0].Dim != all[0].Dim {
			err = fmt.Errorf("dimension %d, the first panel has %d: %w", clouds[0].Dim, all[0].Dim, ot.ErrShape)
		}
		if err != nil {
			return nil, fmt.Errorf("panel %d: %w", k, err)
		}
		all = append(all, clouds...)
	}
	pr, err := project(all)
	if err != nil {
		return nil, err
	}
	g := &grid{title: s.Title, columns: s.Columns}
	g.xLabel, g.yLabel = pr.labels()
	var n [len(dotKinds)]int
	var r ranges
	for _, p := range s.Panels {
		t := newScatterTile(p, pr)
		g.tiles = append(g.tiles, t)
		for k, c := range t.clouds {
			n[k] += len(c.at)
			r.add(c.at)
		}
	}
	g.x, g.y, g.ownUnits = r.spans(panelRoom)
	g.legend = scatterLegend(n, s.Names, len(s.Panels) == 1)
	return g, nil
}

// check reports the first thing that makes p impossible to draw, and returns
// the clouds that it has.
func (p *ScatterPanel) check() (clouds []*ot.Points, err error) {
	if p == nil || p.Data == nil && p.Generated == nil {
		return nil, fmt.Errorf("no points: %w", ot.ErrShape)
	}
	for k, c := range []*ot.Points{p.Data, p.Generated} {
		if c == nil {
			continue
		}
		side := [...]string{"data", "generated"}[k]
		if err := checkCloud(side, c, nil); err != nil {
			return nil, err
		}
		if c.Dim < 2 {
			return nil, fmt.Errorf("%s has one column, a scatter needs two: %w", side, ot.ErrShape)
		}
		clouds = append(clouds, c)
	}
	if len(clouds) == 2 && clouds[0].Dim != clouds[1].Dim {
		return nil, fmt.Errorf("data has %d columns, generated has %d: %w", clouds[0].Dim, clouds[1].Dim, ot.ErrShape)
	}
	if p.Outlier != nil && (p.Data == nil || len(p.Outlier) != p.Data.Len()) {
		return nil, fmt.Errorf("%d outlier marks do not fit the data: %w", len(p.Outlier), ot.ErrShape)
	}
	return clouds, nil
}

func newScatterTile(p *ScatterPanel, pr *projection) *scatterTile {
	t := &scatterTile{ScatterPanel: p}
	var at [len(dotKinds)][]xy
	if p.Data != nil {
		for i, q := range pr.apply(p.Data, 0) {
			kind := dataDots
			if p.Outlier != nil && p.Outlier[i] {
				kind = outlierDots
			}
			at[kind] = append(at[kind], q)
		}
	}
	if p.Generated != nil {
		at[generatedDots] = pr.apply(p.Generated, 0)
	}
	crowd := len(slices.Concat(at[:]...))
	for k, kind := range dotKinds {
		// All dots of a panel are of a size, but a few are not as pale as many.
		dots := newDotStyle(kind.shape, kind.color, crowd).scaled(kind.size)
		dots.color = newDotStyle(kind.shape, kind.color, max(len(at[k]), 1)).color
		t.clouds[k] = cloud{at: at[k], solid: evenly(len(at[k]), maxDots), dots: dots}
	}
	return t
}

func (t *scatterTile) texts() texts {
	var omitted []string
	for k, c := range t.clouds {
		if c.drawn() < len(c.at) {
			omitted = append(omitted, fmt.Sprintf("%s of %s points drawn (%s)", count(c.drawn()), count(len(c.at)), dotKinds[k].name))
		}
	}
	return texts{t.Title, []string{t.Note, strings.Join(omitted, "; ")}, t.XLabel, t.YLabel}
}

func (t *scatterTile) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	scale := markScale(c.Size().X)
	for _, cloud := range t.clouds {
		dots := cloud.dots.scaled(scale)
		for _, i := range cloud.solid {
			dots.solid(c, vg.Point{X: x(cloud.at[i].x), Y: y(cloud.at[i].y)})
		}
	}
}

func (t *scatterTile) marks() int {
	n := 0
	for _, c := range t.clouds {
		n += c.drawn()
	}
	return n
}

// scatterLegend explains the kinds of points that occur, n of each. How many
// there are is of use in a single panel only.
func scatterLegend(n [len(dotKinds)]int, names [len(dotKinds)]string, counted bool) legend {
	var l legend
	for k, kind := range dotKinds {
		if n[k] == 0 {
			continue
		}
		text := orElse(names[k], kind.name)
		if counted {
			text += fmt.Sprintf(" (%s)", count(n[k]))
		}
		l = append(l, key{text, dotWidth, newDotStyle(kind.shape, kind.color, 1).sample(false)})
	}
	return l
}
