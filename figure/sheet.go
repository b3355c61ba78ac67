package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A sheet is a figure of one plot: title, note, plot, legend.
type sheet struct {
	title, note    string
	xLabel, yLabel string
	x, y           span
	width, height  vg.Length
	plotter        plot.Plotter
	legend         legend
}

func (s *sheet) drawing() *drawing {
	const narrow vg.Length = 180
	fixed := s.legend.height(narrow) + vg.Length(len(titleType.wrap(s.title, narrow)))*titleType.leading() +
		vg.Length(len(noteType.wrap(s.note, narrow)))*noteType.leading()
	return &drawing{
		width: s.width, height: s.height,
		minWidth: narrow + 2*margin, minHeight: fixed + minPanel + 2*margin,
		draw: s.draw,
	}
}

func (s *sheet) draw(c draw.Canvas, _ bool) {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	c = s.legend.draw(c)
	p := newPlot()
	nameAxes(p, c, s.xLabel, s.yLabel)
	setRange(p, s.x, s.y)
	p.Add(s.plotter)
	data := p.DataCanvas(c)
	center := data.Center().X
	c = header(c, center, titleType, titleType.wrap(s.title, c.Size().X))
	c = header(c, center, noteType, noteType.wrap(s.note, c.Size().X))
	if s.title != "" || s.note != "" {
		c.Max.Y -= 4
	}
	p.Draw(c)
}
