package figure

import (
	"slices"
	"testing"
)

// TestSortedImages: from the lowest weight to the highest, the ends complete.
func TestSortedImages(t *testing.T) {
	const n = 500
	pix, mark := make([]uint8, n), make([]bool, n)
	w, order := make([]float64, n), make([]int, n)
	for i := range n {
		rank := (i*7 + 3) % n // of image i
		pix[i] = uint8(rank / 2)
		mark[i] = rank < 5
		w[i] = float64(rank)
		order[rank] = i
	}
	g := SortedImages(1, 1, 1, w, order, mark, func(i int) []uint8 { return pix[i : i+1] })
	if len(g.Images) != 96 || len(g.Mark) != 96 || len(g.Captions) != 96 {
		t.Fatalf("%d images, %d marks, %d captions", len(g.Images), len(g.Mark), len(g.Captions))
	}
	shades := make([]int, len(g.Images))
	for k, pix := range g.Images {
		shades[k] = int(pix[0])
	}
	if !slices.IsSorted(shades) || shades[35] != 17 || shades[60] != (n-36)/2 || shades[95] != (n-1)/2 {
		t.Errorf("shades %v", shades)
	}
	for k, mark := range g.Mark {
		if mark != (k < 5) {
			t.Errorf("image %d is marked %v", k, mark)
		}
	}
	few := []uint8{9, 7, 8}
	g = SortedImages(1, 1, 1, []float64{3, 1, 2}, []int{1, 2, 0}, nil, func(i int) []uint8 { return few[i : i+1] })
	if len(g.Images) != 3 || g.Images[0][0] != 7 || g.Images[2][0] != 9 || g.Mark != nil {
		t.Errorf("of three images: %v, marks %v", g.Images, g.Mark)
	}
}
