package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A stack lays out plots on top of each other under a common title. They share
// the x axis, which the lowest one names.
type stack struct {
	title, note string
	xLabel      string
	x           span
	panels      []stackPanel
}

// A stackPanel is one plot of a stack, with its legend above it.
type stackPanel struct {
	yLabel string
	y      span
	traces []trace
	legend legend
}

// A trace is a line of a plot.
type trace struct {
	at    []xy
	style draw.LineStyle
}

const (
	stackWidth  vg.Length = 480
	stackHeight vg.Length = 110 // of the frame of a plot
	minStack    vg.Length = 50
	stackGap    vg.Length = 12

	fewPoints = 12 // of a trace, that are marked
)

func (s *stack) drawing() *drawing {
	const narrow vg.Length = 220
	height := func(width, frame vg.Length) vg.Length {
		return s.fixedHeight(width-2*margin) + vg.Length(len(s.panels))*frame + 2*margin
	}
	return &drawing{
		width: stackWidth, height: height(stackWidth, stackHeight),
		minWidth: narrow, minHeight: height(narrow, minStack),
		draw: s.draw,
	}
}

// fixedHeight is the height of all but the frames.
func (s *stack) fixedHeight(width vg.Length) vg.Length {
	h := vg.Length(len(titleType.wrap(s.title, width)))*titleType.leading() +
		vg.Length(len(noteType.wrap(s.note, width)))*noteType.leading()
	room := s.room(width)
	for k := range s.panels {
		h += s.above(k, width-room.Min.X-room.Max.X)
	}
	return h + room.Min.Y
}

// room is what axes take of the given width on the left and right, and below
// the lowest plot.
func (s *stack) room(width vg.Length) (r vg.Rectangle) {
	for k := range s.panels {
		c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: width, Y: 2 * stackHeight}}}
		data := s.plot(k, c).DataCanvas(c)
		r.Min.X = max(r.Min.X, data.Min.X)
		r.Max.X = max(r.Max.X, width-data.Max.X)
		r.Min.Y = data.Min.Y // of the last one
	}
	return r
}

// above is the room between the frame of panel k and what is over it.
func (s *stack) above(k int, width vg.Length) vg.Length {
	if h := s.panels[k].legend.height(width); h > 0 {
		return h + 2
	}
	return stackGap
}

// plot is the plot of panel k for a canvas of about the size of c.
func (s *stack) plot(k int, c draw.Canvas) *plot.Plot {
	p := newPlot()
	xLabel := s.xLabel
	if k < len(s.panels)-1 {
		xLabel = ""
		p.X.Tick.Marker = blank(p.X.Tick.Marker)
		p.X.Tick.Label.Font.Size = 0.1
	}
	nameAxes(p, c, xLabel, s.panels[k].yLabel)
	p.Y.Tick.Marker = niceTicks(5)
	setRange(p, s.x, s.panels[k].y)
	p.Add(s.panels[k])
	return p
}

// blank is the ticks of t with nothing to read. A tick without any label would
// be a minor one, which has no grid line.
func blank(t plot.Ticker) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		ticks := t.Ticks(lo, hi)
		for k := range ticks {
			ticks[k].Label = " "
		}
		return ticks
	})
}

func (s *stack) draw(c draw.Canvas, _ bool) {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	width := c.Size().X
	height := (c.Size().Y - s.fixedHeight(width)) / vg.Length(len(s.panels))
	room := s.room(width)
	frame := draw.Crop(c, room.Min.X, -room.Max.X, 0, 0)

	c = header(c, frame.Center().X, titleType, titleType.wrap(s.title, width))
	c = header(c, frame.Center().X, noteType, noteType.wrap(s.note, width))
	frame.Max.Y = c.Max.Y
	for k, p := range s.panels {
		strip := frame
		frame.Max.Y -= s.above(k, frame.Size().X)
		strip.Min.Y = frame.Max.Y + 2
		p.legend.draw(strip)
		frame.Min.Y = frame.Max.Y - height
		plt := s.plot(k, frame)
		plt.Draw(around(plt, frame))
		frame.Max.Y = frame.Min.Y
	}
}

// around is the canvas on which the data of p fills the given frame, so that
// plots line up whatever room their tick labels take.
func around(p *plot.Plot, frame draw.Canvas) draw.Canvas {
	c := frame
	for range 4 { // The room depends on the size, though not by much.
		d := p.DataCanvas(c)
		c.Min = c.Min.Add(frame.Min.Sub(d.Min))
		c.Max = c.Max.Add(frame.Max.Sub(d.Max))
	}
	return c
}

func (p stackPanel) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	for _, t := range p.traces {
		line := make([]vg.Point, len(t.at))
		for k, q := range t.at {
			line[k] = vg.Point{X: x(q.x), Y: y(q.y)}
		}
		if len(line) <= fewPoints { // what was measured, and what is between
			for _, at := range line {
				dotStyle{shape: circle, color: t.style.Color.(color.NRGBA), radius: 2}.solid(c, at)
			}
		}
		c.StrokeLines(t.style, line)
	}
}
