package dataset

import (
	"bytes"
	"hash/crc32"
	"math"
	"testing"
)

func TestSynthImages(t *testing.T) {
	for _, tt := range []struct {
		spec    string
		n, h, c int
		classes int
		mean    float64
		sum     uint32 // pins the images across versions and platforms
	}{
		{"synth:digits", 1000, 28, 1, 10, 0.146, 0xd5c4abf2},
		{"synth:shapes,n=300", 300, 28, 1, 5, 0.385, 0x6c3f9fbb},
		{"synth:blobs,n=200,seed=3", 200, 32, 3, 0, 0.5, 0xeea01b6c},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			im := mustLoadImages(t, tt.spec, nil)
			info := im.Info()
			if im.Len() != tt.n || im.H != tt.h || im.W != tt.h || im.C != tt.c || im.Classes != tt.classes || len(im.ClassNames) != tt.classes {
				t.Errorf("%d images of %s, %d classes", im.Len(), sizeText(im.H, im.W, im.C), im.Classes)
			}
			if math.Abs(info.Mean[0]-tt.mean) > 0.03 || info.Std[0] < 0.15 || info.Duplicates > 0 {
				t.Errorf("mean %v, std %v, %d duplicates", info.Mean, info.Std, info.Duplicates)
			}
			for _, l := range info.Labels {
				if l.Count < tt.n/tt.classes/2 {
					t.Errorf("class %s has %d images", l.Label, l.Count)
				}
			}
			if sum := crc32.ChecksumIEEE(im.Pix); sum != tt.sum {
				t.Errorf("checksum %#x, want %#x", sum, tt.sum)
			}
			part := mustLoadImages(t, tt.spec+"[50:60]", nil)
			if !bytes.Equal(part.Pix, im.Pix[50*len(im.At(0)):60*len(im.At(0))]) || part.ID(3) != "53" || part.Classes != tt.classes {
				t.Error("a range is not a part of the whole")
			}
		})
	}
	small, large := mustLoadImages(t, "synth:digits,n=10,seed=4", nil), mustLoadImages(t, "synth:digits,n=20,seed=4", nil)
	if !bytes.Equal(small.Pix, large.Pix[:len(small.Pix)]) {
		t.Error("a smaller set is not the beginning of a larger one")
	}
	for _, spec := range SynthImageSpecs() {
		mustLoadImages(t, spec+"[:3]", nil)
	}
}

// TestDigitsAreDistinct classifies digits by the nearest mean image, which has
// to get most of them right.
func TestDigitsAreDistinct(t *testing.T) {
	train, test := mustLoadImages(t, "synth:digits,n=1000,seed=1", nil), mustLoadImages(t, "synth:digits,n=500,seed=2", nil)
	var mean [10][784]float64
	counts := train.labelCounts()
	for i := range train.Len() {
		k := train.Labels[i]
		for j, v := range train.At(i) {
			mean[k][j] += float64(v) / float64(counts[k].Count)
		}
	}
	right := 0
	for i := range test.Len() {
		best, least := 0, math.Inf(1)
		for k := range mean {
			d := 0.0
			for j, v := range test.At(i) {
				d += (float64(v) - mean[k][j]) * (float64(v) - mean[k][j])
			}
			if d < least {
				best, least = k, d
			}
		}
		if best == int(test.Labels[i]) {
			right++
		}
	}
	if right < 350 {
		t.Errorf("%d of 500 digits are told apart", right)
	}
}
