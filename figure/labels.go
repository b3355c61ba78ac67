package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labels places texts inside a plot so that they cover neither curves nor
// each other, as far as there is room.
type labels struct {
	canvas    draw.Canvas
	obstacles []vg.Point // points on the curves, close together
	placed    []vg.Rectangle
}

const (
	obstacleStep vg.Length = 2 // points between two obstacles on a curve
	labelGap     vg.Length = 4 // between a mark and its label
)

// avoid keeps later labels off the curves.
func (l *labels) avoid(curves ...[]vg.Point) {
	for _, pts := range curves {
		for k := 1; k < len(pts); k++ {
			step := pts[k].Sub(pts[k-1])
			steps := int(max(step.X, -step.X, step.Y, -step.Y)/obstacleStep) + 1
			for i := range steps + 1 {
				l.obstacles = append(l.obstacles, pts[k-1].Add(step.Scale(vg.Length(i)/vg.Length(steps))))
			}
		}
	}
}

// vertical draws a line at x from bottom to top with its label beside it, as
// high as there is room. A line outside the canvas is left out.
func (l *labels) vertical(x vg.Length, sty draw.LineStyle, t lettering, s string) {
	c := l.canvas
	if !c.ContainsX(x) {
		return
	}
	c.StrokeLine2(sty, x, c.Min.Y, x, c.Max.Y)
	l.avoid([]vg.Point{{X: x, Y: c.Min.Y}, {X: x, Y: c.Max.Y}})
	var spots []vg.Point
	for y := c.Max.Y - t.leading() - 2; y > c.Min.Y; y -= t.leading() / 2 {
		spots = append(spots, vg.Point{X: x + labelGap, Y: y}, vg.Point{X: x - labelGap - t.width(s), Y: y})
	}
	l.place(t, s, spots)
}

// place writes s at the first spot where it covers nothing, or else where it
// covers least. A spot is the lower left corner of the text's box.
func (l *labels) place(t lettering, s string, spots []vg.Point) {
	size := vg.Point{X: t.width(s), Y: t.leading()}
	var best vg.Rectangle
	least := -1
	for _, p := range spots {
		box := vg.Rectangle{Min: p, Max: p.Add(size)}
		if hits := l.hits(box); least < 0 || hits < least {
			best, least = box, hits
		}
		if least == 0 {
			break
		}
	}
	l.placed = append(l.placed, best)
	c := l.canvas
	c.SetColor(faded(whiteColor, 0.8)) // Grid lines must not cross the text.
	c.Fill(best.Path())
	t.draw(c, vg.Point{X: best.Min.X, Y: best.Min.Y + t.size*0.35}, 0, s)
}

// hits counts what box would cover; to leave the canvas is worst of all.
func (l *labels) hits(box vg.Rectangle) int {
	n := 0
	c := l.canvas
	if !c.Contains(box.Min) || !c.Contains(box.Max) {
		n += 10000
	}
	for _, p := range l.placed {
		if box.Min.X < p.Max.X && p.Min.X < box.Max.X && box.Min.Y < p.Max.Y && p.Min.Y < box.Max.Y {
			n += 1000
		}
	}
	for _, p := range l.obstacles {
		if box.Min.X-1 <= p.X && p.X <= box.Max.X+1 && box.Min.Y-1 <= p.Y && p.Y <= box.Max.Y+1 {
			n++
		}
	}
	return n
}
