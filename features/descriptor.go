package features

import (
	"context"
	"math"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/parallel"
)

// A Descriptor turns images into vectors without a trained network. It sees an
// image as 32×32 pixels in CIELAB, where distances are those that people see,
// and puts four blocks side by side:
//
//   - shape: directions of the edges in 4×4 cells, weighed by their strength
//     and divided by that of the whole image, after Dalal and Triggs (2005);
//   - texture: how many edges there are of each strength;
//   - colour: how many pixels there are of each lightness and each colour;
//   - layout: a thumbnail of 8×8 pixels.
//
// Each block is scaled so that two photographs differ by 1 in it, root mean
// square. The zero value is ready to use.
type Descriptor struct{}

const (
	side       = 32 // of the image that is described
	cells      = 4  // of the shape block, along each axis
	directions = 8  // of an edge, from 0 to π
	bins       = 16 // of each histogram
	thumb      = 8  // side of the thumbnail
)

// A block is a part of the vector.
type block struct {
	dim   int
	scale float32 // one over the distance of two images in it
	write func(dst []float32, im *labImage)
}

// The scales are one over the root mean square distance between images of
// CIFAR-10's training set (TestDescriptorScale). Weights other than equal ones,
// and finer cells, found foreign images no better.
var blocks = []block{
	{cells * cells * directions, 2.09, shape},
	{bins, 2.51, texture},
	{3 * bins, 0.766, colour},
	{3 * thumb * thumb, 0.317, layout},
}

// Name returns "descriptor".
func (Descriptor) Name() string { return "descriptor" }

// Hash returns the version of what Embed computes.
func (Descriptor) Hash() string { return "1" }

// Dim returns the dimension of the vectors.
func (Descriptor) Dim() int {
	n := 0
	for _, b := range blocks {
		n += b.dim
	}
	return n
}

// Embed returns the vectors of all images [N,Dim], or ctx.Err() when
// cancelled. Of opts, which may be nil, only Progress matters.
func (d Descriptor) Embed(ctx context.Context, im *dataset.Images, opts *Options) ([]float32, error) {
	if err := checkImages(im); err != nil {
		return nil, err
	}
	const part = 1024 // images between two looks at ctx
	n, dim := im.Len(), d.Dim()
	out := make([]float32, n*dim)
	sampler := input{size: side, antialias: true, sd: [3]float32{1, 1, 1}}.sampler(im.H, im.W, im.C)
	for first := 0; first < n; first += part {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		last := min(n, first+part)
		parallel.For(last-first, func(i int) {
			i += first
			describe(out[i*dim:(i+1)*dim], im.At(i), sampler)
		})
		if opts != nil && opts.Progress != nil {
			opts.Progress(last, n)
		}
	}
	return out, nil
}

// describe writes the vector of one image.
func describe(dst []float32, pix []uint8, sampler *resampler) {
	rgb := make([]float32, side*side*3)
	sampler.apply(rgb, pix)
	im := newLabImage(rgb)
	for _, b := range blocks {
		b.write(dst[:b.dim], im)
		for i := range b.dim {
			dst[i] *= b.scale
		}
		dst = dst[b.dim:]
	}
}

// A labImage is an image in CIELAB and the edges of its lightness.
type labImage struct {
	lab       [side * side][3]float64 // lightness 0 to 100; a, b about −100 to 100
	strength  [side * side]float64    // of the lightness's gradient, per pixel
	direction [side * side]float64    // of the gradient, 0 to π: dark on light is light on dark
}

func newLabImage(rgb []float32) *labImage {
	im := &labImage{}
	for i := range im.lab {
		im.lab[i] = lab(rgb[3*i], rgb[3*i+1], rgb[3*i+2])
	}
	for y := range side {
		for x := range side {
			at := func(y, x int) float64 {
				return im.lab[min(max(0, y), side-1)*side+min(max(0, x), side-1)][0]
			}
			dx, dy := (at(y, x+1)-at(y, x-1))/2, (at(y+1, x)-at(y-1, x))/2
			angle := math.Atan2(dy, dx)
			if angle < 0 {
				angle += math.Pi
			}
			im.strength[y*side+x], im.direction[y*side+x] = math.Hypot(dx, dy), angle
		}
	}
	return im
}

// lab converts a colour of sRGB, each channel 0 to 1, to CIELAB with the white
// of daylight (D65).
func lab(r, g, b float32) [3]float64 {
	R, G, B := linear(r), 0.0, 0.0
	if G = R; g != r {
		G = linear(g)
	}
	if B = R; b != r {
		B = linear(b)
	}
	f := func(t float64) float64 {
		if t > 216./24389 {
			return math.Cbrt(t)
		}
		return (24389./27*t + 16) / 116
	}
	x := f((0.4124564*R + 0.3575761*G + 0.1804375*B) / 0.95047)
	y := f(0.2126729*R + 0.7151522*G + 0.0721750*B)
	z := f((0.0193339*R + 0.1191920*G + 0.9503041*B) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// linear returns the light of a channel of sRGB (IEC 61966-2-1).
func linear(v float32) float64 {
	if k := int(v*255 + 0.5); k >= 0 && k < len(levels) && levels[k].value == v {
		return levels[k].light
	}
	return light(v)
}

func light(v float32) float64 {
	x := min(max(0, float64(v)), 1)
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// levels are the values of channels of 8 bits that nothing has resized, which
// most images have: a power takes longer than all else that is done to a pixel.
var levels = func() (out [256]struct {
	value float32
	light float64
}) {
	for k := range out {
		v := float32(k) / 255
		out[k].value, out[k].light = v, light(v)
	}
	return out
}()

// shape has the root of each cell's share of the edges' strength in each
// direction; a pixel counts for the two directions and four cells next to it.
func shape(dst []float32, im *labImage) {
	var sum [cells * cells * directions]float64
	total := 0.0
	for i, v := range im.strength {
		cy, wy := between(float64(i/side)*cells/side + 0.5*cells/side - 0.5)
		cx, wx := between(float64(i%side)*cells/side + 0.5*cells/side - 0.5)
		k, wk := between(im.direction[i]/math.Pi*directions - 0.5)
		for a := range 2 {
			for b := range 2 {
				if cy+a < 0 || cy+a >= cells || cx+b < 0 || cx+b >= cells {
					continue
				}
				part := v * wy[a] * wx[b]
				for c := range 2 {
					sum[((cy+a)*cells+cx+b)*directions+(k+c+directions)%directions] += part * wk[c]
				}
				total += part
			}
		}
	}
	total += 1 * side * side // faint edges, of one step of lightness a pixel, do not count in full
	for i, v := range sum {
		dst[i] = float32(math.Sqrt(v / total))
	}
}

// between is the bin below x and how much of x belongs to it and to the next.
func between(x float64) (int, [2]float64) {
	below := math.Floor(x)
	return int(below), [2]float64{below + 1 - x, x - below}
}

var (
	strongest = math.Log1p(50)       // edge, black beside white
	boldest   = math.Log1p(100. / 5) // colour
)

// texture is a histogram of the edges' strengths on a logarithmic scale.
func texture(dst []float32, im *labImage) {
	var count [bins]float64
	for _, v := range im.strength {
		add(&count, math.Log1p(v)/strongest)
	}
	roots(dst, &count)
}

// colour has a histogram of each channel of CIELAB.
func colour(dst []float32, im *labImage) {
	for c := range 3 {
		var count [bins]float64
		for _, p := range im.lab {
			x := p[0] / 100
			if c > 0 { // finer around gray, where most colours are
				x = 0.5 + math.Copysign(math.Log1p(math.Abs(p[c])/5)/boldest/2, p[c])
			}
			add(&count, x)
		}
		roots(dst[c*bins:(c+1)*bins], &count)
	}
}

// add counts x, from 0 to 1, in the two bins next to it.
func add(count *[bins]float64, x float64) {
	k, w := between(min(max(0, x), 1) * (bins - 1))
	count[k] += w[0]
	count[min(k+1, bins-1)] += w[1]
}

// roots writes the roots of the shares: their distance is that of Hellinger.
func roots(dst []float32, count *[bins]float64) {
	for i, v := range count {
		dst[i] = float32(math.Sqrt(v / (side * side)))
	}
}

// layout is the thumbnail, in CIELAB.
func layout(dst []float32, im *labImage) {
	const each = side / thumb
	clear(dst)
	for i, p := range im.lab {
		at := (i/side/each*thumb + i%side/each) * 3
		for c, v := range p {
			dst[at+c] += float32(v / (each * each * 100))
		}
	}
}
