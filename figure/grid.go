package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A grid lays out the panels of Couplings in rows under a common title and
// over a common legend.
type grid struct {
	title          string
	panels         []*panel
	columns        int // as asked for; 0 means up to 4
	dim            int
	x, y           span // shared by all panels, before they get equal units
	xLabel, yLabel string
	legend         legend
}

func (g *grid) cols() int {
	if g.columns > 0 {
		return min(g.columns, len(g.panels))
	}
	rows := (len(g.panels) + 3) / 4
	return (len(g.panels) + rows - 1) / rows
}

func (g *grid) rows() int { return (len(g.panels) + g.cols() - 1) / g.cols() }

// shape is height to width of a panel that wastes no room: that of the data,
// within bounds.
func (g *grid) shape() float64 {
	if g.dim == 1 {
		return minShape
	}
	return clamp(g.y.length()/g.x.length(), minShape, maxShape)
}

func (g *grid) drawing() *drawing {
	width := panelWidth
	if len(g.panels) == 1 {
		width = singleWidth
	}
	axes := vg.Length(26) // about what tick labels take
	if g.xLabel != "" || g.panels[0].XLabel != "" {
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

// notes is what stands under the title of p.
func notes(p *panel, width vg.Length) []string {
	return append(noteType.wrap(p.Note, width), noteType.wrap(p.note, width)...)
}

// pageHeight is the room that the common title takes.
func (g *grid) pageHeight(width vg.Length) vg.Length {
	lines := len(pageType.wrap(g.title, width))
	if lines == 0 {
		return 0
	}
	return vg.Length(lines)*pageType.leading() + 8
}

// headHeight is the room that title and notes of p take.
func (p *panel) headHeight(width vg.Length) vg.Length {
	return vg.Length(len(titleType.wrap(p.Title, width)))*titleType.leading() +
		vg.Length(len(notes(p, width)))*noteType.leading()
}

// headHeight is the room above each panel: that of the longest head, or the
// plots would not line up.
func (g *grid) headHeight(width vg.Length) vg.Length {
	var h vg.Length
	for _, p := range g.panels {
		h = max(h, p.headHeight(width))
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
	for k, p := range g.panels {
		tile := tiles.At(c, k%g.cols(), k/g.cols())
		width := tile.Size().X
		room := tile
		room.Max.Y -= g.headHeight(width)
		plt := g.plot(p, room, vector)

		// Titles stand right above the frame and are centred over it, not over
		// the tick labels as well.
		data := plt.DataCanvas(room)
		tile.Max.Y = room.Max.Y + 4 + p.headHeight(width)
		head := header(tile, data.Center().X, titleType, titleType.wrap(p.Title, width))
		header(head, data.Center().X, noteType, notes(p, width))
		plt.Draw(room)
	}
}

// plot is the plot of p for the canvas c: its ranges depend on the room that
// c has.
func (g *grid) plot(p *panel, c draw.Canvas, vector bool) *plot.Plot {
	plt := newPlot()
	nameAxes(plt, c, orElse(p.XLabel, g.xLabel), orElse(p.YLabel, g.yLabel))
	if vector && p.marks() > maxVectors {
		plt.Add(layer{p})
	} else {
		plt.Add(p)
	}
	if g.dim == 1 {
		plt.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "source"}, {Value: 1, Label: "target"}}
		setRange(plt, g.x, g.y)
	} else {
		step := stepTicks(niceStep(max(g.x.length(), g.y.length()) / 6))
		plt.X.Tick.Marker, plt.Y.Tick.Marker = step, step
		equalAspect(plt, c, g.x, g.y)
	}
	return plt
}
