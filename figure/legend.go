package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A key is one entry of a legend: a text and a small sample of the mark that
// it explains.
type key struct {
	text   string
	room   vg.Length           // width of the sample
	sample func(c draw.Canvas) // draws inside the rectangle of c
}

// A legend is a strip of keys below the plots, where it never hides data.
type legend []key

const (
	lineWidth vg.Length = 20 // room for a sample of a line or an area
	dotWidth  vg.Length = 8  // room for a sample of a dot
	sampleGap vg.Length = 4  // between a sample and its text
	keyGap    vg.Length = 16 // between two keys
)

func (k key) width() vg.Length { return k.room + sampleGap + keyType.width(k.text) }

// rows fills lines of the given width with the keys, in order.
func (l legend) rows(width vg.Length) []legend {
	var rows []legend
	var used vg.Length
	for _, k := range l {
		if w := k.width(); len(rows) == 0 || used+keyGap+w > width {
			rows = append(rows, legend{k})
			used = w
		} else {
			rows[len(rows)-1] = append(rows[len(rows)-1], k)
			used += keyGap + w
		}
	}
	return rows
}

// height is the room that the legend takes on a canvas of the given width.
func (l legend) height(width vg.Length) vg.Length {
	if len(l) == 0 {
		return 0
	}
	return vg.Length(len(l.rows(width)))*keyType.leading()*1.1 + keyType.leading()*0.6
}

// draw puts the legend at the bottom of c and returns what is left of c.
func (l legend) draw(c draw.Canvas) draw.Canvas {
	rows := l.rows(c.Size().X)
	height := keyType.leading() * 1.1
	for i, row := range rows {
		width := -keyGap
		for _, k := range row {
			width += keyGap + k.width()
		}
		x := c.Center().X - width/2
		y := c.Min.Y + height*vg.Length(len(rows)-1-i)
		for _, k := range row {
			box := c
			box.Min = vg.Point{X: x, Y: y}
			box.Max = vg.Point{X: x + k.room, Y: y + height}
			k.sample(box)
			at := vg.Point{X: box.Max.X + sampleGap, Y: box.Center().Y - keyType.size*0.34}
			keyType.draw(c, at, 0, k.text)
			x += k.width() + keyGap
		}
	}
	c.Min.Y += l.height(c.Size().X)
	return c
}

// lineSample is a horizontal stroke through the middle of its box.
func lineSample(sty draw.LineStyle) func(draw.Canvas) {
	return func(c draw.Canvas) {
		y := c.Center().Y
		c.StrokeLine2(sty, c.Min.X, y, c.Max.X, y)
	}
}

// patchSample is a filled rectangle, as wide as a line sample.
func patchSample(fill draw.LineStyle, outline draw.LineStyle) func(draw.Canvas) {
	return func(c draw.Canvas) {
		y := c.Center().Y
		box := []vg.Point{{X: c.Min.X, Y: y - 3.5}, {X: c.Max.X, Y: y - 3.5}, {X: c.Max.X, Y: y + 3.5}, {X: c.Min.X, Y: y + 3.5}}
		c.FillPolygon(fill.Color, box)
		c.StrokeLines(outline, append(box, box[0]))
	}
}
