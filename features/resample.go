package features

import (
	"math"
)

// An input says what a network expects of its images: what they are resized to,
// and the mean and standard deviation that each channel, from 0 to 1, is
// brought to zero and one from.
type input struct {
	size      int  // side of what the network sees
	resize    int  // shorter side of the image, of which the middle is cut out; 0 means all of it, the aspect ratio lost
	antialias bool // average what is made smaller, rather than pick two pixels
	mean, sd  [3]float32
}

// A resampler brings images of one size to a network's.
type resampler struct {
	in      input
	h, w, c int   // of the images
	down    []tap // one an output row
	across  []tap // one an output column
}

// A tap says which pixels from first on make an output pixel, and how much of
// each.
type tap struct {
	first  int
	weight []float32
}

// sampler returns the resampler for images of h×w×c.
func (in input) sampler(h, w, c int) *resampler {
	outH, outW := in.size, in.size
	if in.resize > 0 { // as torchvision's Resize: the longer side is rounded down
		short := min(h, w)
		outH, outW = h*in.resize/short, w*in.resize/short
	}
	return &resampler{in, h, w, c, in.taps(h, outH), in.taps(w, outW)}
}

// taps returns the taps of the size pixels in the middle of n pixels resized to
// m, by a triangular (bilinear) filter around the centres of pixels. Where pixels
// become fewer and antialias is asked for, the filter widens with their
// distance.
func (in input) taps(n, m int) []tap {
	scale := float64(n) / float64(m)
	reach := 1.0
	if in.antialias {
		reach = max(1, scale)
	}
	offset := int(math.RoundToEven(float64(m-in.size) / 2)) // as torchvision's CenterCrop
	out := make([]tap, in.size)
	for i := range out {
		centre := (float64(i+offset)+0.5)*scale - 0.5 // in pixels of the image
		if !in.antialias {
			centre = min(max(0, centre), float64(n-1)) // the last pixel goes on outside
		}
		first, last := max(0, int(math.Ceil(centre-reach))), min(n-1, int(math.Floor(centre+reach)))
		t, sum := tap{first: first}, 0.0
		for k := first; k <= last; k++ {
			v := max(0, 1-math.Abs(float64(k)-centre)/reach)
			t.weight = append(t.weight, float32(v))
			sum += v
		}
		for k := range t.weight {
			t.weight[k] = float32(float64(t.weight[k]) / sum)
		}
		out[i] = t
	}
	return out
}

// apply writes the image pix to dst [size,size,3], resized and scaled. A gray
// image has three equal channels.
func (r *resampler) apply(dst []float32, pix []uint8) {
	size, c := r.in.size, r.c
	top, bottom := r.h, 0 // rows that are needed
	for _, t := range r.down {
		top, bottom = min(top, t.first), max(bottom, t.first+len(t.weight))
	}
	wide := make([]float32, (bottom-top)*size*c) // as wide as the output, as high as the image
	for y := top; y < bottom; y++ {
		row := pix[y*r.w*c : (y+1)*r.w*c]
		out := wide[(y-top)*size*c : (y-top+1)*size*c]
		for x, t := range r.across {
			for k, v := range t.weight {
				from := row[(t.first+k)*c : (t.first+k+1)*c]
				for ch, p := range from {
					out[x*c+ch] += v * float32(p)
				}
			}
		}
	}
	line := make([]float32, size*c)
	for y, t := range r.down {
		clear(line)
		for k, v := range t.weight {
			from := t.first - top + k
			for i, p := range wide[from*size*c : (from+1)*size*c] {
				line[i] += v * p
			}
		}
		out := dst[y*size*3 : (y+1)*size*3]
		for i := range out {
			ch := i % 3
			out[i] = (line[i/3*c+ch%c]/255 - r.in.mean[ch]) / r.in.sd[ch]
		}
	}
}
