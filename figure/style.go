package figure

import (
	"image/color"
	"math"
	"strconv"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Blue, vermillion and bluish green of Okabe and Ito (2008), which stay
// distinct in the common forms of colour blindness; the rest are greys.
var (
	sourceColor = color.NRGBA{R: 0x00, G: 0x72, B: 0xB2, A: 0xFF}
	targetColor = color.NRGBA{R: 0xD5, G: 0x5E, B: 0x00, A: 0xFF}
	linkColor   = color.NRGBA{R: 0x00, G: 0x9E, B: 0x73, A: 0xFF}

	outlierColor = targetColor
	dataColor    = color.NRGBA{R: 0x8C, G: 0x8C, B: 0x8C, A: 0xFF}

	whiteColor = color.NRGBA{R: 0xFF, G: 0xFF, B: 0xFF, A: 0xFF}
	inkColor   = color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xFF}
	mutedColor = color.NRGBA{R: 0x5F, G: 0x5F, B: 0x5F, A: 0xFF}
	frameColor = color.NRGBA{R: 0xA8, G: 0xA8, B: 0xA8, A: 0xFF}
	gridColor  = color.NRGBA{R: 0xEE, G: 0xEE, B: 0xEE, A: 0xFF}
)

const margin vg.Length = 10 // white space around a figure, in points

var (
	pageType  = lettering{size: 12, bold: true, color: inkColor} // over several panels
	titleType = lettering{size: 11, bold: true, color: inkColor}
	noteType  = lettering{size: 9, color: mutedColor}
	axisType  = lettering{size: 9, color: inkColor}
	tickType  = lettering{size: 8, color: mutedColor}
	keyType   = lettering{size: 9, color: inkColor}
)

// faded is c at the given opacity in (0, 1].
func faded(c color.NRGBA, opacity float64) color.NRGBA {
	c.A = uint8(math.Round(255 * opacity))
	return c
}

// A lettering is one size, weight and colour of the figures' font.
type lettering struct {
	size  vg.Length
	bold  bool
	color color.NRGBA
}

func (l lettering) style() text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if l.bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: l.color, Font: font.From(f, l.size), Handler: plot.DefaultTextHandler}
}

func (l lettering) face() font.Face {
	sty := l.style()
	return sty.Handler.Cache().Lookup(sty.Font, sty.Font.Size)
}

func (l lettering) width(s string) vg.Length {
	f := l.face()
	return f.Width(s)
}

// leading is the distance from one baseline to the next.
func (l lettering) leading() vg.Length { return l.size * 1.3 }

// draw writes one line with its baseline through at. The part of its width
// given by align lies to the left of that point.
func (l lettering) draw(c draw.Canvas, at vg.Point, align float64, s string) {
	f := l.face()
	at.X -= f.Width(s) * vg.Length(align)
	c.SetColor(l.color)
	c.FillString(f, at, s)
}

// fit is s on one line, cut to the width.
func (l lettering) fit(s string, width vg.Length) string {
	s = strings.Join(strings.Fields(printable(s)), " ")
	if l.width(s) <= width {
		return s
	}
	letters := []rune(s)
	for len(letters) > 0 && l.width(string(letters)+"…") > width {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…"
}

// wrap breaks s between words into lines no wider than width; line breaks in s
// are kept.
func (l lettering) wrap(s string, width vg.Length) []string {
	var lines []string
	for _, part := range strings.Split(printable(s), "\n") {
		var line string
		for _, word := range strings.Fields(part) {
			switch {
			case line == "":
				line = word
			case l.width(line+" "+word) <= width:
				line += " " + word
			default:
				lines = append(lines, l.fit(line, width))
				line = word
			}
		}
		if line != "" {
			lines = append(lines, l.fit(line, width))
		}
	}
	return lines
}

// printable replaces what an XML document must not contain: invalid UTF-8,
// non-characters and control characters other than the line break.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// number formats v for a reader, with four digits.
func number(v float64) string { return typeset(strconv.FormatFloat(v, 'g', 4, 64)) }

// typeset turns the number 1e+06 into 1e6 and −1e-06 into −1e−6, with true
// minus signs.
func typeset(s string) string {
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e−", "-", "−").Replace(s)
}

// count formats n with spaces between groups of three digits.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// newPlot is an empty plot in the house style: a thin grey frame and a pale
// grid.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding = 0
		axis.LineStyle = draw.LineStyle{Color: frameColor, Width: 0.6}
		axis.Tick.LineStyle = axis.LineStyle
		axis.Tick.Length = 3
		axis.Label.Padding = 3
		restyle(&axis.Tick.Label, tickType)
		restyle(&axis.Label.TextStyle, axisType)
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = niceTicks(7), niceTicks(6)
	line := draw.LineStyle{Color: gridColor, Width: 0.5}
	p.Add(&plotter.Grid{Vertical: line, Horizontal: line}, frame{})
	return p
}

// restyle changes font and colour, and keeps the alignment.
func restyle(dst *text.Style, l lettering) {
	sty := l.style()
	dst.Font, dst.Color, dst.Handler = sty.Font, sty.Color, sty.Handler
}

// frame closes the rectangle whose left and lower sides are the axes.
type frame struct{}

func (frame) Plot(c draw.Canvas, _ *plot.Plot) {
	const width = 0.6
	c.StrokeLines(draw.LineStyle{Color: frameColor, Width: width},
		[]vg.Point{{X: c.Min.X - width, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y - width}})
}

// header draws lines of l down from the top of c, centred at x where the width
// of c allows, and returns what is left of c.
func header(c draw.Canvas, x vg.Length, l lettering, lines []string) draw.Canvas {
	for _, s := range lines {
		c.Max.Y -= l.leading()
		half := l.width(s) / 2
		at := vg.Point{X: max(min(x, c.Max.X-half), c.Min.X+half), Y: c.Max.Y + l.size*0.3}
		l.draw(c, at, 0.5, s)
	}
	return c
}
