package dataset

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Uniform is what Mix takes in place of a data set for pure noise.
const Uniform = "uniform"

// ParseMix splits DATA@FRACTION, as in "synth:far@0.05".
func ParseMix(spec string) (data string, fraction float64, err error) {
	k := strings.LastIndexByte(spec, '@')
	if k < 1 {
		return "", 0, fileError(quote(spec), "outliers are written DATA@FRACTION, as in %s@0.05", Uniform)
	}
	fraction, err = strconv.ParseFloat(spec[k+1:], 64)
	if err != nil || !(fraction >= 0 && fraction < 1) {
		return "", 0, fileError(quote(spec), "the fraction %s is not a number in [0, 1)", quote(spec[k+1:]))
	}
	return spec[:k], fraction, nil
}

// A mixture says which samples are replaced, and by what.
type mixture struct {
	places []int // of the clean set, in random order
	draws  []int // of the dirt, one for each place
	note   string
}

// planMix draws a mixture of n clean samples with those of dirt.
func planMix(n, dirt int, fraction float64, seed uint64, name string) (*mixture, error) {
	switch {
	case !(fraction >= 0 && fraction < 1):
		return nil, fmt.Errorf("dataset: the fraction of outliers is %v, not in [0, 1)", fraction)
	case n == 0:
		return nil, fmt.Errorf("dataset: there is nothing to mix outliers into")
	case dirt == 0:
		return nil, fileError(name, "has no samples to mix in")
	}
	rng := rand.New(rand.NewPCG(seed, 0x6D6978)) // apart from other uses of the seed
	count := mixCount(n, fraction)
	m := &mixture{places: rng.Perm(n)[:count]}
	if count <= dirt {
		m.draws = rng.Perm(dirt)[:count]
	} else {
		m.draws = make([]int, count)
		for k := range m.draws {
			m.draws[k] = rng.IntN(dirt)
		}
	}
	m.note = fmt.Sprintf("%d of %d replaced by samples of %s", count, n, name)
	if count > dirt {
		m.note += fmt.Sprintf(", some more than once: it has %d", dirt)
	}
	return m, nil
}

// mixCount is how many of n samples a fraction is. One sample is always left.
func mixCount(n int, fraction float64) int {
	return min(int(math.Round(fraction*float64(n))), n-1)
}

// marks adds the places to outliers that are known already; none is nil.
func (m *mixture) marks(known []bool, n int) []bool {
	if len(m.places) == 0 {
		return known
	}
	out := make([]bool, n)
	copy(out, known)
	for _, i := range m.places {
		out[i] = true
	}
	return out
}

// ids are the names after the mixing; known are those before, if there are
// any, and clean and dirt name the samples of either set.
func (m *mixture) ids(known []string, n int, clean, dirt func(int) string) []string {
	if len(m.places) == 0 {
		return known
	}
	out := make([]string, n)
	for i := range out {
		out[i] = clean(i)
	}
	for k, i := range m.places {
		out[i] = dirt(m.draws[k])
	}
	return out
}

// foreign names the samples of a set among those of another. Numbers alone
// would be taken for those of clean samples.
func foreign(set string, ids []string) func(int) string {
	return func(i int) string {
		if ids != nil {
			return ids[i]
		}
		return set + "#" + strconv.Itoa(i)
	}
}

// MixImages replaces a fraction of the images, at seeded random places, by
// images of dirt, and marks those in Outlier. They are drawn without
// replacement unless dirt is too small, and brought to the size and colour of
// clean. The total stays, and so do the labels: an outlier passes for what it
// replaces. clean and dirt are left as they are.
func MixImages(clean, dirt *Images, fraction float64, seed uint64) (*Images, error) {
	n := clean.Len()
	m, err := planMix(n, dirt.Len(), fraction, seed, dirt.Name)
	if err != nil {
		return nil, err
	}
	drawn := &Images{Name: dirt.Name, H: dirt.H, W: dirt.W, C: dirt.C}
	drawn.Pix = make([]uint8, 0, len(m.draws)*dirt.H*dirt.W*dirt.C)
	for _, k := range m.draws {
		drawn.Pix = append(drawn.Pix, dirt.At(k)...)
	}
	if drawn, err = drawn.reshape(clean.H, clean.W, clean.C); err != nil {
		return nil, err
	}
	out := *clean
	out.Pix = slices.Clone(clean.Pix)
	for k, i := range m.places {
		copy(out.At(i), drawn.At(k))
	}
	out.Labels = slices.Clone(clean.Labels)
	out.Outlier = m.marks(clean.Outlier, n)
	out.IDs = m.ids(clean.IDs, n, clean.ID, foreign(dirt.Name, dirt.IDs))
	out.Notes = append(slices.Clone(clean.Notes), m.note)
	if len(m.places) == 0 {
		return &out, nil
	}
	for _, note := range slices.Concat(dirt.Notes, drawn.Notes) {
		out.Notes = append(out.Notes, dirt.Name+": "+note)
	}
	return &out, nil
}

// Mix is MixImages with what spec, DIRT@FRACTION, stands for. DIRT is a spec
// of images or the word Uniform.
func (im *Images) Mix(spec string, seed uint64) (*Images, error) {
	data, fraction, err := ParseMix(spec)
	if err != nil {
		return nil, err
	}
	var dirt *Images
	if data == Uniform {
		dirt = NoiseImages(max(mixCount(im.Len(), fraction), 1), im.H, im.W, im.C, seed)
	} else if dirt, err = loadDirt(data, im); err != nil {
		return nil, err
	}
	return MixImages(im, dirt, fraction, seed)
}

// loadDirt loads images to mix into im. Only those that are files of their own
// are resized right away, because they may be of many sizes, or large.
func loadDirt(data string, im *Images) (*Images, error) {
	body, _ := cutSelection(data, isFile)
	opts := &ImageOptions{}
	if format := ImageFormat(body); (format == "folder" || format == "celeba") && im.H == im.W {
		opts.Size = im.H
	}
	return LoadImages(data, opts)
}

// NoiseImages makes n images of uniform random bytes.
func NoiseImages(n, h, w, c int, seed uint64) *Images {
	im := &Images{Name: Uniform, H: h, W: w, C: c, Pix: make([]uint8, n*h*w*c)}
	rng := streamOf("noise", seed, 0)
	var word [8]byte
	for p := im.Pix; len(p) > 0; p = p[min(8, len(p)):] {
		binary.LittleEndian.PutUint64(word[:], rng.Uint64())
		copy(p, word[:])
	}
	return im
}
