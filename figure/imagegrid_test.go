package figure

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"

	"rot.example/rot/ot"
)

// texted is a grid with everything around its images.
func texted(n, h, w, c int) *ImageGrid {
	g := patterns(n, h, w, c)
	g.Title = "Samples with the lowest weights"
	for i := range n {
		g.Captions = append(g.Captions, number(float64(i)/100))
		g.Mark = append(g.Mark, i%3 != 0)
	}
	return g
}

// TestImageGridPixels compares every pixel of the file with the images.
func TestImageGridPixels(t *testing.T) {
	for _, tt := range []struct {
		name  string
		grid  *ImageGrid
		cols  int
		scale int
	}{
		{"grey", patterns(7, 5, 3, 1), 3, 0},
		{"colour", patterns(7, 3, 5, 3), 4, 3},
		{"scale one", patterns(10, 8, 8, 3), 0, 1},
		{"single", patterns(1, 1, 1, 1), 0, 0},
		{"more columns than images", patterns(3, 4, 4, 3), 9, 2},
		{"texts and frames", texted(10, 28, 28, 1), 4, 0},
		{"texts on tiny images", texted(6, 2, 2, 3), 3, 1},
		{"title wider than the grid", &ImageGrid{H: 1, W: 1, C: 1, Images: [][]uint8{{7}}, Title: strings.Repeat("long ", 50)}, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := tt.grid
			g.Cols, g.Scale = tt.cols, tt.scale
			var buf bytes.Buffer
			if err := WriteTo(&buf, g, "png", nil); err != nil {
				t.Fatal(err)
			}
			page, err := png.Decode(&buf)
			if err != nil {
				t.Fatal(err)
			}
			l := g.layout()
			for i, img := range g.Images {
				at := l.place(i)
				if !at.In(page.Bounds().Inset(gridMargin)) {
					t.Fatalf("image %d at %v of %v", i, at, page.Bounds())
				}
				for y := at.Min.Y; y < at.Max.Y; y++ {
					for x := at.Min.X; x < at.Max.X; x++ {
						want := g.pixel(img, (y-at.Min.Y)/l.scale*g.W+(x-at.Min.X)/l.scale)
						if got := color.RGBAModel.Convert(page.At(x, y)); got != want {
							t.Fatalf("image %d: pixel %d,%d is %v, want %v", i, x-at.Min.X, y-at.Min.Y, got, want)
						}
					}
				}
				checkSurroundings(t, g, l, page, i)
			}
		})
	}
}

// checkSurroundings looks at the frame of image i, at what is outside of it,
// and at the line below.
func checkSurroundings(t *testing.T, g *ImageGrid, l gridLayout, page image.Image, i int) {
	t.Helper()
	white, at := color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}, l.place(i)
	want := white
	if g.Mark != nil && g.Mark[i] {
		want = color.RGBA(outlierColor)
	}
	for y := at.Min.Y - l.frame; y < at.Max.Y+l.frame; y++ {
		for x := at.Min.X - l.frame; x < at.Max.X+l.frame; x++ {
			if got := color.RGBAModel.Convert(page.At(x, y)); got != want && !image.Pt(x, y).In(at) {
				t.Fatalf("frame of image %d at %d,%d is %v, want %v", i, x, y, got, want)
			}
		}
	}
	for y := at.Min.Y; y < at.Max.Y; y++ {
		if x := at.Min.X - l.frame - 1; color.RGBAModel.Convert(page.At(x, y)) != white {
			t.Fatalf("the gutter left of image %d is not white", i)
		}
	}
	if g.Captions == nil {
		return
	}
	ink := 0
	for y := at.Max.Y + l.frame; y < at.Max.Y+l.caption; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			if color.RGBAModel.Convert(page.At(x, y)) != white {
				ink++
			}
		}
	}
	if ink == 0 {
		t.Errorf("image %d has no caption", i)
	}
}

func TestImageGridLayout(t *testing.T) {
	captioned := texted(60, 8, 8, 1) // at scale 2, if it were not for the captions
	captioned.Cols = 60
	for _, tt := range []struct {
		name                    string
		grid                    *ImageGrid
		cols, scale, from, upTo int // width of the page
	}{
		{"10×10 of CIFAR", patterns(100, 32, 32, 3), 10, 3, 900, 1100},
		{"16×16 of MNIST", patterns(256, 28, 28, 1), 16, 2, 900, 1100},
		{"few small ones", patterns(4, 8, 8, 1), 2, gridScale, 100, 200},
		{"large ones", patterns(2, 700, 700, 1), 2, 1, 1400, 1500},
		{"room for captions", captioned, 60, 4, 1900, 2500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := tt.grid.layout()
			if l.cols != tt.cols || l.scale != tt.scale || l.width < tt.from || l.width > tt.upTo {
				t.Errorf("%d columns at scale %d, %d pixels wide", l.cols, l.scale, l.width)
			}
		})
	}
}

// TestImageGridSVG finds the same pixels inside.
func TestImageGridSVG(t *testing.T) {
	g := texted(5, 4, 4, 3)
	want, err := g.Image()
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := WriteTo(&buf, g, "svg", nil); err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`"data:image/png;base64,([^"]*)"`).FindSubmatch(buf.Bytes())
	if m == nil {
		t.Fatal("no picture inside")
	}
	got, err := png.Decode(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(m[1])))
	if err != nil {
		t.Fatal(err)
	}
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			if color.RGBAModel.Convert(got.At(x, y)) != want.At(x, y) {
				t.Fatalf("pixel %d,%d differs", x, y)
			}
		}
	}
}

func TestImageGridErrors(t *testing.T) {
	with := func(change func(*ImageGrid)) *ImageGrid {
		g := patterns(3, 4, 5, 3)
		change(g)
		return g
	}
	for _, tt := range []struct {
		name string
		grid *ImageGrid
		err  error
		text string
	}{
		{"nil", nil, ot.ErrShape, "no images"},
		{"empty", &ImageGrid{H: 1, W: 1, C: 1}, ot.ErrShape, "no images"},
		{"channels", with(func(g *ImageGrid) { g.C = 2 }), ot.ErrShape, "2 channels"},
		{"no height", with(func(g *ImageGrid) { g.H = 0 }), ot.ErrShape, "0×5 pixels"},
		{"overflow", with(func(g *ImageGrid) { g.H, g.W = 1<<32, 1<<32 }), ot.ErrShape, "pixels"},
		{"short image", with(func(g *ImageGrid) { g.Images[2] = g.Images[2][1:] }), ot.ErrShape, "image 2 has 59 bytes"},
		{"captions", with(func(g *ImageGrid) { g.Captions = []string{"a"} }), ot.ErrShape, "1 captions for 3 images"},
		{"marks", with(func(g *ImageGrid) { g.Mark = []bool{} }), ot.ErrShape, "0 marks for 3 images"},
		{"columns", with(func(g *ImageGrid) { g.Cols = -1 }), ot.ErrOption, "-1 columns"},
		{"scale", with(func(g *ImageGrid) { g.Scale = -1 }), ot.ErrOption, "scale -1"},
		{"too large", with(func(g *ImageGrid) { g.Scale = 5000 }), ot.ErrOption, "larger than 20000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := WriteTo(io.Discard, tt.grid, "png", nil)
			if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "figure: image grid: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one with %q", err, tt.text)
			}
		})
	}
}

func BenchmarkImageGrid(b *testing.B) {
	g := texted(256, 32, 32, 3)
	for b.Loop() {
		if err := WriteTo(io.Discard, g, "png", nil); err != nil {
			b.Fatal(err)
		}
	}
}
