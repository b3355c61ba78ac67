package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rot.example/rot/ot"
)

// Couplings draws several couplings side by side with equal axes, so that
// lengths compare across panels. Points of more than two dimensions are
// projected on the principal components of all panels together.
type Couplings struct {
	Title   string
	Panels  []*Coupling // all of one dimension
	Columns int         // panels in a row; 0 means up to 4
}

const levelRoom = 0.12 // room above and below the two levels of points on a line

// A panel is a checked coupling with its points in the plane.
type panel struct {
	*Coupling
	source, target cloud
	links          []link
	note           string
}

func (cs *Couplings) prepare() (*drawing, error) {
	g, err := cs.grid()
	if err != nil {
		return nil, err
	}
	return g.drawing(), nil
}

// grid checks cs and gives all panels the same ranges.
func (cs *Couplings) grid() (*grid, error) {
	if cs == nil || len(cs.Panels) == 0 {
		return nil, fmt.Errorf("figure: no panels: %w", ot.ErrShape)
	}
	if cs.Columns < 0 {
		return nil, fmt.Errorf("figure: %d columns: %w", cs.Columns, ot.ErrOption)
	}
	panels, pr, err := cs.panels()
	if err != nil {
		return nil, err
	}
	g := &grid{title: cs.Title, columns: cs.Columns, levels: panels[0].X.Dim == 1}
	g.xLabel, g.yLabel = pr.labels()
	var r ranges
	for _, p := range panels {
		g.tiles = append(g.tiles, p)
		r.add(p.source.at)
		r.add(p.target.at)
	}
	g.x, g.y, g.ownUnits = r.spans(panelRoom)
	if g.levels {
		g.x, g.y = emptySpan().with(r.x...).padded(panelRoom), span{0, 1}.padded(levelRoom)
	}
	g.legend = couplingLegend(panels)
	return g, nil
}

// panels checks every coupling and places its points and links.
func (cs *Couplings) panels() ([]*panel, *projection, error) {
	var clouds []*ot.Points
	for k, c := range cs.Panels {
		err := c.check()
		if err == nil && c.X.Dim != cs.Panels[0].X.Dim {
			err = fmt.Errorf("dimension %d, the first panel has %d: %w", c.X.Dim, cs.Panels[0].X.Dim, ot.ErrShape)
		}
		if err != nil && len(cs.Panels) > 1 {
			err = fmt.Errorf("panel %d: %w", k, err)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("figure: %w", err)
		}
		clouds = append(clouds, c.X, c.Y)
	}
	pr, err := project(clouds)
	if err != nil {
		return nil, nil, err
	}
	var out []*panel
	for _, c := range cs.Panels {
		limit := c.MaxLinks
		if limit == 0 {
			limit = DefaultMaxLinks
		}
		p := &panel{
			Coupling: c,
			source:   newCloud(pr.apply(c.X, 0), c.A, c.low(), circle),
			target:   newCloud(pr.apply(c.Y, 1), c.B, c.low(), triangle),
		}
		var entries int
		var share float64
		p.links, entries, share = links(c.Plan, limit)
		p.note = omissions(p.source, p.target, len(p.links), entries, share)
		out = append(out, p)
	}
	return out, pr, nil
}

// Plot draws links, then points, then hollow points, which a reader looks for.
func (p *panel) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	scale := markScale(c.Size().X)
	source, target := p.source.dots.scaled(scale), p.target.dots.scaled(scale)
	place := func(q xy) vg.Point { return vg.Point{X: x(q.x), Y: y(q.y)} }
	for _, l := range p.links {
		c.StrokeLines(l.lineStyle(scale), []vg.Point{place(p.source.at[l.i]), place(p.target.at[l.j])})
	}
	// The clouds take turns, in proportion: the one drawn last would hide the
	// other where both are dense.
	s, t := p.source.solid, p.target.solid
	for i, j := 0, 0; i < len(s) || j < len(t); {
		if j == len(t) || i < len(s) && i*len(t) <= j*len(s) {
			source.solid(c, place(p.source.at[s[i]]))
			i++
		} else {
			target.solid(c, place(p.target.at[t[j]]))
			j++
		}
	}
	for _, i := range p.source.hollow {
		source.hollow(c, place(p.source.at[i]))
	}
	for _, j := range p.target.hollow {
		target.hollow(c, place(p.target.at[j]))
	}
}

func (p *panel) marks() int {
	return len(p.links) + len(p.source.solid) + len(p.target.solid) + 2*(len(p.source.hollow)+len(p.target.hollow))
}

func (p *panel) texts() texts {
	return texts{p.Title, []string{p.Note, p.note}, p.XLabel, p.YLabel}
}

// couplingLegend explains the marks that occur in any panel.
func couplingLegend(panels []*panel) legend {
	first := panels[0]
	source, target := "source", "target"
	if len(panels) == 1 {
		source += fmt.Sprintf(" (%s)", count(first.X.Len()))
		target += fmt.Sprintf(" (%s)", count(first.Y.Len()))
	}
	l := legend{{source, dotWidth, first.source.dots.sample(false)}, {target, dotWidth, first.target.dots.sample(false)}}
	var hollowSource, hollowTarget, linked bool
	low := first.low()
	for _, p := range panels {
		hollowSource = hollowSource || len(p.source.hollow) > 0
		hollowTarget = hollowTarget || len(p.target.hollow) > 0
		linked = linked || len(p.links) > 0
		low = math.Max(low, p.low())
	}
	if hollowSource {
		l = append(l, key{"source, weight < " + number(low), dotWidth, first.source.dots.sample(true)})
	}
	if hollowTarget {
		l = append(l, key{"target, weight < " + number(low), dotWidth, first.target.dots.sample(true)})
	}
	if linked {
		l = append(l, key{"link, wider for more mass", lineWidth, massSample})
	}
	return l
}

// massSample is three links, from light to heavy.
func massSample(c draw.Canvas) {
	for k, weight := range []float64{0.1, 0.45, 1} {
		l := link{weight: weight}
		l.style(40)
		y := c.Center().Y + vg.Length(3.2*float64(1-k))
		c.StrokeLine2(l.lineStyle(1), c.Min.X, y, c.Max.X, y)
	}
}
