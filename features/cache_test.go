package features

import (
	"testing"

	"rot.example/rot/dataset"
)

func TestThinned(t *testing.T) {
	im := &dataset.Images{Name: "set", H: 1, W: 1, C: 1, Pix: []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for n, want := range map[int]string{1: "\x00", 3: "\x00\x03\x06", 9: "\x00\x01\x02\x03\x04\x05\x06\x07\x08", 10: string(im.Pix), 11: string(im.Pix)} {
		if got := thinned(im, n); string(got.Pix) != want || got.Name != "set" {
			t.Errorf("%d of 10 are %v", n, got.Pix)
		}
	}
}

// TestCachePath: all that a classifier learns from is part of its name.
func TestCachePath(t *testing.T) {
	base := func() *dataset.Images {
		return &dataset.Images{H: 1, W: 2, C: 1, Pix: []uint8{1, 2, 3, 4}, Labels: []int32{0, 1}, Classes: 2, ClassNames: []string{"a", "bc"}}
	}
	seen := map[string]string{cachePath("", base(), 0): "base"}
	for name, change := range map[string]func(im *dataset.Images) int{
		"steps":   func(*dataset.Images) int { return 1 },
		"pixel":   func(im *dataset.Images) int { im.Pix[3] = 5; return 0 },
		"shape":   func(im *dataset.Images) int { im.H, im.W = 2, 1; return 0 },
		"label":   func(im *dataset.Images) int { im.Labels[1] = 0; return 0 },
		"classes": func(im *dataset.Images) int { im.Classes = 3; return 0 },
		"names":   func(im *dataset.Images) int { im.ClassNames = []string{"ab", "c"}; return 0 },
	} {
		im := base()
		h := cachePath("", im, change(im))
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", name, other)
		}
		seen[h] = name
	}
	if seen[cachePath("", base(), 0)] != "base" {
		t.Error("equal images have different hashes")
	}
}
