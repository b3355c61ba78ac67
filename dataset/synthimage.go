package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"rot.example/rot/internal/parallel"
)

// A synthImageSet is a recipe for images.
type synthImageSet struct {
	name     string
	h, w, c  int
	classes  []string // nil when there are no labels
	defaults []param
	draw     func(c *canvas, class int, p func(string) float64, rng *rand.Rand)
}

var synthImageSets = []synthImageSet{
	{"digits", 28, 28, 1, strings.Split("0123456789", ""), []param{{"n", 1000}, {"noise", 0.05}}, drawDigit},
	{"shapes", 28, 28, 1, []string{"circle", "triangle", "square", "cross", "ring"}, []param{{"n", 1000}, {"noise", 0.05}}, drawShape},
	{"blobs", 32, 32, 3, nil, []param{{"n", 1000}, {"noise", 0.01}}, drawBlobs},
}

// SynthImageSpecs are the specs of all synthetic sets of images, each with its
// parameters and their defaults spelled out:
//
//	digits  28×28 gray: bright strokes on black, labelled by the digit
//	shapes  28×28 gray: large filled shapes, labelled by the kind
//	blobs   32×32 RGB: smooth patches of colour
//
// Image i is the same whatever n is, so that a smaller set is the beginning of
// a larger one. noise is the standard deviation of what is added to each
// channel, which runs from 0 to 1.
func SynthImageSpecs() []string {
	out := make([]string, len(synthImageSets))
	for i, s := range synthImageSets {
		out[i] = synthSpec(s.name, s.defaults)
	}
	return out
}

// findImageSynth is the set that synth:NAME… means, or nil.
func findImageSynth(spec string) *synthImageSet {
	name, _, _ := strings.Cut(strings.TrimPrefix(spec, "synth:"), ",")
	k := slices.IndexFunc(synthImageSets, func(s synthImageSet) bool { return s.name == name })
	if k < 0 {
		return nil
	}
	return &synthImageSets[k]
}

// synthImages makes the images of synth:NAME[,KEY=VALUE…].
func synthImages(spec string, part span) (*Images, error) {
	set := findImageSynth(spec)
	_, args, _ := strings.Cut(spec, ",")
	values, seed, err := parseParams(spec, set.name, set.defaults, args)
	if err != nil {
		return nil, err
	}
	lo, hi, err := part.of(spec, "images", int(values["n"]))
	if err != nil {
		return nil, err
	}
	im, err := newImages(spec, hi-lo, set.h, set.w, set.c)
	if err != nil {
		return nil, err
	}
	if im.Classes = len(set.classes); im.Classes > 0 {
		im.ClassNames = set.classes
		im.Labels = make([]int32, hi-lo)
	}
	im.numberFrom(lo)
	get := func(name string) float64 { return values[name] }
	err = parallel.Try(hi-lo, func(i int) error {
		rng := streamOf("images", seed, uint64(lo+i))
		class := 0
		if im.Labels != nil {
			class = rng.IntN(im.Classes)
			im.Labels[i] = int32(class)
		}
		c := &canvas{h: set.h, w: set.w, c: set.c, v: make([]float64, set.h*set.w*set.c)}
		set.draw(c, class, get, rng)
		c.store(im.At(i), get("noise"), rng)
		return nil
	})
	return im, err
}

// A canvas is an image of real numbers, 0 black and 1 white.
type canvas struct {
	h, w, c int
	v       []float64 // h×w×c
}

// cover blends colour v into the pixels, by the part of each that a shape
// covers. inside is how far a point lies inside of the shape, in pixels,
// negative outside; a border half a pixel wide is smooth.
func (c *canvas) cover(v float64, inside func(x, y float64) float64) {
	for y := range c.h {
		for x := range c.w {
			a := min(max(inside(float64(x)+0.5, float64(y)+0.5)+0.5, 0), 1)
			p := &c.v[y*c.w+x]
			*p += a * (v - *p)
		}
	}
}

// store turns the canvas into bytes, with noise.
func (c *canvas) store(dst []uint8, noise float64, rng *rand.Rand) {
	for i, v := range c.v {
		v += noise * rng.NormFloat64()
		dst[i] = uint8(math.Round(255 * min(max(v, 0), 1)))
	}
}
