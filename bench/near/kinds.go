package main

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"math/rand/v2"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"rot.example/rot/dataset"
)

// A kind is a kind of foreign images.
type kind struct {
	name, says string
	// change makes channel c of a foreign image of that of others, H×W pixels each;
	// nil for letters.
	change  func(dst []float64, a, b plane, rng *rand.Rand)
	letters string
}

var kinds = []kind{
	{name: "capitals", says: "printed capitals", letters: "ABDEFGHKMNPQRTWXYZ"},
	{name: "lower", says: "printed small letters", letters: "abdefghkmnpqrtwxyz"},
	{name: "digits", says: "printed digits", letters: "0123456789"},
	{name: "upside", says: "upside down", change: each(func(a plane, i, j int) float64 { return a.at(a.h-1-i, j) })},
	{name: "turned", says: "turned and mirrored", change: each(func(a plane, i, j int) float64 { return a.at(j*a.h/a.w, i*a.w/a.h) })},
	{name: "thick", says: "thick strokes", change: each(func(a plane, i, j int) float64 { return a.fold(0, i-1, i+1, j-1, j+1, math.Max) })},
	{name: "thin", says: "thin strokes", change: each(func(a plane, i, j int) float64 { return a.fold(255, i-1, i, j-1, j, math.Min) })},
	{name: "blurred", says: "blurred", change: each(func(a plane, i, j int) float64 { return a.mean(i, j, 2) })},
	{name: "small", says: "small", change: each(small)},
	{name: "halved", says: "lower half missing", change: each(func(a plane, i, j int) float64 {
		if 2*i >= a.h {
			return a.at(0, 0)
		}
		return a.at(i, j)
	})},
	{name: "two", says: "two in one", change: func(dst []float64, a, b plane, _ *rand.Rand) {
		for k := range dst {
			i, j := k/a.w, k%a.w
			dst[k] = max(a.at(i, j-a.w/6), b.at(i, j+a.w/6))
		}
	}},
	{name: "noisy", says: "noisy", change: func(dst []float64, a, _ plane, rng *rand.Rand) {
		for k := range dst {
			dst[k] = a.at(k/a.w, k%a.w) + 40*rng.NormFloat64()
		}
	}},
	{name: "inverted", says: "inverted", change: each(func(a plane, i, j int) float64 { return 255 - a.at(i, j) })},
}

// A plane is one channel of an image.
type plane struct {
	pix           []uint8
	h, w, c, from int // from is the channel, of c
}

// at returns a pixel, or the nearest one of the image.
func (p plane) at(i, j int) float64 {
	i, j = min(max(i, 0), p.h-1), min(max(j, 0), p.w-1)
	return float64(p.pix[(i*p.w+j)*p.c+p.from])
}

// fold joins the pixels of rows i to k and columns j to l into one number, from v on.
func (p plane) fold(v float64, i, k, j, l int, join func(a, b float64) float64) float64 {
	for y := i; y <= k; y++ {
		for x := j; x <= l; x++ {
			v = join(v, p.at(y, x))
		}
	}
	return v
}

// mean returns the mean of the pixels up to r away.
func (p plane) mean(i, j, r int) float64 {
	sum := p.fold(0, i-r, i+r, j-r, j+r, func(a, b float64) float64 { return a + b })
	return sum / float64((2*r+1)*(2*r+1))
}

// small shrinks an image to three fifths, in the middle of what its first pixel is.
func small(p plane, i, j int) float64 {
	const share = 0.6
	y, x := (float64(i)-float64(p.h-1)/2)/share+float64(p.h-1)/2, (float64(j)-float64(p.w-1)/2)/share+float64(p.w-1)/2
	if y < 0 || x < 0 || y > float64(p.h-1) || x > float64(p.w-1) {
		return p.at(0, 0)
	}
	top, left := int(y), int(x)
	v, u := y-float64(top), x-float64(left)
	return (1-v)*((1-u)*p.at(top, left)+u*p.at(top, left+1)) + v*((1-u)*p.at(top+1, left)+u*p.at(top+1, left+1))
}

// each is a change of every pixel by itself.
func each(f func(a plane, i, j int) float64) func([]float64, plane, plane, *rand.Rand) {
	return func(dst []float64, a, _ plane, _ *rand.Rand) {
		for k := range dst {
			dst[k] = f(a, k/a.w, k%a.w)
		}
	}
}

// images makes foreign images, as many as there are others.
func (k kind) images(from *dataset.Images, seed uint64) (*dataset.Images, error) {
	n := from.Len()
	out := &dataset.Images{Name: k.name, H: from.H, W: from.W, C: from.C, Pix: make([]uint8, len(from.Pix))}
	rng := rand.New(rand.NewPCG(seed, 17))
	if k.letters != "" {
		p, err := newPrinter(k.letters, from.H, from.W)
		if err != nil {
			return nil, err
		}
		for i := range n {
			if err := p.print(out.At(i), from.C, rng); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	dst := make([]float64, from.H*from.W)
	for i := range n {
		other := rng.IntN(n)
		for c := range from.C {
			k.change(dst, plane{from.At(i), from.H, from.W, from.C, c}, plane{from.At(other), from.H, from.W, from.C, c}, rng)
			for j, v := range dst {
				out.At(i)[j*from.C+c] = uint8(min(max(math.Round(v), 0), 255))
			}
		}
	}
	return out, nil
}

// A printer prints letters in the middle of black images, in fonts and sizes drawn
// at random.
type printer struct {
	letters []rune
	fonts   []*opentype.Font
	h, w    int
}

func newPrinter(letters string, h, w int) (*printer, error) {
	p := &printer{letters: []rune(letters), h: h, w: w}
	for _, ttf := range [][]byte{
		goregular.TTF, gobold.TTF, goitalic.TTF, gobolditalic.TTF, gomedium.TTF, gomono.TTF, gomonobold.TTF, gomonoitalic.TTF, gosmallcaps.TTF,
	} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			return nil, fmt.Errorf("a font: %w", err)
		}
		p.fonts = append(p.fonts, f)
	}
	return p, nil
}

func (p *printer) print(dst []uint8, channels int, rng *rand.Rand) error {
	size := (0.85 + 0.2*rng.Float64()) * float64(min(p.h, p.w)) // of which a capital takes seven tenths
	face, err := opentype.NewFace(p.fonts[rng.IntN(len(p.fonts))], &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		return err
	}
	defer face.Close()
	letter := string(p.letters[rng.IntN(len(p.letters))])
	bounds, _ := font.BoundString(face, letter)
	im := image.NewGray(image.Rect(0, 0, p.w, p.h))
	draw.Draw(im, im.Bounds(), image.Black, image.Point{}, draw.Src)
	d := font.Drawer{Dst: im, Src: image.White, Face: face, Dot: fixed.Point26_6{
		X: fixed.I(p.w)/2 - (bounds.Min.X+bounds.Max.X)/2 + fixed.Int26_6(rng.IntN(128)-64),
		Y: fixed.I(p.h)/2 - (bounds.Min.Y+bounds.Max.Y)/2 + fixed.Int26_6(rng.IntN(128)-64),
	}}
	d.DrawString(letter)
	for i, v := range im.Pix {
		for c := range channels {
			dst[i*channels+c] = v
		}
	}
	return nil
}
