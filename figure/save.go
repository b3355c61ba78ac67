package figure

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"rot.example/rot/internal/atomicfile"
	"rot.example/rot/ot"
)

// ErrFormat reports a picture format other than PNG and SVG.
var ErrFormat = errors.New("format is not png or svg")

// A Figure is what Save and WriteTo draw: a *Coupling, *Couplings, *Curve,
// *Histogram, *ImageGrid, *LossCurves or *Scatter.
type Figure interface {
	// prepare checks the data and works out everything but positions.
	prepare() (*drawing, error)
}

// A drawing is a figure that can no longer fail.
type drawing struct {
	width, height       vg.Length // size that suits it
	minWidth, minHeight vg.Length // size below which texts would collide
	draw                func(c draw.Canvas, vector bool)

	image image.Image // the picture itself, of which every pixel counts; nil: none
}

// Options chooses the size of a picture. The zero value, or nil, is a size
// that suits the figure; when only one side is given the other follows in
// proportion.
type Options struct {
	Width, Height int // pixels; an SVG has the same size on paper
	DPI           int // pixels per inch, against which texts have a fixed size; 0 means 160
}

const (
	defaultDPI = 160
	maxPixels  = 20000 // on a side; above it an image takes gigabytes
)

// Save draws fig into the file path, a PNG or SVG by its extension. The file
// appears complete or not at all: a file that was there before stays as it is
// when anything fails.
func Save(path string, fig Figure, opts *Options) error {
	var buf bytes.Buffer
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if format != "png" && format != "svg" {
		return fmt.Errorf("figure: %s: %w", path, ErrFormat)
	}
	if err := WriteTo(&buf, fig, format, opts); err != nil {
		return err
	}
	if err := atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(buf.Bytes()); return err }); err != nil {
		return fmt.Errorf("figure: save %s: %w", path, err)
	}
	return nil
}

// WriteTo draws fig to w in the given format, "png" or "svg".
func WriteTo(w io.Writer, fig Figure, format string, opts *Options) error {
	if format != "png" && format != "svg" {
		return fmt.Errorf("figure: %q: %w", format, ErrFormat)
	}
	if fig == nil {
		return fmt.Errorf("figure: no figure to draw: %w", ot.ErrShape)
	}
	d, err := fig.prepare()
	if err != nil {
		return err
	}
	if d.image != nil {
		return writeImage(w, d.image, format, opts)
	}
	width, height, dpi, err := opts.size(d)
	if err != nil {
		return err
	}
	if format == "png" {
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
		d.draw(draw.New(c), false)
		if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(w); err != nil {
			return fmt.Errorf("figure: write png: %w", err)
		}
		return nil
	}
	c := vgsvg.New(width, height)
	page := draw.New(c)
	page.FillPolygon(whiteColor, []vg.Point{page.Min, {X: page.Max.X}, page.Max, {Y: page.Max.Y}})
	d.draw(page, true)
	return writeSVG(w, c)
}

// writeImage writes a picture as it is; an SVG holds it whole.
func writeImage(w io.Writer, img image.Image, format string, opts *Options) error {
	if opts != nil && *opts != (Options{}) {
		return fmt.Errorf("figure: this figure has one size, in pixels: %w", ot.ErrOption)
	}
	if format == "png" {
		if err := png.Encode(w, img); err != nil {
			return fmt.Errorf("figure: write png: %w", err)
		}
		return nil
	}
	const pixel = vg.Inch / defaultDPI
	c := vgsvg.New(vg.Length(img.Bounds().Dx())*pixel, vg.Length(img.Bounds().Dy())*pixel)
	c.DrawImage(draw.New(c).Rectangle, img)
	return writeSVG(w, c)
}

func writeSVG(w io.Writer, c *vgsvg.Canvas) error {
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return fmt.Errorf("figure: write svg: %w", err)
	}
	if _, err := w.Write(portable(buf.Bytes())); err != nil {
		return fmt.Errorf("figure: write svg: %w", err)
	}
	return nil
}

// portable mends two things in what vgsvg writes. The font may not be
// installed, so fonts of the same widths are named after it; and an embedded
// image is a PNG, whatever its type says.
func portable(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	return bytes.ReplaceAll(svg, []byte(`xlink:href="data:image/jpg;`), []byte(`xlink:href="data:image/png;`))
}

// size is the size of the canvas in points, and its resolution.
func (o *Options) size(d *drawing) (width, height vg.Length, dpi int, err error) {
	if o == nil {
		o = &Options{}
	}
	dpi = o.DPI
	if dpi == 0 {
		dpi = defaultDPI
	}
	pixel := vg.Inch / vg.Length(dpi)
	width, height = vg.Length(o.Width)*pixel, vg.Length(o.Height)*pixel
	switch {
	case dpi < 0 || o.Width < 0 || o.Height < 0:
		return 0, 0, 0, fmt.Errorf("figure: negative size %d×%d at %d dpi: %w", o.Width, o.Height, o.DPI, ot.ErrOption)
	case o.Width == 0 && o.Height == 0:
		width, height = d.width, d.height
	case o.Height == 0:
		height = width * d.height / d.width
	case o.Width == 0:
		width = height * d.width / d.height
	}
	if width > maxPixels*pixel || height > maxPixels*pixel {
		return 0, 0, 0, fmt.Errorf("figure: %.0f×%.0f pixels is larger than %d on a side: %w", width/pixel, height/pixel, maxPixels, ot.ErrOption)
	}
	if width < d.minWidth || height < d.minHeight {
		return 0, 0, 0, fmt.Errorf("figure: %.0f×%.0f pixels at %d dpi is too small, this figure needs %.0f×%.0f: %w",
			width/pixel, height/pixel, dpi, d.minWidth/pixel, d.minHeight/pixel, ot.ErrOption)
	}
	return width, height, dpi, nil
}
