package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

const (
	panelWidth  vg.Length = 226 // three panels and what is around them are 10 inches
	singleWidth vg.Length = 414
	panelGap    vg.Length = 11
	minPanel    vg.Length = 110
	maxVectors            = 8000 // marks of a panel that an SVG keeps as vectors, about a megabyte
	layerDPI              = 160  // resolution of the image that replaces them
	panelRoom             = 0.04 // part of the range left free at each end
	minShape              = 0.5  // flattest panel, height to width
	maxShape              = 1.2  // tallest
)

// A tile is one of the plots of a grid.
type tile interface {
	plot.Plotter
	marks() int // number of strokes and fills that Plot makes
	texts() texts
}

// texts is what stands around the plot of a tile.
type texts struct {
	title          string
	notes          []string // smaller, under the title
	xLabel, yLabel string   // empty: those of the grid
}

// A grid lays out tiles in rows under a common title and over a common legend.
// All have equal axes, with a unit as long on x as on y unless those are of
// different units.
type grid struct {
	title          string
	tiles          []tile
	columns        int  // as asked for; 0 means up to 4
	levels         bool // points on a line: y is the side, source or target
	ownUnits       bool // x and y are of different units
	x, y           span // shared by all tiles, before they get equal units
	xLabel, yLabel string
	legend         legend
}

func (g *grid) cols() int {
	if g.columns > 0 {
		return min(g.columns, len(g.tiles))
	}
	rows := (len(g.tiles) + 3) / 4
	return (len(g.tiles) + rows - 1) / rows
}

func (g *grid) rows() int { return (len(g.tiles) + g.cols() - 1) / g.cols() }

// shape is height to width of a tile that wastes no room: that of the data,
// within bounds.
func (g *grid) shape() float64 {
	if g.levels {
		return minShape
	}
	if g.ownUnits {
		return 1
	}
	return clamp(g.y.length()/g.x.length(), minShape, maxShape)
}

func (g *grid) drawing() *drawing {
	width := panelWidth
	if len(g.tiles) == 1 {
		width = singleWidth
	}
	axes := vg.Length(26) // about what tick labels take
	if g.xLabel != "" || g.tiles[0].texts().xLabel != "" {
		axes += axisType.leading()
	}
	cols, rows := vg.Length(g.cols()), vg.Length(g.rows())
	outer := 2*margin + cols*width + (cols-1)*panelGap
	height := (width-axes)*vg.Length(g.shape()) + axes + g.headHeight(width)
	fixed := 2*margin + g.legend.height(outer-2*margin) + (rows-1)*panelGap
	fixed += g.pageHeight(outer - 2*margin)
	return &drawing{
		width:     outer,
		height:    fixed + rows*height,
		minWidth:  2*margin + cols*minPanel + (cols-1)*panelGap,
		minHeight: fixed + rows*(minPanel+g.headHeight(minPanel)),
		draw:      g.draw,
	}
}

// noteLines is what stands under the title.
func (t texts) noteLines(width vg.Length) []string {
	var lines []string
	for _, s := range t.notes {
		lines = append(lines, noteType.wrap(s, width)...)
	}
	return lines
}

// pageHeight is the room that the common title takes.
func (g *grid) pageHeight(width vg.Length) vg.Length {
	lines := len(pageType.wrap(g.title, width))
	if lines == 0 {
		return 0
	}
	return vg.Length(lines)*pageType.leading() + 8
}

// height is the room that title and notes take.
func (t texts) height(width vg.Length) vg.Length {
	return vg.Length(len(titleType.wrap(t.title, width)))*titleType.leading() +
		vg.Length(len(t.noteLines(width)))*noteType.leading()
}

// headHeight is the room above each tile: that of the longest head, or the
// plots would not line up.
func (g *grid) headHeight(width vg.Length) vg.Length {
	var h vg.Length
	for _, t := range g.tiles {
		h = max(h, t.texts().height(width))
	}
	return h + 4
}

func (g *grid) draw(c draw.Canvas, vector bool) {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	page := g.pageHeight(c.Size().X)
	header(c, c.Center().X, pageType, pageType.wrap(g.title, c.Size().X))
	c.Max.Y -= page
	c = g.legend.draw(c)
	tiles := draw.Tiles{Cols: g.cols(), Rows: g.rows(), PadX: panelGap, PadY: panelGap}
	for k, t := range g.tiles {
		place := tiles.At(c, k%g.cols(), k/g.cols())
		width := place.Size().X
		room := place
		room.Max.Y -= g.headHeight(width)
		plt := g.plot(t, room, vector)

		// Titles stand right above the frame and are centred over it, not over
		// the tick labels as well.
		data, text := plt.DataCanvas(room), t.texts()
		place.Max.Y = room.Max.Y + 4 + text.height(width)
		head := header(place, data.Center().X, titleType, titleType.wrap(text.title, width))
		header(head, data.Center().X, noteType, text.noteLines(width))
		plt.Draw(room)
	}
}

// plot is the plot of t for the canvas c: its ranges depend on the room that
// c has.
func (g *grid) plot(t tile, c draw.Canvas, vector bool) *plot.Plot {
	plt := newPlot()
	text := t.texts()
	nameAxes(plt, c, orElse(text.xLabel, g.xLabel), orElse(text.yLabel, g.yLabel))
	if vector && t.marks() > maxVectors {
		plt.Add(layer{t})
	} else {
		plt.Add(t)
	}
	if g.levels {
		plt.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "source"}, {Value: 1, Label: "target"}}
		setRange(plt, g.x, g.y)
	} else if g.ownUnits {
		plt.X.Tick.Marker, plt.Y.Tick.Marker = niceTicks(6), niceTicks(6)
		setRange(plt, g.x, g.y)
	} else {
		step := stepTicks(niceStep(max(g.x.length(), g.y.length()) / 6))
		plt.X.Tick.Marker, plt.Y.Tick.Marker = step, step
		equalAspect(plt, c, g.x, g.y)
	}
	return plt
}

// A layer draws a tile as one image, for canvases that would otherwise keep
// every mark.
type layer struct{ tile }

func (l layer) Plot(c draw.Canvas, plt *plot.Plot) {
	img := vgimg.NewWith(vgimg.UseWH(c.Size().X, c.Size().Y), vgimg.UseDPI(layerDPI), vgimg.UseBackgroundColor(faded(whiteColor, 0)))
	l.tile.Plot(draw.New(img), plt)
	c.DrawImage(c.Rectangle, img.Image())
}
