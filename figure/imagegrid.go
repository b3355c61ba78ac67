package figure

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"rot.example/rot/ot"
)

// An ImageGrid is images of one size in rows. A pixel of an image is a square
// of Scale×Scale pixels of the picture, in exactly its colour, so the picture
// has one size only, and Options do not apply.
type ImageGrid struct {
	H, W, C int       // of each image; C is 1 for grey or 3 for red, green, blue
	Images  [][]uint8 // row by row, the channels of a pixel next to each other

	Cols  int // images in a row; 0 means about as many as rows
	Scale int // 0 means what makes the grid about 1000 pixels wide, at most 8

	Title    string
	Captions []string // a short line under each image; nil: none
	Mark     []bool   // images to frame in the colour of outliers; nil: none
}

const (
	gridDPI    = 120  // against which the texts of a grid have their size
	gridMargin = 12   // pixels around a grid
	gridAim    = 1000 // pixels, width of a grid that picks its own scale
	gridScale  = 8    // largest scale that a grid picks
)

// gridPixel is the length of a pixel in the units of texts.
const gridPixel = vg.Inch / gridDPI

// pixels is how many pixels cover a length.
func pixels(l vg.Length) int { return int(math.Ceil(float64(l / gridPixel))) }

func (g *ImageGrid) prepare() (*drawing, error) {
	img, err := g.Image()
	if err != nil {
		return nil, err
	}
	return &drawing{image: img}, nil
}

// Image draws the grid.
func (g *ImageGrid) Image() (image.Image, error) {
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("figure: image grid: %w", err)
	}
	l := g.layout()
	if l.width > maxPixels || l.height > maxPixels {
		return nil, fmt.Errorf("figure: image grid: %d×%d pixels is larger than %d on a side: %w", l.width, l.height, maxPixels, ot.ErrOption)
	}
	page := image.NewRGBA(image.Rect(0, 0, l.width, l.height))
	draw.Draw(page, page.Bounds(), image.White, image.Point{}, draw.Src)
	if g.Title != "" || g.Captions != nil {
		g.drawTexts(page, l)
	}
	for i, img := range g.Images {
		at := l.place(i)
		if g.Mark != nil && g.Mark[i] {
			draw.Draw(page, at.Inset(-l.frame), image.NewUniform(outlierColor), image.Point{}, draw.Src)
		}
		g.enlarge(page, at.Min, l.scale, img)
	}
	return page, nil
}

func (g *ImageGrid) check() error {
	switch {
	case g == nil || len(g.Images) == 0:
		return fmt.Errorf("no images: %w", ot.ErrShape)
	case g.H < 1 || g.W < 1 || g.H > maxPixels || g.W > maxPixels || g.C != 1 && g.C != 3:
		return fmt.Errorf("images of %d×%d pixels with %d channels: %w", g.H, g.W, g.C, ot.ErrShape)
	case g.Cols < 0 || g.Scale < 0 || g.Cols > maxPixels || g.Scale > maxPixels:
		return fmt.Errorf("%d columns at scale %d: %w", g.Cols, g.Scale, ot.ErrOption)
	case g.Captions != nil && len(g.Captions) != len(g.Images):
		return fmt.Errorf("%d captions for %d images: %w", len(g.Captions), len(g.Images), ot.ErrShape)
	case g.Mark != nil && len(g.Mark) != len(g.Images):
		return fmt.Errorf("%d marks for %d images: %w", len(g.Mark), len(g.Images), ot.ErrShape)
	}
	for i, img := range g.Images {
		if len(img) != g.H*g.W*g.C {
			return fmt.Errorf("image %d has %d bytes, %d×%d pixels with %d channels have %d: %w", i, len(img), g.H, g.W, g.C, g.H*g.W*g.C, ot.ErrShape)
		}
	}
	return nil
}

// A gridLayout is where everything goes, in pixels of the picture.
type gridLayout struct {
	cols, scale   int
	w, h          int // of an enlarged image
	gutter, frame int // between images; around a marked one, inside the gutter
	caption       int // height of a line under an image
	title         []string
	left, top     int // of the first image
	width, height int // of the picture
}

func (g *ImageGrid) layout() gridLayout {
	n := len(g.Images)
	l := gridLayout{cols: min(g.Cols, n), scale: g.Scale}
	if l.cols == 0 {
		l.cols = int(math.Ceil(math.Sqrt(float64(n))))
	}
	if l.scale == 0 {
		l.scale = min(max(gridAim/(l.cols*g.W), 1), gridScale)
		for text := g.captionWidth(); l.scale < gridScale && l.scale*g.W < text; {
			l.scale++
		}
	}
	l.w, l.h = g.W*l.scale, g.H*l.scale
	l.gutter = min(max(l.w/24, 2), 6)
	if g.Mark != nil {
		l.frame = min(max(l.w/24, 2), 5)
		l.gutter = 2*l.frame + 2 // Two frames do not touch.
	}
	if g.Captions != nil {
		l.caption = pixels(tickType.leading()) + l.frame
	}
	rows := (n + l.cols - 1) / l.cols
	grid := l.cols*(l.w+l.gutter) - l.gutter
	l.width = grid
	if g.Title != "" { // A title is not squeezed into the width of a small grid.
		l.width = max(grid, min(pixels(titleType.width(titleType.fit(g.Title, math.MaxInt32))), 400))
		l.title = titleType.wrap(g.Title, vg.Length(l.width)*gridPixel)
		l.top = pixels(vg.Length(len(l.title))*titleType.leading()) + 6
	}
	l.width += 2 * (gridMargin + l.frame)
	l.left = (l.width - grid) / 2
	l.top += gridMargin + l.frame
	l.height = l.top + rows*(l.h+l.gutter+l.caption) - l.gutter + l.frame + gridMargin
	return l
}

// captionWidth is the width of the longest caption.
func (g *ImageGrid) captionWidth() int {
	var w vg.Length
	for _, s := range g.Captions {
		w = max(w, tickType.width(printable(s)))
	}
	return pixels(w)
}

// place is where image i goes.
func (l *gridLayout) place(i int) image.Rectangle {
	x := l.left + i%l.cols*(l.w+l.gutter)
	y := l.top + i/l.cols*(l.h+l.gutter+l.caption)
	return image.Rect(x, y, x+l.w, y+l.h)
}

// drawTexts covers page with the texts on white.
func (g *ImageGrid) drawTexts(page *image.RGBA, l gridLayout) {
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(l.width)*gridPixel, vg.Length(l.height)*gridPixel), vgimg.UseDPI(gridDPI))
	canvas := vgdraw.New(c)
	head := vgdraw.Crop(canvas, 0, 0, 0, -gridMargin*gridPixel)
	header(head, head.Center().X, titleType, l.title)
	for i, s := range g.Captions {
		at := l.place(i)
		// The baseline is a letter's height, about 3/4 of the size, below the top.
		top := vg.Length(l.height-at.Max.Y-l.frame) * gridPixel
		mid := vg.Length(at.Min.X+at.Max.X) / 2 * gridPixel
		room := vg.Length(l.w+l.gutter) * gridPixel
		tickType.draw(canvas, vg.Point{X: mid, Y: top - 1.05*tickType.size}, 0.5, tickType.fit(s, room))
	}
	draw.Draw(page, page.Bounds(), c.Image(), image.Point{}, draw.Src)
}

// enlarge copies img to page, every pixel as a square.
func (g *ImageGrid) enlarge(page *image.RGBA, at image.Point, scale int, img []uint8) {
	width := 4 * g.W * scale
	for y := range g.H {
		first := page.PixOffset(at.X, at.Y+y*scale)
		line := page.Pix[first : first+width]
		k := 0
		for x := range g.W {
			c := g.pixel(img, y*g.W+x)
			for range scale {
				line[k], line[k+1], line[k+2], line[k+3] = c.R, c.G, c.B, c.A
				k += 4
			}
		}
		for s := 1; s < scale; s++ {
			copy(page.Pix[first+s*page.Stride:], line)
		}
	}
}

func (g *ImageGrid) pixel(img []uint8, k int) color.RGBA {
	if g.C == 1 {
		return color.RGBA{img[k], img[k], img[k], 0xFF}
	}
	return color.RGBA{img[3*k], img[3*k+1], img[3*k+2], 0xFF}
}
