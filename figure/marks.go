package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A shape is the outline of a point's mark.
type shape int

const (
	circle shape = iota
	triangle
)

// path is the outline of the shape around at. The radius is that of a circle
// of about the same area.
func (s shape) path(at vg.Point, radius vg.Length) vg.Path {
	if s == circle {
		p := make(vg.Path, 0, 3)
		p.Move(vg.Point{X: at.X + radius, Y: at.Y})
		p.Arc(at, radius, 0, 2*math.Pi)
		p.Close()
		return p
	}
	const corner = 1.4 // distance from the middle to a corner, in radii
	p := make(vg.Path, 0, 4)
	p.Move(vg.Point{X: at.X, Y: at.Y + corner*radius})
	p.Line(vg.Point{X: at.X - corner*0.866*radius, Y: at.Y - corner*0.5*radius})
	p.Line(vg.Point{X: at.X + corner*0.866*radius, Y: at.Y - corner*0.5*radius})
	p.Close()
	return p
}

// A dotStyle is how the points of one cloud look.
type dotStyle struct {
	shape  shape
	color  color.NRGBA
	radius vg.Length
	ring   vg.Length // radius of a hollow dot, which stays visible in a crowd
}

// newDotStyle chooses size and opacity for n points on a panel of the usual
// size: dots shrink and fade as they get many, so that 20 000 of them show
// density rather than a blot.
func newDotStyle(s shape, c color.NRGBA, n int) dotStyle {
	crowd := 300 / float64(n)
	radius := clamp(2.4*math.Pow(crowd, 0.27), 0.75, 3.5)
	return dotStyle{
		shape:  s,
		color:  faded(c, clamp(0.85*math.Pow(crowd, 0.25), 0.3, 0.95)),
		radius: vg.Length(radius),
		ring:   vg.Length(math.Max(radius, 1.6)),
	}
}

// markScale is by how much marks grow on a plot of the given width: slower
// than the plot, or those of a small panel could not be told apart.
func markScale(width vg.Length) vg.Length {
	const usual = 380 // width of the plot in a figure of one panel
	return vg.Length(math.Sqrt(float64(width) / usual))
}

func (d dotStyle) scaled(f vg.Length) dotStyle {
	d.radius *= f
	d.ring *= f
	return d
}

func (d dotStyle) solid(c draw.Canvas, at vg.Point) {
	c.SetColor(d.color)
	c.Fill(d.shape.path(at, d.radius))
}

// hollow draws a point of low weight. It covers the links below it, or its
// inside would not be seen to be empty.
func (d dotStyle) hollow(c draw.Canvas, at vg.Point) {
	p := d.shape.path(at, d.ring)
	c.SetColor(whiteColor)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: faded(d.color, 1), Width: d.ring * 0.4})
	c.Stroke(p)
}

// sample is the dot in a legend, large enough to show its shape and colour.
func (d dotStyle) sample(hollow bool) func(draw.Canvas) {
	d.radius, d.ring = 2.8, 2.8
	d.color = faded(d.color, 0.9)
	return func(c draw.Canvas) {
		if hollow {
			d.hollow(c, c.Center())
		} else {
			d.solid(c, c.Center())
		}
	}
}

// A link is a drawn entry of a plan.
type link struct {
	i, j    int     // source and target
	weight  float64 // mass relative to the heaviest entry, in (0, 1]
	width   vg.Length
	opacity float64
}

// style sets width and opacity of a link from its weight; both grow with it.
// The heaviest is thinner and paler the more links there are.
func (l *link) style(links float64) {
	crowd := 40 / links
	widest := clamp(1.5*math.Pow(crowd, 0.25), 0.4, 1.5)
	darkest := clamp(0.75*math.Pow(crowd, 0.2), 0.25, 0.75)
	l.width = vg.Length(widest * (0.2 + 0.8*l.weight))
	l.opacity = darkest * (0.2 + 0.8*l.weight)
}

func (l link) lineStyle(scale vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: faded(linkColor, l.opacity), Width: l.width * scale}
}

func clamp(v, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, v)) }
